"""The causes of an episode's failure, the first error in time first, and told from its consequences."""

from dataclasses import replace

from eops_traj.causes.cause import Cause
from eops_traj.causes.conduct import causes_of_conduct
from eops_traj.causes.consequences import with_consequences
from eops_traj.causes.verdicts import causes_of_verdict
from eops_traj.schema import PASSED, UNVERIFIED, Episode
from eops_traj.verify.failure_modes import diagnose

_REPEATS = frozenset({"database_state", "effects"})
"""What verifiers of these kinds say where rows are wrong is said by the rows."""
_LAST = {"missing_write": 1, "incomplete_answer": 2, "false_claim": 2}
"""What shows at the end alone, in the order in which one follows from the other."""
_MOST = 40
"""Causes of one episode; a task has a few verifiers, and a failure of hundreds of rows is one failure."""
_WEIGHED = 200
"""Causes of which it is asked which explain which."""


def causes_of(episode: Episode, policy: str = "") -> tuple[Cause, ...]:
    """Return why an episode failed; nothing for one that passed strictly or that no verifier has judged.

    ``policy`` is its system prompt. The first cause is the first error in time that explains the others as
    far as they can be explained; those are marked as consequences. A failure that no rule explains has none.
    """
    if episode.outcome in PASSED or episode.outcome == UNVERIFIED:
        return ()
    causes = [*causes_of_conduct(episode), *_of_verdicts(episode, policy)]
    return tuple(with_consequences(episode, _distinct(causes)[:_WEIGHED]))[:_MOST]


def diagnosed(episode: Episode, policy: str = "") -> Episode:
    """Return the episode with its failure modes and causes, as the store keeps them: by name."""
    modes = dict.fromkeys(finding.mode for finding in diagnose(episode, policy))
    episode = replace(episode, failure_modes=tuple(modes))
    causes = dict.fromkeys(cause.kind for cause in causes_of(episode, policy))
    return replace(episode, causes=None if episode.outcome == UNVERIFIED else tuple(causes))


def _of_verdicts(episode: Episode, policy: str) -> list[Cause]:
    """Return the causes of the failed verdicts; where one compares rows, queries say nothing more.

    One that is not known (no judge was given, or no result was recorded) tells nothing.
    """
    failed = [(n, v) for n, v in enumerate(episode.verdicts) if v.passed_strict is False]
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
