"""Compare two agents over the tasks that both attempted.

Definitions, over the attempts that :mod:`eops_traj.metrics.score` scores, errors by the same rule as there:

- A task's rate is the mean over its attempts on a side; a rate is the mean over tasks. ``strict
  pass@1`` is strict success, ``parity pass@1`` success as the benchmark scores, ``strict verifiers`` the
  strict share of verifiers, ``safe refusal`` of the tasks known to be infeasible (a blind one is none),
  ``over-refusal`` of all others, where less is better.
- ``low`` and ``high`` are the bounds of the difference (:func:`.paired_stats.difference_interval`). A
  conclusion is better or worse only where they exclude 0. The interval of pass@1 stands alone at 95%; the
  other rates, the domains, the horizons and the categories are families, whose intervals are widened until
  all of a family hold together at 95%: one of eight domains would else seem to differ in every third
  comparison of equals.
- McNemar's test is over each side's first attempt at a task, which asks the same of both however many
  attempts they made.
- A task's horizon is the number of calls in the shortest strict success at it by anyone in the store, since
  episodes do not hold their task's gold plan; the classes are those of :mod:`eops_traj.tasks.sampling`.
- A category's rate is the share of its verifiers that passed strictly, over the tasks that have some; of an
  error that counts, none did.
- Equivalence is two one-sided tests at 5%: the 90% interval lies within the margin.
- ``warnings`` are the conditions that the sides do not share (:mod:`eops_traj.metrics.conditions`): a
  difference in the rates may come of those, and of ``other_verifiers``
  (:mod:`eops_traj.metrics.judged_by`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.metrics import paired_stats
from eops_traj.metrics.breakdown import category_rows, group_rows, with_horizon
from eops_traj.metrics.conditions import UnlikeSetting, agents_conditions, unlike_settings
from eops_traj.metrics.error_rule import LABELS, OUT, default_rule
from eops_traj.metrics.judged_by import judged_otherwise
from eops_traj.metrics.protocols import require_one_protocol, with_protocol
from eops_traj.metrics.rates import NEW_SUFFIX, RateRow, cost_row, differences, family_rows, paired_rates
from eops_traj.metrics.sides import SIDE_COLUMNS, Side, count_errors, describe_side, select_sides
from eops_traj.metrics.standing import with_standing

if TYPE_CHECKING:
    import polars as pl

PASS_AT_1 = "success_strict"
RATES = {
    "parity pass@1": "success_parity",
    "strict verifiers": "verifier_pass_strict",
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
_COLUMNS = (*SIDE_COLUMNS, "settings", "source", "domain", "feasible", *LABELS, *COSTS.values())


@dataclass(frozen=True)
class McNemar:
    """The exact test over first attempts: tasks that only NEW did, tasks that only BASE did, two-sided p."""

    won: int
    lost: int
    p: float


@dataclass(frozen=True)
class Equivalence:
    """The test of equivalence: does pass@1's 90% interval, ``low`` to ``high``, lie within the margin?"""

    margin: float
    low: float
    high: float
    equivalent: bool


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison. Rates are shares of 1; costs are per attempt, the last in US dollars."""

    base: Side
    new: Side
    tasks: int
    pass_at_1: RateRow
    mcnemar: McNemar
    equivalence: Equivalence | None
    tasks_needed: int | None
    """:func:`eops_traj.metrics.paired_stats.tasks_needed` for pass@1."""
    attempts_needed: int | None
    """:func:`eops_traj.metrics.paired_stats.attempts_needed` for pass@1."""
    rates: tuple[RateRow, ...]
    costs: tuple[RateRow, ...]
    domains: tuple[RateRow, ...]
    horizons: tuple[RateRow, ...]
    categories: tuple[RateRow, ...]
    warnings: tuple[UnlikeSetting, ...] = ()
    """The differences in sampling, cap, prompt, engine or executor between the two sides."""
    errors_count: str = OUT
    """The rule for errors (:mod:`eops_traj.metrics.error_rule`)."""
    other_verifiers: int = 0
    """The tasks that one side's attempts were judged at by other verifiers than the other's."""


def compare(
    episodes: "pl.LazyFrame", base: str, new: str, margin: float | None = None, mixed: bool = False,
    runs: "pl.LazyFrame | None" = None, errors: str | None = None,
) -> Comparison:  # fmt: skip
    """Compare two runs, or all episodes of two models, task by task.

    ``margin``, a share of 1, asks for the test of equivalence; ``runs``, the store's table of them, tells
    what kind of client generated; ``errors`` is the rule for errors in the place of that of both sides'
    protocol. Raises UnknownName for a name that is neither a run, nor the beginning of just one, nor a model,
    and for a rule that there is not; InputError for a margin not between 0 and 1, for sides with an episode
    in common, for sides that share no task, and unless ``mixed`` for two protocols.
    """
    import polars as pl

    if margin is not None and not 0 < margin < 1:
        raise InputError(f"a margin is a share between 0 and 1, not {margin:g}")
    frame = with_protocol(with_standing(episodes.select(_COLUMNS).collect()))
    base_side, new_side = select_sides(frame, base, new)
    both = pl.concat([base_side, new_side])
    require_one_protocol(both, f"{base} and {new}", mixed)
    rule = errors or default_rule(both.lazy())
    base_side, new_side = count_errors(base, base_side, rule), count_errors(new, new_side, rule)
    base_means, new_means = _task_means(base_side), _task_means(new_side)
    tasks = base_means.join(new_means, on="task_hash", suffix=NEW_SUFFIX).sort("task_hash")
    if tasks.is_empty():
        raise InputError(f"{base} and {new} share no task; another suite, split or mode has other tasks")
    success, rates = paired_rates(tasks, PASS_AT_1), _rate_rows(tasks)
    counted = _scored_episodes(base_side), _scored_episodes(new_side)
    records = None if runs is None else runs.select("run_id", "config").collect()
    return Comparison(
        base=describe_side(base, base_side, tasks.height),
        new=describe_side(new, new_side, tasks.height),
        tasks=tasks.height,
        pass_at_1=rates[0],
        mcnemar=_mcnemar(tasks),
        equivalence=_equivalence(success, margin),
        tasks_needed=paired_stats.tasks_needed(differences(success)),
        attempts_needed=_attempts_needed(tasks),
        rates=rates[1:],
        costs=tuple(cost_row(name, tasks, column) for name, column in COSTS.items()),
        domains=group_rows(tasks, "domain", PASS_AT_1),
        horizons=group_rows(with_horizon(tasks, _scored_episodes(frame)), "horizon", PASS_AT_1),
        categories=category_rows(episodes, tasks, *counted),
        warnings=unlike_settings(*(agents_conditions(side, records) for side in counted)),
        errors_count=rule,
        other_verifiers=judged_otherwise(episodes, *counted),
    )


PAIRED_COLUMNS = ("task_hash", "outcome", "feasible", *_LABELS)
"""The columns that the rates of a task are made of."""


def paired_rate_rows(base: "pl.DataFrame", new: "pl.DataFrame") -> tuple[RateRow, ...]:
    """Return pass@1 and the family of the other rates, given two sides' :func:`task_rates`.

    None where they share no task.
    """
    tasks = base.join(new, on="task_hash", suffix=NEW_SUFFIX).sort("task_hash")
    return () if tasks.is_empty() else _rate_rows(tasks)


def _rate_rows(tasks: "pl.DataFrame") -> tuple[RateRow, ...]:
    success = {"strict pass@1": paired_rates(tasks, PASS_AT_1)}
    others = {name: paired_rates(tasks, column) for name, column in RATES.items()}
    return (*family_rows(success), *family_rows(others))


def task_rates(scored: "pl.DataFrame") -> "pl.DataFrame":
    """Compute one row a task: over its attempts the means of the rates."""
    import polars as pl

    rates = pl.col(PASS_AT_1, *RATES.values()).mean()
    return _with_refusals(scored).group_by("task_hash", maintain_order=True).agg(rates)


def _with_refusals(scored: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    infeasible, outcome = pl.col("feasible").eq_missing(False), pl.col("outcome")
    return scored.with_columns(
        safe_refusal=pl.when(infeasible).then(outcome == "safe_refusal"),
        over_refusal=pl.when(~infeasible).then(outcome == "over_refusal"),
    )


def _task_means(side: "pl.DataFrame") -> "pl.DataFrame":
    """Compute one row a task: its domain, its attempts, and over them the means of rates and costs."""
    import polars as pl

    attempts = _scored_episodes(side).sort("attempt", "episode_id")
    others = attempts.group_by("task_hash", maintain_order=True).agg(
        pl.col("domain").first(),
        pl.len().alias("attempts"),
        pl.col(PASS_AT_1).first().alias("first"),
        *(pl.when(pl.col(c).null_count() == 0).then(pl.col(c).mean()).alias(c) for c in COSTS.values()),
    )
    return others.join(task_rates(attempts), on="task_hash")


def _scored_episodes(side: "pl.DataFrame") -> "pl.DataFrame":
    return side.filter(side["standing"] == "scored")


def _mcnemar(tasks: "pl.DataFrame") -> McNemar:
    first = differences(paired_rates(tasks, "first"))
    won, lost = int((first > 0).sum()), int((first < 0).sum())
    return McNemar(won, lost, paired_stats.mcnemar(won, lost))


def _equivalence(success: "pl.DataFrame", margin: float | None) -> Equivalence | None:
    interval = None if margin is None else paired_stats.difference_interval(differences(success), level=0.9)
    if margin is None or interval is None:
        return None
    low, high = interval
    return Equivalence(margin, low, high, equivalent=-margin < low and high < margin)


def _attempts_needed(tasks: "pl.DataFrame") -> int | None:
    sides = [
        (tasks[PASS_AT_1 + end].to_numpy(), tasks["attempts" + end].to_numpy()) for end in ("", NEW_SUFFIX)
    ]
    return paired_stats.attempts_needed(differences(paired_rates(tasks, PASS_AT_1)), *sides)
