"""Scenarios about the contacts and entitlements of customers."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.csm.customers import choose_customer, find_customer
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    ADMINS,
    ALONE,
    IN_FORCE,
    demote,
    find_caller,
    full_name,
)
from eops_traj.taskgen.scenarios.desk_reasons import EXPIRED, INACTIVE, MISSING, named, on_day
from eops_traj.taskgen.scene import Scene

_NEXT = {"standard": ("premium", "h12x6"), "premium": ("enterprise", "h24x7")}


@family("csm", perturbations=("inactive_person", "policy_forbids", "no_right"), produces="account")
def change_first_contact(s: Scene) -> None:
    """Another person speaks for an account from now on, and the one before perhaps no more."""
    s.pick_caller(ADMINS)
    fit = s.pick(
        f"""SELECT a.account_id, a.name AS account, a.email_domain, k.contact_id, o.first_name AS old_first,
            o.last_name AS old_last, u.*, n.contact_id AS known
        FROM account a JOIN contact k ON k.account_id = a.account_id AND k.is_primary AND k.active
        JOIN user o ON o.user_id = k.portal_user_id
        JOIN user u ON u.email LIKE '%@' || a.email_domain AND u.user_id <> o.user_id
        LEFT JOIN contact n ON n.portal_user_id = u.user_id AND n.account_id = a.account_id
        WHERE a.active AND a.account_type = 'customer' AND u.role = 'customer' AND u.active AND {ALONE}
        AND (n.contact_id IS NULL OR n.active) AND (SELECT COUNT(*) FROM contact x
            WHERE x.portal_user_id = u.user_id) = (n.contact_id IS NOT NULL)
        AND (SELECT COUNT(*) FROM user v
            WHERE v.first_name = o.first_name AND v.last_name = o.last_name) = 1"""
    )
    leaves = s.chance(0.5)
    old = f"{fit['old_first']} {fit['old_last']}"
    demote(s, "agent")
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=fit["user_id"])
    s.perturb("policy_forbids", "UPDATE user SET role = 'agent' WHERE user_id = :id", id=fit["user_id"])
    s.branches("whether the new one is a contact yet")
    s.ask(
        """{account} has a new first contact: {new} instead of {old}. [Mind that there can be only one|There
        can be only one such mark an account], [and if {new} is no contact yet, make them one|so move it, and
        make {new} a contact if that is not so yet]. {leaves}""",
        """[From {account} I hear|The people at {account} tell us] that {old} no longer speaks for them first;
        {new} does. [Turn that around in our records|Our records should be turned around accordingly],
        [whether {new} is a contact already or not|where {new} may have to become a contact first].
        {leaves}""",
        """At {account} things have changed hands[ over the holidays|]. We should have {new} down as their
        primary contact [now|from today], and not {old}. {leaves} [Should {new} not be a contact so far, that
        comes with it|In case {new} is not among their contacts so far, add that].""",
        """[The contact data of {account} need a correction|There is a correction to the contacts of
        {account}]: primary is {new}, no longer primary is {old}. {leaves} [If {new} is no contact yet, make
        them one|{new} may not be a contact yet; then make them one].""",
        """[Who speaks for {account}?|As to who speaks for {account}:] Up to last week it was {old}, [as of
        today|from now on] it is {new}, and that is what the system ought to say. {leaves} [Add {new} to the
        contacts where needed|Where {new} is missing among the contacts, add that too].""",
        """[Starting today|Effective today], the first [person to turn to|contact] at {account} is {new}, [who
        follows|the successor of] {old}. [One mark, one account|Only one of the two can bear the mark], as
        ever. {leaves} [Enter|Create] the contact of {new} if there is none.""",
        account=fit["account"], new=full_name(fit), old=old,
        leaves=f"{old} has left them altogether, so neither the contact nor the log-in should stay active."
        if leaves else f"{old} stays on as an ordinary contact.",
    )  # fmt: skip
    extra = ask_more(s, "talks", "cases", "contracts", "messages")
    find_caller(s, "admin")
    account = s.do("find_account", "the account", name=fit["account"])
    contacts = s.do("find_contacts", "who speaks for it now", account_id=account["account_id"])
    before = s.do("find_user", "who did so far", name=old)
    person = s.do("find_user", "who does from now on", name=full_name(fit))
    s.require(
        person["active"],
        "==",
        1,
        f"{full_name(fit)} is not active",
        names=(named(fit), INACTIVE),
    )
    s.require(person["role"], "==", "customer", f"{full_name(fit)} is not a customer",
              names=(named(fit), "not a customer|isn't a customer|agent|role|staff")
              )  # fmt: skip
    present = contacts.where(portal_user_id=before["user_id"])
    s.require(present["is_primary"], "==", 1, f"{old} is not the primary contact")
    gone = {"active": 0} if leaves else {}
    answer_more(s, extra, account)
    s.do("update_contact", f"{old} gives up the mark", contact_id=present["contact_id"], is_primary=0, **gone)
    known = contacts.every(portal_user_id=person["user_id"])
    s.do_when(holds(count(known), ">=", 1), "update_contact", f"{full_name(fit)} gets it",
              contact_id=known[0]["contact_id"], is_primary=1)  # fmt: skip
    s.do_when(holds(count(known), "==", 0), "create_contact", f"{full_name(fit)} becomes the first contact",
              account_id=account["account_id"], portal_user_id=person["user_id"], active=1,
              is_primary=1)  # fmt: skip
    if leaves:
        s.do("update_user_details", f"{old} cannot log in any more", user_id=before["user_id"], active=0)
    s.rule(
        "The account has one primary contact, who is an active customer",
        """SELECT GROUP_CONCAT(u.email) FROM contact k JOIN account a USING (account_id)
        JOIN user u ON u.user_id = k.portal_user_id AND u.active = 1 AND u.role = 'customer'
        WHERE a.name = :account AND k.is_primary = 1 AND k.active = 1""",
        expected=fit["email"], account=fit["account"],
    )  # fmt: skip
    s.produce("account", account, "the same customer")


@family("csm", perturbations=("no_right", "policy_forbids", "out_of_scope"), consumes="account")
def raise_level(s: Scene) -> None:
    """Entitlements of an account are raised by a level, hours included, some with another limit."""
    s.pick_caller(
        "SELECT * FROM user WHERE active AND role IN ('manager', 'admin') AND email LIKE '%@corvane.example'"
    )
    produced = s.consume("account")
    fit = s.pick(
        f"""SELECT a.*, e.support_level, e.entitlement_id, k.contract_id FROM account a
        JOIN entitlement e USING (account_id) JOIN contract k USING (contract_id)
        WHERE a.active AND {IN_FORCE} AND e.active AND e.support_level <> 'enterprise'
        AND (SELECT COUNT(*) FROM contract o WHERE o.account_id = a.account_id AND o.status = 'active') = 1
        AND NOT EXISTS (SELECT 1 FROM entitlement o WHERE o.account_id = a.account_id AND o.active
            AND o.support_level = e.support_level AND o.contract_id IS NOT k.contract_id)
        AND a.account_id IN (coalesce(:given, a.account_id))
        GROUP BY a.account_id, e.support_level HAVING COUNT(*) BETWEEN 1 AND 4""",
        given=produced.record["account_id"].value if produced else None,
    )
    level, hours = _NEXT[fit["support_level"]]
    limit = s.rng.choice([20, 30, 45, 50, 80])
    demote(s, "agent")
    s.perturb("policy_forbids", "UPDATE contract SET end_date = '2025-12-30' WHERE contract_id = :id",
              id=fit["contract_id"])  # fmt: skip
    customer = choose_customer(s, fit, produced)
    words = customer.words
    unknown = s.rng.choice(("platinum", "gold", "elite", "diamond", "ultimate", "silver"))
    new_level = s.phrase("out_of_scope", level, unknown)
    s.covers("all active entitlements of a level")
    s.duty("the hours that belong to a level")
    s.ask(
        """{account_up} has paid for better support. Everything of theirs that is active at the {old} level
        goes up to {new}, with the hours that belong to it and {limit} cases a month, [as long as the contract
        still runs|provided the contract has not ended].""",
        """[Raise|Please raise] the active {old} entitlements of {account} to {new}: hours as usual for that
        level, limit {limit} cases a month each. If the contract behind them has run out, leave all of it
        alone[; sales would have to renew it first|].""",
        """[Sales told|Our sales people told] {account} they would have {new} support from this week, and so
        they shall. [Take|This means] whatever is active at {old}, [look|after looking] whether its contract
        holds, and raise level, hours, and the limit, [which becomes|the last one to] {limit} cases a
        month.""",
        """[I agreed|We agreed] with {account} on {new} instead of {old}, for every entitlement in force. That
        includes the coverage hours, and {limit} as the monthly number of cases. [They should have a running
        contract|Check that their contract is running], otherwise [nothing happens|it is off].""",
        """What {account} [holds|has] at {old} level [should be|is to be] at {new}, with {limit} cases a month
        and the proper hours, [in each case provided it is active and the contract is too|but only what is
        active, and only if the contract is as well]. [The invoice|The first invoice] goes out tomorrow.""",
        """[An upgrade was sold to|We sold an upgrade to] {account}: {old} becomes {new} for all they have at
        that level and can use, hours to match, {limit} cases a month. [Check the contract first|Their
        contract has to be good for it, so check that first].""",
        account=words, account_up=words[0].upper() + words[1:], old=fit["support_level"],
        new=new_level, limit=limit,
    )  # fmt: skip
    extra = ask_more(s, "contracts")
    s.refuse("out_of_scope", f"there is no support level called {unknown}",
             names=(unknown, f"{MISSING}|not a|isn't a|not one of|isn't one of|only|invalid"))  # fmt: skip
    find_caller(s, "manager", "admin")
    account = find_customer(s, customer)
    rights = s.do("find_entitlements", f"what is at {fit['support_level']}", account_id=account["account_id"],
                  support_level=fit["support_level"], active=1)  # fmt: skip
    s.require(count(rights), ">=", 1, f"nothing active is at the level {fit['support_level']}")
    contract = s.do("find_contracts", "whether their contract holds",
                    contract_id=rights[0]["contract_id"])[0]  # fmt: skip
    s.require(contract["status"], "==", "active", "the contract of the account is not active")
    s.require(contract["end_date"], ">=", "2026-01-05", "the contract of the account has run out",
              names=("contract", f"{EXPIRED}|{on_day('2025-12-30')}"))  # fmt: skip
    alike = _count_equal(s, fit["account_id"], level, hours, limit)
    answer_more(s, extra, account)
    raised = len(rights.value)
    s.do_each(rights, "update_entitlement", f"raise it to {level}", entitlement_id=ROW["entitlement_id"],
              support_level=level, coverage_hours=hours, max_cases_per_month=limit)  # fmt: skip
    s.rule(
        "Level and hours belong together on what was raised, and its contract holds",
        """SELECT COUNT(*) FROM entitlement e JOIN account a USING (account_id)
        JOIN contract k USING (contract_id) WHERE a.name = :account AND e.active = 1
        AND e.support_level = :level AND e.coverage_hours = :hours AND e.max_cases_per_month = :limit
        AND k.status = 'active' AND k.end_date >= '2026-01-05'""",
        expected=raised + alike,
        account=fit["name"], level=level, hours=hours, limit=limit,
    )  # fmt: skip


def _count_equal(s: Scene, account: int, level: str, hours: str, limit: int) -> int:
    """Count an account's active entitlements that have these values from the start."""
    return len(s.rows(
        """SELECT 1 FROM entitlement WHERE account_id = :account AND active AND support_level = :level
        AND coverage_hours = :hours AND max_cases_per_month = :limit AND contract_id IS NOT NULL""",
        account=account, level=level, hours=hours, limit=limit,
    ))  # fmt: skip
