"""Rows for planners: what comes of each episode, or why nothing does."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.plan_rows import PlannerRows
from eops_traj.export.run import Export
from eops_traj.instances import load
from eops_traj.schema import Json
from tests.collectors.group_tasks import TASK
from tests.exporters.attempts import CHATTER, GOLD, SHORT, export, mixed, numbered, planned, store_with
from tests.selected import certificate


def written(
    folder: Path, format: str, bundles: list[EpisodeBundle], **options: Any
) -> tuple[PlannerRows, list[str]]:
    """The exporter once it has written the rows of these episodes, and the ids that it names the rows by."""
    cls = load("format", format)
    exporter = cls(cls.takes(**options))
    return exporter, exporter.write(bundles, folder)


def changed(bundle: EpisodeBundle, **fields: Any) -> EpisodeBundle:
    return replace(bundle, episode=replace(bundle.episode, **fields))


def test_each_episode_is_counted_and_why_nothing_comes_of_it(tmp_path: Path) -> None:
    good, broken, again, defective, closed, reactive = planned(TASK, GOLD, *[SHORT] * 5)
    nowhere = tuple(replace(server, name="nowhere") for server in closed.episode.servers)
    made = {"made": {"families": ["f"], "draw": "d", "reactive": ["it is a free choice"]}}
    bundles = [
        good,
        changed(broken, outcome="error", error="no reply"),
        changed(again, outcome="error", error="no reply"),
        changed(defective, task_defect="cannot_pass: x"),
        changed(closed, servers=nowhere, task_hash="closed"),
        changed(reactive, details=Json(json.dumps(made))),
    ]
    exporter, ids = written(tmp_path, "planner_sft", numbered(bundles))
    assert ids == ["e0"]
    nothing = {what: n for what, n in exporter.counts.items() if what.startswith("episodes")}
    why = [
        what for what in nothing if what.startswith("episodes whose task cannot be opened: unknown server")
    ]
    assert nothing == {
        "episodes": 6, "episodes that ended in error": 2, "episodes of defective tasks": 1, why[0]: 1,
        "episodes of work that no plan can do": 1,
    }  # fmt: skip


def test_a_row_is_named_after_the_first_of_its_episodes(tmp_path: Path) -> None:
    assert written(tmp_path, "planner_sft", mixed())[1] == ["e0", "e7", "e5"]


@pytest.mark.parametrize(
    ("format", "sides"), [("planner_dpo", ["chosen"]), ("prompts", []), ("kto", ["completion"])]
)
def test_the_conversation_of_a_row_is_its_prompt_and_the_first_of_its_replies(
    tmp_path: Path, format: str, sides: list[str]
) -> None:
    exporter, _ = written(tmp_path, format, mixed())
    for row in exporter.read(tmp_path):
        assert row.messages == [*row.record["prompt"], *(m for side in sides for m in row.record[side])]


def test_rows_that_say_the_same_are_one_and_counted(tmp_path: Path) -> None:
    other = replace(TASK, user_prompt=TASK.user_prompt.replace("0100", "0199"))
    bundles = numbered([*planned(TASK, GOLD, SHORT), *planned(other, GOLD, SHORT, CHATTER)])
    exporter, _ = written(tmp_path, "kto", bundles, values="marked", tools="none", prompt="plan_short")
    same = {what: n for what, n in exporter.counts.items() if what.startswith("labelled plans")}
    assert same == {
        "labelled plans": 4, "labelled plans, success": 2, "labelled plans, failure": 2,
        "labelled plans that say what one before says": 1,
    }  # fmt: skip


def test_no_folder_of_this_machine_is_in_a_certificate(tmp_path: Path) -> None:
    made = certificate(export(tmp_path, "planner_sft", planned(TASK, GOLD), seeds=tmp_path))
    assert "seeds" not in made["options"] and str(tmp_path) not in json.dumps(made["options"])


def test_reasoning_has_no_place_in_a_plan(tmp_path: Path) -> None:
    store = str(store_with(tmp_path, planned(TASK, GOLD)))
    with pytest.raises(InputError, match="planner_sft holds no reasoning of its own"):
        Export("planner_sft", store, "chosen", tmp_path / "out", reasoning=True).run()
