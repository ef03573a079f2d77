"""How far `compare` can be trusted: false alarms, power at the sample size it asks for, and speed.

    python -m benchmarks.compare [TASKS] [--repetitions N] [--limit N]

Simulated agents: tasks of all difficulties (Beta(0.5, 0.5)), attempts as independent as they come. With
TASKS, a folder of tasks, a real one too: the fallible expert makes 40 attempts at each, which are dealt by
their number into 20 pairs of runs of one and the same agent.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from eops_traj.metrics.compare import Comparison, compare
from eops_traj.metrics.rates import CONCLUSIONS
from eops_traj.schema import CATEGORIES, Episode
from eops_traj.store.arrow import arrow_schema
from eops_traj.store.store import Store

GAIN, MANY = 0.05, 100_000
PAIRS = 20
DOMAINS = ("csm", "itsm", "hr", "teams", "drive", "email", "calendar", "hybrid")


def simulated(rng: np.random.Generator, tasks: int, attempts: int, gain: float = 0.0) -> pl.DataFrame:
    """Simulate the episodes of runs ``base`` and ``new`` at the same tasks, the second better by ``gain``."""
    chance = rng.beta(0.5, 0.5, tasks) * (1 - gain)
    number, task = np.arange(tasks * attempts), np.repeat(np.arange(tasks), attempts)
    runs = []
    for run, chances in (("base", chance), ("new", chance + gain)):
        won = (rng.random((tasks, attempts)) < chances[:, None]).ravel()
        attempts_made = pl.DataFrame({"task": task, "attempt": number % attempts + 1, "success_strict": won})
        episodes = attempts_made.select(
            pl.exclude("task"),
            pl.format(f"{run}{{}}", pl.lit(pl.Series(number))).alias("episode_id"),
            pl.format("t{}", "task").alias("task_hash"),
            pl.lit(pl.Series(DOMAINS)).gather(pl.col("task") % len(DOMAINS)).alias("domain"),
            run_id=pl.lit(run),
            success_parity="success_strict",
            verifier_pass_strict=(pl.col("success_strict") + (pl.col("task") % 4) / 4) / 2,
            n_steps=pl.col("task") % 20,
        )
        runs.append(episodes)
    return _add_columns(pl.concat(runs))


def _add_columns(episodes: pl.DataFrame) -> pl.DataFrame:
    """Give episodes every column that the store has; verdicts, a dozen, pass as the episode does."""
    empty = pl.DataFrame(arrow_schema(Episode).empty_table())
    fixed = {"model": "agent", "orchestrator": "react", "outcome": "failure", "feasible": True}
    verdicts = [
        pl.struct(
            category=pl.lit(CATEGORIES[n % len(CATEGORIES)]),
            passed_strict=pl.col("success_strict") | (pl.col("n_steps") < n),
            query=pl.format(f"what verifier {n} asks of the databases of task {{}}", "task_hash"),
        )
        for n in range(12)
    ]
    labelled = episodes.with_columns(**{name: pl.lit(value) for name, value in fixed.items()})
    whole = labelled.with_columns(verdicts=pl.concat_list(verdicts))
    return pl.concat([empty, whole], how="diagonal_relaxed")


def compare_runs(episodes: pl.DataFrame) -> Comparison:
    """Compare the two runs."""
    return compare(episodes.lazy(), "base", "new")


def count_conclusions(conclusions: list[str | None]) -> str:
    """Count how often each conclusion came."""
    return ", ".join(f"{word} {conclusions.count(word)}" for word in CONCLUSIONS)


def measure_false_alarms(rng: np.random.Generator, repetitions: int) -> None:
    """Compare two runs of one simulated agent, again and again; every alarm is a false one."""
    for tasks, attempts in ((50, 1), (50, 4), (200, 2), (1000, 1)):
        comparisons = [compare_runs(simulated(rng, tasks, attempts)) for _ in range(repetitions)]
        alarms = sum(one.pass_at_1.conclusion != CONCLUSIONS[0] for one in comparisons)
        any_domain = sum(any(row.conclusion != CONCLUSIONS[0] for row in one.domains) for one in comparisons)
        print(
            f"same agent, {tasks:5} tasks, {attempts} attempts each: of {repetitions} comparisons "
            f"{alarms / repetitions:.1%} raise a false alarm, {any_domain / repetitions:.1%} in some domain"
        )


def measure_power(rng: np.random.Generator, repetitions: int) -> None:
    """Ask at how many tasks a difference of 5 points shows, and see how often it does at that number."""
    for attempts in (1, 4):
        pilot = compare_runs(simulated(rng, 20_000, attempts, GAIN))
        needed = pilot.tasks_needed or 0
        comparisons = [compare_runs(simulated(rng, needed, attempts, GAIN)) for _ in range(repetitions)]
        words = count_conclusions([one.pass_at_1.conclusion for one in comparisons])
        print(
            f"5 points better, {attempts} attempts: {needed} tasks asked for "
            f"(seen {pilot.pass_at_1.difference:.1%}); at these, of {repetitions}: {words}"
        )


def measure_speed(rng: np.random.Generator) -> None:
    """Compare two runs of a store of many episodes, everything read from disk."""
    with tempfile.TemporaryDirectory() as folder, Store.open(folder, create=True) as store:
        simulated(rng, MANY // 8, 4, 0.01).write_delta(store.tables["episodes"].url, mode="append")
        wall, processor = time.perf_counter(), time.process_time()
        comparison = compare(store.scan(), "base", "new", margin=0.02)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    episodes = comparison.base.attempts + comparison.new.attempts
    print(f"{episodes} episodes compared in {wall:.2f} s, {processor:.2f} s of processor time")


def deal_runs(tasks: str, limit: int | None) -> Iterator[pl.DataFrame]:
    """Yield pairs of runs of the fallible expert: its attempts at each task, dealt by their number."""
    from benchmarks.expert import collect_expert

    with tempfile.TemporaryDirectory() as folder:
        stats = collect_expert(tasks, folder, 2 * PAIRS, limit)
        print(f"the expert: {json.dumps(dict(stats.outcomes))}")
        with Store.open(folder) as store:
            episodes = store.scan().drop("turns").collect()
    side = pl.when(pl.col("attempt") % 2 == 0).then(pl.lit("base")).otherwise(pl.lit("new"))
    for pair in range(PAIRS):
        yield episodes.filter((pl.col("attempt") - 1) // 2 == pair).with_columns(run_id=side)


def measure_real(tasks: str, limit: int | None) -> None:
    """Compare the pairs of the expert's runs."""
    comparisons = [compare_runs(pair) for pair in deal_runs(tasks, limit)]
    words = count_conclusions([one.pass_at_1.conclusion for one in comparisons])
    print(f"same expert, {comparisons[0].tasks} tasks, 1 attempt, {len(comparisons)} pairs of runs: {words}")
    for one in comparisons[:3]:
        row = one.pass_at_1
        print(f"  {row.base:.1%} -> {row.new:.1%}, {row.difference:+.1%} [{row.low:+.1%}, {row.high:+.1%}]")


def main() -> None:
    """Print every figure once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="?", help="A folder of tasks for the fallible expert.")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--limit", type=int, default=60, help="At most so many of the tasks.")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    measure_speed(rng)
    measure_false_alarms(rng, options.repetitions)
    measure_power(rng, options.repetitions)
    if options.tasks:
        measure_real(options.tasks, options.limit)


if __name__ == "__main__":
    main()
