"""The benchmark's own harness beside `protocol: benchmark`: the same tasks, and a model that errs alike.

    python -m benchmarks.harness_parity [CHECKOUT] [--tasks 40] [--seed 1] [--only ORCHESTRATOR]

CHECKOUT is a checkout of EnterpriseOps-Gym with its requirements in its ``.venv``; without it,
EOPS_TRAJ_HARNESS names one. Tasks of every domain, feasible or not, are worked by its three orchestrators
(`collect` with `harness`) and by ours; both ask the scripted model of `benchmarks.fallible_model`, each over
a real endpoint of its own. Compared is, task by task: every verdict that the benchmark counts, success, the
share of verifiers, errors, the answer, the tool calls that ran, number and kinds of the requests to the
model, and the executor's requests, word by word: whole, and without the user message that they begin with.
Where the checkout has ``compute_score.py``, it is run on the harness's own result files and on our export.

Exits 1 where ReAct's verdicts, scores or errors differ, or of any orchestrator number or kinds of calls, or
the requests after that message.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.fallible_model import KINDS, MARK, QUESTION, FallibleModel, Replies, mark
from benchmarks.harness_sides import (
    HARNESS,
    ORCHESTRATORS,
    OURS,
    Facts,
    collect,
    facts_by_task,
    harness_settings,
    our_settings,
)
from eops_traj.export.run import episode_bundles
from eops_traj.hashing import canonical_json
from eops_traj.instances import load
from eops_traj.schema import Json, Task, Verifier
from eops_traj.store.store import Store
from eops_traj.taskgen.build import build_suite
from eops_traj.taskgen.save import save_suite
from eops_traj.taskgen.suites import find_suite
from eops_traj.workers.engine import Engine
from tests.endpoint import endpoint
from tests.harness.checkouts import gold_script

SCORED = ("verdicts", "success", "verifiers", "errors")
"""What has to be equal for ReAct."""
CALLED = ("model calls", "tool calls", "conversations")
"""What has to be equal for all three."""
TOLD = ("answer", "requests")
"""What may differ, and is counted."""
SHOWN = 2000
"""Characters of a difference."""


@dataclass(frozen=True)
class Comparison:
    """Both sides of an orchestrator, by task."""

    name: str
    harness: Mapping[str, Facts]
    ours: Mapping[str, Facts]

    def differing(self, fact: str) -> list[str]:
        """Return the tasks of which both sides have something, and not the same."""
        both = sorted(self.harness.keys() & self.ours.keys())
        return [task for task in both if self.harness[task][fact] != self.ours[task][fact]]

    def agrees(self) -> bool:
        """Check whether all that has to be equal is."""
        wanted = (*SCORED, *CALLED) if self.name == "react" else CALLED
        return self.harness.keys() == self.ours.keys() and not any(map(self.differing, wanted))


def make_tasks(count: int, seed: int, processes: int = 2) -> list[Task]:
    """Make tasks of every domain, with their marks; every second one has its answer judged too."""
    made = build_suite(find_suite("quick").scaled(count), seed, Engine(processes)).tasks
    return [marked(task, number) for number, task in enumerate(made)]


def marked(task: Task, number: int) -> Task:
    """Return a task whose requests are known by its number."""
    asked = {
        "sql_query": "SELECT 1 AS one",
        "comparison_prompt": f"{QUESTION} {mark(number)}?",
        "minimum_comparison_value": 7,
    }
    server, config = task.servers[0].name, Json(canonical_json(asked))
    judged = Verifier(name="judged", kind="response_check", server=server, config=config)
    verifiers = (*task.verifiers, judged) if number % 2 == 0 else task.verifiers
    return replace(task, user_prompt=f"{task.user_prompt} {mark(number)}", verifiers=verifiers)


def script_of(task: Task, number: int) -> tuple[str, Replies]:
    """Return the kind of the model's work on a task, and its replies."""
    gold = gold_script(task)
    calls = [(name, arguments) for name, arguments in gold["calls"]]
    kind = list(KINDS)[number % len(KINDS)] if calls else "declines"
    return kind, KINDS[kind](calls, gold["answer"], Random(number))


def run(tasks: Sequence[Task], checkout: Path, folder: Path, names: Iterable[str]) -> bool:
    """Compare both sides by these orchestrators, print it, and return whether they agree as they have to."""
    save_suite(tasks, folder / "suite", {})
    worked = {
        number: script_of(task, int(number)) for task in tasks for number in MARK.findall(task.user_prompt)
    }
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(kind for kind, _ in worked.values()).items())
    print(f"{len(tasks)} tasks, {sum(task.feasible is False for task in tasks)} infeasible: {kinds}")
    scripts = {number: replies for number, (_, replies) in worked.items()}
    agreed = []
    for name in names:
        comparison = compare(name, tasks, scripts, checkout, folder)
        show(comparison)
        score(checkout, folder / name)
        agreed.append(comparison.agrees())
    return all(agreed)


def compare(
    name: str, tasks: Sequence[Task], scripts: Mapping[str, Replies], checkout: Path, folder: Path
) -> Comparison:
    """Have both sides work the suite by an orchestrator; stores and result files stay in the folder."""
    sides = []
    for side in (HARNESS, OURS):
        model, suite = FallibleModel(scripts, decomposing=name == "decomposing"), folder / "suite"
        with endpoint(model) as served:
            settings = our_settings(suite, name, served.url)
            if side == HARNESS:
                settings = harness_settings(suite, name, checkout, served.url, folder)
            collect(settings, folder / name / side)
        sides.append(facts_by_task(folder / name / side / "store", tasks, model))
    return Comparison(name, *sides)


def show(comparison: Comparison) -> None:
    """Print an orchestrator's figures and differences."""
    print(f"\n{comparison.name}")
    for side, found in ((HARNESS, comparison.harness), (OURS, comparison.ours)):
        print(f"  {side:8} {_figures(list(found.values()))}")
    for fact in (*SCORED, *CALLED, *TOLD):
        differing = comparison.differing(fact)
        print(f"  {fact}: {len(differing)} tasks differ {' '.join(differing)}".rstrip())
        for task in differing if fact not in TOLD else ():
            for side, found in ((HARNESS, comparison.harness), (OURS, comparison.ours)):
                print(f"    {mark(int(task))} {side:8} {found[task][fact]}"[:SHOWN])
    sys.stdout.flush()


def _figures(facts: Sequence[Facts]) -> str:
    """Return the figures of a side in a line; a run that erred counts as 0."""
    count = len(facts) or 1
    success, verifiers = (sum(one[name] for one in facts) / count for name in ("success", "verifiers"))
    asked: Counter[str] = sum((Counter(one["model calls"]) for one in facts), Counter())
    ran, erred = sum(len(one["tool calls"] or ()) for one in facts), sum(one["errors"] for one in facts)
    calls = ", ".join(f"{n} {kind}" for kind, n in sorted(asked.items()))
    head = f"{len(facts)} tasks, success {success:.2%}, verifiers {verifiers:.2%}, {erred} errors"
    return f"{head}, {ran} tool calls, model calls: {calls}"


def score(checkout: Path, folder: Path) -> None:
    """Print what the harness's score script, where it is there, gives of its own files and of ours."""
    if not (checkout / "compute_score.py").exists():
        return
    scored = folder / "scored"
    (scored / OURS).mkdir(parents=True)
    (folder / HARNESS / "results").rename(scored / HARNESS)
    with Store.open(str(folder / OURS / "store")) as store:
        load("format", "enterpriseops")().write(episode_bundles(store), scored / OURS)
    command = [checkout / ".venv/bin/python", checkout / "compute_score.py", "--results_folder", scored]
    print(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip(), flush=True)


def main() -> None:
    """Compare, and print every figure once."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", nargs="?", default=os.environ.get("EOPS_TRAJ_HARNESS"))
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(ORCHESTRATORS), help="may be repeated")
    options = parser.parse_args()
    if not options.checkout:
        parser.error("name a checkout of EnterpriseOps-Gym, or set EOPS_TRAJ_HARNESS")
    with tempfile.TemporaryDirectory() as folder:
        tasks = make_tasks(options.tasks, options.seed)
        names = options.only or list(ORCHESTRATORS)
        agreed = run(tasks, Path(options.checkout).absolute(), Path(folder), names)
    sys.exit(0 if agreed else 1)


if __name__ == "__main__":
    main()
