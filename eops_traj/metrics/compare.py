"""Compare: whether one agent is better than another, over the tasks that both attempted.

Definitions, over the attempts that :mod:`eops_traj.metrics.score` scores:

- A task's rate is the mean over its attempts on a side; a rate is the mean over tasks. ``pass@1`` is strict
  success, ``pass@1 parity`` success as the benchmark scores, ``verifiers passed`` the strict share, ``safe
  refusal`` of the tasks known to be infeasible, ``over-refusal`` of all others, where less is better.
- ``low`` and ``high`` are the bounds of :func:`eops_traj.metrics.paired_stats.interval` for the difference. A conclusion is
  better or worse only where they exclude 0. The interval of pass@1 stands alone at 95%; the other rates, the
  domains, the horizons and the categories are families, whose intervals are widened until all of a family
  hold together at 95%: one of eight domains would else seem to differ in every third comparison of equals.
- McNemar's test is over each side's first attempt at a task, which asks the same of both however many
  attempts they made.
- A task's horizon is the number of calls in the shortest strict success at it by anyone in the store, since
  episodes do not tell their task's gold plan; the classes are those of :mod:`eops_traj.tasks.sampling`.
- A category's rate is the share of its verifiers that passed strictly, over the tasks that have some.
- Equivalence is two one-sided tests at 5%: the 90% interval lies within the margin.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.metrics import paired_stats
from eops_traj.metrics.breakdown import categories, grouped, with_horizon
from eops_traj.metrics.rates import NEW, Row, cost, differences, family, pairs
from eops_traj.metrics.score import standing
from eops_traj.metrics.sides import READ, Side, described, sides

if TYPE_CHECKING:
    import polars as pl

PASS_AT_1 = "success_strict"
RATES = {
    "pass@1 parity": "success_parity",
    "verifiers passed": "verifier_pass_strict",
    "safe refusal": "safe_refusal",
    "over-refusal": "over_refusal",
}
COSTS = {
    "turns": "n_turns",
    "tool calls": "n_steps",
    "tokens in": "input_tokens",
    "tokens out": "output_tokens",
    "cost": "cost",
}
_LABELS = (PASS_AT_1, "success_parity", "verifier_pass_strict")
_READ = (*READ, "domain", "feasible", *_LABELS, *COSTS.values())


@dataclass(frozen=True)
class McNemar:
    """The exact test over first attempts: tasks that only NEW did, tasks that only BASE did, two-sided p."""

    won: int
    lost: int
    p: float


@dataclass(frozen=True)
class Equivalence:
    """Whether the 90% interval of pass@1's difference, from ``low`` to ``high``, lies within the margin."""

    margin: float
    low: float
    high: float
    equivalent: bool


@dataclass(frozen=True)
class Comparison:
    """What a comparison came to. Rates are shares of 1; costs are per attempt, the last in US dollars."""

    base: Side
    new: Side
    tasks: int
    pass_at_1: Row
    mcnemar: McNemar
    equivalence: Equivalence | None
    tasks_needed: int | None
    """:func:`eops_traj.metrics.paired_stats.tasks_needed` for pass@1."""
    attempts_needed: int | None
    """:func:`eops_traj.metrics.paired_stats.attempts_needed` for pass@1."""
    rates: tuple[Row, ...]
    costs: tuple[Row, ...]
    domains: tuple[Row, ...]
    horizons: tuple[Row, ...]
    categories: tuple[Row, ...]


def compare(episodes: "pl.LazyFrame", base: str, new: str, margin: float | None = None) -> Comparison:
    """Compare two runs, or all episodes of two models, task by task.

    ``margin``, a share of 1, asks for the test of equivalence. Raises UnknownName for a name that is neither
    a run, nor the beginning of just one, nor a model; InputError for a margin not between 0 and 1, for sides
    with an episode in common, and for sides that share no task.
    """
    if margin is not None and not 0 < margin < 1:
        raise InputError(f"a margin is a share between 0 and 1, not {margin:g}")
    stood = standing(episodes.select(_READ).collect())
    ours, theirs = sides(stood, base, new)
    tasks = _tasks(ours).join(_tasks(theirs), on="task_hash", suffix=NEW).sort("task_hash")
    if tasks.is_empty():
        raise InputError(f"{base} and {new} share no task; another suite, split or mode has other tasks")
    passed = pairs(tasks, PASS_AT_1)
    return Comparison(
        base=described(base, ours, tasks.height),
        new=described(new, theirs, tasks.height),
        tasks=tasks.height,
        pass_at_1=family({"pass@1": passed})[0],
        mcnemar=_mcnemar(tasks),
        equivalence=_equivalence(passed, margin),
        tasks_needed=paired_stats.tasks_needed(differences(passed)),
        attempts_needed=_attempts_needed(tasks),
        rates=family({name: pairs(tasks, column) for name, column in RATES.items()}),
        costs=tuple(cost(name, tasks, column) for name, column in COSTS.items()),
        domains=grouped(tasks, "domain", PASS_AT_1),
        horizons=grouped(with_horizon(tasks, _scored(stood)), "horizon", PASS_AT_1),
        categories=categories(episodes, tasks, _scored(ours), _scored(theirs)),
    )


def _tasks(side: "pl.DataFrame") -> "pl.DataFrame":
    """One row a task: its domain, its attempts, and over them the means of rates and costs."""
    import polars as pl

    infeasible = pl.col("feasible").eq_missing(False)
    outcome = pl.col("outcome")
    return (
        _scored(side)
        .with_columns(
            safe_refusal=pl.when(infeasible).then(outcome == "safe_refusal"),
            over_refusal=pl.when(~infeasible).then(outcome == "over_refusal"),
        )
        .sort("attempt", "episode_id")
        .group_by("task_hash", maintain_order=True)
        .agg(
            pl.col("domain").first(),
            pl.len().alias("attempts"),
            pl.col(PASS_AT_1).first().alias("first"),
            pl.col(PASS_AT_1, *RATES.values()).mean(),
            *(pl.when(pl.col(c).null_count() == 0).then(pl.col(c).mean()).alias(c) for c in COSTS.values()),
        )
    )


def _scored(side: "pl.DataFrame") -> "pl.DataFrame":
    return side.filter(side["standing"] == "scored")


def _mcnemar(tasks: "pl.DataFrame") -> McNemar:
    found = differences(pairs(tasks, "first"))
    won, lost = int((found > 0).sum()), int((found < 0).sum())
    return McNemar(won, lost, paired_stats.mcnemar(won, lost))


def _equivalence(of: "pl.DataFrame", margin: float | None) -> Equivalence | None:
    if margin is None or (found := paired_stats.interval(differences(of), level=0.9)) is None:
        return None
    low, high = found
    return Equivalence(margin, low, high, equivalent=-margin < low and high < margin)


def _attempts_needed(tasks: "pl.DataFrame") -> int | None:
    sides = [(tasks[PASS_AT_1 + end].to_numpy(), tasks["attempts" + end].to_numpy()) for end in ("", NEW)]
    return paired_stats.attempts_needed(differences(pairs(tasks, PASS_AT_1)), *sides)
