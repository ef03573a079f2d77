"""Scenarios about invitations of others, which are answered."""

from datetime import date

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import ROW, holds
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras
from eops_traj.taskgen.scenarios.calendar.lookups import (
    PEOPLE,
    day_span,
    find_meeting,
    join_words,
    rule_on_names,
    say,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
    in_zone,
)
from eops_traj.taskgen.scenarios.calendar.twists import call_off
from eops_traj.taskgen.scene import Row, Scene

_FOR_OTHERS = (
    "for yourself|only for you|only your own|your own|own invitation|on behalf|in the name|another person"
    "|other people|somebody else|someone else|not the assistant|not their assistant|isn't your|not your"
    "|not for|only for the person|person you act for|for the person|their assistant"
)
INVITED = f"""
    SELECT e.*, u.email, u.timezone, o.email AS host FROM attendees a JOIN events e ON e.event_id = a.event_id
    JOIN ({PEOPLE}) u ON u.user_id = a.user_id JOIN users o ON o.user_id = e.organizer_id WHERE e.recurrence
    IS NULL AND e.recurring_event_id IS NULL AND e."eventType" = 'default' AND e.status = 'confirmed' AND
    e.organizer_id <> u.user_id AND e.visibility = 'default' AND a."responseStatus" IN ({{}}) AND
    e.start_datetime BETWEEN '2026-01-07' AND '2026-01-30' AND (SELECT COUNT(*) FROM events k LEFT JOIN
    attendees g ON g.event_id = k.event_id AND g.user_id = u.user_id WHERE k.summary = e.summary AND
    (k.calendar_id = u.user_id || '-primary' OR g.user_id IS NOT NULL) AND k.start_datetime >= '2026-01-05') =
    1"""
_UNANSWERED = INVITED.format("'needsAction'")


def _overlap(one: Row, other: Row) -> bool:
    """Check whether two events overlap."""
    return bool(
        one["start_datetime"] < other["end_datetime"] and other["start_datetime"] < one["end_datetime"]
    )


@family("calendar", perturbations=("missing_entity", "no_right"))
def answer_invitations(s: Scene) -> None:
    """Invitations are answered: yes where there is time, else perhaps, or no where it is meant."""
    me = s.pick_caller(
        f"SELECT w.* FROM ({PEOPLE}) w WHERE (SELECT COUNT(*) FROM ({_UNANSWERED}) k WHERE k.email ="
        " w.email) > 2"
    )
    number = s.rng.choice((2, 3, 3))
    unanswered = s.pick_some(f"SELECT * FROM ({_UNANSWERED}) WHERE email = :me ORDER BY event_id", number,
                             me=me["email"])  # fmt: skip
    events = [in_zone(event, me["timezone"]) for event in unanswered]
    if any(_overlap(one, other) for n, one in enumerate(events) for other in events[:n]):
        raise NoMatch("two of the invitations overlap")
    declined = events.pop() if number > 2 and s.chance(0.7) else None
    why = s.rng.choice(("on leave", "another appointment", "not needed"))
    stranger = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    everything = [*events, *([declined] if declined else [])]
    days = {event["event_id"]: event_day(s, event) for event in everything}
    call_off(s, events[0])
    who = s.phrase("no_right", "me", stranger["name"])
    s.ask(
        """{Whose} invitations have been waiting too long. [Say yes to|Accept] {named}, and where something
        else in the calendar [is in the way|has taken the time], do as our rules [say|have it]. {no}""",
        """[The following are still to be answered for {who}|There are invitations to answer for {who}]:
        {named}. [A yes is right|The answer is yes] unless the time is taken already; [then answer as the
        policy has it|in that case the policy says what to answer]. {no}""",
        """{no} [The others wait for an answer from {who} as well, namely|From {who} they still wait for an
        answer on] {named}. [Accept what does not clash|Whatever does not clash is accepted] with another
        entry, and [the rest gets the answer that fits|give the right answer to the rest].""",
        """[Somebody has to go through a few invitations|It is time to answer some invitations]. For {named},
        accept in the name of {who} if the time is free, and [follow our rules|act by our rules] if it is
        not. {no}""",
        """[Answers are due on behalf of {who}, as there is no computer within reach|On behalf of {who}, with
        no computer at hand]. {named}: yes, wherever nothing else [overlaps|stands at that time]; otherwise
        what the rules want[, with a word on why|]. {no}""",
        """The organizers [still have no word|have had no answer] from {who}. {named} should be accepted, but
        [look first|do look beforehand] whether there is another entry at that time and [act by the rules if
        so|answer by the rules if there is]. {no}""",
        who=who, Whose="My" if who == "me" else f"{who}'s",
        named=join_words([f'"{e["summary"]}" {days[e["event_id"]].on}' for e in events]),
        no=say(s, '[Decline|Say no to] "{title}" {on}; [as the reason, put|the reason to give is] "{why}".',
               title=declined["summary"], on=days[declined["event_id"]].on, why=why) if declined else "",
    )  # fmt: skip
    s.refuse("no_right", f"you can answer invitations for yourself only, not for {stranger['name']}",
             names=(_FOR_OTHERS, "invit|answer|respon|repl|accept|declin|attend"))  # fmt: skip
    meetings = [find_meeting(s, e["summary"], days[e["event_id"]], f"{e['summary']}, to be answered")
                for e in everything]  # fmt: skip
    clashes = []
    for event, meeting in zip(everything, meetings, strict=True):
        s.require(count(meeting["attendees"].every(self=True)), "==", 1,
                  f"you are not invited to {event['summary']}",
                  names=(event["summary"], "not invited|no invitation|not a guest|not on"))  # fmt: skip
        if event is not declined:
            beside = s.do("list_events", f"what is planned during {event['summary']}", calendarId="primary",
                          timeMin=meeting["start"]["dateTime"], timeMax=meeting["end"]["dateTime"],
                          singleEvents=True)  # fmt: skip
            clashes.append(count(beside["items"].every(("id", "!=", meeting["id"]),
                                                       ("transparency", "!=", "transparent"))))  # fmt: skip
    s.branches("whether the time is taken")
    s.duty("what is answered where the time is taken")
    for event, meeting, clash in zip(events, meetings, clashes, strict=False):
        mine = {"email": me["email"]}
        where = {"calendarId": "primary", "eventId": meeting["id"], "sendUpdates": "all"}
        s.do_when(holds(clash, "==", 0), "patch_event", f"accept {event['summary']}",
                  attendees=[mine | {"responseStatus": "accepted"}], **where)  # fmt: skip
        perhaps = {"responseStatus": "tentative", "comment": "another appointment"}
        s.do_when(holds(clash, ">", 0), "patch_event", f"perhaps to {event['summary']}",
                  attendees=[mine | perhaps], **where)  # fmt: skip
    if declined:
        answer = {"email": me["email"], "responseStatus": "declined", "comment": why}
        s.do("patch_event", f"decline {declined['summary']}", calendarId="primary",
             eventId=meetings[-1]["id"], attendees=[answer], sendUpdates="all")  # fmt: skip
    s.rule(
        "Every invitation is answered, and an answer other than yes has its reason",
        """SELECT COUNT(*) FROM attendees a JOIN users u ON u.user_id = a.user_id WHERE u.email = :me AND
        a.event_id IN (:first, :last) AND (a."responseStatus" IN ('tentative', 'declined')) = (a.comment IS
        NOT NULL) AND a."responseStatus" <> 'needsAction'""",
        expected=2, me=me["email"], first=everything[0]["event_id"], last=everything[-1]["event_id"],
    )  # fmt: skip
    rule_on_names(s)


_FROM_HOST = f"""SELECT o.*, u.email AS guest, COUNT(*) AS number FROM attendees a JOIN events e ON e.event_id
    = a.event_id JOIN ({PEOPLE}) u ON u.user_id = a.user_id JOIN ({PEOPLE}) o ON o.user_id = e.organizer_id
    WHERE o.user_id <> u.user_id AND e.status <> 'cancelled' AND e."eventType" = 'default'
    AND e.calendar_id <> 'company-events' AND a."responseStatus" <> 'declined' AND e.recurrence IS NULL AND
    e.recurring_event_id IS NULL AND e.start_datetime BETWEEN '2026-01-07' AND '2026-01-30'
    GROUP BY o.user_id, u.user_id"""
_OUT = (
    "I have handed that work over", "my part in that project is done", "my successor goes there from now on",
    "our manager wants me to drop that side of the job", "I was only there to fill in",
    "they get on without me by now", "the two of us have agreed that I am out of it",
)  # fmt: skip


_KEPT = (  # what is said besides, and what contradicts the rest
    ("Invitations of others are to stay unanswered.", "These invitations are to stay unanswered."),
    ("Leave those that come from others without an answer.",
     "Leave those that come from there without an answer."),
    ("What others organize I want to accept.", "What is organized there I want to accept, though."),
    ("Of other organizers decline none.", "All the same, decline none."),
    ("I still come to the meetings of other people.", "I still come to each of these meetings."),
)  # fmt: skip


@family("calendar", perturbations=("no_right", "conflicting_demands"))
def decline_from(s: Scene) -> None:
    """Everything that one person has invited somebody to within some weeks is declined."""
    me = s.pick_caller(f"SELECT w.* FROM ({PEOPLE}) w WHERE EXISTS (SELECT 1 FROM ({_FROM_HOST}) k "
                       "WHERE k.guest = w.email)")  # fmt: skip
    host = s.pick(f"SELECT * FROM ({_FROM_HOST}) WHERE guest = :me", me=me["email"])
    last = s.rng.choice((date(2026, 1, 31), date(2026, 2, 28)))
    why, reason = s.rng.choice(_OUT), s.rng.choice(("not needed", "another appointment"))
    stranger = s.pick(f"{PEOPLE} AND u.email NOT IN (:me, :host)", me=me["email"], host=host["email"])
    beside = besides(s, *extras.some(extras.own_entries, extras.own_day))
    who = s.phrase("no_right", "I", stranger["name"])
    s.ask(
        """[Whatever|Everything that] {host} has invited {whom} to between tomorrow and the end of {month}
        [is to be declined|should get a no], with the comment "{reason}". {Why}[, and it is better that they
        know|]. {keep}""",
        """{Why}, so {who} {need} not sit in {first}'s meetings any longer. [Decline all invitations of
        {host}|All invitations of {host} are to be declined], [from tomorrow to|starting tomorrow, up to] the
        last day of {month}, and give "{reason}" as the reason. {keep}""",
        """[From tomorrow until|Starting tomorrow and until] the end of {month}, {who} {take} no part in what
        {host} organizes: say no to each of these invitations, "{reason}" being the comment, [as|because]
        {why}. {keep}""",
        """[How many there are I have not counted|I did not count them], but every meeting to which {host}
        invites {whom} from tomorrow on, up to and including the last day of {month}, [gets a decline|has to
        be declined] that says "{reason}". {Why}. {keep}""",
        """{host} should [not wait for|stop counting on] {whom}. [Turn down|Decline] the invitations that came
        from there, for tomorrow and all days until {month} is over; the comment is "{reason}". The reason for
        all this: {why}. {keep}""",
        """[No more|An end to] meetings of {host} for {whom} [up to|until] the end of {month}, beginning
        tomorrow, because {why}. Answer each one with a no and "{reason}". {keep}""",
        host=f"{host['name']} ({host['email']})", first=host["given_name"], month=f"{last:%B}",
        who=who, whom="me" if who == "I" else who, need="need" if who == "I" else "needs",
        take="take" if who == "I" else "takes", reason=reason, why=why, Why=why[0].upper() + why[1:],
        keep=s.phrase("conflicting_demands", *s.rng.choice(_KEPT)),
    )  # fmt: skip
    beside.say()
    s.refuse("no_right", f"you can answer invitations for yourself only, not for {stranger['name']}",
             names=(_FOR_OTHERS, "invit|answer|respon|repl|accept|declin|attend"))  # fmt: skip
    s.refuse("conflicting_demands", "the invitations cannot be declined and be left without a decline",
             names=("declin|turn",
                    "accept|unanswered|without|no answer|not answer|leave|left|none"))  # fmt: skip
    events = s.do("list_events", "what there is from tomorrow on", calendarId="primary",
                  **day_span(date(2026, 1, 6), last))  # fmt: skip
    s.covers("all invitations of one organizer")
    answer = {"email": me["email"], "responseStatus": "declined", "comment": reason}
    beside.look()
    s.do_each(events["items"].every(("organizer.email", "==", host["email"]), ("eventType", "==", "default")),
              "patch_event", "decline each", calendarId="primary", eventId=ROW["id"], attendees=[answer],
              sendUpdates="all")  # fmt: skip
    rule_on_names(s)
    beside.write()
