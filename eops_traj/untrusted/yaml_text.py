"""YAML from outside: read within limits, or refused with one line.

A few hundred bytes of YAML can stand for gigabytes (aliases of aliases), for an endless value (an alias
within its own anchor), or for minutes of work (a number in base 60 of a million digits). So the events of the
text, which libyaml gives without building anything, are counted before a value is made of them.
"""

import datetime
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml

from eops_traj.errors import FormatError

MOST_CHARS = 8 * 2**20
MOST_VALUES = 100_000
"""Keys and values, each alias counted as all that it stands for."""
MOST_DEPTH = 100
MOST_DIGITS = 100
"""Characters of a number."""
INT64 = 2**63
INT64_DIGITS = 20
"""Characters of a whole number: more, and chosen with care, thousands of keys can share one hash."""

_NUMBER = re.compile(r"[-+]?[0-9.][0-9a-fA-FxXob_.:+-]*")
_WHOLE = re.compile(r"[-+]?(?:[0-9][0-9_]*|0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(?::[0-5]?[0-9])+)")
"""A whole number of YAML 1.1: decimal, of base 16, 2 or 60."""
_TAGS = (None, "!", "tag:yaml.org,2002:str")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, ten times as fast, where it is there


def parse_yaml(text: str) -> Any:
    """Parse the YAML of a text: objects, lists, texts, numbers, booleans and null; dates become texts.

    Raises FormatError for what is not YAML or no such value, for a key that an object has twice, and for what
    the limits of this module forbid.
    """
    if len(text) > MOST_CHARS:
        raise FormatError(f"{len(text)} characters, of at most {MOST_CHARS}")
    try:
        _Counter().count(yaml.parse(text, Loader=_LOADER))
        return _plain(yaml.load(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        raise FormatError(f"not readable as YAML: {' '.join(str(error).split())}") from error
    except ValueError as error:  # the 30th of February
        raise FormatError(f"not readable as YAML: {error}") from error


class _Counter:
    """Counts the values of a text's events."""

    def __init__(self) -> None:
        self.values = 0
        self.open: list[tuple[str | None, int]] = []
        self.sizes: dict[str, int] = {}
        self.keys = _Keys()

    def count(self, events: Iterable[Any]) -> None:
        """Count every event. Raises FormatError at the first that goes over a limit."""
        for event in events:
            if getattr(event, "tag", None) not in _TAGS:
                raise FormatError(f"the tag {event.tag[:80]!r}; no value needs one")
            if isinstance(event, yaml.AliasEvent):
                self._alias(event.anchor)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event.anchor)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            if self.values > MOST_VALUES:
                raise FormatError(f"more than {MOST_VALUES} values")
            self.keys.see(event)

    def _alias(self, anchor: str | None) -> None:
        if any(anchor == name for name, _ in self.open):
            raise FormatError(f"*{anchor} stands within &{anchor}")
        self.values += self.sizes.get(anchor or "", 1)

    def _begin(self, anchor: str | None) -> None:
        self.open.append((anchor, self.values))
        self.values += 1
        if len(self.open) > MOST_DEPTH:
            raise FormatError(f"nested more than {MOST_DEPTH} deep")

    def _end(self) -> None:
        anchor, before = self.open.pop()
        if anchor is not None:
            self.sizes[anchor] = self.values - before

    def _scalar(self, event: Any) -> None:
        self.values += 1
        if event.anchor is not None:
            self.sizes[event.anchor] = 1
        most = INT64_DIGITS if _WHOLE.fullmatch(event.value) else MOST_DIGITS
        if event.implicit[0] and len(event.value) > most and _NUMBER.fullmatch(event.value):
            raise FormatError(f"a number of {len(event.value)} characters, of at most {most}")


@dataclass
class _Object:
    """An object that is being read: its keys so far, and whether the next value is one."""

    keys: set[str] = field(default_factory=set)
    at_key: bool = True


class _Keys:
    """Notices a key that an object has twice: only the last value would be read, and nobody told."""

    def __init__(self) -> None:
        self._open: list[_Object | None] = []

    def see(self, event: Any) -> None:
        """Take an event in. Raises FormatError for a key that its object has."""
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            return
        if self._open and (parent := self._open[-1]) is not None and isinstance(event, yaml.NodeEvent):
            self._item(parent, event)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append(_Object() if isinstance(event, yaml.MappingStartEvent) else None)

    @staticmethod
    def _item(parent: _Object, event: Any) -> None:
        key = getattr(event, "value", None) if parent.at_key else None  # a key of several values has none
        if key in parent.keys:
            where = f"line {event.start_mark.line + 1}"
            raise FormatError(f"the key {key[:80]!r} stands twice in one object: {where}")
        if key is not None:
            parent.keys.add(key)
        parent.at_key = not parent.at_key


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it. Raises FormatError for a number that it cannot hold."""
    if isinstance(value, dict):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime.date):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise FormatError(f"{value} is no number")
    if type(value) is int and not -INT64 <= value < INT64:
        raise FormatError(f"{value} is larger than 64 bits hold")
    return value
