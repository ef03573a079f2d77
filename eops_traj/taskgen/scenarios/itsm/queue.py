"""Scenarios with existing tickets: assigned, or reopened."""

from eops_traj.taskgen.expressions import holds, mapped
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count, text
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import INACTIVE, in_state
from eops_traj.taskgen.scenarios.itsm.clocks import find_slas, start_work, wake_slas
from eops_traj.taskgen.scenarios.itsm.group_extras import about_group
from eops_traj.taskgen.scenarios.itsm.lookups import (
    EARLY,
    MANAGERS,
    NO_RIGHT,
    OURS,
    WORKERS,
    caller_email,
    find_caller,
    find_group,
    find_incident,
    find_member,
    find_ticket,
    full_name,
    notify,
    pick_ticket,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, NOTED, about, note_device, suggest_article
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_DESKS = """SELECT * FROM user_group g WHERE org_id = 'ORG_001' AND active AND (SELECT COUNT(*) FROM
    user_group_member JOIN users u USING (user_id) WHERE group_id = g.group_id AND u.active
    AND u.role IN ('agent', 'manager')) > 2"""


@family("itsm", consumes="incident", perturbations=("inactive_person", "policy_forbids", "no_right"))
def share_out_tickets(s: Scene) -> None:
    """Two tickets are given to two people of one group, who take them up."""
    s.pick_caller(MANAGERS)
    first = pick_ticket(s, EARLY, "incident")
    second = pick_ticket(s, EARLY + f" AND incident_id <> '{first.row['incident_id']}'")
    group = s.pick(_DESKS)
    one, two = s.pick_some(
        WORKERS + " AND email <> :me AND user_id NOT IN (ifnull(:a, ''), ifnull(:b, ''))", 2,
        group=group["group_id"], me=caller_email(s), a=first.row["assigned_to"], b=second.row["assigned_to"],
    )  # fmt: skip
    more = besides(
        s, *about(second.words, second.row, note_device, suggest_article, *ASKED), *about_group(group["name"])
    )
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=two["user_id"])
    s.perturb("policy_forbids", "DELETE FROM user_group_member WHERE group_id = :group AND user_id = :user",
              group=group["group_id"], user=two["user_id"])  # fmt: skip
    s.ask(
        """{group} should take two tickets off our hands [this week|from today on]: {one} gets {first}
        and {two} gets {second}. Put both group and name on them and let the work begin, [provided that
        the two are still on that team|as long as both of them still belong to that team].""",
        """Nobody has touched {first} for too long, and {second} is not much better off. [I spoke to
        {group}, and the agreement is|What we agreed with {group} is] that {one} looks after the first of
        them and {two} after the second, [so write both group and person down|so enter group and person]
        and note that work has begun.""",
        """[Out of the {group} queue|For the {group} queue], {first} belongs to {one} and {second} to
        {two} from now on, and both are to be in progress after that. If one of the two cannot take work
        there, [leave everything as it is and tell me|change nothing at all and let me know].""",
        """At the planning round this morning {group} [decided who does what|split the work]: {one} looks
        after {first}, {two} after {second}. That has to be in the system as well, group and person,
        together with [whatever else follows from work having started|all that starting work on a ticket
        entails].""",
        """[Two callers keep ringing me|I am being asked twice a day] about {first} and {second}, and the
        answer I would like to give is that somebody is on it. {one} will be on the first and {two} on
        the second, both [for|as members of] {group}; they know about it and begin this morning.""",
        """Assign {second} to {two} and {first} to {one}, [each of them within {group}|both in {group}],
        because the people who had such tickets before [are booked out until February|are on the data
        centre project]. Work begins this morning, so the state should say so where it does not yet.""",
        """{one} and {two} [came back from training|have finished their training] and are meant to do
        real work in {group}. {first} suits the former and {second} the latter, so enter group and names,
        [set going what is not going yet|start what has not been started], and keep an eye on what the
        rules want when work begins.""",
        """[Between us|As agreed], {group} owes me two favours. The first is that {one} deals with
        {first}, the second that {two} deals with {second}; [both tickets|the two tickets] should show
        the group, the person, and that somebody has begun.""",
        """To judge by its queue, {group} [can carry two more|has room for two more]: {first}, which
        {one} is to have, and {second}, which is for {two}. Should either of them have left the team, do
        nothing; otherwise [assign both and start them|both are assigned and started].""",
        group=group["name"], one=full_name(one), two=full_name(two), first=first.words, second=second.words,
    )  # fmt: skip
    more.say()
    s.duty("the response SLA of a new ticket is completed when work begins")
    find_caller(s)
    tickets = [find_ticket(s, which, "new", "in_progress") for which in (first, second)]
    takes = find_group(s, group["name"], "who takes both")
    people = [find_member(s, takes, who, f"who takes the {nth}")
              for nth, who in (("first", one), ("second", two))]  # fmt: skip
    more.look(ticket=tickets[1], group=takes)
    for incident, who in zip(tickets, people, strict=True):
        start_work(s, incident, takes, who)
    more.write()
    s.rule(
        "Each ticket is in progress with an active member of its group",
        """SELECT COUNT(*) FROM incident i JOIN user_group_member m ON m.group_id = i.assignment_group
        AND m.user_id = i.assigned_to JOIN users u ON u.user_id = i.assigned_to WHERE i.number IN (:one, :two)
        AND i.status = 'in_progress' AND u.active AND u.role IN ('agent', 'manager')
        AND u.email IN (:first, :second)""",
        expected=2, one=first.row["number"], two=second.row["number"], first=one["email"],
        second=two["email"],
    )  # fmt: skip


_NEWS = (
    "The log files have arrived and are complete", "The caller has sent the missing screenshots",
    "The spare part came in this morning", "The vendor has answered and agrees with us",
    "The caller is back from leave and can test again", "The second line has found a pattern",
    "Access to the room was granted, we can go in", "The test account works again",
)  # fmt: skip


@family("itsm", perturbations=("conflicting_demands", "policy_forbids", "inactive_person", "no_right"))
def resume_ticket(s: Scene) -> None:
    """A ticket on hold goes on with someone else; a clock that ran out meanwhile alerts the group's lead."""
    s.pick_caller(MANAGERS)
    row = s.pick(
        OURS + """ AND status = 'on_hold' AND assignment_group IN (SELECT group_id FROM user_group JOIN users
            u ON u.user_id = manager_id WHERE u.active AND u.email <> :me) AND EXISTS (SELECT 1 FROM
            incident_sla WHERE incident_id = i.incident_id AND stage = 'paused')""", me=caller_email(s),
    )  # fmt: skip
    who = s.pick(WORKERS + " AND user_id IS NOT :now", group=row["assignment_group"], now=row["assigned_to"])
    note = s.rng.choice(_NEWS)
    more = besides(s, *about(row["number"], row, note_device, suggest_article, *ASKED))
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :user", user=who["user_id"])
    s.perturb("policy_forbids", "UPDATE incident SET status = 'canceled' WHERE number = :number",
              number=row["number"])  # fmt: skip
    s.ask(
        """{number} can go on[ at last|]: {who} takes it over from here and the work notes should read
        "{note}".{catch} Bring its clocks back as well, and [alert whoever has to know|see that the right
        person is alerted] in case one of them ran out while we waited.""",
        """[What we waited for in {number} is there now|The wait in {number}, "{title}", is over]. Take
        it off hold, give it to {who}, who is in the same group, and let the work notes say
        "{note}".{catch} If a target was missed in the meantime, [follow the rules for that|do what the
        rules have for that].""",
        """Since {who} has [offered to finish|agreed to finish] "{title}" ({number}), which is on hold
        for no reason any more, hand it over, set it in motion again, put "{note}" into the work notes
        and [look after the clocks|see to its SLAs].{catch}""",
        """Going through everything on hold, [I found {number}|I came across {number}], and as far as I
        can see nothing is left to wait for: "{note}" (make that the work note). {who}, from the team
        that has it, should be working on it as of now, [and its SLAs with it|with the clocks running
        again].{catch}""",
        """The caller of {number} [asked again yesterday|wrote again last night], and this time we have
        an answer. Work resumes under {who} from the same group; "{note}" is what goes into the
        notes.{catch} [Paused clocks run again, or are marked if they are past their time|Each paused
        clock runs again, unless its time is over: then it is marked], with all that follows.""",
        """"{note}". With that, {number} has no reason to wait any longer and goes to {who}, a colleague
        of whoever had it until now. [Write that sentence into the work notes|Put that sentence into its
        work notes], clear what it was waiting for, [and mind the SLA rules when it starts again|and
        start its SLAs as the rules have it].{catch}""",
        number=row["number"], title=row["short_description"], who=full_name(who), note=note,
        catch=vary(s.rng, s.phrase(
            "conflicting_demands",
            " [Its status has to be right by noon, too.|By noon its status must be right in the list.]",
            " [Its status has to remain on hold until noon, too.|Until noon its status must "
            "be on hold in the list.]",
        )),
    )  # fmt: skip
    more.say()
    s.refuse("conflicting_demands", "a ticket cannot be taken up again and stay on hold",
             names=("hold", "taken up|take up|resum|progress|work|go on|goes on|continu|off hold|both")
             )  # fmt: skip
    s.duty("a missed target alerts the manager of the group")
    s.branches("whether a target was missed")
    find_caller(s)
    incident = s.do("find_incident_by_number", f"what {row['number']} waits for", number=row["number"])
    s.require(incident["status"], "==", "on_hold", f"{row['number']} is not on hold",
              names=(in_state(incident["status"].value, "on hold", "on_hold"),))  # fmt: skip
    group = s.do("list_user_groups", "whose it is", group_id=incident["assignment_group"])["user_groups"][0]
    person = find_member(s, group, who, "who carries on")
    incident_slas = find_slas(s, incident, "which clocks stand still")
    more.look(ticket=incident)
    s.do("update_incident", "work goes on", incident_id=incident["incident_id"], status="in_progress",
         on_hold_reason="", assigned_to=person["user_id"], worknotes=note)  # fmt: skip
    missed = wake_slas(s, incident_slas)
    late = holds(count(missed), ">", 0)
    lead = s.do_when(late, "get_user", "who leads that group", user_id=group["manager_id"])
    notify(s, incident, lead, "alert", text("{} has missed its target", incident["number"]),
           "The ticket is being worked on again, but one of its targets has passed.",
           "a missed target alerts them", when=late)  # fmt: skip
    more.write()
    s.rule(
        "Nothing that is in progress still names a reason for waiting, or has a clock that stands still",
        """SELECT COUNT(*) FROM incident i WHERE number = :number AND status = 'in_progress' AND
        on_hold_reason IS NULL AND NOT EXISTS (SELECT 1 FROM incident_sla s WHERE s.incident_id =
        i.incident_id AND stage = 'paused')""",
        number=row["number"],
    )  # fmt: skip


@family("itsm", consumes="incident", perturbations=("policy_forbids", "missing_entity", "no_right"))
def to_the_quieter_group(s: Scene) -> None:
    """A ticket goes to whichever of two groups has less in progress."""
    s.pick_caller(MANAGERS)
    which = pick_ticket(s, EARLY + " AND assigned_to IS NULL", "incident")
    row = which.row
    one, two = s.pick_some("""SELECT g.*, (SELECT COUNT(*) FROM incident WHERE assignment_group = g.group_id
        AND status = 'in_progress') AS load FROM user_group g WHERE org_id = 'ORG_001' AND active AND name IN
        ('Service Desk', 'Network Operations', 'Support Tier 1', 'Support Tier 2', 'Field Dispatch',
        'Security Response', 'Platform Engineering') AND group_id IS NOT :now""", 2,
        now=row["assignment_group"])  # fmt: skip
    more = besides(s, *about(which.words, row, *NOTED[:3], *ASKED))
    s.perturb("policy_forbids", "UPDATE user_group SET active = 0 WHERE name = :name",
              name=min(one, two, key=lambda group: group["load"])["name"])  # fmt: skip
    s.perturb("missing_entity", "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = "
              ":number", number=row["number"])  # fmt: skip
    s.perturb("no_right", NO_RIGHT, me=caller_email(s))
    s.ask(
        """There should be a group that has the time for {number}, [be it|that is to say] {one} or {two}:
        whichever of them has fewer tickets in progress gets it, and {one} in case they are equal. [No
        person yet, the group will see to that|The group itself will choose a person].""",
        """Neither {one} nor {two} wants "{title}", {number}, [so let the numbers decide|which is why I
        go by numbers]. Count what each has in progress; the ticket goes to the one with less, and if
        there is no difference, {one} [has to take it|it is].""",
        """[I would like {number} to go|{number} is to go] where people are less busy, to {one} or to {two},
        judged by how many tickets are in progress there. With a draw it falls to {one}, and [only the group
        is entered|what you enter is the group alone], nobody's name.""",
        """{one} and {two} could both deal with {number}, "{title}". The fair way is [by load|to look at
        the load]: the fewer in progress, the sooner they get it. Should both have the same number,
        [take|choose] {one}; the rest of the ticket stays as it is.""",
        """Whoever has less to do [gets the next one|takes the next one], that is how {one} and {two}
        agreed to share such tickets, counting those in progress and with {one} first when it is even.
        The next one is {number}, [which has nobody so far|so give it to the right group].""",
        """[Look at the queues of|Compare the queues of] {one} and {two} before you move {number}: the
        group with the smaller number of tickets in progress is the one to have it. On equal terms I
        prefer {one}, [as they know the caller|since their room is next to the caller's].""",
        number=which.words, title=row["short_description"], one=one["name"], two=two["name"],
    )  # fmt: skip
    more.say()
    s.indirect("the group with fewer tickets in progress", hidden=[])
    s.branches("which group has less in progress")
    find_caller(s)
    incident = which.record or find_incident(s, row["number"])
    groups = [s.do("find_group_by_name", f"the {nth} group", name=group["name"])
              for nth, group in (("first", one), ("second", two))]  # fmt: skip
    loads = []
    for group, found in zip((one, two), groups, strict=True):
        s.require(found["active"], "==", True, f"the group {group['name']} takes no work any more",
                  names=(group["name"], f"takes no work|takes no more|{INACTIVE}"))  # fmt: skip
        load = s.do("count_incident_for_assignment_group", "how much it has in progress",
                    assignment_group_id=found["group_id"], status="in_progress")  # fmt: skip
        loads.append(mapped(found["group_id"], load))
    more.look(ticket=incident)
    for found, operator in zip(groups, ("<=", ">"), strict=True):
        s.do_when(holds(loads[0], operator, loads[1]), "update_incident", "it has less to do",
                  incident_id=incident["incident_id"], assignment_group=found["group_id"])  # fmt: skip
    more.write()
