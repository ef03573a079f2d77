"""Scenarios about opening cases: who asks for support, for which product, and whether it is covered."""

from eops_traj.gym.servers.csm.seed_catalogue import PROBLEMS
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    ALONE,
    DESK,
    IN_FORCE,
    OPEN,
    OUT_OF_WARRANTY,
    STAFF,
    demote,
    find_caller,
    full_name,
)
from eops_traj.taskgen.scenarios.csm.naming import settle
from eops_traj.taskgen.scenarios.csm.new_case import (
    CAME,
    URGENT,
    add_description_rule,
    add_related_records,
    check_no_repetition,
    create_case,
)
from eops_traj.taskgen.scenarios.desk_reasons import EXPIRED, INACTIVE, MISSING, named, on_day
from eops_traj.taskgen.scene import Scene

NO_OPEN_CASE = f"""NOT EXISTS (SELECT 1 FROM customer_case x
    WHERE x.account_id = a.account_id AND x.product_id = p.product_id AND x.state IN {OPEN})"""
SPEAKS = f"c.active AND u.active AND a.active AND u.role = 'customer' AND {ALONE}"


@family("csm", perturbations=("inactive_person", "policy_forbids", "missing_entity"), produces="case")
def open_case(s: Scene) -> None:
    """A customer's trouble with a product they have a contract for becomes a case."""
    s.pick_caller(DESK)
    fit = s.pick(
        f"""SELECT c.contact_id, u.*, a.account_id, a.name AS account, p.product_id, p.name AS product,
            p.category, k.contract_id, e.entitlement_id, e.max_cases_per_month
        FROM entitlement e JOIN account a USING (account_id) JOIN product p USING (product_id)
        JOIN contract k USING (contract_id) JOIN contact c ON c.account_id = a.account_id
        JOIN user u ON u.user_id = c.portal_user_id
        WHERE {SPEAKS} AND {IN_FORCE} AND {NO_OPEN_CASE} AND {OUT_OF_WARRANTY} AND e.active
        AND p.lifecycle_state = 'active'
        AND (SELECT COUNT(*) FROM entitlement o WHERE o.account_id = a.account_id AND o.active
            AND (o.product_id = p.product_id OR o.product_id IS NULL)) = 1
        AND e.max_cases_per_month > 2 + (SELECT COUNT(*) FROM customer_case x
            WHERE x.account_id = a.account_id AND x.sys_created_on >= '2026-01-01')"""
    )
    problem = s.rng.choice(PROBLEMS[fit["category"]])
    channel, priority = s.rng.choice(list(CAME)), s.rng.choice(list(URGENT))
    s.perturb("inactive_person", "UPDATE contact SET active = 0 WHERE contact_id = :id", id=fit["contact_id"])
    s.perturb(
        "policy_forbids", "UPDATE contract SET end_date = '2025-12-28' WHERE contract_id = :id",
        id=fit["contract_id"],
    )  # fmt: skip
    s.perturb(
        "missing_entity", "UPDATE product SET name = name || ' Legacy' WHERE product_id = :id",
        id=fit["product_id"],
    )  # fmt: skip
    s.duty("what belongs to a new case")
    s.ask(
        """{who} of {account} got in touch {came} about {product}. In their own words: "{problem}". [Please
        see whether we owe them support|Find out whether we owe them support], and [if so|where we do] open a
        case [in the name of {who}|for {who}]. {urgent}""",
        """{product} at {account} is in trouble: "{problem}", says {who}, who came {came}. [If their contract
        covers it|As far as their contract covers it], [put a case on record|a case goes on record] with
        everything that [goes with opening one|an opening involves]. {urgent}""",
        """[There is a complaint|A complaint reached us] {came} from {who} at {account}: {product},
        "{problem}". {urgent} [I want it opened properly|It is to be opened by the book], with [all that
        belongs to it|whatever a new case needs], but only if they are entitled[ to support|].""",
        """I promised {who} ({account}) [an answer|news] within the hour. They told us {came} that with
        {product} "{problem}". [Open the case|Have a case opened] for them, [provided their support is in
        order|after a look at their entitlement]. {urgent}""",
        """[On behalf of|In the name of] {who} at {account} [I need a case|a case is needed]. It reached us
        {came}; [the problem with their {product} is|what is wrong with their {product} is] that "{problem}".
        {urgent} [Check first|Make sure first] that they still have support with us.""",
        """[Whether {account} is still covered for {product} I do not know|I am not sure {account} is still
        covered for {product}], so [check before you do anything|that comes first]. If they are, [open|create]
        a case for {who}, who reported {came}: "{problem}". {urgent}""",
        who=full_name(fit), account=fit["account"], came=CAME[channel], product=fit["product"],
        problem=problem.symptom, urgent=s.rng.choice(URGENT[priority]),
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "talks")
    person = s.do("find_user", "who reports it", name=full_name(fit))
    contact = s.do("find_contact_by_portal_user", "the contact they are", portal_user_id=person["user_id"])
    s.require(contact["active"], "==", 1, f"{full_name(fit)} is no longer an active contact",
              names=(f"{named(fit)}|contact", INACTIVE))  # fmt: skip
    account = s.do("get_accounts", "the account they speak for", account_id=contact["account_id"])[0]
    s.require(account["name"], "==", fit["account"], f"{full_name(fit)} does not speak for {fit['account']}")
    s.require(account["active"], "==", 1, f"{fit['account']} is not an active account")
    product = s.do("find_product", "the product", name=fit["product"])
    s.require_ok(product, f"there is no product {fit['product']} in the catalogue",
                 names=(fit["product"], MISSING))  # fmt: skip
    s.require(product["lifecycle_state"], "==", "active", f"{fit['product']} is not in the active catalogue")
    rights = s.do(
        "find_entitlements", "what they are entitled to", account_id=account["account_id"], active=1
    )
    right = rights.where(product_id=product["product_id"])
    contract = s.do("find_contracts", "whether the contract holds", contract_id=right["contract_id"])[0]
    s.require(contract["status"], "==", "active", "the contract behind the entitlement is not active")
    s.require(contract["end_date"], ">=", "2026-01-05", "the contract behind the entitlement has run out",
              names=("contract|entitle", f"{EXPIRED}|{on_day('2025-12-28')}"))  # fmt: skip
    month = s.do("search_cases", "cases this month", account_id=account["account_id"],
                 created_after="2025-12-31 23:59:59")  # fmt: skip
    s.require(count(month), "<", right["max_cases_per_month"], "the cases of this month are used up")
    check_no_repetition(s, account, product)
    answer_more(s, extra, account)
    case = create_case(s, account, contact["contact_id"], product, problem, channel, priority)
    add_related_records(s, case, product, problem, person["email"])
    s.rule(
        "The case was opened for a contact of the account, on an entitlement that holds today",
        """SELECT COUNT(*) FROM customer_case c JOIN contact k USING (contact_id)
        JOIN account a ON a.account_id = c.account_id AND a.account_id = k.account_id
        JOIN entitlement e ON e.account_id = a.account_id AND e.product_id = c.product_id AND e.active = 1
        JOIN contract t ON t.contract_id = e.contract_id AND t.status = 'active'
            AND t.end_date >= '2026-01-05'
        WHERE a.name = :account AND c.sys_created_on >= '2026-01-05 09:00:00'""",
        account=fit["account"],
    )
    add_description_rule(s, fit["account"], fit["product"], problem)
    settle(s, "priority")
    s.produce("case", case, s.rng.choice((
        f"the new case about {fit['product']}", f"the case of {full_name(fit)} that was just opened",
        f"the case that {fit['account']} has now", "the case that came of this",
    )))  # fmt: skip


_AGAIN = (  # the priority once more; where it is another one, the request contradicts itself
    "They were promised that our records say {}.", "In the case it has to read {} and nothing else.",
    "I told them on the phone that it is {}.", "Mind that the case is entered as {}.",
    "Their manager wants to see it as {} in the portal.", "So the field for it holds the word {}.",
    "As {} it goes into the statistics.", "Our weekly list must have it under {}.",
)  # fmt: skip


@family("csm", perturbations=("policy_forbids", "no_right", "conflicting_demands"), produces="case")
def open_warranty_case(s: Scene) -> None:
    """A broken piece without support contract gets a case because its warranty still runs."""
    s.pick_caller(DESK)
    piece = s.pick(
        f"""SELECT i.*, a.name AS account, p.name AS product, p.category, c.contact_id, u.email
        FROM installed_product i JOIN account a USING (account_id) JOIN product p USING (product_id)
        JOIN contact c ON c.account_id = a.account_id AND c.is_primary
        JOIN user u ON u.user_id = c.portal_user_id
        WHERE i.status = 'in_use' AND i.warranty_end >= '2026-01-05' AND p.category = 'hardware'
        AND p.lifecycle_state = 'active' AND c.active AND u.active AND a.active AND {NO_OPEN_CASE}
        AND (SELECT COUNT(*) FROM installed_product o WHERE o.serial_number = i.serial_number) = 1
        AND NOT EXISTS (SELECT 1 FROM entitlement e WHERE e.account_id = a.account_id AND e.active
            AND (e.product_id = p.product_id OR e.product_id IS NULL))"""
    )
    problem = s.rng.choice(PROBLEMS["hardware"])
    channel, priority = s.rng.choice(list(CAME)), s.rng.choice(["critical", "high", "low"])
    last = s.rng.choice(["2025-12-31", "2025-11-30", "2025-10-15"])
    demote(s, "customer")
    s.perturb(
        "policy_forbids",
        "UPDATE installed_product SET warranty_end = :last WHERE installed_product_id = :id",
        last=last, id=piece["installed_product_id"],
    )  # fmt: skip
    other = s.rng.choice([one for one in URGENT if one != priority])
    again = s.rng.choice(_AGAIN)
    urgent = f"{s.rng.choice(URGENT[priority])} " + s.phrase(
        "conflicting_demands", again.format(priority), again.format(other)
    )
    s.duty("what belongs to a new case")
    s.indirect("the primary contact of the account", hidden=[piece["email"]])
    s.ask(
        """{account} told us {came} that the piece with serial number {serial} is giving up: "{problem}".
        [They have no support for it, I think|I think it has no support], but perhaps the warranty still runs.
        [If so|In that case], open a case for the repair in the name of their [first|primary] contact.
        {urgent}""",
        """[Should they have a right to one|Provided that they have a right to it], {account} gets a repair
        case for serial number {serial}. [It was reported|We heard of it] {came}: "{problem}". Their primary
        contact [speaks for them|stands on the case]. {urgent}""",
        """[Serial number|The unit with the number] {serial}, [customer|which stands at] {account}, was
        reported {came} with the symptom "{problem}". {urgent} [Find out|Look up] whether entitlement or
        warranty covers it, and open the case for their main contact if one of them does.""",
        """It is the hardware again: "{problem}", [{account} let us know|as {account} told us] {came}. The
        label says {serial}. {urgent} [Open a case|A case is to be opened] under whoever is their primary
        contact, but only if warranty or support is still good.""",
        """[A technician of|Somebody from] {account} read us the label, {serial}, {came}, and said that it
        "{problem}". I would like a case for it [today|before noon], raised by their primary contact, as long
        as it is in warranty or otherwise covered. {urgent}""",
        """[We have to find out whether|The question is whether] unit {serial} is ours to repair. {account}
        wrote nothing down except "{problem}", which came {came}. If [we have to do it|it is covered], a case
        under their primary contact is what I need. {urgent}""",
        account=piece["account"], came=CAME[channel], serial=piece["serial_number"],
        problem=problem.symptom, urgent=urgent,
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "talks")
    s.refuse("conflicting_demands", f"it cannot be {priority} and {other} at the same time",
             names=(priority, other))  # fmt: skip
    find_caller(s, *STAFF)
    account = s.do("find_account", "the customer", name=piece["account"])
    s.require(account["active"], "==", 1, f"{piece['account']} is not an active account")
    contact = s.do("find_contacts", "who speaks for them", account_id=account["account_id"],
                   is_primary=1, active=1)[0]  # fmt: skip
    unit = s.do("find_installed_product_by_serial", "the piece", serial_number=piece["serial_number"])
    s.require(unit["account_id"], "==", account["account_id"], "the piece belongs to somebody else")
    s.require(unit["status"], "==", "in_use", "the piece is not in use")
    product = s.do("find_product_by_id", "what it is", product_id=unit["product_id"])
    s.require(product["category"], "==", "hardware", "only hardware is repaired under a warranty")
    s.do("find_entitlements", "whether a contract covers it", account_id=account["account_id"], active=1)
    s.require(unit["warranty_end"], ">=", "2026-01-05", "there is no entitlement, and the warranty has ended",
              names=("warrant", f"{EXPIRED}|{on_day(last)}"))  # fmt: skip
    check_no_repetition(s, account, product)
    person = s.do("list_users", "their address", user_id=contact["portal_user_id"])[0]
    answer_more(s, extra, account)
    case = create_case(s, account, contact["contact_id"], product, problem, channel, priority,
                        installed_product_id=unit["installed_product_id"])  # fmt: skip
    add_related_records(s, case, product, problem, person["email"])
    s.rule(
        "The case is about a piece of the account that is in use and under warranty",
        """SELECT COUNT(*) FROM customer_case c JOIN installed_product i USING (installed_product_id)
        WHERE i.serial_number = :serial AND c.account_id = i.account_id AND c.product_id = i.product_id
        AND i.status = 'in_use' AND i.warranty_end >= '2026-01-05'
        AND c.sys_created_on >= '2026-01-05 09:00:00'""",
        serial=piece["serial_number"],
    )
    add_description_rule(s, piece["account"], piece["product"], problem)
    settle(s, "priority")
    s.produce("case", case, s.rng.choice((
        f"the case you just opened for {piece['account']}", "the new repair case", "that repair case",
        f"the case about {piece['serial_number']}",
    )))  # fmt: skip
