"""Scenarios about the end of cases: closing, canceling, and reopening."""

import json

from eops_traj.taskgen.expressions import ROW, add
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.csm.clocks import (
    cancel_clocks,
    list_clocks,
    list_definitions,
    promised,
)
from eops_traj.taskgen.scenarios.csm.customers import choose_customer, find_customer
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    STAFF,
    demote,
    find_caller,
    find_case,
    find_contact_user,
)
from eops_traj.taskgen.scenarios.csm.naming import choose_case, find_named, settle, twist_name, twist_state
from eops_traj.taskgen.scenarios.csm.side_jobs import elsewhere
from eops_traj.taskgen.scenarios.csm.talking import log_talk, offer_talk, said
from eops_traj.taskgen.scenarios.desk_reasons import on_day
from eops_traj.taskgen.scene import Scene

_NO_DELETING = (
    "delet|remov|eras",
    "cases|a case|CS-|case can|case may|case must|case delet|case record|delete the case|delete this case"
    "|delete that case|delete it|remove the case|erase the case|deleting|deletion|cancel|only be closed",
)
"""Cases are never deleted: of notices that are not, another refusal speaks."""
_CLOSED = (  # as it should be, and what is out of scope
    ("closed, not deleted from the system", "deleted from the system, not closed"),
    ("closed and not erased", "erased and not closed"),
    ("closed rather than removed", "removed rather than closed"),
    ("kept in the system as closed cases", "kept in the system no longer, closed or not"),
)  # fmt: skip
_CANCELED = (
    ("canceled, not deleted", "deleted, not canceled"),
    ("canceled for good, and not erased", "erased for good, and not canceled"),
    ("canceled rather than removed from the system", "removed from the system rather than canceled"),
    ("called off and kept on record", "called off and not even kept on record"),
)  # fmt: skip
WAYS = {"phone": "on the phone", "email": "by e-mail", "chat": "in the chat"}


@family("csm", perturbations=("no_right", "out_of_scope"), consumes="account")
def close_resolved(s: Scene) -> None:
    """The resolved cases of an account are closed, and their contacts told."""
    s.pick_caller(DESK)
    produced = s.consume("account")
    account = s.pick(
        """SELECT a.*, COUNT(*) AS many FROM account a JOIN customer_case c USING (account_id)
        JOIN contact k USING (contact_id) JOIN user u ON u.user_id = k.portal_user_id
        WHERE a.active AND c.state = 'resolved'
        AND a.account_id IN (coalesce(:given, a.account_id)) GROUP BY a.account_id
        HAVING COUNT(*) BETWEEN 1 AND 4 AND COUNT(*) = COUNT(DISTINCT c.contact_id)
        AND MIN(k.active) AND MIN(u.active) AND NOT MAX(EXISTS (
            SELECT 1 FROM notification n WHERE n.case_id = c.case_id AND n.type = 'update'))""",
        given=produced.record["account_id"].value if produced else None,
    )
    customer = choose_customer(s, account, produced)
    words = customer.words
    demote(s, "customer")
    verb = s.phrase("out_of_scope", *_CLOSED[s.rng.randrange(len(_CLOSED))])
    s.covers("all resolved cases of an account")
    s.ask(
        """{account_up} has [confirmed|agreed] that everything we resolved for them works[ as it should|].
        Those cases can be {verb} now, [each with the usual message to its contact|and the contact of each
        gets the usual message], while the [open|unfinished] ones [stay as they are|are none of our business
        today].""",
        """[Before|Ahead of] the service review with {account} I want their list [shorter|tidied up]:
        [whatever|all that] is in state resolved there is to be {verb}. [The people who raised those
        cases|Their contacts] are told, [as always|as the rules have it], case by case, and [nothing else
        changes|anything still being worked on stays].""",
        """[How many resolved cases {account} still has I could not tell you|I could not tell you how many
        resolved cases {account} still has], but [every one|all] of them should be {verb}, because the [time
        in which they could object|period for objections] is over. [Let each contact know|A message goes to
        the contact of each case].""",
        """We have it in writing [from|that] {account} [that they are|are] happy with our solutions. So their
        resolved cases, [and only those|but no others], should be {verb}; [each contact hears of it|every
        contact concerned is to be informed], of course.""",
        """[The auditors count|Our figures count] resolved cases as [unfinished|open] until somebody
        [acts|moves], and at {account} nobody did. [Have|See that] the resolved ones [there |of theirs
        |]{verb}[ today|], with [a notice to|word for] the contact of each. [Cases in any other state|The
        rest] must not be touched.""",
        """For {account}, [the second line|the team] has seen everything through that counts as resolved.
        [These|Those] cases [have waited long enough and|] should now be {verb}, and [the contact of each is
        informed|each contact gets a message], which also goes for those [raised|opened] by somebody other
        than their main contact.""",
        account=words, account_up=words[0].upper() + words[1:], verb=verb,
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages")
    s.refuse("out_of_scope", "cases cannot be deleted at all", names=_NO_DELETING)
    find_caller(s, *STAFF)
    owner = find_customer(s, customer)
    cases = s.do("search_cases", "what is resolved", account_id=owner["account_id"], state="resolved")
    contacts = s.do("find_contacts", "who raised them", account_id=owner["account_id"])
    readers = s.do_each(
        cases, "list_users", "the address of who raised it",
        user_id=contacts.where(contact_id=ROW["contact_id"])["portal_user_id"],
    )  # fmt: skip
    ends = json.dumps({row["number"]: row["sys_updated_on"] for row in cases.value})
    answer_more(s, extra, owner)
    s.do_each(cases, "update_case", "it is closed, as of when it was resolved", case_id=ROW["case_id"],
              state="closed", closed_on=ROW["sys_updated_on"])  # fmt: skip
    reader = contacts.where(contact_id=ROW["contact_id"])["portal_user_id"]
    s.do_each(cases, "send_notification", "tell its contact", case_id=ROW["case_id"], type="update",
              email=readers.every().where(user_id=reader)["email"])  # fmt: skip
    s.rule(
        "Every case that was closed says when, and its contact was told once",
        """SELECT COUNT(*) FROM customer_case c JOIN json_each(:ends) e ON e.key = c.number
        WHERE c.state = 'closed' AND c.closed_on = e.value AND (SELECT COUNT(*) FROM notification n
            JOIN user u ON u.email = n.email JOIN contact k ON k.portal_user_id = u.user_id
            WHERE n.case_id = c.case_id AND k.contact_id = c.contact_id AND n.type = 'update'
            AND n.sys_created_on >= '2026-01-05 09:00:00') = 1""",
        expected=len(cases.value), ends=ends,
    )  # fmt: skip


@family("csm", perturbations=("policy_forbids", "out_of_scope", "missing_entity"))
def call_off(s: Scene) -> None:
    """A case was opened by mistake: it is canceled with its clocks, and the contact told."""
    s.pick_caller(DESK)
    case = choose_case(
        s, f"{CASES} AND c.state IN ('new', 'in_progress') AND c.sys_created_on > '2025-11-15'"
    )
    record = case.record
    twist_state(s, case, "resolved")
    twist_name(s, case)
    verb = s.phrase("out_of_scope", *_CANCELED[s.rng.randrange(len(_CANCELED))])
    s.duty("running clocks of a canceled case are canceled")
    talk = offer_talk(s)
    s.ask(
        """[It turns out|We know by now] that {what} should never have been opened: [the thing|everything]
        works at {account} as it should, [somebody merely read the manual wrongly|somebody over there misread
        a screen]. [So it is to be|I want it] {verb}, [clocks included|with whatever is timed on it], and [the
        contact needs to know|word goes to the contact]. {talk}""",
        """[Somebody|A colleague] opened {what} by mistake[, and there is nothing in it|]. {account} [never
        asked|did not ask] for anything. Have it {verb}, [let no SLA run on|stop what is timed], and [send the
        contact the usual notice|tell the contact]. {talk}""",
        """[My mistake|This one is on me]: {what} was meant for another customer and not for {account}. [It
        is|Let it be] {verb} [today|before anybody works on it], [and nothing may be timed on it afterwards|so
        that its SLAs end too]; the contact [is told|hears of it] as in any such case. {talk}""",
        """For {account} we have a false alarm on [our books|record], namely {what}. [Before anyone wastes
        time on it|Before a technician drives out], it should be {verb}, its timers should end, and the
        contact should [be informed|hear from us]. {talk}""",
        """[The report behind|What stood behind] {what} was an error [of ours from the start|on our side].
        {account} [has no trouble at all|is perfectly fine], so [have it|I would like it] {verb} [properly|by
        the book]: [no clock that runs on|all clocks ended], and [a message to|a note for] the contact.
        {talk}""",
        """Somebody at {account} who is not allowed to [report|open cases] did so anyway. [The result is|We
        ended up with] {what}, which [is now to be|should now be] {verb}, along with [its SLAs|what runs on
        it], [and the contact told|and with a message to the contact]. {talk}""",
        account=record["account"], verb=verb, what=case.words, talk=said(talk),
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "clocks", "talks")
    s.refuse("out_of_scope", "cases cannot be deleted at all", names=_NO_DELETING)
    me = find_caller(s, *STAFF)
    found = find_named(s, case, "new", "in_progress", "pending")
    owner = s.do("get_accounts", "whose case it is", account_id=found["account_id"])[0]
    s.require(owner["name"], "==", record["account"], "it is not a case of that customer")
    clocks = list_clocks(s, found)
    contact = find_contact_user(s, found)
    answer_more(s, extra, found)
    s.do("update_case", "it is canceled", case_id=found["case_id"], state="canceled")
    cancel_clocks(s, clocks)
    s.do("send_notification", "tell the contact", case_id=found["case_id"], email=contact["email"],
         type="update")  # fmt: skip
    log_talk(s, talk, found, me)
    s.rule(
        "Nothing is timed on the canceled case any more",
        """SELECT COUNT(*) FROM case_sla t JOIN customer_case c USING (case_id) WHERE c.number = :number
        AND (t.stage IN ('in_progress', 'paused') OR c.state <> 'canceled')""",
        expected=0, number=record["number"],
    )  # fmt: skip


@family("csm", perturbations=("policy_forbids", "no_right"), produces="case")
def take_up_again(s: Scene) -> None:
    """A case that was closed not long ago is back: reopened, counted, timed and the customer told."""
    s.pick_caller(DESK)
    record = s.pick(
        f"""{CASES} AND c.state = 'closed' AND c.closed_on BETWEEN '2025-11-10' AND '2026-01-05'
        AND NOT EXISTS (SELECT 1 FROM case_sla t WHERE t.case_id = c.case_id
            AND t.stage IN ('in_progress', 'paused'))"""
    )
    channel = s.rng.choice(list(WAYS))
    more = besides(s, *elsewhere("messages", "talks"))
    demote(s, "customer")
    s.perturb(
        "policy_forbids", "UPDATE customer_case SET closed_on = '2025-10-20 15:12:00' WHERE case_id = :id",
        id=record["case_id"],
    )  # fmt: skip
    s.duty("a reopened case counts its reopenings and starts a clock for the solution")
    s.ask(
        """Case {number} is back: {contact} told me {way} that {product} [has|shows] the same trouble again.
        [Reopen it|Bring it back], [if|provided] it was not closed too long ago, [tell them that we did|let
        them know], and [note my talk with them as handled|my talk with them goes on record as handled].""",
        """{contact} is not happy, for the problem from {number} has returned, [as I was told|I hear] {way}.
        [Unless too much time has passed|If the rules on time allow], the case is to be reopened and [the
        contact informed|word sent to the contact]; [the conversation itself is handled and wants an
        entry|enter that conversation as handled].""",
        """[The same symptom|Exactly the same fault] on {product} [as in|as the one behind] {number}, [which
        we thought was done|which is closed]: that is what {contact} told me {way}. [Log|Note] that talk as
        handled, bring the case back to life with [all that this involves|what has to be timed], and let them
        know.""",
        """We closed {number} too early. {contact} got in touch with me {way}, and {product} [does it|fails in
        the same manner] again, so it should be in progress once more, [rules permitting|provided the rules
        allow]. [Tell the contact|A message to the contact follows], and my talk with them [is|counts as]
        handled.""",
        """[After|Following] what {contact} said to me {way}, {number} on {product} [needs|calls for]
        reopening. [Check the date of closing before you do it|Look at when it was closed first], keep the
        customer posted, and [record the exchange|put our exchange on record] as handled.""",
        """[Last time|When we closed it] {product} ran without a fault, and now {contact} reports {way}, to me
        [personally|in person], that it does not. [That is|The case was] {number}. [There is|We have] a talk
        to log as handled, a case to reopen [if it may be|if its age allows], a clock to start and a customer
        to inform.""",
        number=record["number"], contact=f"{record['first_name']} {record['last_name']}",
        product=record["product"], way=WAYS[channel],
    )  # fmt: skip
    more.say()
    extra = ask_more(s, "cases", "messages", "talks")
    me = find_caller(s, *STAFF)
    case = find_case(s, record["number"], "closed")
    s.require(case["closed_on"], ">=", "2025-11-06",
              f"the closing of {record['number']} lies more than 60 days back",
              names=(f"60|sixty|77|two months|{on_day('2025-10-20')}",))  # fmt: skip
    contact = find_contact_user(s, case)
    definitions = list_definitions(s)
    more.look()
    answer_more(s, extra, case)
    again = s.do("update_case", f"{record['number']} is reopened", case_id=case["case_id"],
                 state="in_progress", reopen_count=add(case["reopen_count"], 1))  # fmt: skip
    s.do("link_new_case_sla", "a solution is owed again", case_id=case["case_id"], stage="in_progress",
         sla_def_id=promised(definitions, "resolution", case["priority"])["sla_def_id"])  # fmt: skip
    s.do("register_new_interaction", "note the talk", channel=channel, account_id=case["account_id"],
         contact_id=case["contact_id"], case_id=case["case_id"], interacted_user=me["user_id"],
         status="handled")  # fmt: skip
    s.do("send_notification", "tell the contact", case_id=case["case_id"], email=contact["email"],
         type="update")  # fmt: skip
    more.write()
    s.rule(
        "The case still says when it was closed last, and counts one reopening more",
        """SELECT COUNT(*) FROM customer_case WHERE number = :number AND closed_on = :closed
        AND reopen_count = :times""",
        number=record["number"], closed=case["closed_on"].value, times=case["reopen_count"].value + 1,
        category="integrity",
    )  # fmt: skip
    s.rule(
        "Only a solution is owed again, not a first reply",
        """SELECT COUNT(*) FROM case_sla t JOIN sla_definition d USING (sla_def_id)
        JOIN customer_case c USING (case_id) WHERE c.number = :number AND d.metric = 'response'
        AND t.start_time >= '2026-01-05 09:00:00'""",
        expected=0, number=record["number"],
    )  # fmt: skip
    settle(s, "clocks")
    s.produce("case", again, f"case {record['number']}")
