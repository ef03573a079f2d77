"""Scenarios about invitations, and how they are answered."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import count
from eops_traj.taskgen.scenarios.calendar.lookups import PEOPLE, day_of, local, meeting
from eops_traj.taskgen.scene import Row, Scene

INVITED = f"""
    SELECT e.*, u.email, u.timezone, o.email AS host FROM attendees a JOIN events e ON e.event_id = a.event_id
    JOIN ({PEOPLE}) u ON u.user_id = a.user_id JOIN users o ON o.user_id = e.organizer_id WHERE e.recurrence
    IS NULL AND e.recurring_event_id IS NULL AND e."eventType" = 'default' AND e.status = 'confirmed' AND
    e.organizer_id <> u.user_id AND e.visibility = 'default' AND a."responseStatus" IN ({{}}) AND
    e.start_datetime BETWEEN '2026-01-07' AND '2026-01-30' AND (SELECT COUNT(*) FROM events k LEFT JOIN
    attendees g ON g.event_id = k.event_id AND g.user_id = u.user_id WHERE k.summary = e.summary AND
    (k.calendar_id = u.user_id || '-primary' OR g.user_id IS NOT NULL) AND k.start_datetime >= '2026-01-05') =
    1"""
_OPEN = INVITED.format("'needsAction'")


def _beside(s: Scene, event: Row) -> list[Row] | None:
    """The accepted meetings that overlap with one; None where something else does that tells another rule."""
    day = event["start_datetime"][:10]
    told = s.peek("list_events", calendarId="primary", timeMin=f"{day}T00:00:00", timeMax=f"{day}T23:59:00",
                  singleEvents=True)["items"]  # fmt: skip
    start, end = event["start_datetime"][11:16], event["end_datetime"][11:16]
    found = []
    for item in told:
        if item["id"] == event["event_id"] or "dateTime" not in item["start"]:
            if item["id"] != event["event_id"] and item.get("eventType") == "outOfOffice":
                return None
            continue
        shown = s.peek("get_event", calendarId="primary", eventId=item["id"], timeZone=s.speaker["timezone"])
        begins, ends = (shown[which]["dateTime"][11:16] for which in ("start", "end"))
        if shown["start"]["dateTime"][:10] != day or not (begins < end and start < ends):
            continue
        mine = [g["responseStatus"] for g in item.get("attendees", []) if g.get("self")]
        if item["eventType"] != "default" or item.get("visibility") != "default":
            return None
        if mine == ["accepted"] or (not mine and item["organizer"].get("self")):
            found.append(item)
    return found


def _meet(one: Row, other: Row) -> bool:
    return bool(
        one["start_datetime"] < other["end_datetime"] and other["start_datetime"] < one["end_datetime"]
    )


@family("calendar", twists=("missing_entity", "no_right"))
def answer_invitations(s: Scene) -> None:
    """Invitations are answered: yes where there is time, else perhaps, or no where it is meant."""
    me = s.caller(
        f"SELECT w.* FROM ({PEOPLE}) w WHERE (SELECT COUNT(*) FROM ({_OPEN}) k WHERE k.email = w.email) > 2"
    )
    found = s.rows(f"SELECT * FROM ({_OPEN}) WHERE email = :me ORDER BY event_id", me=me["email"])
    found = [local(event, me["timezone"]) for event in found]
    s.rng.shuffle(found)
    chosen: list[tuple[Row, list[Row]]] = []
    for event in found:
        clashes = _beside(s, event)
        apart = all(not _meet(event, other) for other, _ in chosen)
        if clashes is not None and apart and len(chosen) < 5:
            chosen.append((event, clashes))
    if len(chosen) < 2:
        raise NoMatch("fewer than two invitations to answer")
    declined = chosen.pop() if len(chosen) > 2 else None
    why = s.rng.choice(("on leave", "another appointment", "not needed"))
    stranger = s.pick(f"{PEOPLE} AND u.email <> :me", me=me["email"])
    days = {event["event_id"]: day_of(s, event) for event, _ in [*chosen, *([declined] if declined else [])]}
    first = chosen[0][0]
    s.twist(
        "missing_entity", "UPDATE events SET status = 'cancelled' WHERE event_id = :id", id=first["event_id"]
    )
    wanted = [f'"{event["summary"]}" {days[event["event_id"]]}' for event, _ in chosen]
    s.ask(
        """{whose} invitations have been waiting too long. Say yes to {named}, and where something that I have
        accepted is in the way, do as our rules say. {no}""",
        """please answer for {who}: {named}. I would like to come, unless I am taken by something that I said
        yes to before; then answer as the policy has it. {no}""",
        """{no} The others wait for an answer from {who} as well, namely {named}. Accept what does not clash
        with what is accepted already, and give the right answer to the rest.""",
        """could you go through a few invitations? For {named}, accept in the name of {who} if the time is
        free, and follow our rules if it is not. {no}""",
        """answers, please, on behalf of {who}, as there is no computer within reach. {named}: yes, wherever
        nothing that is accepted overlaps; otherwise what the rules want, with a word on why. {no}""",
        """the organizers still have no word from {who}. {named} should be accepted, but look first whether
        there is an accepted meeting at that time and act by the rules if so. {no}""",
        who=(who := s.phrase("no_right", "me", stranger["name"])),
        whose="my" if who == "me" else f"{who}'s",
        named=" and ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1]))),
        no=f'Decline "{declined[0]["summary"]}" {days[declined[0]["event_id"]]}; as the reason, put "{why}".'
        if declined else "",
    )  # fmt: skip
    s.refuse("no_right", "you can answer invitations for yourself only")
    everything = [*chosen, *([declined] if declined else [])]
    shown = [
        meeting(s, e["summary"], days[e["event_id"]], f"{e['summary']}, and what is beside it")
        for e, _ in everything
    ]
    for (event, clashes), found_event in zip(everything, shown, strict=True):
        s.require(
            count(found_event["attendees"].every(self=True)),
            "==",
            1,
            f"you are not invited to {event['summary']}",
        )
        mine = found_event["attendees"].where(self=True)["email"]
        if declined and event is declined[0]:
            own: dict[str, Any] = {"responseStatus": "declined", "comment": why}
        elif clashes:
            own = {"responseStatus": "tentative", "comment": f"It overlaps with {clashes[0]['summary']}."}
        else:
            own = {"responseStatus": "accepted"}
        s.facts[event["event_id"]] = {"email": mine} | own
    for (event, _), found_event in zip(everything, shown, strict=True):
        own = s.facts[event["event_id"]]
        s.do("patch_event", f"{own['responseStatus']}: {event['summary']}", calendarId="primary",
             eventId=found_event["id"], attendees=[own], sendUpdates="all")  # fmt: skip
    s.rule(
        "Every invitation is answered, and an answer other than yes has its reason",
        """SELECT COUNT(*) FROM attendees a JOIN users u ON u.user_id = a.user_id WHERE u.email = :me AND
        a.event_id IN (:first, :last) AND (a."responseStatus" IN ('tentative', 'declined')) = (a.comment IS
        NOT NULL) AND a."responseStatus" <> 'needsAction'""",
        expected=2, me=me["email"], first=everything[0][0]["event_id"], last=everything[-1][0]["event_id"],
    )  # fmt: skip
