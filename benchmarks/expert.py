"""The fallible expert on a suite: how fast it is, and whether `diagnose` finds its slips.

    python -m benchmarks.expert [TASKS] [--attempts N] [--rate R] [--limit N]

TASKS is a folder of tasks; without it the default suite is made first. Precision and recall are over pairs of
an episode and a failure mode: those that diagnose found against those that the expert recorded.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eops_traj.collect.config import CollectConfig, build_setup
from eops_traj.collect.job import load_job
from eops_traj.collect.run import collect
from eops_traj.collect.stats import RunStats
from eops_traj.config import checked
from eops_traj.store.store import Store
from eops_traj.verify.failure_modes import MODES


def build_default_suite(folder: Path) -> str:
    """Build the default suite in a folder."""
    from eops_traj.taskgen.build import build_suite
    from eops_traj.taskgen.save import save_suite
    from eops_traj.taskgen.suites import find_suite
    from eops_traj.workers.engine import Engine

    start = time.perf_counter()
    suite = build_suite(find_suite("default"), 0, Engine(2))
    save_suite(suite.tasks, folder, {})
    print(f"{len(suite.tasks)} tasks made in {time.perf_counter() - start:.0f} s")
    return str(folder)


def collect_expert(tasks: str, store: str, attempts: int, limit: int | None, **orchestrator: Any) -> RunStats:
    """Collect attempts of the expert at tasks into a store."""
    settings: dict[str, Any] = {
        "tasks": {"source": tasks, "limit": limit},
        "orchestrator": {"name": "expert", **orchestrator},
        "attempts": attempts,
        "limits": {"turns": None},
    }
    setup = build_setup(checked(CollectConfig, settings, "benchmark"), "benchmark")
    return collect(load_job(setup, store))


def run(tasks: str, store: str, options: argparse.Namespace) -> Counter[str]:
    """Collect, print time and speed, and return the outcomes."""
    start, cpu = time.perf_counter(), time.process_time()
    stats = collect_expert(tasks, store, options.attempts, options.limit, rate=options.rate)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(f"{stats.episodes} episodes in {seconds:.1f} s: {stats.episodes / seconds:.1f} a second")
    print(f"{cpu:.1f} s of CPU: {cpu / stats.episodes * 1000:.1f} ms an episode")
    return stats.outcomes


def labels(store: str) -> Iterator[tuple[list[str], set[str], set[str]]]:
    """Yield of each episode: its slips, the failure modes that they show, and those of diagnose."""
    with Store.open(store) as opened:
        rows = opened.scan().select("details", "failure_modes").collect().iter_rows()
        for details, failure_modes in rows:
            slips = json.loads(details).get("slips", [])
            yield (
                [slip["slip"] for slip in slips],
                {mode for slip in slips for mode in slip["modes"]},
                set(failure_modes),
            )


def report(store: str) -> None:
    """Print the slips, and precision and recall of every mode and of all together."""
    slips: Counter[str] = Counter()
    counts = {kind: Counter[str]() for kind in ("right", "wrong", "missed")}
    for kinds, injected, diagnosed in labels(store):
        slips.update(set(kinds))
        counts["right"].update(injected & diagnosed)
        counts["wrong"].update(diagnosed - injected)
        counts["missed"].update(injected - diagnosed)
    print("episodes with a slip of a kind:", ", ".join(f"{name} {n}" for name, n in slips.most_common()))
    for mode in [*MODES, "all"]:
        right, wrong, missed = (c.total() if mode == "all" else c[mode] for c in counts.values())
        precision = right / (right + wrong) if right + wrong else float("nan")
        recall = right / (right + missed) if right + missed else float("nan")
        print(f"  {mode:22} injected {right + missed:5}  precision {precision:.3f}  recall {recall:.3f}")


def main() -> None:
    """Make what is missing, collect, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tasks", nargs="?")
    parser.add_argument("--attempts", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tasks = options.tasks or build_default_suite(Path(folder) / "suite")
        store = str(Path(folder) / "store")
        outcomes = run(tasks, store, options)
        print("outcomes:", ", ".join(f"{name} {n}" for name, n in outcomes.most_common()))
        report(store)


if __name__ == "__main__":
    main()
