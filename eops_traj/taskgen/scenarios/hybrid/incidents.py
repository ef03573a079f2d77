"""Scenarios in which an IT ticket is posted or discussed in a meeting."""

from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW
from eops_traj.taskgen.family import family
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.hybrid import boards, extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import (
    MANAGERS,
    NO_RIGHT,
    OURS,
    WORKERS,
    add_slas,
    find_caller,
    find_group,
    find_member,
    find_slas,
    find_ticket,
    full_name,
    pick_scale,
    pick_ticket,
)
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, about
from eops_traj.taskgen.scenarios.reasons import CONTRADICTORY, known_as
from eops_traj.taskgen.scene import Scene

_BOARDS = ("Incidents", "Alerts", "Escalations", "Releases")
_LEADS = f"{MANAGERS} AND {look.ALSO}"


@family("hybrid", servers=("itsm", "teams"), consumes="incident", produces="incident",
        perturbations=("no_right", "missing_entity", "policy_forbids"))  # fmt: skip
def raise_and_post(s: Scene) -> None:
    """A ticket turns out worse: it is graded anew with its SLAs, and the team reads of it in a channel."""
    s.pick_caller(_LEADS, also=boards.poster_addresses(s, *_BOARDS))
    board = s.rng.choice(boards.list_channels(s, look.caller_email(s), *_BOARDS))
    which = pick_ticket(
        s,
        OURS
        + """ AND status IN ('new', 'in_progress') AND priority <> 'critical' AND EXISTS (SELECT 1 FROM
        incident_sla s WHERE s.incident_id = i.incident_id AND stage IN ('in_progress', 'breached'))""",
        "incident",
    )
    row = which.row
    worse = [
        (i, u)
        for (i, u), p in PRIORITIES.items()
        if p in ("critical", "high") and p != row["priority"] and i != row["impact"] and u != row["urgency"]
    ]
    if not worse:
        raise NoMatch("impact and urgency cannot both become others")
    impact, urgency, priority, scale_words = pick_scale(s, *worse)
    if s.rows("SELECT 1 FROM incident_sla JOIN sla_definition USING (sla_def_id) WHERE incident_id = :id"
              " AND applies_to_priority = :priority", id=row["incident_id"], priority=priority):  # fmt: skip
        raise NoMatch("the ticket had SLAs of that priority before")
    words = s.rng.choice((
        f"{row['number']} is now {priority}. Please keep an eye on it until it is solved.",
        f"New grading for {row['number']}: {priority}. Hold back changes near it until it is solved.",
        f"Heads up, {row['number']} has been raised to {priority}. Details are in the ticket.",
    ))  # fmt: skip
    more = besides(s, *about(which.words, row, *ASKED), *extras.of("itsm", "teams"))
    s.perturb("no_right", NO_RIGHT, me=look.caller_email(s))
    boards.perturb_channel(s, board, "missing_entity", "display_name = 'Old ' || display_name")
    boards.perturb_channel(s, board, "policy_forbids", "is_archived = 1")
    s.ask(
        """[Our first guess about|What we assumed of] {ticket} was [too mild|wrong]: {said}. [Grade it
        again|Have the grading put right], which [changes|moves] its priority and its SLAs, and [make it
        known|announce it] in {channel} of {team}, as an important post [that says|with the text]
        "{words}\"""",
        """[According to the engineers on site|From what the site reports], {said}. That [is not how|was
        not known when] {ticket} was [graded|assessed], so impact, urgency, priority and what is timed
        [need a correction|have to be corrected], and {team} [reads|should read] "{words}" in {channel},
        marked high.""",
        """[A call about|The last call on] {ticket} [has just ended|is just over], and now we know:
        {said}. [Bring the ticket up to date|Enter that], replace the SLAs of the old priority, and
        [give|send] the channel {channel} in {team} this message of high importance: "{words}\"""",
        """[The team|Those in] {team} [ought not to be surprised|should not learn of it by accident],
        hence "{words}" in {channel}, high importance. [It follows from|The reason is] {ticket}, which
        [turns out worse than recorded|is more serious than its grading]: {said}. [Priority and SLAs come
        with that|With that come another priority and other SLAs].""",
        """{ticket} [was opened on incomplete facts|was graded before all was known]. [As of now|By now
        it is clear that] {said}, which by the table [gives|means] another priority and [other promised
        times|a new pair of SLAs]. [Once that is in|When it is entered], post "{words}" where {team}
        [keeps|has] its {channel} channel, as important.""",
        """[Two hours ago nobody|Nobody] thought much of {ticket}; meanwhile {said}. I [need|want] the
        record to show this, [including the priority|with the priority that follows] and the clocks, and
        a post of high importance in {team} / {channel}: "{words}\"""",
        ticket=which.words, said=scale_words, channel=board.channel, team=board.team, words=words,
    )  # fmt: skip
    more.say()
    s.as_one()
    find_caller(s)
    incident = find_ticket(s, which, "new", "in_progress")
    if which.record:
        for field in ("impact", "urgency", "priority"):
            s.require(incident[field], "==", row[field], f"the {field} of the ticket is another already",
                      names=("ticket|incident", field))  # fmt: skip
    caller = s.do("get_user", "whose organization has promised what", user_id=incident["caller_id"])
    place, channel = boards.find_channel(s, board)
    more.look(ticket=incident)
    now = s.do("update_incident", "grade it anew", incident_id=incident["incident_id"], impact=impact,
               urgency=urgency, priority=priority)  # fmt: skip
    incident_slas = find_slas(s, incident, "the SLAs of the old priority")
    running = incident_slas.every(("stage", "in", ["in_progress", "paused", "breached"]))
    s.do_each(running, "update_incident_sla_details", "it no longer fits", stage="cancelled",
              incident_sla_id=ROW["incident_sla_id"])  # fmt: skip
    add_slas(s, incident, caller["org_id"], priority, now["updated_at"])
    boards.post_message(s, place, channel, words, "tell the team", "high")
    more.write()
    s.rule(
        "The priority is that of the table, and only its SLAs run on the ticket",
        """SELECT COUNT(*) FROM incident_sla t JOIN sla_definition d USING (sla_def_id) JOIN incident i
        USING (incident_id) WHERE i.number = :number AND i.priority IN ('high', 'critical') AND t.stage
        IN ('in_progress', 'paused', 'breached') AND d.applies_to_priority = i.priority""",
        expected=2, number=row["number"],
    )  # fmt: skip
    boards.add_post_rule(s, board, words, "high")
    s.produce("incident", now, "that ticket")


_HELD = (  # what is said besides, and what contradicts the rest
    ("It must not stay with whoever has it at present.", "It has to stay with whoever has it at present."),
    ("Nobody who has it now has to keep it.", "Whoever has it now has to keep it."),
    ("The present assignee knows that it goes.", "The present assignee knows that it stays where it is."),
    ("It is not left in the same hands as before.", "It is left in the same hands as before, mind you."),
)  # fmt: skip


@family("hybrid", servers=("itsm", "teams", "calendar"), consumes="incident",
        perturbations=("inactive_person", "policy_forbids", "conflicting_demands"))  # fmt: skip
def gather_for_ticket(s: Scene) -> None:
    """A ticket changes hands: the new person is invited to a talk, and the team told in its channel."""
    s.pick_caller(_LEADS, also=boards.poster_addresses(s, *_BOARDS))
    board = s.rng.choice(boards.list_channels(s, look.caller_email(s), *_BOARDS))
    which = pick_ticket(s, OURS + " AND status = 'in_progress'", "incident")
    row = which.row
    if row["status"] != "in_progress":
        raise NoMatch("the ticket that was handed on is not in progress yet")
    group = s.pick("SELECT * FROM user_group g WHERE org_id = 'ORG_001' AND active ORDER BY group_id")
    hand = s.pick(WORKERS + " AND email <> :me AND user_id IS NOT :now AND org_id = 'ORG_001'",
                  group=group["group_id"], me=look.caller_email(s), now=row["assigned_to"])  # fmt: skip
    when = meetings.pick_slot(s, hand["email"])
    title = s.rng.choice(
        (
            f"War room {row['number']}",
            f"Next steps on {row['number']}",
            f"Joint look at {row['number']}",
            f"{row['number']}: how we go on",
        )
    )
    words = s.rng.choice((
        f"{full_name(hand)} looks after {row['number']} from today on. Please send findings there.",
        f"From now on {row['number']} is with {full_name(hand)}. Questions go there, not to me.",
        f"{row['number']} has a new owner, {full_name(hand)}. Thanks to all who have worked on it.",
    ))  # fmt: skip
    more = besides(s, *about(which.words, row, *ASKED), *extras.of("itsm", "teams", "calendar"))
    s.perturb("inactive_person", "UPDATE users SET active = 0 WHERE user_id = :id", id=hand["user_id"])
    meetings.make_busy(s, hand["email"], when)
    catch = f" {s.phrase('conflicting_demands', *s.rng.choice(_HELD))}"
    s.ask(
        """{ticket} [needs fresh eyes|has been with the wrong people], so it [goes over|moves] to {group}
        and there to {who}.{catch} [The first talk about it|Our first talk], "{title}", [is|will be]
        {when}, {who} and I; and [our|the] {team} team [learns of it|is told] in {channel}: "{words}\"""",
        """[In the morning round|At the stand-up] {who} [offered|volunteered] to take {ticket} into
        {group}.{catch} [Enter that|Make it so], invite {who} to "{title}" {when}, and [write|put]
        "{words}" in the channel {channel}, [which|where] the {team} people [read|follow].""",
        """[By tonight|From today] {group} is in charge of {ticket}, with {who} as the assignee.{catch}
        [For the start|To begin with] I want some attention from {who}: "{title}", {when}. [So that
        nobody asks twice|To spare us questions], {team} has "{words}" to read in its {channel}.""",
        """[The message|The post] for {channel}, team {team}, is "{words}" and [describes|tells] what is
        to [happen|be done]: {ticket} [passes|is handed] to {group}, to {who} in person.{catch} [On top
        of that|Apart from it], {who} and I meet {when}; the invitation [is headed|says] "{title}".""",
        """[I would like|I want] {ticket} off the present desk: {who} from {group} [knows the system
        behind it|has seen the like before] and takes over.{catch} [Meet|A meeting]: {when}, "{title}",
        the two of us. [Tell|Inform] {team} through {channel} with the words "{words}\"""",
        """{who} has [time and knowledge|the experience] for {ticket}, and {group} [agrees to have it|is
        the right group], hence [the change of hands|the new assignment].{catch} [Get us together|Bring
        us together] {when} under the name "{title}", and let {channel} in {team} say: "{words}\"""",
        ticket=which.words, group=group["name"], who=full_name(hand), title=title, when=when.words,
        channel=board.channel, team=board.team, words=words, catch=catch,
    )  # fmt: skip
    more.say()
    s.as_one()
    s.refuse(
        "conflicting_demands", "a ticket cannot change hands and stay with whoever has it",
        names=(f"hand|assign|reassign|mov|transfer|goes to|go to|new owner|{known_as(full_name(hand))}",
               f"stay|remain|keep|kept|at present|current|same person|{CONTRADICTORY}"),
    )  # fmt: skip
    find_caller(s)
    incident = find_ticket(s, which, "in_progress")
    target = find_group(s, group["name"], "who takes it over")
    who = find_member(s, target, hand, "the new person")
    place, channel = boards.find_channel(s, board)
    calendar = meetings.check_free(s, who["email"], full_name(hand), when)
    moved = {"assigned_to": who["user_id"]}
    if row["assignment_group"] != group["group_id"]:
        moved["assignment_group"] = target["group_id"]
    more.look(ticket=incident)
    s.do("update_incident", f"{full_name(hand)} takes it over", incident_id=incident["incident_id"], **moved)
    boards.post_message(s, place, channel, words, "tell the team")
    meetings.create_meeting(s, calendar, title, [who["email"]], when)
    more.write()
    s.rule(
        "Who has the ticket is an active member of the group that answers for it",
        """SELECT COUNT(*) FROM incident i JOIN user_group_member m ON m.group_id = i.assignment_group
        AND m.user_id = i.assigned_to JOIN users u ON u.user_id = i.assigned_to AND u.active = 1 WHERE
        i.number = :number AND u.email = :email""",
        number=row["number"], email=hand["email"],
    )  # fmt: skip
    boards.add_post_rule(s, board, words)
    meetings.add_meeting_rule(s, title, when, hand["email"])
