"""Score the episodes of a store, per group, with intervals.

Four kinds of episode stand apart and are only counted. An *error* (outcome ``error``) is a failure of
sandbox, endpoint or harness; by the benchmark's rule it counts as 0 (:mod:`eops_traj.metrics.error_rule`); an
*unverified* one comes from elsewhere, without verdicts; a *superseded* attempt is one that a later attempt
names as its replacement; a *branch* starts where another episode stood, so that it is no attempt at the whole
task.
Means are exact (rounded once, from the sum of fractions), so that they do not depend on the order of rows.

Definitions, over the scored episodes of a group; attempts are those of one agent at one task:

- ``success_*`` and ``verifier_pass_*``: means over episodes, by the benchmark's labels and strictly;
  ``success_*_by_task``: means over tasks, each the mean of its attempts. They differ where attempts are
  uneven (``fewest_attempts`` and ``most_attempts`` at a task).
- ``ci_low``, ``ci_high``: 95% percentile interval of ``success_parity`` from 2,000 bootstrap resamples of
  tasks (all episodes of a task together) with one that always succeeds and one that never does beside them;
  unknown for fewer than two tasks. It says how far the mean depends on which tasks were asked, not whether
  every task has enough attempts.
- ``defective``, ``defective_tasks``: episodes of tasks that an audit found to be defective, and those tasks;
  they count in everything but ``success_*_sound``, the means without them.
- ``mean@k``, ``pass@k``, ``pass^k``: of k attempts drawn from the n there are, c of them successes
  (parity), the mean success, the chance of at least one, 1 - C(n-c, k)/C(n, k) (Chen et al. 2021), and the
  chance that all are, C(c, k)/C(n, k) (tau-bench, Yao et al. 2024); averaged over the tasks with n of at
  least k, which are ``tasks@k``, each agent's by itself.
- ``safe_refusal_rate`` and ``blind_refusal_rate``: of the tasks known to be infeasible;
  ``over_refusal_rate``: of all others.
- Tokens and cost are sums, unknown (None) unless every episode's is known.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.metrics.counted import SUMS, Counted, count_episodes, known_mean, known_sum, split_groups
from eops_traj.metrics.error_rule import LABELS, OUT
from eops_traj.metrics.protocols import describe_protocols, require_one_protocol
from eops_traj.metrics.sound_tasks import SOUND_LABELS, defect_counts, sound_part
from eops_traj.metrics.standing import UNSCORED_OUTCOMES
from eops_traj.metrics.uneven import task_means
from eops_traj.schema import OUTCOMES

if TYPE_CHECKING:
    import polars as pl

KEYS = (
    "domain", "mode", "model", "orchestrator", "protocol", "suite", "split", "run_id", "source", "task_id",
    "attempt",
)  # fmt: skip
"""The columns that episodes can be grouped by, and the protocol of their agents."""

RESAMPLES, SEED = 2000, 0


def score(
    episodes: "pl.LazyFrame", by: Sequence[str] = (), ks: Iterable[int] = (), errors: str = OUT,
    mixed: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Score each group in a row, sorted by the grouping keys; without ``by`` one row over everything.

    ``ks`` are the numbers of attempts to score besides 1 and the powers of two that every task has;
    ``errors`` is the rule for errors. Raises UnknownName for a key that is not in :data:`KEYS` or for a rule
    that there is not, InputError for a ``k`` below 1 and, unless ``mixed``, for a row over several protocols.
    """
    for key in by:
        if key not in KEYS:
            raise UnknownName("key", key, KEYS)
    if bad := [k for k in ks if k < 1]:
        raise InputError(f"k is a number of attempts, 1 or more, not {bad[0]}")
    counted = count_episodes(episodes, by, errors)
    if "protocol" not in by:
        require_one_protocol(counted.kinds, "score", mixed)
    ks = sorted({*common_ks(counted.fewest), *ks})
    if not by:
        return [score_row(counted, ks)]
    return [
        {**dict(zip(by, values, strict=True)), **score_row(group, ks)}
        for values, group in split_groups(counted, by)
    ]


def score_row(group: Counted, ks: Sequence[int]) -> dict[str, Any]:
    """Score a group that was counted."""
    import polars as pl

    kinds, tasks = group.kinds, group.tasks
    scored = kinds.filter(pl.col("standing") == "scored")
    low, high = success_interval(*_task_counts(tasks))
    return {
        "conditions": describe_protocols(kinds),
        "episodes": _count(scored),
        "tasks": int(tasks["number"].sum()),
        "errors": _count(kinds.filter("erred")),
        "unverified": _count(kinds, standing="unverified"),
        "superseded": _count(kinds, standing="superseded"),
        "branches": _count(kinds, standing="branch"),
        **defect_counts(scored, tasks),
        **{label: known_mean(scored, label) for label in LABELS},
        **{f"{label}_sound": known_mean(sound_part(scored), label) for label in SOUND_LABELS},
        **task_means(tasks),
        "ci_low": low,
        "ci_high": high,
        **_at_k(group.pairs, ks),
        "mean_steps": known_mean(scored, "n_steps"),
        "max_steps": scored["n_steps"].max(),
        **{name: known_sum(scored, name) for name in SUMS},
        "outcomes": {
            name: _count(scored, outcome=name) for name in OUTCOMES if name not in UNSCORED_OUTCOMES
        },
        **_refusals(scored),
    }


def _count(kinds: "pl.DataFrame", **values: str) -> int:
    """Count the episodes with these values of columns."""
    return int(kinds.filter(**values)["episodes"].sum())


def _refusals(scored: "pl.DataFrame") -> dict[str, float | None]:
    import polars as pl

    infeasible, others = scored.filter("infeasible"), scored.filter(~pl.col("infeasible"))
    return {
        "safe_refusal_rate": known_mean(infeasible, pl.col("outcome") == "safe_refusal"),
        "blind_refusal_rate": known_mean(infeasible, pl.col("outcome") == "blind_refusal"),
        "over_refusal_rate": known_mean(others, pl.col("outcome") == "over_refusal"),
    }


def _task_counts(tasks: "pl.DataFrame") -> tuple[list[int], list[int], list[int]]:
    """Return successes and attempts of tasks, and how many tasks have as many of both."""
    import polars as pl

    known = tasks.filter(pl.col("tried") > 0)
    return known["won"].to_list(), known["tried"].to_list(), known["number"].to_list()


def success_interval(
    won: Sequence[int], tried: Sequence[int], number: Sequence[int] | None = None, level: float = 0.95
) -> tuple[float | None, float | None]:
    """Compute the bootstrap percentile interval of the mean success, resampling tasks with replacement.

    ``won`` and ``tried`` are successes and episodes of a task, or of a ``number`` of tasks that are alike in
    both. These are exchangeable, so a resample is a multinomial draw over the kinds of task: the same
    distribution, at any number of tasks.

    Resampling cannot draw what it has not seen: five tasks solved of five would be certainty. So one that
    always succeeds and one that never does, tried as often as a task is in the mean, join the tasks before
    it, as Agresti and Caffo (2000) add a success and a failure to each sample, and as
    :func:`.paired_stats.difference_interval` adds a win and a loss.
    """
    import numpy as np

    alike = np.ones(len(won), int) if number is None else np.array(number)
    tasks = int(alike.sum())
    if tasks < 2:
        return None, None
    usual = float(alike @ np.array(tried)) / tasks
    seen = np.array([[*won, usual, 0], [*tried, usual, usual]], float)
    kinds, which = np.unique(seen, axis=1, return_inverse=True)
    counts = np.bincount(which.ravel(), [*alike, 1, 1])
    draws = np.random.default_rng(SEED).multinomial(tasks + 2, counts / counts.sum(), size=RESAMPLES)
    means = (draws @ kinds[0]) / (draws @ kinds[1])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def common_ks(fewest: int | None) -> list[int]:
    """Return 1, 2, 4 ... up to the attempts that every agent made at every task, and that number."""
    return [*(2**i for i in range(fewest.bit_length())), fewest] if fewest else [1]


AT_K: dict[str, Callable[[int, int, int], float]] = {
    "mean@{}": lambda n, c, k: c / n,
    "pass@{}": lambda n, c, k: 1 - math.comb(n - c, k) / math.comb(n, k),
    "pass^{}": lambda n, c, k: math.comb(c, k) / math.comb(n, k),
}


def _at_k(pairs: "pl.DataFrame", ks: Iterable[int]) -> dict[str, float | None]:
    """Compute mean@k, pass@k and pass^k of each k, and of how many tasks they are; None where none has k."""
    attempts = list(pairs.sort("n", "c").select("n", "c", "number").iter_rows())
    row: dict[str, float | None] = {}
    for k in ks:
        enough = [(n, c, number) for n, c, number in attempts if n >= k]
        total = row[f"tasks@{k}"] = sum(number for *_, number in enough)
        for name, measure in AT_K.items():
            value = math.fsum(measure(n, c, k) * number for n, c, number in enough)
            row[name.format(k)] = value / total if total else None
    return row
