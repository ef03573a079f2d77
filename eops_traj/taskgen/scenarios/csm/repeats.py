"""Scenarios about cases that exist twice or should again: a canceled one made anew, a double one merged."""

from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.csm.clocks import cancel_clocks, list_clocks
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    ALONE,
    CASES,
    DESK,
    IN_FORCE,
    OPEN,
    OPEN_STATES,
    OUT_OF_WARRANTY,
    STAFF,
    demote,
    find_caller,
    find_case,
    find_contact_user,
)
from eops_traj.taskgen.scenarios.csm.naming import settle
from eops_traj.taskgen.scenarios.desk_reasons import EXPIRED, INACTIVE, on_day
from eops_traj.taskgen.scene import Scene

_SINGLE = (
    "only one|just one|one open|single|1|not two|no two|aren't two|isn't two|fewer|resolved|no second"
    "|no longer open|not open|isn't open|not both|only the|already closed"
)
"""Of two cases that were to be one, but one is open."""
_CAME = {"phone": "by phone", "email": "by e-mail", "chat": "in the chat"}


@family("csm", perturbations=("inactive_person", "policy_forbids", "no_right"), produces="case")
def open_anew(s: Scene) -> None:
    """A canceled case was real after all: it is opened anew, with all that belongs to a new one."""
    s.pick_caller(DESK)
    record = s.pick(
        f"""SELECT c.*, a.name AS account, k.contract_id FROM customer_case c
        JOIN account a USING (account_id) JOIN product p USING (product_id) JOIN contact n USING (contact_id)
        JOIN user u ON u.user_id = n.portal_user_id
        JOIN entitlement e ON e.account_id = a.account_id AND e.active AND e.product_id = p.product_id
        JOIN contract k ON k.contract_id = e.contract_id
        WHERE c.state = 'canceled' AND p.lifecycle_state = 'active' AND n.active AND u.active AND {ALONE}
        AND a.active AND {IN_FORCE} AND {OUT_OF_WARRANTY} AND c.installed_product_id IS NULL
        AND length(c.short_description) <= 120
        AND (SELECT COUNT(*) FROM entitlement o WHERE o.account_id = a.account_id AND o.active
            AND (o.product_id = p.product_id OR o.product_id IS NULL)) = 1
        AND e.max_cases_per_month > 2 + (SELECT COUNT(*) FROM customer_case x
            WHERE x.account_id = a.account_id AND x.sys_created_on >= '2026-01-01')
        AND NOT EXISTS (SELECT 1 FROM customer_case x WHERE x.account_id = a.account_id
            AND x.product_id = c.product_id AND x.state IN {OPEN})"""
    )
    came = s.rng.choice(list(_CAME))
    demote(s, "customer")
    s.perturb("inactive_person", "UPDATE contact SET active = 0 WHERE contact_id = :id",
              id=record["contact_id"])  # fmt: skip
    s.perturb("policy_forbids", "UPDATE contract SET end_date = '2025-12-28' WHERE contract_id = :id",
              id=record["contract_id"])  # fmt: skip
    s.duty("what belongs to a new case")
    s.indirect("contact, product, priority and description of another case")
    s.ask(
        """[We called off|Somebody canceled] {number}, and now {account} [writes|says] {came} that the trouble
        was [real|genuine] and goes on. [What is canceled stays canceled|A canceled case stays so], so open it
        anew, with the same contact, product, priority and description, [if they are still covered|provided
        their support still holds].""",
        """{account} came back to us {came} about what was {number}, [canceled by mistake|which was wrongly
        canceled]. [Make|Create] a new case from it: [whoever raised it|the contact], the product, the
        priority and the wording are the old ones, only the channel is that of today. [Their
        entitlement|Whether they are entitled] has to be [looked at|checked] first.""",
        """[Take|Use] {number}, which is canceled, as the model for a new case. {account} needs it
        [again|after all], as they told us {came}; contact, product, description and priority [are copied|do
        not change], and what else [belongs to|goes with] opening a case [is done|has to be done] as for any
        other, [coverage first|the check of coverage included].""",
        """[The decision to cancel|Canceling] {number} was [hasty|too quick], for {account} reports {came}
        that [nothing has changed|it is as bad as ever]. [Open the same thing|Have the same opened] once more
        under a new number (old contact, product, priority, wording), [as long as|if] the customer is [still
        |]entitled to it.""",
        """[Another try for|There has to be a second edition of] {number}: {account} [insists|made clear]
        {came} that it should never have been called off. The new case [has|gets] the contact, the product,
        the priority and the description of the old one; [see that|make sure that] support is owed, and [do
        the rest by the rules|the rest follows our rules].""",
        """[Since|Because] a canceled case is not revived, {account} gets a new one in the place of {number}.
        They asked for it {came}. [Copy|Carry over] who raised it, what it is about, how bad it is and how it
        was put, [check what they are entitled to|after a check of what they are entitled to], and [add|see
        to] all that a new case brings with it.""",
        number=record["number"], account=record["account"], came=_CAME[came],
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "talks")
    find_caller(s, *STAFF)
    old = find_case(s, record["number"], "canceled")
    account = s.do("get_accounts", "the account of it", account_id=old["account_id"])[0]
    s.require(account["name"], "==", record["account"], "it is a case of another customer")
    s.require(account["active"], "==", 1, f"{record['account']} is not an active account")
    contact = s.do("find_contacts", "who raised it", contact_id=old["contact_id"])[0]
    s.require(contact["active"], "==", 1, "the contact of that case is no longer active",
              names=("contact", INACTIVE))  # fmt: skip
    reader = s.do("list_users", "the address to write to", user_id=contact["portal_user_id"])[0]
    product = s.do("find_product_by_id", "what it is about", product_id=old["product_id"])
    s.require(product["lifecycle_state"], "==", "active", "the product is not in the active catalogue")
    rights = s.do("find_entitlements", "what they are entitled to", account_id=old["account_id"], active=1)
    right = rights.where(product_id=old["product_id"])
    contract = s.do("find_contracts", "whether the contract holds", contract_id=right["contract_id"])[0]
    s.require(contract["status"], "==", "active", "the contract behind the entitlement is not active")
    s.require(contract["end_date"], ">=", "2026-01-05", "the contract behind the entitlement has run out",
              names=("contract|entitle", f"{EXPIRED}|{on_day('2025-12-28')}"))  # fmt: skip
    month = s.do("search_cases", "cases this month", account_id=old["account_id"],
                 created_after="2025-12-31 23:59:59")  # fmt: skip
    s.require(count(month), "<", right["max_cases_per_month"], "the cases of this month are used up")
    same = s.do("search_cases", "no second case about it", account_id=old["account_id"],
                product_id=old["product_id"])  # fmt: skip
    s.require(count(same.every(OPEN_STATES)), "==", 0, "there is an open case about it")
    articles = s.do("retrieve_knowledge", "an article that fits", product_id=old["product_id"],
                    state="published", search_text=old["short_description"])  # fmt: skip
    answer_more(s, extra, old)
    case = s.do("create_new_case", "open it anew", account_id=old["account_id"],
                contact_id=old["contact_id"], product_id=old["product_id"], channel=came,
                priority=old["priority"], state="new",
                short_description=old["short_description"])  # fmt: skip
    s.do("register_new_interaction", "note how they reached us", channel=came, account_id=old["account_id"],
         contact_id=old["contact_id"], case_id=case["case_id"], status="handled")  # fmt: skip
    fitting = articles.every(("body", "has", old["short_description"]))
    s.do_when(holds(count(fitting), ">=", 1), "link_case_knowledge", "suggest the article",
              case_id=case["case_id"], knowledge_id=fitting[0]["knowledge_id"],
              used_as="suggested")  # fmt: skip
    s.do("send_notification", "tell the contact", case_id=case["case_id"], email=reader["email"],
         type="update")  # fmt: skip
    s.rule(
        "The new case is put in the words of the one that was canceled",
        """SELECT COUNT(*) FROM customer_case WHERE account_id = :account AND state <> 'canceled'
        AND instr(short_description, :words) AND sys_created_on >= '2026-01-05 09:00:00'""",
        account=record["account_id"], words=old["short_description"].value, category="integrity",
    )  # fmt: skip
    settle(s, "priority")
    s.produce("case", case, s.rng.choice((
        f"the case that takes the place of {record['number']}", f"the successor of {record['number']}",
        "the case opened anew",
    )))  # fmt: skip


@family("csm", perturbations=("no_right", "policy_forbids"), ood=True)
def merge_double(s: Scene) -> None:
    """A customer has two cases about one thing: the later is canceled, and its talks move to the earlier."""
    s.pick_caller(DESK)
    younger = s.pick(
        f"""{CASES} AND c.state IN ('new', 'in_progress') AND (SELECT COUNT(*) FROM customer_case o
            WHERE o.account_id = c.account_id AND o.product_id = c.product_id AND o.state IN {OPEN}) = 2
        AND EXISTS (SELECT 1 FROM customer_case o WHERE o.account_id = c.account_id
            AND o.product_id = c.product_id AND o.contact_id = c.contact_id AND o.case_id <> c.case_id
            AND o.state IN {OPEN} AND o.sys_created_on < c.sys_created_on)"""
    )
    if s.chance(0.6):
        s.arrange(
            """INSERT INTO interaction (channel, account_id, contact_id, case_id, status, started_at,
            ended_at, sys_created_on) VALUES ('email', :account, :contact, :case, 'handled',
            '2026-01-04 16:05:00', '2026-01-04 16:25:00', '2026-01-04 16:05:00')""",
            account=younger["account_id"], contact=younger["contact_id"], case=younger["case_id"],
        )  # fmt: skip
    demote(s, "customer")
    s.perturb("policy_forbids", "UPDATE customer_case SET state = 'resolved' WHERE case_id = :id",
              id=younger["case_id"])  # fmt: skip
    s.indirect("the later of two open cases about a product", hidden=[younger["number"]])
    s.covers("all talks on a case")
    s.duty("a case opened twice is canceled with its clocks, and its contact told")
    s.ask(
        """{account} has two open cases about {product}, [and it is one and the same trouble|though it is one
        trouble]. [Call off|Cancel] the later one, [by the rules|as our rules have it], and move [what we
        noted of talks|the talks noted] on it to the earlier one, which [goes on|stays as it is].""",
        """[The same thing|One matter] was opened twice for {account}: it concerns {product}. Of the two that
        are open, keep the older and cancel the newer [with all that belongs to canceling|in the proper
        manner]; [talks|all talks] under the newer [should be found|belong] under the older [from then
        on|afterwards].""",
        """[On|About] {product}, {account} [should have|needs] one open case, not two. [The second|The one
        opened second] is a double, so cancel it [properly|as such things are canceled], after you have
        [taken|carried] the interactions on it [over |]to the first.""",
        """[Our screens show|The list shows] {product} twice among the open cases of {account}. [Merge them|I
        want them merged], that is: all interactions go to the case that came in first, the one that came in
        last is canceled as opened twice, [with what that entails|and what follows from that is done].""",
        """{account} [sent|reported] its trouble with {product} a second time, and [a colleague|somebody] made
        a second case of it, [also|which is also] open. [Get rid of that double|That double has to end] by
        canceling it, but [save|rescue] its talks: they [belong|should move] to the case that we had
        already.""",
        """[Two colleagues|Two of us] work on one thing, {product} at {account}. [To end that|To stop this],
        the more recent of the two open cases is canceled as a double, [clocks and contact being seen
        to|seeing to clocks and contact], while the talks registered there [are put|pass] to the other
        case.""",
        account=younger["account"], product=younger["product"],
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "talks", "clocks")
    find_caller(s, *STAFF)
    account = s.do("find_account", "the customer", name=younger["account"])
    product = s.do("find_product", "what both are about", name=younger["product"])
    cases = s.do("search_cases", "the cases about it", account_id=account["account_id"],
                 product_id=product["product_id"])  # fmt: skip
    both = cases.every(OPEN_STATES)
    s.require(count(both), "==", 2, "there are not two open cases about it",
              names=("case|CS-", _SINGLE))  # fmt: skip
    later, earlier = both.largest("sys_created_on"), both.smallest("sys_created_on")
    talks = s.do("find_interactions", "what was said about it", case_id=later["case_id"])
    clocks = list_clocks(s, later)
    contact = find_contact_user(s, later)
    answer_more(s, extra, account)
    s.do_each(talks, "update_interaction", "it belongs to the earlier case",
              interaction_id=ROW["interaction_id"], case_id=earlier["case_id"])  # fmt: skip
    s.do("update_case", "it was opened twice", case_id=later["case_id"], state="canceled")
    cancel_clocks(s, clocks)
    s.do("send_notification", "tell the contact", case_id=later["case_id"], email=contact["email"],
         type="update")  # fmt: skip
    s.rule(
        "Nothing runs and no talk stands on the case that was opened twice",
        """SELECT (SELECT COUNT(*) FROM case_sla WHERE case_id = :id AND stage IN ('in_progress', 'paused'))
        + (SELECT COUNT(*) FROM interaction WHERE case_id = :id)
        + (SELECT state <> 'canceled' FROM customer_case WHERE case_id = :id)""",
        expected=0, id=younger["case_id"],
    )  # fmt: skip
