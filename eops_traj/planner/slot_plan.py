"""Plans that speak of the slots of their request, and the same plans with the values in their place.

A text that is a slot's value becomes its marker, ``email="[address 2]"``, and so do values inside of longer
texts. A number's marker stands in quotes too, ``count="[number 1]"``; by itself it is read as a number again,
and the marker of its digits, ``"[number 1.1]"``, as a text.
A time that is some minutes after one of the request is written as that: ``shift("[date 2]T[time 1]:00", "90
minutes")``, and so is a day some days from one of its days, ``shift("[date 2]", "1 day")``, so that a planner
need not reckon.
"""

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from eops_traj.plan import (
    Function,
    Plan,
    PlanError,
    Unresolved,
    map_parts,
    parse,
    render,
    resolve,
    rewrite_literals,
)
from eops_traj.plan.listed_values import MARKER
from eops_traj.planner.mentioned_values import standalone
from eops_traj.planner.slots import Slot, Slots

_SHORTEST = 2
"""The shortest value that is looked for inside of longer texts."""
_LONGEST = 8 * 60
"""The most minutes after a time of the request that another is told by it."""
_DAYS_END = "23:59"
"""What ends a whole day, and is no time after another."""
_FARTHEST = 200
"""The most days from a day of the request that another is told by it."""


@dataclass(frozen=True)
class SlotPlans:
    """The two ways to write a plan for a request: by its slots, as a planner does, and by their values."""

    slots: Slots

    def by_slots(self, text: str) -> str:
        """Return a plan with markers in the place of values; as it is where they would say another plan."""
        plan = _read(text)
        marked = _rewritten(plan, self._marked, self._marked_inside)
        return marked if self.by_values(marked) == _rewritten(plan, _same, _same) else text

    def by_values(self, text: str) -> str:
        """Return a plan with the values that its markers stand for; a text that is no plan with them, too."""
        return _rewritten(_read(text), self._filled, self._filled_inside)

    def _marked(self, value: Any) -> Any:
        if isinstance(value, str):
            slot = self._by_text.get(value) or self._by_digits.get(value)
            return slot.marker if slot else self._reckoned(value) or self._marked_inside(value)
        number = None if isinstance(value, bool | None) else self._by_number.get(str(value))
        return number.marker if number else value

    def _marked_inside(self, text: str) -> str:
        """Mark the values inside of a text, the longest first where several begin at a place."""
        return self._inside.sub(lambda match: self._inside_slots[match[0]].marker, text)

    def _reckoned(self, value: str) -> Function | None:
        """Return a day or a time that the request does not name as so far from one that it does."""
        moment = _MOMENT.fullmatch(value)
        if moment is None:
            return None
        if moment["day"] not in self._by_text:
            return self._days_from(value, moment["day"])
        return self._minutes_after(moment) if moment["clock"] else None

    def _days_from(self, value: str, told_day: str) -> Function | None:
        """Return a day, or a time on it, by the nearest day of the request, of two as near the earlier."""
        try:
            day = date.fromisoformat(told_day)
        except ValueError:  # 31 February
            return None
        near = {slot: (day - date.fromisoformat(slot.value)).days for slot in self._days}
        slot = min(near, key=lambda slot: (abs(near[slot]), -near[slot]), default=None)
        if slot is None or abs(near[slot]) > _FARTHEST:
            return None
        there = value.replace(told_day, slot.value)
        moment = _MOMENT.fullmatch(there)
        later = self._minutes_after(moment) if moment and moment["clock"] else None
        told = later or self._marked_inside(there)
        return Function("shift", (told, f"{near[slot]} day{'s' * (abs(near[slot]) != 1)}"))

    def _minutes_after(self, moment: re.Match[str]) -> Function | None:
        """Return a time on a day of the request by the last time before it that the request names."""
        if moment["clock"] in self._by_text or moment["clock"] == _DAYS_END:
            return None
        times = (slot for slot in self._by_text.values() if slot.kind == "time")
        ago = {slot: _minutes(moment["clock"]) - _minutes(slot.value) for slot in times}
        starts = [slot for slot, minutes in ago.items() if 0 < minutes <= _LONGEST]
        if not starts:
            return None
        start = min(starts, key=lambda slot: ago[slot])
        told = f"{self._by_text[moment['day']].marker}{moment['sign']}{start.marker}{moment['rest']}"
        return Function("shift", (told, f"{ago[start]} minutes"))

    @cached_property
    def _days(self) -> list[Slot]:
        return [slot for slot in self.slots.by_marker.values() if slot.kind == "date" and not slot.is_part]

    def _filled(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        slot = self.slots.by_marker.get(value)
        if slot and slot.kind == "number" and not slot.is_part:
            return float(slot.value) if "." in slot.value else int(slot.value)
        return self._filled_inside(value)

    def _filled_inside(self, text: str) -> str:
        def filled(match: re.Match[str]) -> str:
            slot = self.slots.by_marker.get(match[0])
            return slot.value if slot else match[0]

        return MARKER.sub(filled, text)

    @cached_property
    def _by_text(self) -> Mapping[str, Slot]:
        """The slots by their values; of equal ones the first, and a whole name before the word of one."""
        slots = [s for s in self.slots.by_marker.values() if s.kind != "number" and not s.is_address_form]
        slots.sort(key=lambda slot: slot.is_part)
        return {slot.value: slot for slot in reversed(slots)}

    @cached_property
    def _inside_slots(self) -> Mapping[str, Slot]:
        """The slots that are looked for inside of texts, by value: names as addresses have them, too."""
        forms = [slot for slot in self.slots.by_marker.values() if slot.is_address_form]
        every = {**{slot.value: slot for slot in reversed(forms)}, **self._by_text}
        return {value: slot for value, slot in every.items() if len(value) >= _SHORTEST}

    @cached_property
    def _by_number(self) -> Mapping[str, Slot]:
        return {slot.value: slot for slot in reversed(self._numbers) if not slot.is_part}

    @cached_property
    def _by_digits(self) -> Mapping[str, Slot]:
        return {slot.value: slot for slot in reversed(self._numbers) if slot.is_part}

    @cached_property
    def _numbers(self) -> list[Slot]:
        return [slot for slot in self.slots.by_marker.values() if slot.kind == "number"]

    @cached_property
    def _inside(self) -> re.Pattern[str]:
        """The pattern of values inside of texts: words of their own, which are no part of a longer one."""
        slots = sorted(self._inside_slots.values(), key=lambda slot: len(slot.value), reverse=True)
        return re.compile("|".join(map(_pattern, slots)) or r"(?!)")


_Change = Callable[[Any], Any]
_MOMENT = re.compile(
    r"(?P<day>\d{4}-[01]\d-[0-3]\d)(?:(?P<sign>[T ])(?P<clock>\d\d:\d\d)(?P<rest>(?::\d\d)?(?:\.0+)?Z?))?"
)


def _read(text: str) -> Plan | str:
    """Parse a plan; a text that is none stays as it is."""
    try:
        return parse(text)
    except PlanError:
        return text


def _rewritten(plan: Plan | str, whole: _Change, inside: Callable[[str], str]) -> str:
    """Rewrite a plan's literals, and what it says to people; a text that is no plan as one that is said."""
    if isinstance(plan, str):
        return inside(plan)
    if plan.refusal is not None:
        return render(Plan(refusal=inside(plan.refusal)))
    steps = (_computed(rewrite_literals(step, whole, inside)) for step in plan.steps)
    return render(Plan(tuple(replace(step, reason=inside(step.reason)) for step in steps)))


def _same(value: Any) -> Any:
    return value


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


def _pattern(slot: Slot) -> str:
    """Return the pattern of a slot's value inside of a text; days and times stand in moments, too."""
    if slot.kind in ("date", "time"):
        return rf"(?<![\d{':' * (slot.kind == 'time')}-]){slot.value}(?![\d-])"
    if slot.is_address_form:  # behind "room-", too; and with points it may stand alone
        end = r"(?!\w|[.-]\w)" if "." in slot.value else "(?=@)"
        return rf"(?<![\w@.]){re.escape(slot.value)}{end}"
    return standalone(slot.value)


def _computed(value: Any) -> Any:
    """Return a value with the shifts in it computed, where all that they need is there."""
    value = map_parts(value, _computed)
    if isinstance(value, Function) and value.name == "shift":
        with contextlib.suppress(Unresolved):
            return value if MARKER.search(str(value)) else resolve(value, {})
    return value
