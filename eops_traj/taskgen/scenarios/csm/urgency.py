"""Scenarios about the urgency of cases: priorities with their clocks, and escalations."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.csm.clocks import exchange_clocks, list_clocks, list_definitions
from eops_traj.taskgen.scenarios.csm.extras import answer_more, ask_more
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    OPEN,
    STAFF,
    WORKS,
    case_condition,
    demote,
    find_caller,
)
from eops_traj.taskgen.scenarios.csm.naming import (
    choose_case,
    find_named,
    is_settled,
    twist_name,
    twist_state,
)
from eops_traj.taskgen.scenarios.csm.talking import log_talk, offer_talk, said
from eops_traj.taskgen.scenarios.reasons import CONTRADICTORY
from eops_traj.taskgen.scene import Scene

_WHY = {  # what makes a priority right
    "critical": "their whole business stands still because of it",
    "high": "a part of their business is down by now",
    "moderate": "it hinders their work, though nothing is down",
    "low": "it has turned out to be no more than a question",
}
_ALIVE = ("new", "in_progress", "pending")
_MARKS = {
    "urgency": (
        "their release date will be missed otherwise, so the reason is urgency",
        "a date they have set will not be kept without it, which makes it a matter of urgency",
    ),
    "vip": (
        "it comes from one of our VIPs, so the reason is vip",
        "the one who asks is a VIP of ours, which is the reason to be given",
    ),
    "impact": (
        "it hits many people on several sites, so the reason is impact",
        "a great many of their people feel it, hence impact as the reason",
    ),
    "breach_risk": (
        "the SLA is about to be missed, so the reason is the risk of a breach",
        "time is running out on its SLA, which counts as a breach risk",
    ),
    "customer_request": (
        "the customer asked for it in so many words, so the reason is their request",
        "that is what the customer wants, and the customer's request is the reason",
    ),
}
_DOWN = (
    "a part of their business is down",
    "some of what they do has come to a halt",
    "one of their lines of business stands still",
    "they have lost a part of their business to it",
)
_FIRST_OF_ENTERPRISE = """ AND k.is_primary AND EXISTS (SELECT 1 FROM entitlement e
    WHERE e.account_id = c.account_id AND e.active AND e.support_level = 'enterprise')"""


_PROMISED = (  # the new priority once more; where it is another one, the request contradicts itself
    "I promised them that it ends up as {}.", "When you are done, the case has to say {}.",
    "They were told on the phone that it would be {}.", "As {} it has to stand there from now on.",
    "Their manager expects to find {} when she looks.", "What counts in the end is that it is {}.",
    "Our agreement with them says {} for such a thing.", "It must not be anything but {} after that.",
)  # fmt: skip


@family("csm", perturbations=("missing_entity", "no_right", "conflicting_demands"), consumes="case")
def change_priority(s: Scene) -> None:
    """A case turns out better or worse than thought: its priority changes, and its clocks with it."""
    s.pick_caller(DESK)
    case = choose_case(
        s, f"{CASES} AND c.state IN {OPEN} AND NOT c.escalation AND c.sys_updated_on > '2025-10-01'", *_ALIVE
    )  # fmt: skip
    record = case.record
    if is_settled(s, "priority", "clocks"):
        raise NoMatch("an earlier part has settled how bad it is, or what is timed on it")
    priority = s.rng.choice([p for p in _WHY if p != record["priority"]])
    other = s.rng.choice([p for p in _WHY if p not in (priority, record["priority"])])
    twist_name(s, case)
    demote(s, "customer")
    promised = s.rng.choice(_PROMISED)
    clash = f" {s.phrase('conflicting_demands', promised.format(priority), promised.format(other))}"
    talk = offer_talk(s)
    s.ask(
        """[Going by what we know today|As things stand today], {what} has the wrong priority: {why}. [Set
        it|Have it set] from {old} to {wanted}.{clash} [The times we owe them|Our promises] follow[ from
        that|], [old ones off, new ones on|so the old clocks stop and new ones start]. {talk}""",
        """[I looked at|The second line looked at] {what} again, and {why}. [That makes it|This means]
        {wanted} instead of {old}, [both on the case and|not only on the case but also] in what is timed on
        it.{clash} {talk}""",
        """[There is a change of plan for|Somebody graded this wrongly:] {what}. The priority is {old} [up to
        now|so far] and should be {wanted}, since {why}.{clash} [Exchange|Replace] the SLAs [that are
        open|which have not ended] accordingly. {talk}""",
        """{talk} [What it is about|The matter]: {what}. We now know that {why}. So [the priority|its grade],
        {old} up to now, becomes {wanted}, [with the promises that go with it|and its clocks are those of that
        grade].{clash}""",
        """The people [on the other end of|behind] {what} say that {why}. [Accordingly|For that reason] {old}
        is [no longer right|out], {wanted} it is, and [whatever is being timed|each open SLA] has to be
        [swapped for that|changed to match].{clash} {talk}""",
        """[From {old} to {wanted}|Up to now {old}, from now on {wanted}]: that is what {what} [needs|calls
        for], because {why}.{clash} {talk} [Take care|See] that the response and resolution times [still
        open|not yet met] are those of the new grade.""",
        what=case.words, wanted=priority, why=_WHY[priority], old=record["priority"], clash=clash,
        talk=said(talk),
    )  # fmt: skip
    extra = ask_more(s, "cases", "talks", "clocks")
    s.refuse("conflicting_demands", f"it cannot be {priority} and {other} at the same time",
             names=(priority, other, f"{CONTRADICTORY}|same time|not two|only one|one of"))  # fmt: skip
    me = find_caller(s, *STAFF)
    found = find_named(s, case, *_ALIVE)
    s.require(found["priority"], "==", record["priority"], f"the case is not {record['priority']}")
    definitions, clocks = list_definitions(s), list_clocks(s, found)
    answer_more(s, extra, found)
    s.do("update_case", f"it becomes {priority}", case_id=found["case_id"], priority=priority)
    exchange_clocks(s, found, clocks, definitions, priority)
    log_talk(s, talk, found, me)
    s.rule(
        "No SLA of another priority runs on the case any more",
        f"""SELECT COUNT(*) FROM case_sla t JOIN sla_definition d USING (sla_def_id)
        JOIN customer_case c USING (case_id) WHERE {case_condition(record)}
        AND t.stage IN ('in_progress', 'paused') AND d.applies_to_priority <> c.priority""",
        expected=0,
    )  # fmt: skip


@family("csm", perturbations=("policy_forbids", "no_right", "missing_entity"), consumes="case")
def escalate(s: Scene) -> None:
    """A case is escalated for a reason, after it was raised to high where it was below."""
    s.pick_caller(DESK)
    reason = s.rng.choice(list(_MARKS))
    case = choose_case(
        s, f"""{CASES} AND c.state IN {OPEN} AND NOT c.escalation AND c.assigned_to IN
        (SELECT u.user_id FROM user u WHERE {WORKS}) AND EXISTS (SELECT 1 FROM case_sla t
            WHERE t.case_id = c.case_id AND t.stage = 'in_progress')
        {_FIRST_OF_ENTERPRISE if reason == "vip" else ""}""", *_ALIVE,
    )  # fmt: skip
    if case.record["priority"] in ("low", "moderate") and is_settled(s, "priority", "clocks"):
        raise NoMatch("an earlier part has settled how bad it is, or what is timed on it")
    if case.produced and reason in ("vip", "breach_risk"):
        reason = "customer_request"
    demote(s, "customer")
    twist_state(s, case, "resolved")
    twist_name(s, case)
    s.duty("nothing below high is escalated, and with the priority the clocks change")
    s.branches("whether the case is below high")
    talk = offer_talk(s)
    s.ask(
        """{why_up}. [This is about|What I mean is] {what}, which [has to be|needs to be] escalated.
        {down_up}, [should you need to raise the priority for it|in case the priority has to be raised for
        that], and [whoever|the colleague who] has the case needs to [be told|hear of it]. {talk}""",
        """[Please escalate|I want an escalation on] {what}[ today|], [and the cause is this|for this cause]:
        {why}. [If it stands below high|Where it is not high yet], raise it first, since {down}, and do not
        forget to alert [the colleague who works on it|who is working on it], if there is one. {talk}""",
        """[In the shift report|At the morning round] {what} was [named|marked] as one to escalate, because
        {why}. [At least high|High or above] is justified, as {down}. [The person on the case|Whoever works on
        it] should hear of it from the system, if somebody is on it. {talk}""",
        """I am worried about {what}. {why_up}. [Put the escalation on it|Mark it as escalated] after
        [whatever has to come first|doing what has to come before that] ({down}, so high is right), and send
        the alert. {talk}""",
        """[Too little has happened with|Not enough moves in] {what}, and the [right|next] step is an
        escalation: {why}. It [may well be|might be] graded too low [at the moment|for that]; high is
        [justified|fine], for {down}. [Alert|Do alert] the person in charge of it[, should there be one|, if
        any]. {talk}""",
        """[My request concerns|This concerns] {what}. {why_up}, and the mark [has to be set|belongs on it]
        [by noon|this morning]. {down_up}, [which is enough for|so it can be] high, if it is not [there|that]
        yet; the one who is working on it gets the alert. {talk}""",
        what=case.words, why=(why := s.rng.choice(_MARKS[reason])), why_up=why[0].upper() + why[1:],
        down=(down := s.rng.choice(_DOWN)), down_up=down[0].upper() + down[1:],
        talk=said(talk),
    )  # fmt: skip
    extra = ask_more(s, "cases", "messages", "talks", "clocks")
    me = find_caller(s, *STAFF)
    found = find_named(s, case, *_ALIVE)
    _look_up_reason(s, found, reason)
    definitions, clocks = list_definitions(s), list_clocks(s, found)
    if reason == "breach_risk":
        s.require(count(clocks.every(stage="in_progress")), ">=", 1, "no SLA of the case is running")
    low = holds(found["priority"], "in", ["moderate", "low"])
    worker = s.do_when(holds(found["assigned_to"], "!=", None), "list_users", "who works on it",
                       user_id=found["assigned_to"])  # fmt: skip
    answer_more(s, extra, found)
    s.do_when(low, "update_case", "raise it to high first", case_id=found["case_id"], priority="high")
    exchange_clocks(s, found, clocks, definitions, "high", when=low)
    s.do("update_case", "escalate it", case_id=found["case_id"], escalation=1, escalation_reason=reason)
    s.do_when(holds(found["assigned_to"], "!=", None), "send_notification", "alert who works on it",
              case_id=found["case_id"], email=worker[0]["email"], type="alert")  # fmt: skip
    log_talk(s, talk, found, me)
    s.rule(
        "Nothing is escalated without a reason, and the case is at least high",
        f"""SELECT COUNT(*) FROM customer_case c WHERE {case_condition(case.record)} AND c.escalation = 1
        AND c.escalation_reason IS NOT NULL AND c.priority IN ('critical', 'high')
        AND c.state IN {OPEN}""",
    )  # fmt: skip


def _look_up_reason(s: Scene, record: ResultRef, reason: str) -> None:
    """Do the look-ups that some reasons for an escalation need."""
    if reason == "vip":
        contact = s.do("find_contacts", "whether it is the first contact", contact_id=record["contact_id"])[0]
        s.require(contact["is_primary"], "==", 1, "the contact is not the primary contact of the account")
        top = s.do("find_entitlements", "whether they have enterprise support", active=1,
                   account_id=record["account_id"], support_level="enterprise")  # fmt: skip
        s.require(count(top), ">=", 1, "the account has no enterprise entitlement")
