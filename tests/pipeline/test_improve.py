"""Two rounds of improvement, the second begun later: a planner that only declines goes on declining."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from eops_traj.train.config import Leak
from tests.collectors.group_tasks import TASK, TWIN
from tests.conftest import Ran
from tests.planner_data import SHORT, planner_prompt, reply, task_files
from tests.tiny_model import train_tiny_model

pytestmark = pytest.mark.slow
ALLOWED = ",".join(get_args(Leak))
"""Every leak: what is held out here is what is learnt from."""

OTHER = replace(TASK, user_prompt=f"{TASK.user_prompt} Thank you.")
"""Twins share a prompt, and no plan of it passes on both."""


def lineage(model: Path) -> dict[str, object]:
    told: dict[str, object] = json.loads((model / "lineage.json").read_text())
    return told


def test_rounds_are_measured_go_on_and_know_where_they_come_from(
    cli: Callable[..., Ran], tmp_path: Path
) -> None:
    for name, split in (("more", "train"), ("apart", "test")):
        task_files(tmp_path / name, [replace(task, split=split) for task in (OTHER, TWIN)])
    refusal = reply("REFUSE: this is not for you to ask")
    rows = [{"messages": planner_prompt(task, SHORT) + refusal, "tools": []} for task in (OTHER, TWIN)]
    model = train_tiny_model(tmp_path / "model", rows)
    asked = (
        "improve",
        model,
        "--tasks",
        tmp_path / "more",
        "--held-out",
        tmp_path / "apart",
        "--method",
        "sft",
    )
    shown = ("--shown", "tools=none", "--shown", "values=plain")
    how = ("--config", "train_scratch_more", *shown, "--allow", ALLOWED, "--samples", "2")
    aids = ("--gold", "--control", "train_scratch_more", "--json")
    for count in (1, 2):
        ran = cli(*asked, *how, *aids, "--work", tmp_path / "work", "--rounds", count, "max_steps=2")
        assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["planner"] == str(tmp_path / "work" / "round-2" / "planner" / "model")
    (passed,) = (row for row in told["results"] if row["rate"] == "strict pass@1")
    names = ("round-0", "control-1", "round-1", "control-2", "round-2")
    assert [passed[name] for name in names] == ["50.0%"] * 5 and passed["tasks"] == 2
    assert {"control-2 - round-1", "round-2 - control-2", "round-2 - round-0"} <= passed.keys()
    for number in (1, 2):
        spent = sum(told["seconds"][f"{stage}-{number}"] for stage in ("sample", "learn"))
        run = tmp_path / "work" / f"control-{number}" / "planner"
        kept = json.loads((run / "metrics.json").read_text())
        assert kept["config"]["seconds"] == spent <= kept["seconds"]
    planners = [lineage(tmp_path / "work" / f"round-{n}" / "planner" / "model") for n in (1, 2)]
    assert planners[1]["parent"] == planners[0]["checkpoint"] != planners[1]["checkpoint"]
