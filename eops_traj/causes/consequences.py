"""Which causes follow from others: an end explains what was never done, a wrong record what refers to it."""

import json
from collections.abc import Sequence
from dataclasses import replace

from eops_traj.causes.calls import placed_calls, row_keys
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.conduct import written_in
from eops_traj.causes.origin import THE_TOOL, stands
from eops_traj.causes.references import names_a_record
from eops_traj.schema import Episode, ToolCall

_ENDS = frozenset({"over_refusal", "stopped_early", "out_of_budget", "broken_off"})
"""What ends an episode, so that nothing after it could be done."""
_WRONG_ROW = frozenset({"wrong_value", "wrong_record"})
_WRONG_DONE = _WRONG_ROW | {"missing_effect"}
"""What a call itself does wrong, be it in a row or in what leaves the system."""
_OF_THE_STATE = _WRONG_ROW | {"missing_write", "extra_write", "premature_step", "unrepaired_call"}
_OF_THE_ANSWER = frozenset({"incomplete_answer", "false_claim"})
_LACKS_A_LOOK_UP = frozenset({"missing_write", "wrong_record"})
"""What comes of a wrong step too early as long as nothing was looked up."""
_IF_IT_EXPLAINS = frozenset({"premature_step", "unrepaired_call"})
_LONG = 8
"""Characters of an id that stands for no other record by chance."""


def with_consequences(episode: Episode, causes: Sequence[Cause]) -> list[Cause]:
    """Mark the causes that an earlier one explains; conduct that explains nothing is none beside others."""
    course = _Course(episode, causes)
    explaining = [
        any(course.explains(one, other) for other in causes[n + 1 :] if not _is_beside(one, other))
        for n, one in enumerate(causes)
    ]
    others = any(cause.kind not in _IF_IT_EXPLAINS for cause in causes)
    kept = [
        cause
        for cause, does in zip(causes, explaining, strict=True)
        if does or not (others and cause.kind in _IF_IT_EXPLAINS)
    ]
    return [
        replace(
            cause,
            consequence=_follows(cause, kept) or any(course.explains(one, cause) for one in kept[:place]),
        )
        for place, cause in enumerate(kept)
    ]


def _is_beside(early: Cause, effect: Cause) -> bool:
    """Check for a wrong effect of a step too early: it is all where nothing else came of it."""
    return early.kind == "premature_step" and effect.kind == "missing_effect"


class _Course:
    """An episode with the causes of its failure, in the order of time."""

    def __init__(self, episode: Episode, causes: Sequence[Cause]) -> None:
        self._turns, self._causes = episode.turns, causes
        self._placed = list(placed_calls(episode))

    def explains(self, earlier: Cause, later: Cause) -> bool:
        """Check whether a cause explains a later one.

        An end explains what was never done after it; a refused call what is missing; a wrong row what the
        same call added beside it; a wrong state what the answer says of it; and a wrong record what refers
        to it by the same value, or lacks what it was given.
        """
        at, then = earlier.evidence, later.evidence
        if earlier.kind == "premature_step" and later.kind not in _OF_THE_ANSWER:
            return self._follows_from_haste(earlier, later)
        if later.kind == "missing_write":
            meant = earlier.kind == "wrong_record" and _is_named(at.wanted, then)
            return earlier.kind in _ENDS or earlier.kind == "unrepaired_call" or meant
        if later.kind == "wrong_record" and then.column is None and then.wanted is None:
            return earlier.kind in _OF_THE_STATE and at.row == then.row
        if earlier.kind == "unrepaired_call":
            return later.kind == "wrong_value" and then.got is None
        if later.kind in _OF_THE_ANSWER:
            return earlier.kind in _ENDS or earlier.kind in _OF_THE_STATE
        if earlier.kind == "forbidden_action":
            return later.kind in ("extra_write", "forbidden_action")
        return self._is_part_of(earlier, later)

    def _is_part_of(self, earlier: Cause, later: Cause) -> bool:
        """Check whether a wrong row has to do with an earlier one: by its call, its value, or its record."""
        at, then = earlier.evidence, later.evidence
        if (
            later.kind == "extra_write"
            and then.call is not None
            and (at.turn, at.call) == (then.turn, then.call)
        ):
            return earlier.kind in _WRONG_ROW
        if at.got is None or at.turn == then.turn:
            return False
        given = earlier.kind == "wrong_record" and later.kind in ("wrong_record", "extra_write")
        return _record(at.got) == _record(then.got) or (given and self._names(later, {str(_record(at.got))}))

    def _follows_from_haste(self, early: Cause, later: Cause) -> bool:
        """Check whether a step too early explains a cause: what it wrote itself, and what came of that.

        Where it wrote something wrong, that is what was then refused or stopped, and another record that was
        taken because of it. Where it did not, what stopped or was refused has to name its row. What came
        before anything was looked up comes of what was passed over, and what it left as it was in a row comes
        of what it wrote there.
        """
        at, then = early.evidence, later.evidence
        wrong = any(one.kind in _WRONG_DONE and one.evidence.turn == at.turn for one in self._causes)
        unread = self._nothing_read(early, later)
        if later.kind in _LACKS_A_LOOK_UP and wrong and unread:
            return True
        if later.kind == "missing_write" and then.column and then.row in self._rows_of(early):
            return True
        if at.turn == then.turn:
            return later.kind != "missing_write"
        if later.kind == "stopped_early":
            return wrong or unread or then.origin == written_in(at.turn or 0)
        keys = {key for call in self._calls(early) for key in row_keys(call)}
        if later.kind == "unrepaired_call":
            return wrong or self._names(later, keys)
        return later.kind == "wrong_record" and wrong and self._leads_to(keys, early, later)

    def _rows_of(self, cause: Cause) -> set[str]:
        """Return the rows that the call of a cause changed, as causes name them."""
        return {f"{change.table} {change.key}" for call in self._calls(cause) for change in call.changes}

    def _nothing_read(self, early: Cause, later: Cause) -> bool:
        """Check whether nothing was looked up between a step too early and a cause.

        What was lacking there can only be what that step had passed over.
        """
        return not any(
            one.done
            and not one.writes
            and (early.evidence.turn or 0) <= one.turn < (later.evidence.turn or 0)
            for one in self._placed
        )

    def _leads_to(self, keys: set[str], early: Cause, later: Cause) -> bool:
        """Check whether records of an early step were wanted in a later one, or shown on the way to it."""
        then = later.evidence
        beside = (one.evidence for one in self._causes if one.kind == "wrong_record")
        same = [one for one in beside if (one.row, one.turn, one.call) == (then.row, then.turn, then.call)]
        if any(_record(one.wanted) in keys for one in same):
            return True
        between = self._turns[(early.evidence.turn or 0) + 1 : then.turn]
        shown = [call.result or "" for turn in between for call in turn.tool_calls]
        return any(stands(key, text) for key in keys for text in shown)

    def _names(self, cause: Cause, records: set[str]) -> bool:
        """Check whether the call of a cause names one of these records."""
        given = [json.loads(call.arguments) for call in self._calls(cause)]
        return any(names_a_record(n) and str(v) in records for one in given for n, v in one.items())

    def _calls(self, cause: Cause) -> tuple[ToolCall, ...]:
        """Return the call of a cause, or the calls of its turn where it names none."""
        at = cause.evidence
        calls = self._turns[at.turn].tool_calls if at.turn is not None and at.turn < len(self._turns) else ()
        return calls if at.call is None else calls[at.call : at.call + 1]


def _is_named(meant: str | None, lacking: Evidence) -> bool:
    """Check whether a row that is missing names the record that was meant, by its key or in a column."""
    record = _record(meant) or ""
    told = record.strip("'")
    if len(told) >= _LONG and told in f"{lacking.row} {lacking.wanted}":
        return True
    key = next(iter(json.loads(meant))) if meant and record != meant else ""
    return bool(key) and f", {key}={record}," in f", {lacking.wanted},"


def _record(named: str | None) -> str | None:
    """Return a record by the one value of its key, as columns name it; anything else as it is."""
    try:
        key = json.loads(named or "")
    except ValueError:
        return named
    return str(next(iter(key.values()))) if isinstance(key, dict) and len(key) == 1 else named


def _follows(cause: Cause, causes: list[Cause]) -> bool:
    """Check whether a value that no call passed follows from another error, earlier or later.

    It is what the tool made of that; or what was not given, where the episode ended before it was done.
    """
    if cause.kind == "wrong_value" and cause.evidence.got is None:
        return any(one.kind in _ENDS for one in causes)
    others = (one for one in causes if one.kind in _OF_THE_STATE and one.evidence.origin != THE_TOOL)
    made = cause.evidence.origin == THE_TOOL and any(others)
    return made or any(_is_part(one, cause) for one in causes)


def _is_part(cause: Cause, whole: Cause) -> bool:
    """Check whether a value is wrong in nothing but a shorter wrong one, such as an id within an address."""
    part, of = cause.evidence, whole.evidence
    if cause.kind != "wrong_record" or part.row != of.row:
        return False
    if None in (part.got, part.wanted, of.got, of.wanted):
        return False
    got, wanted = str(part.got), str(part.wanted).strip("'")
    whole_got, whole_wanted = str(of.got), str(of.wanted).strip("'")
    return len(got) < len(whole_got) and whole_got.replace(got, wanted) == whole_wanted
