"""Times as agents write them, converted to one layout, so that they compare as texts.

``2024-02-10``, ``2024-02-10T09:00:00Z``, ``2024-02-10 09:00:00.5+01:00`` and ``02/10/2024`` are understood; a
date alone is its first moment, a time without an offset is UTC.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.errors import Problem

_LAYOUTS = ("%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S")


def normalize_datetimes(
    arguments: tuple[Argument, ...], values: Mapping[str, Any], layout: str
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values, those of columns of times in the layout, and problems: no time, inverted ranges."""
    normalized, problems = dict(values), []
    for argument in arguments:
        value = values.get(argument.name)
        if isinstance(value, str) and argument.column and argument.column.is_time:
            if time := parse_datetime(value):
                normalized[argument.name] = _written(time, layout)
            else:
                message = "Input should be a valid datetime"
                problems.append(Problem("datetime_parsing", (argument.name,), message, value))
    return normalized, problems or list(_inverted_ranges(arguments, normalized))


def parse_datetime(text: str) -> datetime | None:
    """Return the time of a text, in UTC; None where it is no time."""
    try:
        return _utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError):
        pass
    for layout in _LAYOUTS:
        try:
            return _utc(datetime.strptime(text.strip(), layout))
        except ValueError:
            pass
    return None


def _utc(time: datetime) -> datetime:
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _written(time: datetime, layout: str) -> str:
    """Return a time in a layout, its year in four digits, which ``strftime`` gives later years only."""
    return time.strftime(layout.replace("%Y", f"{time.year:04}"))


def _inverted_ranges(arguments: tuple[Argument, ...], values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each range over one column whose start comes after its end."""
    supplied = [a for a in arguments if a.column and a.column.is_time and values.get(a.name)]
    for start in (a for a in supplied if a.operator.startswith(">")):
        for end in (a for a in supplied if a.operator.startswith("<") and a.target == start.target):
            if values[start.name] > values[end.name]:
                message = f"{start.name} must not be later than {end.name}"
                yield Problem("inverted_range", (start.name,), message, values[start.name])
