"""The causes of an episode's failure, the first error in time first, and told from its consequences."""

from dataclasses import replace

from eops_traj.causes.cause import Cause
from eops_traj.causes.conduct import causes_of_conduct
from eops_traj.causes.origin import THE_TOOL
from eops_traj.causes.verdicts import causes_of_verdict
from eops_traj.schema import PASSED, UNVERIFIED, Episode
from eops_traj.verify.failure_modes import diagnose

_ENDS = frozenset({"over_refusal", "stopped_early", "out_of_budget", "broken_off"})
"""What ends an episode, so that nothing after it could be done."""
_REPEATS = frozenset({"database_state", "effects"})
"""What verifiers of these kinds say where rows are wrong is said by the rows."""
_OF_THE_STATE = frozenset(
    {"missing_write", "wrong_value", "wrong_record", "extra_write", "premature_step", "unrepaired_call"}
)
_OF_THE_ANSWER = frozenset({"incomplete_answer", "false_claim"})
_IF_IT_EXPLAINS = frozenset({"premature_step", "unrepaired_call"})
_LAST = {"missing_write": 1, "incomplete_answer": 2, "false_claim": 2}
"""What shows at the end alone, in the order in which one follows from the other."""
_MOST = 40
"""Causes of one episode; a task has a few verifiers, and a failure of hundreds of rows is one failure."""


def causes_of(episode: Episode, policy: str = "") -> tuple[Cause, ...]:
    """Return why an episode failed; nothing for one that passed strictly or that no verifier has judged.

    ``policy`` is its system prompt. The first cause is the first error in time that explains the others as
    far as they can be explained; those are marked as consequences. A failure that no rule explains has none.
    """
    if episode.outcome in PASSED or episode.outcome == UNVERIFIED:
        return ()
    causes = [*causes_of_conduct(episode, policy), *_of_verdicts(episode, policy)]
    return tuple(_with_consequences(_distinct(causes)))[:_MOST]


def diagnosed(episode: Episode, policy: str = "") -> Episode:
    """Return the episode with its failure modes and causes, as the store keeps them: by name."""
    modes = dict.fromkeys(finding.mode for finding in diagnose(episode, policy))
    episode = replace(episode, failure_modes=tuple(modes))
    causes = dict.fromkeys(cause.kind for cause in causes_of(episode, policy))
    return replace(episode, causes=None if episode.outcome == UNVERIFIED else tuple(causes))


def _of_verdicts(episode: Episode, policy: str) -> list[Cause]:
    """Return the causes of the failed verdicts; where one compares rows, queries say nothing more."""
    failed = [(n, v) for n, v in enumerate(episode.verdicts) if v.passed_strict is not True]
    rows = any(v.kind == "row_changes" for _, v in failed)
    return [
        cause
        for n, verdict in failed
        if not (rows and verdict.kind in _REPEATS)
        for cause in causes_of_verdict(episode, n, verdict, policy)
    ]


def _distinct(causes: list[Cause]) -> list[Cause]:
    """Return the causes in time, each said once."""
    said: dict[object, Cause] = {}
    for one in causes:
        at = one.evidence
        same_call = one.kind == "unrepaired_call"
        said.setdefault((one.kind, at.turn, at.call, None if same_call else one.sentence), one)
    return sorted(said.values(), key=_when)


def _when(cause: Cause) -> tuple[float, int]:
    """Return the turn of a cause; what ends an episode comes before what was then never done."""
    turn = cause.evidence.turn
    return (float("inf") if turn is None else turn, _LAST.get(cause.kind, 0))


def _with_consequences(causes: list[Cause]) -> list[Cause]:
    """Mark the causes that an earlier one explains; conduct that explains nothing is none beside others."""
    explaining = [any(_explains(cause, other) for other in causes[n + 1 :]) for n, cause in enumerate(causes)]
    others = any(cause.kind not in _IF_IT_EXPLAINS for cause in causes)
    causes = [c for c, does in zip(causes, explaining, strict=True) if does or not (others and _idle(c))]
    return [
        replace(
            cause,
            consequence=_follows(cause, causes)
            or any(_explains(earlier, cause) for earlier in causes[:place]),
        )
        for place, cause in enumerate(causes)
    ]


def _idle(cause: Cause) -> bool:
    return cause.kind in _IF_IT_EXPLAINS


def _explains(earlier: Cause, later: Cause) -> bool:
    """Check whether a cause explains a later one.

    An end explains what was never done after it; a refused call what is missing; a step too early what it
    wrote; a wrong state what the answer says of it; and a wrong record what refers to it by the same value.
    """
    at, then = earlier.evidence, later.evidence
    if later.kind == "missing_write":
        return earlier.kind in _ENDS or earlier.kind == "unrepaired_call"
    if later.kind == "wrong_record" and then.column is None and then.wanted is None:
        return earlier.kind in _OF_THE_STATE and at.row == then.row
    if earlier.kind == "unrepaired_call":
        return later.kind == "wrong_value" and then.got is None
    if later.kind in _OF_THE_ANSWER:
        return earlier.kind in _ENDS or earlier.kind in _OF_THE_STATE
    if earlier.kind == "premature_step":
        return at.turn == then.turn
    if earlier.kind == "forbidden_action":
        return later.kind in ("extra_write", "forbidden_action")
    return at.got is not None and at.got == then.got and at.turn != then.turn


def _follows(cause: Cause, causes: list[Cause]) -> bool:
    """Check whether a value that no call passed is what the tool made of another error, earlier or later."""
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
