"""Scenarios with a choice that the records decide: somebody, or else the deputy; a case, or the open one."""

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, either, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, NOT_MEMBER, named
from eops_traj.taskgen.scenarios.hr.case_extras import ASKED, about, add_task, suggest_article
from eops_traj.taskgen.scenarios.hr.casework import APPROVAL_DONE, pick_case
from eops_traj.taskgen.scenarios.hr.group_extras import about_group, about_service
from eops_traj.taskgen.scenarios.hr.lookups import (
    DEACTIVATE_USER,
    DEMOTE_CALLER,
    MANAGERS,
    OPEN,
    OPEN_STATES,
    PEOPLE,
    UNIQUE_NAME,
    WITH_PROFILE,
    WORKERS,
    find_case,
    find_person,
    find_profile,
    find_service,
    full_name,
    group_for,
    id_text,
    my_email,
    notify,
    require_manager,
)
from eops_traj.taskgen.scene import Scene


@family("hr", consumes="case", perturbations=("inactive_person", "policy_forbids", "no_right"))
def ask_deputy(s: Scene) -> None:
    """A case goes to somebody, or where they have left to their deputy, who begins."""
    s.pick_caller(MANAGERS)
    row, case_words, earlier = pick_case(
        s,
        f"""SELECT c.* FROM hr_case c WHERE status = 'ready' AND {WITH_PROFILE} AND {APPROVAL_DONE} AND
        (SELECT COUNT(*) FROM user_group_member JOIN user u USING (user_id) WHERE group_id =
        c.assignment_group AND u.active AND u.role IN ('agent', 'manager') AND u.email <> :me AND u.user_id
        <> c.opened_for AND {UNIQUE_NAME}) > 1""",
        me=my_email(s),
    )  # fmt: skip
    team = s.pick("SELECT name FROM user_group WHERE group_id = :group", group=row["assignment_group"])
    one, two = s.pick_some(WORKERS + " AND email <> :me AND user_id <> :employee", 2, me=my_email(s),
                           group=row["assignment_group"], employee=row["opened_for"])  # fmt: skip
    if s.chance(0.6) and not earlier:
        s.arrange(DEACTIVATE_USER, user=one["user_id"])
    more = besides(s, *about(case_words, row, *ASKED, suggest_article, add_task),
                   *about_group(team["name"]))  # fmt: skip
    for person in (one, two):
        s.perturb("inactive_person", DEACTIVATE_USER, user=person["user_id"])
        s.perturb("policy_forbids",
                  "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
                  group=row["assignment_group"], user=person["user_id"])  # fmt: skip
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.branches("whether the first is still active")
    s.ask(
        """[As long as|If] {one} is still [with us|active here], {number} [goes to them|is theirs]; [if not|if
        they have left], [it goes to|give it to] {two}, [the deputy|who is their deputy] in {team}. [Whoever
        it is begins at this point|The work begins in either case], so [set it to work in progress|its state
        is work in progress] and [let the employee know|send the employee the usual word].""",
        """I [have not heard|heard nothing] from {one} since autumn[, and perhaps they left us|], but {number}
        [would be|is really] their subject. [See whether the account is active|Look whether they are still
        active], and [assign it|hand it] to them then, [otherwise|and else] to {two}; [in progress either
        way|the case is in progress from now on], with [the notification to|a notification for] the person who
        waits.""",
        """{number} [needs an owner|needs somebody] in {team}, for which [my first choice is|I would choose]
        {one}, [unless|except if] they are [inactive by now|no longer active], [and the second is {two}|in
        which case I choose {two}]. [Start it under the right name|Enter the right name and start it], and
        [tell whoever asked|tell the person behind it] that it was taken up.""",
        """[The plan of December says that|According to the plan of December,] {one} [does|is to do]
        {number}, with {two} [as the stand-in|as the deputy] [should they be gone|if they have left the
        company]. [Check who of them it has to be, make that person the assignee|The account shows which of
        them it is, so assign it accordingly], in progress, and notify the employee [of the start|that it
        begins].""",
        """[Do not wait for me with|No need to ask me about] {number}: {one} [takes it up|gets it] if [their
        account is open|they are still active], and {two} [does|gets it] if [not|that is not so], since both
        [belong|have belonged] to {team}. [The rest is routine|What follows is routine], [work in progress
        and|that is, work in progress, and then] the message to the person [it is for|concerned].""",
        """[Before I promise anything|So that I can promise an answer] to the employee behind {number}, [it
        has to have a name on it|there has to be a name on it]. {one}, [provided that they work here
        still|if still active here], [or else|otherwise] {two}, who [shares the desk with them|does the same
        work in {team}]; [then in progress and notified|then put it in progress and send the
        notification].""",
        number=case_words, team=team["name"], one=full_name(one), two=full_name(two),
    )  # fmt: skip
    more.say()
    require_manager(s)
    case = find_case(s, row, earlier, "ready")
    users = s.do("list_users", "whether the first is active", first_name_like=one["first_name"],
                 last_name_like=one["last_name"])  # fmt: skip
    s.require(users["total_count"], ">=", 1, f"there is nobody called {full_name(one)}")
    first = users["users"].every(active=True)
    deputies = s.do_when(holds(count(first), "==", 0), "list_users", "whether the deputy is",
                         first_name_like=two["first_name"], last_name_like=two["last_name"])  # fmt: skip
    second = deputies["users"].every(active=True)
    s.require(either(first[0]["email"], second[0]["email"]), "!=", "", "the two are no longer active here",
              names=(f"{named(one)}|{named(two)}|neither|both|two", INACTIVE))  # fmt: skip
    seats = s.do("list_group_members", "whether they are in its group",
                 group_id=case["assignment_group"]["group_id"],
                 user_id=either(first[0]["user_id"], second[0]["user_id"]))  # fmt: skip
    s.require(count(seats), "==", 1,
              f"whichever of {full_name(one)} and {full_name(two)} is here is not a member of that group",
              names=(f"{named(one)}|{named(two)}", f"{NOT_MEMBER}|neither"))  # fmt: skip
    profile = find_profile(s, case["opened_for"], "where to write to")
    more.look(case=case, group=case["assignment_group"])
    s.do("update_hr_case", "it is taken up", hr_case_id=id_text(case["hr_case_id"]),
         status="work_in_progress", assigned_to=either(first[0]["email"], second[0]["email"]))  # fmt: skip
    notify(s, case, profile["personal_email"], "update", "work_in_progress", "their case was taken up")
    more.write()


_QUESTIONS = {
    "Policy Question": ("May I swap a public holiday?", "How long is the notice period?"),
    "Home Address Change": ("Second address for the winter", "Post office box instead of a street"),
    "Gym Allowance Claim": ("Swimming pool from October on", "Dance classes count as sport"),
    "Payslip Copy": ("All payslips of the parental leave", "December payslip in English"),
    "Sick Leave Certificate": ("Certificate from abroad", "Certificate without a stamp"),
    "Commuter Allowance Claim": ("Ferry ticket for February", "Half a month only in January"),
}  # fmt: skip
_OPEN_QUESTION = f"""FROM hr_case c JOIN hr_service h ON h.hr_service_id = c.hr_service JOIN user u ON
    u.user_id = c.opened_for WHERE c.status IN {OPEN_STATES} AND u.active AND h.active AND h.service_name IN
    ({", ".join(f"'{name}'" for name in _QUESTIONS)}) AND {UNIQUE_NAME} AND u.user_id IN (SELECT user_id
    FROM hr_profile)"""
"""Cases of these services that are open, for people with a name of their own."""


@family("hr", perturbations=("policy_forbids", "inactive_person", "no_right"))
def open_or_note(s: Scene) -> None:
    """Somebody asks again: where a case of the service is open it gets a note, else a case is opened."""
    s.pick_caller(MANAGERS)
    service_name = s.rng.choice(list(_QUESTIONS))
    noted = s.chance(0.5)
    if noted and s.perturbation == "policy_forbids":
        raise NoMatch("a service that is no longer offered takes no new cases, but notes on open ones")
    if noted:
        service_name = s.pick(f"SELECT h.service_name {_OPEN_QUESTION} GROUP BY 1")["service_name"]
        who = s.pick(f"""SELECT * FROM ({PEOPLE} AND {UNIQUE_NAME}) WHERE user_id IN (SELECT c.opened_for
        {_OPEN_QUESTION} AND h.service_name = :service)""", service=service_name, me=my_email(s))  # fmt: skip
    else:
        who = s.pick(f"""{PEOPLE} AND {UNIQUE_NAME} AND u.user_id NOT IN (SELECT c.opened_for
        {_OPEN_QUESTION} AND h.service_name = :service)""", service=service_name, me=my_email(s))  # fmt: skip
    matter = s.rng.choice(_QUESTIONS[service_name])
    more = besides(s, *about_service(service_name))
    s.perturb("policy_forbids", "UPDATE hr_service SET active = 0 WHERE service_name = :name",
              name=service_name)  # fmt: skip
    s.perturb("inactive_person", DEACTIVATE_USER, user=who["user_id"])
    s.perturb("no_right", DEMOTE_CALLER, me=my_email(s))
    s.branches("whether a case of the service is open for the person")
    s.ask(
        """[I cannot tell|I do not know] whether {who} has a case of {service} open. [If so|Should there be
        one], [put|write] "{matter}" [into its note|there as the note]; if not, [open one|make one] with
        these words, moderate, [source chat|from the chat], and [send the notification that goes with a new
        case|notify them of the new case].""",
        """"{matter}", [wrote|so wrote] {who} in the chat. [That belongs to|It is a matter of] {service},
        and [an open case of that kind|a case of that kind that is open] [takes it as its note|gets it as
        the note]; [only where there is none, open a new one|where none is open, a new one is needed], at
        moderate priority, with the same words [and the notification for it|and with the notification that
        it takes].""",
        """{who} [asked again in the chat|got in touch over the chat] about {service}: "{matter}". [No
        second case, please|I do not want two cases], so [look for an open one first|first look for one that
        is open] and [note it there|leave it there as the note], and [failing that|if you find none], open a
        moderate one, [headline as quoted|with the quote as its headline], and [tell them|let them have the
        notification].""",
        """[Whether it is new, I leave to you:|You will see whether it is new:] {who} chatted to me about
        {service}, [and the line was|in these words,] "{matter}". [A case that is under way|An open case]
        [is enough|suffices], and [then the line is its note|its note becomes that line]; [without such a
        case|if there is none], one is opened for them, moderate, and [they are told|notified] of it.""",
        """[For {who}, one of two things is to be done|One of two things has to happen for {who}]: [either
        there is|either you find] an open case of {service}, [and its note becomes|and then its note is]
        "{matter}", [or there is none|or you find none], and [that text opens one|one is opened with that
        text], at moderate priority, [the chat being the source|source chat], with a notification [for the
        opening|of the opening].""",
        """[In the chat|By chat] {who} [told me|said] "{matter}", [which sounds like|and it sounds like]
        {service}. [There may be an open case of it, and then|If there is an open case of it,] that is its
        note; [otherwise|if there is not,] [create one|a case is created] [in these words|with these words],
        moderate, [and send what people get|and send the notification that goes out] when a case is
        opened.""",
        who=full_name(who), service=service_name, matter=matter,
    )  # fmt: skip
    more.say()
    require_manager(s)
    user = find_person(s, who, "who asks")
    service, topic = find_service(s, service_name)
    cases = s.do("list_hr_cases", "whether one is open", opened_for=user["email"], hr_service=service_name)
    still_open = cases.every(("status", "in", OPEN))
    profile = find_profile(s, user, "where to write to")
    more.look()
    s.do_each(still_open, "update_hr_case", "the open one takes it as its note", worknotes=matter,
              hr_case_id=id_text(ROW["hr_case_id"]))  # fmt: skip
    none = holds(count(still_open), "==", 0)
    case = s.do_when(
        none, "create_new_hr_case", "none is open", status="ready", opened_for=user["email"],
        hr_service=id_text(service["hr_service_id"]), priority="moderate", source="chat",
        short_description=matter, coe_type=topic["topic_category"]["coe_type"],
        assignment_group=group_for(topic["topic_category"]["coe_type"]),
    )  # fmt: skip
    s.do_when(none, "send_notification", "they are told of the new case", hr_case_id=case["hr_case_id"],
              email=profile["personal_email"], type="update", status="ready")  # fmt: skip
