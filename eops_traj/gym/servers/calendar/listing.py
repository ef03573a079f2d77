"""Which events a list shows, and in what order; when calendars are busy."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from eops_traj.gym.api_styles.google import error, invalid
from eops_traj.gym.servers.calendar import events, read_event_parts, search, tokens
from eops_traj.gym.servers.calendar.access import Place
from eops_traj.gym.servers.calendar.events import Occurrence
from eops_traj.gym.servers.calendar.times import instant, utc
from eops_traj.gym.tools.call import Call

Span = tuple[datetime | None, datetime | None]
KINDS = ("default", "birthday", "focusTime", "fromGmail", "outOfOffice", "workingLocation")
_NOT_WITH_TOKEN = (
    "iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax",
    "updatedMin",
)  # fmt: skip


def span(call: Call, zone: str) -> Span:
    """The time that a call asks about; it must not be empty."""
    since, before = (
        instant(call.arguments[name], zone) if call.arguments.get(name) else None
        for name in ("timeMin", "timeMax")
    )
    if since and before and before <= since:
        raise error("INVALID_ARGUMENT", "The specified time range is empty.", location="timeMax")
    return since, before


def listed(call: Call, place: Place) -> list[Occurrence]:
    """The events that a list shows, in its order."""
    given = call.arguments
    _check(given)
    since, before = span(call, given.get("timeZone") or place.zone)
    changed = tokens.moment(given["syncToken"]) if "syncToken" in given else None
    found = [
        one
        for one in _shown(call, place, since, before)
        if _in(one, since, before) and _lives(one, given, bool(changed)) and _has_kind(one, given)
    ]
    if changed:
        found = [one for one in found if _updated(one) > changed]
    if "updatedMin" in given:
        after = instant(given["updatedMin"], place.zone)
        found = [one for one in found if _updated(one) >= after]
    found = _searched(call, found)
    if given.get("orderBy") == "updated":
        return sorted(found, key=_updated, reverse=True)
    return sorted(found, key=lambda one: (one.span[0], one.event_id))


def instances(call: Call, place: Place, series: Occurrence) -> list[Occurrence]:
    """The events of a series, changed ones among them."""
    given = call.arguments
    zone = given.get("timeZone") or place.zone
    since, before = span(call, zone)
    own = [one for one in events.on(call, place, None, None) if one.planned and _same(one, series)]
    planned = events.exceptions(call, [series])[series.row["series_id"]]
    found = [*own, *events.expanded(series, planned, since, before)]
    if "originalStart" in given:
        wanted = instant(given["originalStart"], zone)
        found = [one for one in found if one.planned and one.planned.instant == wanted]
    kept = [
        one for one in found if _in(one, since, before) and (given.get("showDeleted") or not one.cancelled)
    ]
    return sorted(kept, key=lambda one: (one.span[0], one.event_id))


def busy(call: Call, place: Place, since: datetime, before: datetime) -> list[dict[str, str]]:
    """When a calendar is taken, its times joined and cut to the span."""
    taken = [
        (max(one.span[0], since), min(one.span[1], before))
        for one in _attended(call, place, _all(call, place, since, before, unread=True))
        if one.row["status"] == "confirmed" and one.row["transparency"] != "transparent"
        and one.span[0] < before and one.span[1] > since
    ]  # fmt: skip
    joined: list[tuple[datetime, datetime]] = []
    for begins, ends in sorted(taken):
        if joined and begins <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(ends, joined[-1][1]))
        else:
            joined.append((begins, ends))
    return [{"start": _told(begins), "end": _told(ends)} for begins, ends in joined]


def _told(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _check(given: Mapping[str, Any]) -> None:
    if "syncToken" in given and (others := [name for name in _NOT_WITH_TOKEN if name in given]):
        raise error("INVALID_ARGUMENT", f"{others[0]} cannot be specified together with syncToken")
    if "iCalUID" in given and "q" in given:
        raise error("INVALID_ARGUMENT", "iCalUID and q cannot be specified together")


def _shown(call: Call, place: Place, since: datetime | None, before: datetime | None) -> list[Occurrence]:
    """Series as their events, or as themselves where one of their events is within the time."""
    given = call.arguments
    found = (
        _all(call, place, since, before) if given.get("singleEvents") else _folded(call, place, since, before)
    )
    if given.get("showHiddenInvitations"):
        return found
    attended = {one.event_id for one in _attended(call, place, found)}
    return [one for one in found if one.event_id in attended or one.row["calendar_id"] == place.id]


def _all(
    call: Call, place: Place, since: datetime | None, before: datetime | None, unread: bool = False
) -> list[Occurrence]:
    stored = events.on(call, place, since, before, unread)
    series = [one for one in stored if one.is_series]
    planned = events.exceptions(call, series)
    found = [one for one in stored if not one.is_series]
    for one in series:
        found += events.expanded(one, planned[one.row["series_id"]], since, before)
    return found


def _folded(call: Call, place: Place, since: datetime | None, before: datetime | None) -> list[Occurrence]:
    found = []
    for one in events.on(call, place, since, before):
        if not one.is_series:
            found.append(one)
            continue
        first = next(events.computed(one, (), since), None)
        if first and (before is None or first.span[0] < before):
            found.append(one)
    return found


def _in(one: Occurrence, since: datetime | None, before: datetime | None) -> bool:
    if one.is_series:
        return True  # one of its events is
    return (since is None or one.span[1] > since) and (before is None or one.span[0] < before)


def _lives(one: Occurrence, given: Mapping[str, Any], syncing: bool) -> bool:
    """Whether it is shown although it may have been called off."""
    if not one.cancelled or given.get("showDeleted") or syncing or "updatedMin" in given:
        return True
    return bool(one.planned) and not given.get("singleEvents")


def _has_kind(one: Occurrence, given: Mapping[str, Any]) -> bool:
    kinds = [kind.strip() for kind in given.get("eventTypes", "").split(",") if kind.strip()]
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        choices = ", ".join(f"'{kind}'" for kind in KINDS)
        why = f"Invalid eventTypes value '{unknown[0]}'. Acceptable values are: {choices}"
        raise error("INVALID_ARGUMENT", why)
    return not kinds or one.row["eventType"] in kinds


def _attended(call: Call, place: Place, found: Iterable[Occurrence]) -> list[Occurrence]:
    """All but what the calendar's owner declined."""
    sql = """SELECT event_id FROM attendees WHERE user_id = :owner AND "responseStatus" = 'declined'"""
    declined = {row["event_id"] for row in call.rows(sql, owner=place.row["user_id"])}
    return [one for one in found if one.row["event_id"] not in declined]


def _searched(call: Call, found: list[Occurrence]) -> list[Occurrence]:
    """Those that have what the call searches for."""
    given = call.arguments
    wanted = [(scope, given[f"{scope}ExtendedProperty"]) for scope in ("private", "shared")
              if f"{scope}ExtendedProperty" in given]  # fmt: skip
    tests: list[Callable[[Occurrence, Mapping[str, Any]], bool]] = [_property(*one) for one in wanted]
    if "iCalUID" in given:
        tests.append(lambda one, own: bool(one.row["iCalUID"] == given["iCalUID"]))
    if "q" in given:
        terms = search.parse(given["q"])
        tests.append(lambda one, own: search.matches(terms, _fields(one, own)))
    if not tests:
        return found
    own = read_event_parts.read(call, (one.row["event_id"] for one in found))
    return [one for one in found if all(test(one, own[one.row["event_id"]]) for test in tests)]


def _property(scope: str, condition: str) -> Callable[[Occurrence, Mapping[str, Any]], bool]:
    name, sign, value = condition.partition("=")
    if not sign or not name:
        raise invalid(f"{scope}ExtendedProperty", f"Invalid value for {scope}ExtendedProperty: {condition!r}")
    return lambda one, own: str(own.get("extendedProperties", {}).get(scope, {}).get(name)) == value


def _fields(one: Occurrence, own: Mapping[str, Any]) -> Iterable[str | None]:
    row, place = one.row, own.get("workingLocationProperties", {})
    yield from (row["summary"], row["description"], row["location"], row["organizer_email"],
                row["organizer_display_name"])  # fmt: skip
    for guest in own.get("attendees", []):
        yield from (guest.get("email"), guest.get("displayName"))
    yield from (*place.get("officeLocation", {}).values(), place.get("customLocation", {}).get("label"))


def _same(one: Occurrence, series: Occurrence) -> bool:
    return bool(one.row["series_id"] == series.row["series_id"])


def _updated(one: Occurrence) -> datetime:
    """When it was changed last; long ago where a seed does not say."""
    return utc(one.row["updated_at"] or "1900-01-01")
