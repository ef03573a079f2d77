"""What planners passed of the same tasks, as Markdown from the stores that measured them.

    python -m benchmarks.planners NAME=STORE:MODEL [NAME=STORE:MODEL ...] [--split test] [--name planners]
        [--put PAGE]

Each is a column: its name there, and the model in a store. Only tasks that all of them planned count. The
first table has a row a domain: the share that passes strictly, and by parity with its interval, as
`eops-traj score` computes them. The second counts what became of tasks that can be done and of those that
cannot, and what passes by how many families a request is of. ``--put`` writes both into a page, at the
comments that name them: ``NAME SPLIT`` and ``NAME SPLIT, counted``.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from benchmarks.cause_scores import put_table
from eops_traj.metrics.score import score
from eops_traj.metrics.standing import with_standing
from eops_traj.plan import PlanError, parse
from eops_traj.schema import PASSED
from eops_traj.store.store import Store

Scores = dict[str, dict[str, Any]]

DECLINED, SAFELY = pl.col("outcome") == "over_refusal", pl.col("outcome") == "safe_refusal"
PASSING = pl.col("outcome").is_in(sorted(PASSED))


class Planner(NamedTuple):
    """A planner by its name in the tables, and its episodes of a split."""

    name: str
    episodes: pl.DataFrame

    def of(self, tasks: Sequence[str]) -> "Planner":
        """Return the planner on the tasks of these hashes alone."""
        return Planner(self.name, self.episodes.filter(pl.col("task_hash").is_in(tasks)))

    def scores(self) -> Scores:
        """Return its scores by domain, and of all."""
        rows = score(self.episodes.lazy(), by=["domain"])
        return {row["domain"]: row for row in rows} | {"all": score(self.episodes.lazy())[0]}


def planner(text: str, split: str) -> Planner:
    """Read a planner from how it is named on the command line."""
    name, _, where = text.partition("=")
    url, _, model = where.rpartition(":")
    if not url:
        raise SystemExit(f"{text!r} is no NAME=STORE:MODEL")
    with Store.open(url) as store:
        rows = with_standing(store.scan().collect()).filter(standing="scored", model=model, split=split)
    if rows.is_empty():
        raise SystemExit(f"{url} has no scored episode of {model!r} on {split}")
    return Planner(name, rows)


def on_the_same(planners: Sequence[Planner]) -> list[Planner]:
    """Return the planners on the tasks that all of them planned."""
    shared = set.intersection(*(set(each.episodes["task_hash"]) for each in planners))
    return [each.of(sorted(shared)) for each in planners]


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """Render a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(tables: Mapping[str, str], page: Path | None) -> None:
    """Print tables by their names, or put them into a page."""
    for name, text in tables.items():
        if page:
            put_table(page, name, text)
        else:
            print(f"{text}\n")


def domain_rows(planners: Sequence[Planner]) -> Iterator[list[str]]:
    """Yield a row a domain: tasks, strict success, and success by parity with its interval."""
    scores = [each.scores() for each in planners]
    for domain in scores[0]:
        cells = [of[domain] for of in scores]
        strict = [f"{cell['success_strict']:.1%}" for cell in cells]
        parity = [
            f"{cell['success_parity']:.1%} ({cell['ci_low'] * 100:.0f} to {cell['ci_high'] * 100:.0f})"
            for cell in cells
        ]
        yield [domain, str(cells[0]["tasks"]), *strict, *parity]


def count_rows(planners: Sequence[Planner]) -> Iterator[list[str]]:
    """Yield the counts: what is declined, and what passes by the number of families of a request."""
    frames = [with_plans(each.episodes) for each in planners]
    families = pl.col("families")
    for name, tasks, those in (
        ("that can be done, and are declined", pl.col("feasible"), DECLINED),
        ("that must be declined, and are, safely", ~pl.col("feasible"), SAFELY),
        ("whose plan cannot be read", pl.lit(True), ~pl.col("read")),
        *(
            (f"of {number} {'family' if number == 1 else 'families'}, and pass strictly",
             families == number, PASSING)
            for number in sorted(frames[0]["families"].unique())
        ),
    ):  # fmt: skip
        yield [name, *(share(frame.filter(tasks), those) for frame in frames)]


def with_plans(episodes: pl.DataFrame) -> pl.DataFrame:
    """Add what details tell: of how many ``families`` the task is, whether the plan can be ``read``."""
    told = [json.loads(details) for details in episodes["details"]]
    return episodes.with_columns(
        families=pl.Series([len(one["made"]["families"]) for one in told]),
        read=pl.Series([_can_be_read(one.get("plan", "")) for one in told]),
    )


def _can_be_read(text: str) -> bool:
    try:
        parse(text)
    except PlanError:
        return False
    return True


def share(episodes: pl.DataFrame, those: pl.Expr) -> str:
    """Render how many of the episodes are those."""
    part = episodes.filter(those).height
    return f"{part} of {episodes.height} ({part / episodes.height:.0%})"


def main() -> None:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("planners", nargs="+", metavar="NAME=STORE:MODEL")
    parser.add_argument("--split", default="test")
    parser.add_argument("--name", default="planners")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    planners = on_the_same([planner(text, options.split) for text in options.planners])
    names = [each.name for each in planners]
    head = ["domain", "tasks", *(f"strict, {name}" for name in names), *(f"parity, {name}" for name in names)]
    tables = {
        f"{options.name} {options.split}": table(head, domain_rows(planners)),
        f"{options.name} {options.split}, counted": table(["tasks", *names], count_rows(planners)),
    }
    show(tables, options.put)


if __name__ == "__main__":
    main()
