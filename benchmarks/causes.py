"""Causes against the truth: of errors put into gold plans, of the expert's slips, and real failures.

    python -m benchmarks.causes [TASKS] [--limit N] [--attempts N] [--real FOLDER] [--show KIND] [--put PAGE]

TASKS is a folder of tasks, whose gold plans are played with one error each and worked by the fallible expert.
Recall is the share of failed episodes with an injected cause in which it is named; precision is the share of
the episodes that name a cause, not as a consequence, in which it was injected. Each has its 95% interval and
its counts. ``--put`` writes the tables into a page, at the comments that name them: ``plans SEED`` and
``slips SEED``, by the seed of the tasks. ``--real`` reads result files of the benchmark's harness and prints
the share of their failures that have a cause.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.cause_scores import Score, put_table
from benchmarks.expert import collect_expert
from benchmarks.injected import inject
from eops_traj.causes.cause import NOT_THE_AGENT
from eops_traj.causes.find import causes_of
from eops_traj.collectors.importers.enterpriseops import EnterpriseOpsReader
from eops_traj.schema import PASSED, Episode
from eops_traj.store.store import Store
from eops_traj.tasks.catalog import find_tasks, root_of

SLIPS: dict[str, frozenset[str]] = {
    "no_tool": frozenset({"stopped_early", "over_refusal", "false_claim", "unfounded_refusal"}),
    "stop_early": frozenset({"stopped_early", "over_refusal"}),
    "over_refuse": frozenset({"over_refusal", "stopped_early"}),
    "skip_write": frozenset({"missing_write"}),
    "hasty": frozenset({"premature_step", "forbidden_action"}),  # the latter where it had to be declined
    "ignore_refusal": frozenset({"forbidden_action", "false_claim", "unfounded_refusal"}),
    "false_claim": frozenset({"false_claim"}),
}
"""The causes that a slip leads to, one of which has to be named: how far the work had come decides which.

One that goes on where it had to decline may get stuck for what was never looked up, and decline for that.
"""


def show_real(folder: Path) -> None:
    """Print how many failed episodes of result files have a cause, and which come first."""
    reader = EnterpriseOpsReader.open({}, [])
    bundles = [bundle for file in reader.files([folder]) for bundle in reader.read(file)]
    failed = [b for b in bundles if b.episode.outcome not in PASSED]
    causes = [causes_of(b.episode, b.system_prompt) for b in failed]
    told = sum(bool(found) for found in causes)
    first = Counter(found[0].kind for found in causes if found)
    print(
        f"real: {len(bundles)} episodes, {len(failed)} failed, {told} with a cause ({told / len(failed):.1%})"
    )
    for kind, count in first.most_common():
        print(f"  {kind:18} first error of {count}{' (the task)' if kind in NOT_THE_AGENT else ''}")


def expert_episodes(tasks: str, attempts: int, limit: int | None) -> Iterator[tuple[str, Episode]]:
    """Yield the failed episodes of the expert that made a slip with known causes, one kind at a time."""
    for slip in SLIPS:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "store")
            collect_expert(tasks, store, attempts, limit, rate=0, rates={slip: 1})
            with Store.open(store) as opened:
                for episode in opened.episodes():
                    made = [one["slip"] for one in json.loads(episode.details).get("slips", [])]
                    if slip in made and episode.outcome not in PASSED:
                        yield slip, episode


def score_injected(tasks: str, limit: int | None, score: Score) -> None:
    """Add every failed attempt with one error."""
    for task in find_tasks(tasks, limit=limit):
        for one in inject(task, root_of(tasks)) if task.feasible is not False else ():
            score.add(one.causes, one.what, one.episode)


def show_wrong(wrong: Iterable[tuple[str, str, str]], kind: str) -> None:
    """Print what was named in place of an injected cause."""
    for label, what, told in wrong:
        if kind in label or kind in told:
            print(f"- {label} | {what[:200]}\n    {told[:600]}")


def main() -> None:
    """Score and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tasks", nargs="?")
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--show", help="Print the episodes where this kind is named or missed wrongly.")
    parser.add_argument("--put", type=Path, help="A page to put the tables into.")
    options = parser.parse_args()
    if options.real:
        show_real(options.real)
    for name, score in scores(options) if options.tasks else ():
        print(f"{name}\n\n{score.table()}\n")
        if options.put:
            put_table(options.put, name, score.table())
        if options.show:
            show_wrong(score.wrong, options.show)


def scores(options: argparse.Namespace) -> Iterator[tuple[str, Score]]:
    """Yield the score of errors in gold plans and the one of the expert's slips, each with its name."""
    seed = json.loads((Path(options.tasks) / "suite.json").read_text(encoding="utf-8"))["seed"]
    plans, slips = Score(), Score()
    score_injected(options.tasks, options.limit, plans)
    yield f"plans {seed}", plans
    for slip, episode in expert_episodes(options.tasks, options.attempts, options.limit):
        slips.add(SLIPS[slip], slip, episode)
    yield f"slips {seed}", slips


if __name__ == "__main__":
    main()
