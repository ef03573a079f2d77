"""Facts in replies: whether the look-ups of an episode showed what forbids its task.

A fact is a list of ways in which it can be seen; a way is a list of sights, all of which are needed. A sight
is JSON that a person can read, in one of two forms::

    {"of": [[{"userid": "12"}, {"*": "mo.lee@corvane.example"}]], "says": {"active": "0"}}
    {"tools": ["search_cases"], "asked": {"number": "cs-0001234"}, "lacks": [{"caseid": "88"}]}

The first is an object of a reply that says it: ``says`` are its own fields, and of each group in ``of`` one
alternative is among its fields, those of the objects around it, or the arguments of the call (``*`` is any
field). With ``tools`` and ``asked`` it is one that such a search found. The second is a reply without it, or
a refusal, though it was asked for: ``asked`` is among the arguments of a call of one of these tools (with
``alone`` nothing else is), none of which asks for another record than that in ``lacks``, and the reply has no
object with such fields, or no object at all where none are given. ``at`` is when the missing record would
be: a time that is asked for holds it, by whatever zone if it ends in ``z``; one without a zone is in that
which the call or its reply names. Names and values are in their plain form.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.schema import ToolCall
from eops_traj.tool_effects import succeeded
from eops_traj.untrusted.json_text import parse_json
from eops_traj.verify.moments import moments, named_zone

Leaf = tuple[str, str]
"""A field and its value, both in their plain form."""


@dataclass(frozen=True)
class ShownObject:
    """An object of a reply: its own fields, and those of the objects that it lies in."""

    own: frozenset[Leaf]
    around: frozenset[Leaf] = frozenset()


@dataclass(frozen=True)
class ReadCall:
    """A look-up as it is compared: its tool, its arguments, the objects of its reply, if it has one."""

    tool: str
    asked: frozenset[Leaf]
    shown: tuple[ShownObject, ...]
    refused: bool = False
    texts: tuple[str, str] = field(default=("", ""), compare=False, repr=False)
    """Its arguments and its reply, as they were."""

    @property
    def records(self) -> tuple[ShownObject, ...]:
        """The objects of its reply without the settings that stand beside a list, empty or not."""
        return tuple(one for one in self.shown if not _SETTINGS & one.around)

    @cached_property
    def asked_moments(self) -> dict[str, str]:
        """What the times in its arguments are in UTC, by their plain form; if call or reply tell a zone."""
        own, its = (named_zone(_parsed(text)) for text in self.texts)
        return {plain(time): moment for time, moment in moments(self.texts[0], own or its)}

    @cached_property
    def shown_moments(self) -> dict[str, str]:
        """The same of the times in its reply."""
        return {plain(time): moment for time, moment in moments(self.texts[1])}


_SETTINGS = frozenset({("key", "defaultreminders")})
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d(?::\d\d)?))?(?:\.\d+)?(?:z|[+-]\d\d:\d\d)?$")


def read_call(call: ToolCall) -> ReadCall:
    """Read the arguments and the reply of a call."""
    arguments = next(iter(shown_objects(_parsed(call.arguments or "{}"))), ShownObject(frozenset()))
    answered = succeeded(call)
    shown = tuple(shown_objects(_parsed(call.result or ""))) if answered else ()
    texts = call.arguments or "", call.result or ""
    return ReadCall(call.name, arguments.own, shown, not answered, texts)


def find_showing(ways: Sequence[Sequence[Mapping[str, Any]]], calls: Sequence[ReadCall]) -> list[int] | None:
    """Return the places of the calls that show a fact in one of these ways; None where none does."""
    for way in ways:
        places = [next((n for n, call in enumerate(calls) if sees(sight, call)), None) for sight in way]
        if None not in places:
            return [place for place in places if place is not None]
    return None


def sees(sight: Mapping[str, Any], call: ReadCall) -> bool:
    """Check whether a call shows a sight."""
    if call.tool not in sight.get("tools", [call.tool]):
        return False
    if "lacks" in sight:
        return _answers_without(sight, call)
    if "asked" in sight and not _asks(sight, call):
        return False
    return any(_says(sight, shown, call.asked) for shown in call.shown)


def _says(sight: Mapping[str, Any], shown: ShownObject, asked: frozenset[Leaf]) -> bool:
    if not all(leaf in shown.own for leaf in sight["says"].items()):
        return False
    scope = shown.own | _unshadowed(shown.around | asked, shown.own)
    seen = shown.own | shown.around if not sight["says"] else scope
    return all(any(holds(seen, fields) for fields in group) for group in sight["of"])


def _unshadowed(outer: Iterable[Leaf], own: frozenset[Leaf]) -> frozenset[Leaf]:
    """Leave out the fields of which the object has its own: those of another record."""
    names = {name for name, _ in own}
    return frozenset(leaf for leaf in outer if leaf[0] not in names)


def holds(leaves: frozenset[Leaf], fields: Mapping[str, str]) -> bool:
    """Check whether all of these fields are among the leaves; ``*`` is any field."""
    return all(
        any(other == value for _, other in leaves) if name == "*" else (name, value) in leaves
        for name, value in fields.items()
    )


def _answers_without(sight: Mapping[str, Any], call: ReadCall) -> bool:
    lacks: list[dict[str, str]] = sight["lacks"]
    if not _asks(sight, call) or not lacks or call.refused:
        return _asks(sight, call) and not lacks and not call.records
    record = {name: value for fields in lacks for name, value in fields.items()}
    elsewhere = any(name in record and not _same_words(value, record[name]) for name, value in call.asked)
    there = any(holds(shown.own, fields) for shown in call.shown for fields in lacks)
    told = {name for shown in call.records for name, _ in shown.own}
    return not elsewhere and not there and (len(call.records) < 2 or not told.isdisjoint(record))


def _asks(sight: Mapping[str, Any], call: ReadCall) -> bool:
    wanted, asked = sight["asked"], call.asked
    found = {n for n, v in asked for name, value in wanted.items() if n == name and _asks_for(n, value, v)}
    rest = {name for name, value in asked if name not in wanted and narrows(name, value)}
    return found == set(wanted) and not (sight.get("alone") and rest) and _covers(sight.get("at"), call)


def _covers(moment: str | None, call: ReadCall) -> bool:
    """Check whether a call asks for the time of what is missing, if it asks for a time."""
    if moment is None:
        return True
    zoned = call.asked_moments if moment.endswith("z") else {}
    first = [zoned.get(value, value) for name, value in call.asked if name == "timemin"]
    last = [zoned.get(value, value) for name, value in call.asked if name == "timemax"]
    return all(f <= moment for f in first) and all(moment <= end for end in last)


def narrows(name: str, value: str) -> bool:
    """Check whether an argument picks some records of all: no page, time or switch."""
    return value not in ("", "0", "1") and name not in PAGING and name not in ("timemin", "timemax")


PAGING = frozenset(
    {"limit", "offset", "page", "pagesize", "maxresults", "top", "skip", "orderby", "sort",
     "select", "fields", "expand", "timezone", "maxattendees"}
)  # fmt: skip
"""Arguments, in their plain form, that ask for nothing else: how much of a list, in what order and form."""


def _asks_for(name: str, value: str, asked: str) -> bool:
    """Check whether an argument asks for a value: for an id the same, for a text its words."""
    return value == asked or (not name.endswith("id") and _same_words(value, asked))


def _same_words(value: str, other: str) -> bool:
    """Check whether a search for one would find the other: its words, in part or with more around them."""
    some, more = set(re.findall(r"\w+", value)), set(re.findall(r"\w+", other))
    return bool(some and more) and (some <= more or more <= some)


def shown_objects(value: Any) -> Iterator[ShownObject]:
    """Yield the objects of a decoded reply, outer ones first; a list of plain values is a field."""
    yield from _objects(value, frozenset())


def _objects(value: Any, around: frozenset[Leaf]) -> Iterator[ShownObject]:
    if isinstance(value, list):
        for item in value:
            yield from _objects(item, around)
    elif isinstance(value, dict):
        leaves: set[Leaf] = set()
        lists: list[tuple[str, list[Any]]] = []
        _flatten(value, "", leaves, lists)
        own = frozenset(leaves)
        yield ShownObject(own, around)
        for path, items in lists:
            keys = frozenset(("key", plain(part)) for part in path.split("\n"))
            yield from _objects(items, own | keys | _unshadowed(around, own))


def _flatten(
    value: Mapping[str, Any], path: str, leaves: set[Leaf], lists: list[tuple[str, list[Any]]]
) -> None:
    for name, inner in value.items():
        place = f"{path}\n{name}" if path else str(name)
        if isinstance(inner, dict) and inner:
            _flatten(inner, place, leaves, lists)
        elif isinstance(inner, list) and any(isinstance(item, dict | list) for item in inner):
            lists.append((place, inner))
        elif isinstance(inner, list):
            leaves.add((plain_name(place), ",".join(sorted(map(plain, inner)))))
        else:
            leaves.add((plain_name(place), plain(inner)))


@lru_cache(4096)
def plain_name(path: str) -> str:
    """Return a field's name in its plain form: ``accountEnabled`` and ``account_enabled`` are one."""
    return ".".join(part.replace("_", "").lower() for part in path.split("\n"))


def plain(value: Any) -> str:
    """Return a value in its plain form: truth as 0 and 1, times without their zone, text in small letters."""
    if value is None or value == {}:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    text = " ".join(str(value).lower().split())
    if moment := _MOMENT.match(text):
        clock = (moment[2] or "").removesuffix(":00") if (moment[2] or "").count(":") == 2 else moment[2]
        return moment[1] if clock in (None, "", "00:00") else f"{moment[1]} {clock}"
    return {"true": "1", "false": "0"}.get(text, text)


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except FormatError:
        return {}
