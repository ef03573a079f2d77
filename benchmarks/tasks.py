"""The cost of making tasks and of checking them, in processor time, and whether they are still the same.

    python -m benchmarks.tasks [TASKS] [--seed N] [--domain NAME ...]
    python -m benchmarks.tasks [TASKS] [--seed N] --training [--wordings N]

So many tasks of the default suite, in its mix, are made and then checked in this process. Companies are made
beforehand: a suite of any size needs the same ones. The digest is of all that the tasks say: of the same seed
it is the same before and after a change that is to cost less only. On a machine that others use too the
figures are worse than they need be: processor time grows with their load.

With ``--training`` so many tasks that only train are made on two processes, each scene asked for in so many
wordings, and their number a second told.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from eops_traj.gym import registry
from eops_traj.hashing import digest
from eops_traj.schema import Task
from eops_traj.taskgen.build import build_suite, run_jobs
from eops_traj.taskgen.checks import find_problems
from eops_traj.taskgen.family import families
from eops_traj.taskgen.slots import Job
from eops_traj.taskgen.suites import companies_of_split, count_by_split, find_suite
from eops_traj.workers.engine import Engine

TASKS, WHOLE = 64, 1150
BUDGET = 20.0
"""Minutes of processor time for making and checking the whole suite: ten on two cores."""


def timed(work: Callable[[], None]) -> float:
    """Return the seconds of processor time that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def jobs_by_domain(tasks: int, seed: int, domains: Sequence[str] | None) -> dict[str, list[Job]]:
    """Return what is to be made of each domain."""
    suite = find_suite("default").scaled(tasks)
    counts = {domain: suite.tasks[domain] for domain in domains or suite.tasks}
    return {
        domain: [Job(suite, seed, split, domain, n) for split, n in count_by_split(count).items() if n]
        for domain, count in counts.items()
    }


def make_companies(jobs: Iterable[Job]) -> None:
    """Make the companies that jobs play in."""
    for job in jobs:
        servers = {name for family in families([job.domain]) for name in family.servers}
        for number in companies_of_split(job.seed, job.split, job.whole.companies):
            for name in servers:
                registry.server(name).template(number)


def measure_domain(domain: str, jobs: Sequence[Job]) -> tuple[list[Task], float, float]:
    """Make and check the tasks of a domain; return them and both times, and print what one costs."""
    tasks: list[Task] = []
    wrong: list[str] = []
    making = timed(lambda: tasks.extend(run_jobs(jobs).tasks))
    checking = timed(lambda: wrong.extend(line for task in tasks for line in find_problems(task)))
    each = [f"{seconds / len(tasks):6.3f}" for seconds in (making, checking)]
    print(f"{domain:9} {len(tasks):4} tasks: made in {each[0]} s each, checked in {each[1]}", flush=True)
    assert not wrong, wrong
    return tasks, making, checking


def measure_training(tasks: int, seed: int, wordings: int) -> None:
    """Make so many tasks that only train, and print how many a second two processes come to."""
    suite = replace(find_suite("planner_all").scaled(tasks).worded(wordings), splits={"train": 1.0})
    start = time.monotonic()
    made = build_suite(suite, seed, Engine(2)).tasks
    seconds = time.monotonic() - start
    each = f"{len(made) / seconds:.1f} a second"
    print(f"{len(made)} training tasks, {wordings} wordings, on two processes: {seconds:.0f} s, {each}")


def main() -> None:
    """Print every figure once."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="?", type=int, default=TASKS, help="how many, of all domains")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--domain", action="append", help="only this one; may be repeated")
    parser.add_argument("--training", action="store_true", help="make tasks that only train")
    parser.add_argument(
        "--wordings", type=int, default=1, help="in how many words each of those is asked for"
    )
    options = parser.parse_args()
    if options.training:
        measure_training(options.tasks, options.seed, options.wordings)
        return
    jobs = jobs_by_domain(options.tasks, options.seed, options.domain)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    companies = timed(lambda: make_companies(job for some in jobs.values() for job in some))
    print(f"companies in {companies:.1f} s")
    measured = [measure_domain(domain, some) for domain, some in jobs.items()]
    tasks = [task for some, _, _ in measured for task in some]
    making, checking = (sum(times) / len(tasks) for times in list(zip(*measured, strict=True))[1:])
    whole = (WHOLE * (making + checking) + 2 * companies) / 60
    print(f"all       {len(tasks):4} tasks: made in {making:6.3f} s each, checked in {checking:6.3f}")
    verdict = "within" if whole <= BUDGET else "OVER"
    print(f"{WHOLE} tasks made and checked: {whole:.1f} minutes of processor time ({verdict} {BUDGET:g})")
    print(f"digest {digest(*map(repr, tasks))}")


if __name__ == "__main__":
    main()
