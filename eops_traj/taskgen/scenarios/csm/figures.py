"""Scenarios about figures: those a customer asks for, those of the desk, and a case that goes by them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eops_traj.taskgen.expressions import either
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef, text
from eops_traj.taskgen.scenarios.csm.lookups import (
    CASES,
    DESK,
    OPEN,
    STAFF,
    demote,
    find_caller,
    find_case,
    find_contact_user,
)
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE
from eops_traj.taskgen.scene import Scene


@dataclass(frozen=True)
class Figure:
    """A number that can be asked for: in which words and by which call, and where it stands in the reply."""

    words: str
    label: str
    tool: str
    arguments: dict[str, Any]
    read: Callable[[ResultRef], ResultRef]


def _of(field: str, value: str) -> Callable[[ResultRef], ResultRef]:
    return lambda rows: rows.where(**{field: value})["count"]


_OF_ACCOUNT = (
    Figure("how many cases of theirs are closed", "", "count_case_by_state", {}, _of("state", "closed")),
    Figure("the number of their cases that we resolved but did not close", "", "count_case_by_state", {},
           _of("state", "resolved")),
    Figure("how many of their pieces are in use", "", "count_installed_product_by_status", {},
           _of("status", "in_use")),
    Figure("the number of their pieces that are in repair", "", "count_installed_product_by_status", {},
           _of("status", "repair")),
    Figure("how many of their contracts are in the state active", "", "count_contract_by_status", {},
           _of("status", "active")),
    Figure("how many contracts of theirs are in the state expired", "", "count_contract_by_status", {},
           _of("status", "expired")),
    Figure("the number of talks with them that were handled", "", "count_interaction_by_status", {},
           _of("status", "handled")),
    Figure("how many of the talks with them are still open", "", "count_interaction_by_status", {},
           _of("status", "open")),
    Figure("how many warranties of theirs had ended by 31 December 2025", "",
           "installed_product_warranties_ended_count", {"on_date": "2025-12-31"},
           lambda row: row["ended_count"]),
    Figure("how many warranties of theirs will have ended by 30 June 2026", "",
           "installed_product_warranties_ended_count", {"on_date": "2026-06-30"},
           lambda row: row["ended_count"]),
)  # fmt: skip
_OF_DESK = (
    Figure("the cases that came by phone", "by phone", "get_channel_wise_case_count", {},
           lambda row: row["phone"]),
    Figure("the cases that came in the chat", "by chat", "get_channel_wise_case_count", {},
           lambda row: row["chat"]),
    Figure("the critical cases we ever had", "critical", "get_count_of_cases_priority_wise", {},
           _of("priority", "critical")),
    Figure("the cases of low priority", "low", "get_count_of_cases_priority_wise", {},
           _of("priority", "low")),
    Figure("the running SLAs that are breached", "breached", "find_stage_wise_breached_case_sla_counts", {},
           lambda row: row["in_progress"]),
    Figure("the SLAs that were completed too late", "late", "find_stage_wise_breached_case_sla_counts", {},
           lambda row: row["completed"]),
    Figure("the messages that failed", "failed", "count_notifications_by_status", {},
           _of("status", "failed")),
    Figure("the reminders on record including failed ones", "reminders", "count_notifications_by_type", {},
           _of("type", "reminder")),
    Figure("the cases a month that all premium entitlements allow together", "premium",
           "total_sum_of_max_cases_per_support_level", {"support_level": "premium"}, lambda row: row["sum"]),
    Figure("the cases a month that all standard entitlements allow together", "standard",
           "total_sum_of_max_cases_per_support_level", {"support_level": "standard"}, lambda row: row["sum"]),
    Figure("the minutes that all our definitions for moderate cases add up to", "minutes",
           "total_sum_of_target_mins_per_priority", {"priority": "moderate"}, lambda row: row["sum"]),
)  # fmt: skip
_TOPICS = (
    "Desk figures, January 2026",
    "Figures for the board, January 2026",
    "Where the desk stands, January 2026",
    "Key figures at the turn of the year",
)


@family("csm", perturbations=("no_right", "missing_entity"))
def send_figures(s: Scene) -> None:
    """The contact of a case wants figures about their account: they are told, and a report goes out."""
    s.pick_caller(DESK)
    record = s.pick(f"{CASES} AND c.state IN {OPEN}")
    asked = s.rng.sample(_OF_ACCOUNT, 3)
    demote(s, "customer")
    s.perturb("missing_entity", "UPDATE customer_case SET number = 'CS-0009' || number WHERE case_id = :id",
              id=record["case_id"])  # fmt: skip
    s.duty("where figures are asked for, a report goes to the contact")
    s.ask(
        """[In connection with|With regard to] {number}, {account} asked for some figures: {one}, {two}, and
        {three}. [Give me all of them|I want to read all three] in your answer, and [let the notification go
        out|let the message go out on that case] that our rules provide [for such a wish|where figures were
        asked for].""",
        """[The contact in|The contact behind] {number} wants to know {one}, {two} as well as {three}, [all
        for|which concerns] {account}. [Tell me|Report to me] what you find, and send [what the rules have for
        it|the kind of notice that goes out] when a customer asks for figures.""",
        """{account} [prepares|is preparing] a review. [They need to hear|They want to hear] {one}, {two}, and
        {three}; [they asked for it under|the wish is part of] {number}, so the proper notice [for figures|for
        such a question] belongs [to|on] that case, and the figures [in your answer to me|themselves come to
        me].""",
        """[Three numbers|Three figures] are wanted for {account}: {one}; {two}; {three}. I [need them|would
        like them] in writing from you. Since the wish [came|was made] with {number}, its contact gets the
        notification that [means figures|stands for figures].""",
        """[Before we talk to|Before our meeting with] {account} I should know {one}, {two} and also {three}.
        [They raised it|The question was raised] in {number}; [there|on that case] the contact [is to be
        sent|should be sent] the notice that we use where figures were asked for.""",
        """[For the contact in|At the wish of the contact in] {number}: find out {one}, {two}, and {three}, as
        far as {account} is concerned. [I take care of the letter|The letter is mine to write], [so tell me
        the figures|for which I need the figures from you]; [you send|yours is] the notification [meant for
        that|of the right type].""",
        number=record["number"], account=record["account"], one=asked[0].words, two=asked[1].words,
        three=asked[2].words,
    )  # fmt: skip
    find_caller(s, *STAFF)
    case = find_case(s, record["number"], "new", "in_progress", "pending")
    owner = s.do("find_account", "whose figures", name=record["account"])
    s.require(case["account_id"], "==", owner["account_id"], "the case belongs to another customer")
    contact = find_contact_user(s, case)
    for figure in asked:
        rows = s.do(figure.tool, figure.words, account_id=owner["account_id"], **figure.arguments)
        s.answer(figure.words, either(figure.read(rows), 0))
    s.do("send_notification", "figures were asked for", case_id=case["case_id"], email=contact["email"],
         type="report")  # fmt: skip


@family("csm", perturbations=("no_right", "inactive_person"))
def write_up_figures(s: Scene) -> None:
    """The figures of the desk are written up in an internal draft, and told."""
    s.pick_caller(DESK)
    asked = s.rng.sample(_OF_DESK, 3)
    owner = s.pick(
        """SELECT * FROM user u WHERE active AND role = 'manager' AND email LIKE '%@corvane.example'
        AND email <> :me""", me=s.caller["email"],
    )  # fmt: skip
    topic = s.rng.choice(_TOPICS)
    labels = [figure.label for figure in asked]
    demote(s, "customer")
    s.perturb("inactive_person", "UPDATE user SET active = 0 WHERE user_id = :id", id=owner["user_id"])
    s.ask(
        """[The board|Our director] asks how the desk stands: {one}, {two}, and {three}, [each as a number|all
        of them counted]. Write them up as an internal draft titled "{topic}" that {owner} owns, text "{form}"
        with the numbers filled in, and [tell me the three as well|repeat all three to me].""",
        """[I need|We need] an article "{topic}", [in draft and|a draft] for our own people only, in the care
        of {owner}. [What it says is|Its text is] "{form}", where the dots [are|stand for] the numbers of
        {one}, {two} and {three}. [Let me have the numbers|The numbers I want to hear] in your answer,
        too.""",
        """[Count|Find out the number of] {one}, [likewise|and] {two}, and finally {three}. [That goes
        into|Put that into] a draft for internal readers, "{topic}", owner {owner}, worded "{form}" with [the
        counts|what you counted] in the gaps; [I would like to read the counts here|your answer has the
        counts] besides.""",
        """{owner} keeps a page on the state of the desk, and the next one is [due|to be begun] now:
        "{topic}", draft, internal. [It consists of|All it says is] "{form}", numbers in place of the dots:
        {one}, {two}, {three}. [Tell me them too|I want to be told them too].""",
        """"{form}" is [the form|how it should read], "{topic}" the title, {owner} the owner of the draft,
        which stays internal. [The numbers to fill in|What has to be filled in] are those of {one}, of {two},
        and of {three}, [which you also report to me|and I would like to hear them directly as well].""",
        """[For tomorrow's round|For the round tomorrow] three things have to be counted, namely {one}, {two}
        and {three}. [Report them|Report the numbers] to me and keep them in a draft, "{topic}", not for
        customers, owned by {owner}, which [reads|says] "{form}" [once the numbers are in|with the numbers put
        in].""",
        one=asked[0].words, two=asked[1].words, three=asked[2].words, topic=topic,
        owner=f"{owner['first_name']} {owner['last_name']} ({owner['email']})",
        form="; ".join(f"{label}: ..." for label in labels),
    )  # fmt: skip
    find_caller(s, *STAFF)
    person = s.do("find_user_by_email", "who is to own it", email=owner["email"])
    s.require(person["active"], "==", 1, f"{owner['first_name']} {owner['last_name']} is no longer active",
              names=(f"{owner['first_name']} {owner['last_name']}|{owner['last_name']}|{owner['email']}",
                     INACTIVE))  # fmt: skip
    numbers = [figure.read(s.do(figure.tool, figure.words, **figure.arguments)) for figure in asked]
    for figure, number in zip(asked, numbers, strict=True):
        s.answer(f"the number of {figure.words}", number)
    s.do("create_knowledge", "the figures, in writing", title=topic, state="draft", visibility="internal",
         body=text("; ".join(f"{label}: {{}}" for label in labels), *numbers),
         owner_id=person["user_id"])  # fmt: skip
    s.rule(
        "The draft holds the three figures",
        """SELECT COUNT(*) FROM knowledge WHERE title = :title AND state = 'draft' AND instr(body, :one)
        AND instr(body, :two) AND instr(body, :three)""",
        title=topic, one=str(numbers[0].value), two=str(numbers[1].value), three=str(numbers[2].value),
    )  # fmt: skip
