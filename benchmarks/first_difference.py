"""Where failed plans first differ from the gold plan, as Markdown from a store.

    python -m benchmarks.first_difference STORE:MODEL TASKS [--split test] [--put PAGE]

Only tasks that can be done and are of one family count, and of these what did not pass; TASKS has their gold
plans. A step is another *value* where it is the same but for its texts and numbers, another *reference* where
only the steps that it refers to differ, another *form* where it calls the same tool otherwise. ``--put``
writes the table into a page, at the comment ``first difference``.
"""

import argparse
import json
import re
from collections import Counter
from itertools import zip_longest
from pathlib import Path

from benchmarks.planners import PASSING, planner, show, table
from eops_traj.tasks.catalog import load

NOWHERE = "nowhere"
KINDS = (
    "another value",
    "another reference",
    "another form",
    "another step",
    "ends too early",
    "goes on",
    NOWHERE,
)
_STEP = re.compile(r"^\d+\. ")
_REFERENCE = re.compile(r"\$\d+")
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w$])-?\d+(?:\.\d+)?')
_PREFIX = re.compile(r"^(?:for|when) .*?: (?=\w+\()")


def lines_of(plan: str) -> list[str]:
    """Return the steps of a plan without their numbers and reasons."""
    return [_STEP.sub("", line.partition(" -- ")[0]).strip() for line in plan.splitlines() if line.strip()]


def first_difference(gold: str, plan: str) -> str:
    """Return of what kind the first step is in which a plan differs."""
    for right, written in zip_longest(lines_of(gold), lines_of(plan)):
        if right != written:
            return _kind(right, written)
    return NOWHERE


def _kind(right: str | None, written: str | None) -> str:
    if right is None or written is None:
        return "goes on" if right is None else "ends too early"
    if _tool(right) != _tool(written):
        return "another step"
    bare = [_REFERENCE.sub("$", step) for step in (right, written)]
    if bare[0] == bare[1]:
        return "another reference"
    alike = _VALUE.sub("?", bare[0]) == _VALUE.sub("?", bare[1])
    return "another value" if alike else "another form"


def _tool(step: str) -> str:
    return _PREFIX.sub("", step).partition("(")[0]


def main() -> None:
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("planner", metavar="STORE:MODEL")
    parser.add_argument("tasks")
    parser.add_argument("--split", default="test")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    gold = {task.task_id: task.plan or "" for task in load(options.tasks)}
    failed = planner(f"x={options.planner}", options.split).episodes.filter("feasible", ~PASSING)
    counts = Counter[str]()
    for task_id, details in failed.select("task_id", "details").iter_rows():
        told = json.loads(details)
        if len(told["made"]["families"]) == 1:
            counts[first_difference(gold[task_id], told.get("plan", ""))] += 1
    rows = ([kind, str(counts[kind]), f"{counts[kind] / max(counts.total(), 1):.0%}"] for kind in KINDS)
    show({"first difference": table(["first difference", "plans", "share"], rows)}, options.put)


if __name__ == "__main__":
    main()
