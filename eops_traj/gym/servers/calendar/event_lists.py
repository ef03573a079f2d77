"""Lists of events: their filters, their search and their order; and the busy times of calendars."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from eops_traj.gym.api_styles.google import error, invalid
from eops_traj.gym.servers.calendar import events, read_event_parts, times
from eops_traj.gym.servers.calendar.access import CalendarAccess
from eops_traj.gym.servers.calendar.events import Occurrence
from eops_traj.gym.servers.calendar.times import instant, utc
from eops_traj.gym.tools.call import Call

_TERM_PATTERN = re.compile(r'\s*(-?)(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?=\s|$)', re.DOTALL)
Span = tuple[datetime | None, datetime | None]
KINDS = ("default", "birthday", "focusTime", "fromGmail", "outOfOffice", "workingLocation")
_NOT_WITH_TOKEN = (
    "iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax",
    "updatedMin",
)  # fmt: skip


def time_span(call: Call, zone: str) -> Span:
    """Return the time that a call asks about; refuse an empty one."""
    since, before = (
        instant(call.arguments[name], zone) if call.arguments.get(name) else None
        for name in ("timeMin", "timeMax")
    )
    if since and before and before <= since:
        raise error("INVALID_ARGUMENT", "The specified time range is empty.", location="timeMax")
    return since, before


def list_events(call: Call, calendar: CalendarAccess) -> list[Occurrence]:
    """Return the events that match the arguments of a list, in its order."""
    arguments = call.arguments
    _check(arguments)
    since, before = time_span(call, arguments.get("timeZone") or calendar.zone)
    changed = times.sync_token_time(arguments["syncToken"]) if "syncToken" in arguments else None
    events = [
        event
        for event in _candidates(call, calendar, since, before)
        if _overlaps(event, since, before)
        and _is_listed(event, arguments, bool(changed))
        and _has_kind(event, arguments)
    ]
    if changed:
        events = [event for event in events if _updated(event) > changed]
    if "updatedMin" in arguments:
        after = instant(arguments["updatedMin"], calendar.zone)
        events = [event for event in events if _updated(event) >= after]
    events = _search(call, events)
    if arguments.get("orderBy") == "updated":
        return sorted(events, key=_updated, reverse=True)
    return sorted(events, key=lambda event: (event.span[0], event.event_id))


def list_instances(call: Call, calendar: CalendarAccess, series: Occurrence) -> list[Occurrence]:
    """Return the events of a series, changed ones among them."""
    arguments = call.arguments
    zone = arguments.get("timeZone") or calendar.zone
    since, before = time_span(call, zone)
    series_id = series.row["series_id"]
    stored = events.stored_events(call, calendar, None, None)
    own = [event for event in stored if event.planned and event.row["series_id"] == series_id]
    planned = events.exception_starts(call, [series])[series_id]
    listed = [*own, *events.expand_series(series, planned, since, before)]
    if "originalStart" in arguments:
        original_start = instant(arguments["originalStart"], zone)
        listed = [event for event in listed if event.planned and event.planned.instant == original_start]
    kept = [
        event
        for event in listed
        if _overlaps(event, since, before) and (arguments.get("showDeleted") or not event.cancelled)
    ]
    return sorted(kept, key=lambda event: (event.span[0], event.event_id))


def busy_times(
    call: Call, calendar: CalendarAccess, since: datetime, before: datetime
) -> list[dict[str, str]]:
    """Return the times at which a calendar is taken, joined and cut to the span."""
    taken = [
        (max(event.span[0], since), min(event.span[1], before))
        for event in _not_declined(call, calendar, _expanded(call, calendar, since, before, unread=True))
        if event.row["status"] == "confirmed" and event.row["transparency"] != "transparent"
        and event.span[0] < before and event.span[1] > since
    ]  # fmt: skip
    joined: list[tuple[datetime, datetime]] = []
    for begins, ends in sorted(taken):
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(ends, joined[-1][1]))
        else:
            joined.append((begins, ends))
    return [{"start": _utc_text(begins), "end": _utc_text(ends)} for begins, ends in joined]


def _utc_text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _check(arguments: Mapping[str, Any]) -> None:
    if "syncToken" in arguments and (others := [name for name in _NOT_WITH_TOKEN if name in arguments]):
        raise error("INVALID_ARGUMENT", f"{others[0]} cannot be specified together with syncToken")
    if "iCalUID" in arguments and "q" in arguments:
        raise error("INVALID_ARGUMENT", "iCalUID and q cannot be specified together")


def _candidates(
    call: Call, calendar: CalendarAccess, since: datetime | None, before: datetime | None
) -> list[Occurrence]:
    """Return series as their events, or as themselves where one of their events is within the time."""
    arguments = call.arguments
    events = (
        _expanded(call, calendar, since, before)
        if arguments.get("singleEvents")
        else _folded(call, calendar, since, before)
    )
    if arguments.get("showHiddenInvitations"):
        return events
    attended = {event.event_id for event in _not_declined(call, calendar, events)}
    return [
        event for event in events if event.event_id in attended or event.row["calendar_id"] == calendar.id
    ]


def _expanded(
    call: Call,
    calendar: CalendarAccess,
    since: datetime | None,
    before: datetime | None,
    unread: bool = False,
) -> list[Occurrence]:
    stored = events.stored_events(call, calendar, since, before, unread)
    series = [event for event in stored if event.is_series]
    planned = events.exception_starts(call, series)
    listed = [event for event in stored if not event.is_series]
    for event in series:
        listed += events.expand_series(event, planned[event.row["series_id"]], since, before)
    return listed


def _folded(
    call: Call, calendar: CalendarAccess, since: datetime | None, before: datetime | None
) -> list[Occurrence]:
    listed = []
    for event in events.stored_events(call, calendar, since, before):
        if not event.is_series:
            listed.append(event)
            continue
        first = next(events.computed_events(event, (), since), None)
        if first and (before is None or first.span[0] < before):
            listed.append(event)
    return listed


def _overlaps(event: Occurrence, since: datetime | None, before: datetime | None) -> bool:
    if event.is_series:
        return True  # one of its events is
    return (since is None or event.span[1] > since) and (before is None or event.span[0] < before)


def _is_listed(event: Occurrence, arguments: Mapping[str, Any], syncing: bool) -> bool:
    """Check whether an event is listed although it may have been called off."""
    if not event.cancelled or arguments.get("showDeleted") or syncing or "updatedMin" in arguments:
        return True
    return bool(event.planned) and not arguments.get("singleEvents")


def _has_kind(event: Occurrence, arguments: Mapping[str, Any]) -> bool:
    kinds = [kind.strip() for kind in arguments.get("eventTypes", "").split(",") if kind.strip()]
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        choices = ", ".join(f"'{kind}'" for kind in KINDS)
        message = f"Invalid eventTypes value '{unknown[0]}'. Acceptable values are: {choices}"
        raise error("INVALID_ARGUMENT", message)
    return not kinds or event.row["eventType"] in kinds


def _not_declined(
    call: Call, calendar: CalendarAccess, occurrences: Iterable[Occurrence]
) -> list[Occurrence]:
    """Return all events but those that the calendar's owner declined."""
    sql = """SELECT event_id FROM attendees WHERE user_id = :owner AND "responseStatus" = 'declined'"""
    declined = {row["event_id"] for row in call.rows(sql, owner=calendar.row["user_id"])}
    return [event for event in occurrences if event.row["event_id"] not in declined]


def _search(call: Call, occurrences: list[Occurrence]) -> list[Occurrence]:
    """Return the events that match what the call searches for."""
    arguments = call.arguments
    properties = [(scope, arguments[f"{scope}ExtendedProperty"]) for scope in ("private", "shared")
              if f"{scope}ExtendedProperty" in arguments]  # fmt: skip
    tests: list[Callable[[Occurrence, Mapping[str, Any]], bool]] = [
        _property_test(*event) for event in properties
    ]
    if "iCalUID" in arguments:
        tests.append(lambda event, own: bool(event.row["iCalUID"] == arguments["iCalUID"]))
    if "q" in arguments:
        terms = parse_search(arguments["q"])
        tests.append(lambda event, own: matches(terms, _searched_texts(event, own)))
    if not tests:
        return occurrences
    own = read_event_parts.read(call, (event.row["event_id"] for event in occurrences))
    return [event for event in occurrences if all(test(event, own[event.row["event_id"]]) for test in tests)]


def _property_test(scope: str, condition: str) -> Callable[[Occurrence, Mapping[str, Any]], bool]:
    name, sign, value = condition.partition("=")
    if not sign or not name:
        raise invalid(f"{scope}ExtendedProperty", f"Invalid value for {scope}ExtendedProperty: {condition!r}")
    return lambda event, own: str(own.get("extendedProperties", {}).get(scope, {}).get(name)) == value


def _searched_texts(event: Occurrence, own: Mapping[str, Any]) -> Iterable[str | None]:
    row, location = event.row, own.get("workingLocationProperties", {})
    yield from (row["summary"], row["description"], row["location"], row["organizer_email"],
                row["organizer_display_name"])  # fmt: skip
    for guest in own.get("attendees", []):
        yield from (guest.get("email"), guest.get("displayName"))
    yield from (*location.get("officeLocation", {}).values(), location.get("customLocation", {}).get("label"))


def _updated(event: Occurrence) -> datetime:
    """Return when an event was last changed; long ago where a seed does not say."""
    return utc(event.row["updated_at"] or "1900-01-01")


# Search: ``budget "board room" -draft`` is for events with *budget* and *board room* somewhere, and *draft*
# nowhere. Case does not matter. A phrase stands in quotation marks; a backslash in it takes the next
# character as it is.


@dataclass(frozen=True)
class SearchTerm:
    """A word or phrase that must be there, or must be missing."""

    words: str
    excluded: bool = False


def parse_search(query: str) -> list[SearchTerm]:
    """Parse the terms of a query; refuse one that cannot be read."""
    terms, position = [], 0
    query = query.rstrip()
    while position < len(query):
        match = _TERM_PATTERN.match(query, position)
        if not match:
            raise error("INVALID_ARGUMENT", f"Invalid value for q: cannot read {query[position:].strip()!r}")
        excluded, phrase, word = match.groups()
        words = word if phrase is None else re.sub(r"\\(.)", r"\1", phrase, flags=re.DOTALL)
        terms.append(SearchTerm(words, bool(excluded)))
        position = match.end()
    return terms


def matches(terms: Iterable[SearchTerm], fields: Iterable[str | None]) -> bool:
    """Check whether fields, taken together, have every term that they must and none that they must not."""
    text = "\n".join(field for field in fields if field).casefold()
    return all((term.words.casefold() in text) != term.excluded for term in terms)
