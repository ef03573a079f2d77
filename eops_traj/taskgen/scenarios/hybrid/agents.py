"""Scenarios in which the desk does not let an agent do all that is asked, and the other system does."""

from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.desk_reasons import no_right
from eops_traj.taskgen.scenarios.hybrid import boards, extras, meetings
from eops_traj.taskgen.scenarios.hybrid import lookups as look
from eops_traj.taskgen.scenarios.itsm.lookups import OURS, find_incident
from eops_traj.taskgen.scenarios.itsm.ticket_extras import ASKED, about, name_problem, suggest_article
from eops_traj.taskgen.scenarios.reasons import TAKEN
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.wording import vary

_EXTRAS = (suggest_article, name_problem, *ASKED)
_AGENTS = "SELECT * FROM users WHERE role = 'agent' AND active AND org_id = 'ORG_001'"
_RENUMBER = "UPDATE incident SET number = 'INC-9' || substr(number, 6) WHERE number = :number"
_REPORTED = f"""SELECT i.*, u.email AS caller FROM ({OURS}) i JOIN users u ON u.user_id = i.caller_id
    WHERE i.worknotes IS NULL AND u.{look.STAFF} AND u.email <> :me"""
_NOTES = (
    "Caller [asked|rang] [again|twice] [on Friday|this morning].",
    "[Talk|Call] with the caller is [planned|set].",
    "Logs [requested|asked for], [nothing else to do|waiting] until they come.",
    "Seen [with|by] the second line, [no cause yet|cause is unclear].",
)  # fmt: skip


def _require_agent(s: Scene) -> None:
    """Require that the caller has the role of an agent at least."""
    user = s.do("get_user_using_email", "who asks, and in what role", email=look.caller_email(s))
    s.require(user["role"], "in", ["agent", "manager", "admin"], "this takes the role of an agent at least",
              names=no_right("reporter", "agent", "manager", "admin"))  # fmt: skip


@family("hybrid", servers=("itsm", "calendar"), perturbations=("missing_entity", "policy_forbids"))
def agent_calls_caller(s: Scene) -> None:
    """An agent makes a note on a ticket and meets its caller; the notification takes another role."""
    s.pick_caller(
        f"{_AGENTS} AND {look.ALSO}",
        also=look.known_addresses(s, "SELECT email FROM users WHERE is_active", "calendar"),
    )
    me = look.caller_email(s)
    row = s.pick(_REPORTED, me=me)
    when, note = meetings.pick_slot(s, row["caller"]), vary(s.rng, s.rng.choice(_NOTES))
    title = s.rng.choice((f"Talk about {row['number']}", f"{row['number']} step by step",
                          f"Show me {row['number']}", f"Questions on {row['number']}"))  # fmt: skip
    more = besides(s, *about(row["number"], row, *_EXTRAS), *extras.of("calendar"))
    s.perturb("missing_entity", _RENUMBER, number=row["number"])
    meetings.make_busy(s, row["caller"], when)
    s.indirect("who reported the ticket", hidden=[row["caller"]])
    s.partly("an agent sends no notifications: that is left out, and the answer names the role it needs")
    s.duty("what the role does not allow is left out and named")
    s.ask(
        """[Whoever reported|The person who reported] {number} should [talk to me|meet me], {when}, under
        the title "{title}". "{note}" becomes the work notes of the ticket, and a notification from the desk
        [about it|that says so] goes to the same person; [being an agent|as an agent] I may not be entitled
        to one of these, so tell me what role that takes.""",
        """On {number} I need three things: the work notes "{note}", a meeting {when} with its caller by the
        name of "{title}", and an update from the ITSM system to that caller. [Do what an agent can have|As
        far as an agent may have it], and [name|tell me] the role for the rest.""",
        """"{title}" [is|shall be] a meeting of mine with the caller of {number}, {when}. [In the ticket|On
        the record] it says "{note}" as work notes from then on, and the desk [notifies|should notify] the
        caller, [unless my role is too low|provided my role allows it], in which case I want to hear the
        role that is needed.""",
        """[The caller of|Who reported] {number} has waited [long enough|for a week]. Enter "{note}" as its
        work notes, [set up|book] "{title}" {when} for the two of us, and send them the desk's own
        notification of the type update; if [some of it|a part] is beyond an agent, [leave that|skip it] and
        say who may.""",
        """[As the agent on|Being the agent for] {number} I want to get on: "{note}" into the work notes,
        "{title}" into the calendars of its caller and me, {when}, and [a system notification|a notification
        by the system] to the caller. What I have no right to [may stay undone|is left], with the right role
        named.""",
        """{when_up} I would sit down with whoever reported {number}: "{title}". The ticket [notes|carries]
        "{note}" as work notes, [and besides|and] the caller is notified through the desk. [I am no
        manager|I am an agent], which may matter for one of them; do the others and tell me the role
        [required|it takes].""",
        number=row["number"], title=title, note=note, when=when.words, when_up=look.capital(when.words),
    )  # fmt: skip
    more.say()
    _require_agent(s)
    incident = find_incident(s, row["number"])
    caller = s.do("get_user", "who reported it", user_id=incident["caller_id"])
    calendar = s.do("get_calendar", "the zone that the time is meant in", calendarId="primary")
    account = s.do("get_user_by_email", "whether they can be invited", email=caller["email"])
    s.require(account["is_active"], "==", True, "the caller has left and cannot be invited")
    both = s.do("query_freebusy", "whether both are free",
                **meetings.freebusy_query([me, caller["email"]], when, calendar["timeZone"]))  # fmt: skip
    s.require(count(both["calendars"].every()["busy"].every()), "==", 0,
              "you or the caller are taken at that time", names=(TAKEN,))  # fmt: skip
    more.look(ticket=incident)
    s.do("update_incident", "the note", incident_id=incident["incident_id"], worknotes=note)
    meetings.create_meeting(s, calendar, title, [caller["email"]], when)
    more.write()
    meetings.add_meeting_rule(s, title, when, row["caller"])
    s.answer("that notifications take the role of a manager or an admin", "manager", "admin")


_BOARDS = ("Incidents", "Alerts", "Escalations", "Releases", "Handover", "Planning")


@family("hybrid", servers=("itsm", "teams"), perturbations=("missing_entity", "policy_forbids"))
def agent_flags_ticket(s: Scene) -> None:
    """An agent makes a note on a ticket and posts about it; a device on it takes another role."""
    s.pick_caller(f"{_AGENTS} AND {look.ALSO}", also=boards.poster_addresses(s, *_BOARDS))
    me = look.caller_email(s)
    board = s.rng.choice(boards.list_channels(s, me, *_BOARDS))
    row = s.pick(_REPORTED, me=me)
    device = s.pick("""SELECT * FROM configuration_item WHERE org_id = 'ORG_001' AND status = 'in_use' AND
        configuration_item_id NOT IN (SELECT configuration_item FROM incident_affected_cis)""")  # fmt: skip
    note = vary(s.rng, s.rng.choice(_NOTES))
    words = s.rng.choice((
        f"{row['number']} may come up in more places. Tell me if you see the same.",
        f"Has anybody seen what {row['number']} describes? Please write to me.",
        f"I look into {row['number']}. Leave the device alone until I am done.",
    ))  # fmt: skip
    more = besides(s, *about(row["number"], row, *_EXTRAS), *extras.of("teams", "itsm"))
    s.perturb("missing_entity", _RENUMBER, number=row["number"])
    boards.perturb_channel(s, board, "policy_forbids", "is_archived = 1")
    s.partly("an agent links no devices: that is left out, and the answer names the role it needs")
    s.duty("what the role does not allow is left out and named")
    s.ask(
        """[Since|As] {number} may not stay alone, "{note}" goes into its work notes, the device {serial}
        onto it as affected, and "{words}" into {channel} of {team}. [I am|My role is that of] an agent;
        where that is [too little|not enough], do the rest and tell me the role it [needs|takes].""",
        """[I want|I would like] {team} to read "{words}" in {channel}. {number}, [which it is about|its
        subject], gets the work notes "{note}" and, [if an agent may have that|if I may order it], the
        affected device {serial}; [otherwise|if not] say which role can.""",
        """Work notes for {number}: "{note}" Affected device: {serial}, [unless|except where] this is not
        for agents, [and then|in which case] I need to know for whom it is. [A post|And a post] in {team},
        channel {channel}: "{words}\"""",
        """[Three things|These three] about {number}: post "{words}" in the channel {channel} of {team};
        write "{note}" as its work notes; note {serial} on it as an affected device. [Should my role|If my
        role does] not cover one of them, [name the role|tell me the role] and do the others.""",
        """{serial} [seems to be|is probably] hit by what {number} describes, so link it there as affected,
        as far as [an agent can|my role allows]. [Whatever comes of that|In any case], the work notes become
        "{note}" and {team} sees "{words}" in {channel}. I want to hear what role is [lacking|missing], if
        one is.""",
        """[My ticket|The ticket I look after] {number} lacks its work notes, "{note}", and a device,
        {serial}, as affected. {team} should [know|hear] of it under {channel} in the words "{words}". What
        an agent has no right to is [left out|omitted], [as long as|but] I learn the role for it.""",
        number=row["number"], note=note, words=words, serial=device["serial_number"], channel=board.channel,
        team=board.team,
    )  # fmt: skip
    more.say()
    _require_agent(s)
    incident = find_incident(s, row["number"])
    place, channel = boards.find_channel(s, board)
    more.look(ticket=incident)
    s.do("update_incident", "the note", incident_id=incident["incident_id"], worknotes=note)
    boards.post_message(s, place, channel, words, "tell the team")
    more.write()
    boards.add_post_rule(s, board, words)
    s.answer("that devices on tickets take the role of a manager or an admin", "manager", "admin")
