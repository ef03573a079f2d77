"""Scenarios about what ends at a customer: the whole business, a contract, or a contact's job."""

from eops_traj.taskgen.expressions import ROW, either, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.csm.customers import choose_customer, find_customer, twist_customer
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    ADMINS,
    ALONE,
    OPEN,
    OPEN_STATES,
    demote,
    find_caller,
    full_name,
)
from eops_traj.taskgen.scenarios.desk_reasons import MISSING, named
from eops_traj.taskgen.scene import Scene


@family("csm", perturbations=("no_right", "policy_forbids", "missing_entity"))
def end_business(s: Scene) -> None:
    """A customer leaves: contracts, entitlements, contacts and the account end, unless a case is open."""
    s.pick_caller(ADMINS)
    account = s.pick(
        f"""SELECT a.* FROM account a JOIN contract k USING (account_id) WHERE a.active
        AND a.account_type <> 'internal' AND k.status = 'active'
        AND EXISTS (SELECT 1 FROM customer_case c WHERE c.account_id = a.account_id)
        AND (SELECT COUNT(*) FROM customer_case c WHERE c.account_id = a.account_id
            AND c.state IN {OPEN}) <= 3
        GROUP BY a.account_id HAVING COUNT(*) BETWEEN 1 AND 4"""
    )
    for table, column in (("case_sla", "stage"), ("customer_case", "state")):  # nothing is open there
        s.arrange(
            f"""UPDATE {table} SET {column} = 'canceled' WHERE case_id IN (SELECT case_id FROM customer_case
            WHERE account_id = :id AND state IN {OPEN})""",
            id=account["account_id"],
        )
    customer = choose_customer(s, account)
    demote(s, "manager")
    s.perturb(
        "policy_forbids",
        """UPDATE customer_case SET state = 'in_progress', closed_on = NULL WHERE case_id =
        (SELECT MAX(case_id) FROM customer_case WHERE account_id = :id)""", id=account["account_id"],
    )  # fmt: skip
    twist_customer(s, customer)
    s.covers("all active contracts, entitlements and contacts of an account")
    s.duty("what has to be over before an account is made inactive, and that entitlements end with contracts")
    s.ask(
        """{account} [leaves us|is no longer with us] [as of today|from today on]. By mutual consent [every
        contract in force|each of their active contracts] expires, and so does [what hangs on it|whatever
        depends on it]; their contacts and the account itself [become|are made] inactive, provided that [no
        case is open|they have no open case].""",
        """[The notice|The letter of notice] from {account} takes effect today. [Expired|To be marked as
        expired] are all contracts that are active now, and no entitlement [from them|under them]
        [survives|stays in force]; nobody speaks for them any more, and the account is closed [by the
        rules|the way our rules say].""",
        """[We part with|We and] {account}[, in peace,| part as friends,] and our records should follow:
        contracts in force to expired, [what they granted|their entitlements] to inactive, contacts to
        inactive, the account last. [If work on a case is going on|With a case still in hand], none of it may
        be done.""",
        """[Please wind up|I would like you to wind up] {account} as a customer: no active contract, no
        entitlement from one and no active contact is to be left, and the account goes to inactive. [Check
        first whether|Our rules ask first whether] a case of theirs is still open, [which would stop us|since
        that would rule it out].""",
        """{account} [was sold|has been sold], and the buyer [has its own people for our work|works with
        somebody else]. [That ends|So end] the contracts that run (they expire), the entitlements [under|from]
        them, [all of their contacts|the right of their contacts to ask for anything] and the account, [as
        long as no case stands in the way|if no open case stands in the way].""",
        """[After eight years|After many years] the business with {account} [is over|comes to its end].
        Whatever contract of theirs is active [is expired from today|counts as expired], [with all
        its|together with its] entitlements; then go the contacts, and then the account, [for which|where] the
        usual conditions [apply|hold].""",
        account=customer.words,
    )  # fmt: skip
    extra = ask_more(s, "contracts")
    find_caller(s, "admin")
    owner = find_customer(s, customer)
    cases = s.do("search_cases", "whether a case is open", account_id=owner["account_id"])
    s.require(count(cases.every(OPEN_STATES)), "==", 0, "they have an open case",
              names=("case", "open|in progress|in_progress|unfinished|not closed|not finished"))  # fmt: skip
    contracts = s.do("find_contracts", "what is in force", account_id=owner["account_id"], status="active")
    rights = s.do("find_entitlements", "what hangs on it", account_id=owner["account_id"], active=1)
    contacts = s.do("find_contacts", "who speaks for them", account_id=owner["account_id"], active=1)
    answer_more(s, extra, owner)
    s.do_each(contracts, "update_contract", "it ends", contract_id=ROW["contract_id"], status="expired")
    s.do_each(rights, "update_entitlement", "void with its contract", entitlement_id=ROW["entitlement_id"],
              active=0, when=holds(ROW["contract_id"], "in", contracts.every()["contract_id"]))  # fmt: skip
    s.do_each(contacts, "update_contact", "speaks for them no more", contact_id=ROW["contact_id"], active=0)
    s.do("update_account_details", "the account ends last", account_id=owner["account_id"], active=0)
    s.rule(
        "The account is inactive, without active contracts or contacts",
        """SELECT (SELECT COUNT(*) FROM contract WHERE account_id = a.account_id AND status = 'active')
        + (SELECT COUNT(*) FROM contact WHERE account_id = a.account_id AND active = 1) + a.active
        FROM account a WHERE a.account_id = :id""",
        expected=0, id=account["account_id"], category="integrity",
    )  # fmt: skip


@family("csm", perturbations=("no_right", "missing_entity"), ood=True)
def suspend_dearest(s: Scene) -> None:
    """The dearest running contract of a customer is suspended, and what it entitles them to rests."""
    s.pick_caller(ADMINS)
    account = s.pick(
        """SELECT a.*, MAX(k.contract_price) AS price FROM account a JOIN contract k USING (account_id)
        WHERE a.active AND k.status = 'active' AND k.contract_price IS NOT NULL
        GROUP BY a.account_id HAVING COUNT(*) BETWEEN 2 AND 6 AND MIN(k.end_date) >= '2026-01-05'"""
    )
    customer = choose_customer(s, account)
    demote(s, "manager")
    twist_customer(s, customer)
    s.indirect("the dearest active contract of an account", hidden=[account["price"]])
    s.covers("all active entitlements of a contract")
    s.duty("entitlements of a suspended contract are made inactive")
    s.ask(
        """[Accounting|Our accounting] has waited for {account} since November. [Of their active
        contracts|Among the contracts of theirs that are active] the most expensive one [is suspended|is to be
        suspended] until they pay, [with the consequences that our rules name|which has consequences by our
        rules]; tell me [how many contracts in all|the number of contracts] they have in [the
        state|state] expired.""",
        """{account} [disputes|does not pay] an invoice, [the one for its dearest contract|and it belongs to
        the dearest contract]. Suspend that contract, as far as it is active today, and do [what|all that]
        follows from [it|that]. [I also need|For the file I need] their number of contracts in state
        expired.""",
        """[Which active contract of {account} costs most?|I mean that active contract of {account} which
        costs most.] It [goes|is to go] to suspended, [others stay|no other does], and [support under it|what
        it grants] [must rest|rests] with it. [Also report|Report besides] how many of their contracts are in
        the state expired.""",
        """[Legal wants|The lawyers want] the largest contract of {account}, by price and among the active
        ones, suspended. [Do what is due|You know what is due] when that happens to a contract, and [find
        out|tell me] how many contracts in the state expired they [have|keep] with us.""",
        """[For the time being|Until further notice] {account} has no claim from its costliest active
        contract. The contract is suspended, and [our system should not|nothing in our system should] treat
        anybody as entitled by it. [Add in your answer|Your answer should add] how many of their contracts are
        in state expired.""",
        """[The bank returned|Their bank returned] the payment of {account} for the contract with the highest
        price. [Provided it is|As long as it is] active, [put it to|mark it] suspended with everything [that
        the rules attach|attached] to that. [How many contracts in the state expired do they have?|I
        would like the number of their contracts in the state expired, too.]""",
        account=customer.words,
    )  # fmt: skip
    find_caller(s, "admin")
    owner = find_customer(s, customer)
    contracts = s.do("find_contracts", "what is active", account_id=owner["account_id"], status="active")
    s.require(count(contracts), ">=", 1, "they have no active contract")
    dearest = contracts.largest("contract_price")
    rights = s.do("find_entitlements", "what hangs on it", contract_id=dearest["contract_id"], active=1)
    counts = s.do("count_contract_by_status", "how many have expired", account_id=owner["account_id"])
    s.do("update_contract", "it is suspended", contract_id=dearest["contract_id"], status="suspended")
    s.do_each(rights, "update_entitlement", "it rests with its contract",
              entitlement_id=ROW["entitlement_id"], active=0)  # fmt: skip
    s.answer("how many of their contracts are expired", either(counts.where(status="expired")["count"], 0))
    s.rule(
        "Nothing active hangs on a suspended contract of the account that was active before",
        """SELECT COUNT(*) FROM entitlement e JOIN contract k USING (contract_id)
        WHERE k.contract_id = :id AND (e.active = 1 OR k.status <> 'suspended')""",
        expected=0, id=dearest["contract_id"].value,
    )  # fmt: skip


@family("csm", perturbations=("no_right", "missing_entity"))
def contact_resigned(s: Scene) -> None:
    """A first contact has resigned: open cases and the mark go to the contact who was entered last."""
    s.pick_caller(ADMINS)
    gone = s.pick(
        f"""SELECT u.*, a.name AS account, k.contact_id, k.account_id FROM contact k
        JOIN account a USING (account_id) JOIN user u ON u.user_id = k.portal_user_id
        WHERE a.active AND k.active AND k.is_primary AND {ALONE} AND (SELECT COUNT(*) FROM contact o
            WHERE o.account_id = k.account_id AND o.active AND NOT o.is_primary) >= 2
        AND (SELECT COUNT(*) FROM contact o JOIN user v ON v.user_id = o.portal_user_id
            WHERE o.account_id = k.account_id AND o.active AND NOT v.active) = 0
        AND (SELECT COUNT(*) FROM customer_case c WHERE c.contact_id = k.contact_id AND c.state IN {OPEN})
            BETWEEN 1 AND 5"""
    )
    newest = s.pick(
        """SELECT v.email, v.first_name || ' ' || v.last_name AS name FROM contact o
        JOIN user v ON v.user_id = o.portal_user_id WHERE o.account_id = :id AND o.active
        AND NOT o.is_primary ORDER BY o.sys_created_on DESC LIMIT 1""", id=gone["account_id"],
    )  # fmt: skip
    who = full_name(gone)
    demote(s, "manager")
    s.perturb("missing_entity", "UPDATE contact SET active = 0 WHERE account_id = :id AND NOT is_primary",
              id=gone["account_id"])  # fmt: skip
    s.indirect("the active contact who was entered last", hidden=[newest["email"], newest["name"]])
    s.covers("all open cases of a contact")
    s.ask(
        """{who}, the first contact of {account}, [has resigned|has left the company]. [Every open case|All
        open cases] in that name [pass|pass on] to whichever of their other active contacts was entered last,
        who also becomes their primary contact; neither the contact {who} nor the log-in [stays|remains]
        active.""",
        """[At|Over at] {account} the primary contact is gone: {who}. [Take the name|The name comes] off every
        case that is still open and put the newest of the remaining active contacts there, [who gets|together
        with] the mark of primary contact; then [switch off|make inactive] the old contact and [its|the]
        portal user.""",
        """{account} [told us|lets us know] that {who} does not work there any more. The successor, as primary
        contact and [on|for] all open cases, is the active contact whom we [have known for the shortest
        time|entered most recently]; for {who} [both ends|both come to an end], the contact and the account to
        log in with.""",
        """[Nobody reads|No one reads] what we send to {who} [now|any longer], because {account} and {who}
        have parted. [From their other active contacts|Of their other active contacts] take the one made last:
        [this one|that person] stands on the open cases from today and is primary, while contact and user of
        {who} become inactive.""",
        """[Whoever was added last|The one who was added last] to the active contacts of {account}, {who}
        [aside|not counted], takes the place of {who}: as primary contact, and on each of the cases [not
        finished yet|that are open]. {who} [resigned|quit] and [loses|gives up] both the contact and the
        access.""",
        """[The year begins with a change at|There was a change over New Year at] {account}. {who} is out,
        [contact and log-in inactive|with contact and log-in inactive]; the most recently entered active
        contact is [in|in as the primary one], and takes over [whatever|all that] {who} had open with us, case
        by case.""",
        who=who, account=gone["account"],
    )  # fmt: skip
    extra = ask_more(s, "talks", "cases", "contracts", "messages")
    find_caller(s, "admin")
    owner = s.do("find_account", "the customer", name=gone["account"])
    s.require_ok(owner, f"there is no account {gone['account']}", names=(gone["account"], MISSING))
    person = s.do("find_user", "who has gone", name=who)
    contacts = s.do("find_contacts", "who speaks for them", account_id=owner["account_id"], active=1)
    old = contacts.where(portal_user_id=person["user_id"])
    s.require(
        old["is_primary"], "==", 1, f"{who} is not their primary contact", names=(named(gone), "primary")
    )
    others = contacts.every(is_primary=0)
    s.require(
        count(others),
        ">=",
        1,
        "there is no other active contact",
        names=("contact", f"{MISSING}|no other|none|only|inactive|not active|nobody|no one|no active"),
    )
    heir = others.largest("sys_created_on")
    cases = s.do("search_cases", "what is open in that name", contact_id=old["contact_id"])
    answer_more(s, extra, owner)
    s.do_each(cases.every(OPEN_STATES), "update_case", "it changes to the new contact",
              case_id=ROW["case_id"], contact_id=heir["contact_id"])  # fmt: skip
    s.do("update_contact", f"{who} gives up mark and contact", contact_id=old["contact_id"], is_primary=0,
         active=0)  # fmt: skip
    s.do("update_contact", "the newest becomes the first", contact_id=heir["contact_id"], is_primary=1)
    s.do("update_user_details", f"{who} cannot log in any more", user_id=person["user_id"], active=0)
    s.rule(
        "The account has one primary contact, who is active, and nothing open is in the old name",
        f"""SELECT (SELECT COUNT(*) FROM contact WHERE account_id = :account AND is_primary = 1
            AND active = 1) - (SELECT COUNT(*) FROM customer_case WHERE contact_id = :old
            AND state IN {OPEN})""",
        account=gone["account_id"], old=gone["contact_id"], category="integrity",
    )  # fmt: skip
    s.produce("account", owner, "the same customer")
