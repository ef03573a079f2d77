"""Scenarios about what a meeting needs beforehand: time to prepare, papers."""

from typing import Any

from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.expressions import shift
from eops_traj.taskgen.family import family
from eops_traj.taskgen.result_ref import ResultRef
from eops_traj.taskgen.scenarios.besides import besides
from eops_traj.taskgen.scenarios.calendar import extras
from eops_traj.taskgen.scenarios.calendar.lookups import (
    ORGANIZERS,
    OWN_MEETINGS,
    PEOPLE,
    Slot,
    find_meeting,
    length_words,
    require_mine,
    require_nobody_busy,
    say,
    span,
)
from eops_traj.taskgen.scenarios.calendar.picking import (
    event_day,
    event_slot,
    is_free,
)
from eops_traj.taskgen.scenarios.calendar.twists import (
    add_namesake,
    call_off,
    give_to_another,
    make_busy,
)
from eops_traj.taskgen.scene import Row, Scene

_BEFORE = (
    "I do not want to walk into it unprepared", "the papers came in at the last moment",
    "last time I had to read them during the talk", "there are forty pages to go through",
    "I have to find the figures of the other office first", "the questions will be hard ones",
)  # fmt: skip


def pick_event(s: Scene) -> tuple[Row, str, Any]:
    """Take the meeting of an earlier part, or pick one of the caller's; with words for it, and its day."""
    earlier = s.consume("event")
    if earlier:
        (event,) = s.rows("SELECT * FROM events WHERE event_id = :id", id=earlier.record["id"].value)
        return event, earlier.words, earlier.record
    event = s.pick(f"SELECT * FROM ({OWN_MEETINGS}) WHERE email = :me", me=s.caller["email"])
    return event, f'my "{event["summary"]}" {event_day(s, event).on}', None


def find_event(s: Scene, event: Row, record: Any, why: str) -> ResultRef:
    """Return the record of an earlier part, or look the meeting up."""
    found: ResultRef = record or find_meeting(s, event["summary"], event_day(s, event), why)
    return found


@family("calendar", perturbations=("policy_forbids", "two_namesakes", "missing_entity"), consumes="event")
def prepare_before(s: Scene) -> None:
    """Focus time right before a meeting, of which only the length is told."""
    s.pick_caller(PEOPLE if "event" in s.produced else ORGANIZERS)
    event, what, record = pick_event(s)
    minutes, why = s.rng.choice((60, 90, 120)), s.rng.choice(_BEFORE)
    slot = event_slot(event)
    before = Slot(slot.day, slot.minute - minutes, minutes)
    if before.minute < 8 * 60 or not is_free(s, s.caller["email"], before, event["start_timezone"]):
        raise NoMatch("the time before it is taken, or too early")
    title = s.rng.choice(("Prepare", "Read the papers", "Collect figures", "Write the questions", "Think"))
    beside = besides(s, *extras.some())
    make_busy(s, s.caller, before, event["start_timezone"])
    if record is None:
        add_namesake(s, event)
        call_off(s, event)
    s.ask(
        """{Why}, so [keep|reserve] {length} for me right before {what}, [to end when it begins|up to the
        minute at which it begins]. [It is focus time|Enter it as focus time] with the title "{title}", [set
        up as our rules have it|with the settings from our rules].""",
        """[Directly before|Immediately ahead of] {what} I want {length} of focus time, "{title}", [so that
        the one ends where the other begins|without a gap between the two]; {why}. [The settings are those of
        our rules|As to the settings, do what the rules say].""",
        """[For|As a preparation for] {what} there should be {length} of focus time, {because} {why}:
        "{title}" is its title, and it [ends at the very moment|is over at the very moment] at which we start.
        [Nobody is invited to it|It is for me alone], and the rules say [how it is set|the rest].""",
        """[When {what} begins you can look up|You will see when {what} begins]. The {length} before that [are
        mine|belong to me], as focus time named "{title}", with what our rules want for such hours, [given
        that|since] {why}.""",
        """"{title}" as focus time, {length} long, [in front of|just before] {what}, [touching its beginning|
        ending with its beginning]: [that is what I need|please enter that], by the rules for focus time.
        {Why}.""",
        """[I need a quiet stretch|Some quiet is needed] before {what}, {length} of it, ending as that begins.
        [Enter it|It goes in] under "{title}", as the sort of entry that turns down new invitations, see our
        rules for focus time; {why}.""",
        what=what, length=length_words(s, minutes), title=title, why=why, Why=why[0].upper() + why[1:],
        because=s.rng.choice(("because", "since", "as")),
    )  # fmt: skip
    beside.say()
    meeting = find_event(s, event, record, "when it begins")
    end = meeting["start"]["dateTime"]
    start, zone = shift(end, -minutes), meeting["start"]["timeZone"]
    require_nobody_busy(s, [{"id": s.caller["email"]}], start, end, zone, "whether you are free before it")
    s.indirect("the time right before a meeting", hidden=[])
    s.duty("what focus time declines, and what the chat shows")
    quiet = {"autoDeclineMode": "declineOnlyNewConflictingInvitations", "chatStatus": "doNotDisturb"}
    beside.look()
    s.do("create_event", "the time before it", calendarId="primary", summary=title, eventType="focusTime",
         **span(start, end, zone), focusTimeProperties=quiet, sendUpdates="none")  # fmt: skip
    beside.write()


_FILES = (
    "minutes-of-december", "draft-contract-v3", "complaints-2025", "floor-plan-north", "offer-tidewater",
    "training-needs", "stock-list-january", "audit-findings", "rota-spring", "test-protocol-7",
)  # fmt: skip
_PAPERS = (
    "nobody ever finds them otherwise", "half of the guests asked me for them", "we go through them together",
    "the last meeting began with ten minutes of searching", "some of us come straight from the airport",
)  # fmt: skip
_SPOTS = ("Old library", "Training corner", "Yard, at the gate", "Canteen, back table", "Sample room",
          "Roof terrace", "Workshop 2")  # fmt: skip


@family("calendar", perturbations=("two_namesakes", "missing_entity", "no_right"), consumes="event")
def add_papers(s: Scene) -> None:
    """A meeting gets its papers, and perhaps a place and limits for what guests may do."""
    s.pick_caller(PEOPLE if "event" in s.produced else ORGANIZERS)
    event, what, record = pick_event(s)
    slugs = s.rng.sample(_FILES, s.rng.choice((1, 2)))
    urls = [f"https://drive.corvane.example/files/{slug}" for slug in slugs]
    why, place, placed = s.rng.choice(_PAPERS), s.rng.choice(_SPOTS), s.chance(0.6)
    closed, secret = s.chance(0.5), s.chance(0.4)
    beside = besides(s, *extras.some())
    if record is None:
        add_namesake(s, event)
        call_off(s, event)
        other = s.pick(f"{PEOPLE} AND u.email <> :me AND u.user_id NOT IN (SELECT user_id FROM attendees "
                       "WHERE event_id = :id)", me=s.caller["email"], id=event["event_id"])  # fmt: skip
        give_to_another(s, event, other)
    s.ask(
        """[The papers for|What is to be read for] {what} [should hang on the invitation|have to be attached
        to it]: {files}. {placed} {closed} {secret} [I ask since|The reason is that] {why}.""",
        """{Why}, so [attach|add] {files} to {what}. {secret} {placed} {closed} [Everything else|All else]
        about it stays.""",
        """[Could the guests of|The guests of] {what} [get|should find] {files} with the
        [entry?|entry.] {closed} {secret} {placed} [It helps, because|It is useful, as] {why}.""",
        """[The files are|It is about] {files}: [that belongs to|which is for] {what}, as an attachment.
        {placed} {secret} {closed} {Why}, [you see|that is all].""",
        """[To|Onto] {what} [goes an attachment|something is attached], {files}, [which replaces whatever hung
        on it so far|and only that, older files go]. {closed} {placed} {secret} {Why}.""",
        """[Somebody will ask|They are sure to ask] for {files} in {what}, so [have it attached|attach it] in
        good time. {placed} {secret} [I know that|It is well known that] {why}. {closed}""",
        """{What} [lacks its papers|is still without papers]. [These it should have|Give it these]: {files}.
        {closed} {placed} {Why}. {secret}""",
        """{placed} {closed} {secret} [What matters most|Most of all]: {files} should be attached to {what},
        {because} {why}.""",
        what=what, What=what[0].upper() + what[1:], files=" and ".join(urls),
        why=why, Why=why[0].upper() + why[1:],
        because=s.rng.choice(("because", "since", "as")),
        placed=say(s, '[As the place, note|The place to note in it is] "{place}".', place=place)
        if placed else "",
        closed=say(s, "[Guests must not bring in further guests|Nobody who is invited may invite others].")
        if closed else "",
        secret=say(s, "[They need not see who else is invited|The list of guests is not to be seen by the "
                   "guests].") if secret else "",
    )  # fmt: skip
    beside.say()
    meeting = find_event(s, event, record, "the meeting with the papers")
    if record is None:
        require_mine(s, meeting, event["summary"])
    more: dict[str, Any] = {"location": place} if placed else {}
    more |= {"guestsCanInviteOthers": False} if closed else {}
    more |= {"guestsCanSeeOtherGuests": False} if secret else {}
    beside.look()
    s.do("patch_event", "its papers", calendarId="primary", eventId=meeting["id"],
         attachments=[{"fileUrl": url} for url in urls], supportsAttachments=True, sendUpdates="all",
         **more)  # fmt: skip
    beside.write()
