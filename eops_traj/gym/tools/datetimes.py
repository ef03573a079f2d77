"""Times as agents write them, read and written down in one layout, so that they compare as texts.

``2024-02-10``, ``2024-02-10T09:00:00Z``, ``2024-02-10 09:00:00.5+01:00`` and ``02/10/2024`` are understood; a
date alone is its first moment, a time without an offset is UTC.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.errors import Problem

_LAYOUTS = ("%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S")


def settle(
    arguments: tuple[Argument, ...], values: Mapping[str, Any], layout: str
) -> tuple[dict[str, Any], list[Problem]]:
    """The values, those of DATETIME columns in the layout; texts that are no time, and ranges without one."""
    settled, problems = dict(values), []
    for argument in arguments:
        value = values.get(argument.name)
        if isinstance(value, str) and argument.column and argument.column.declared == "DATETIME":
            if moment := read(value):
                settled[argument.name] = moment.strftime(layout)
            else:
                message = "Input should be a valid datetime"
                problems.append(Problem("datetime_parsing", (argument.name,), message, value))
    return settled, problems or list(_inverted(arguments, settled))


def read(text: str) -> datetime | None:
    """The time that a text says, in UTC; None for one that says none."""
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


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _inverted(arguments: tuple[Argument, ...], values: Mapping[str, Any]) -> Iterator[Problem]:
    """Ranges over one column whose start comes after their end."""
    given = [a for a in arguments if a.column and a.column.declared == "DATETIME" and values.get(a.name)]
    for start in (a for a in given if a.operator.startswith(">")):
        for end in (a for a in given if a.operator.startswith("<") and a.target == start.target):
            if values[start.name] > values[end.name]:
                message = f"{start.name} must not be later than {end.name}"
                yield Problem("inverted_range", (start.name,), message, values[start.name])
