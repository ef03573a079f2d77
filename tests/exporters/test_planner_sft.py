"""Plans to imitate: those that good episodes followed, each once, each proven."""

from dataclasses import replace

import pytest
from datasets import load_dataset

from eops_traj.errors import InputError
from eops_traj.planner.shown import Shown, planner_messages
from tests.collectors.asked import TASK, TWIN
from tests.collectors.desks import says
from tests.exporters.attempts import CHATTER, GOLD, HASTY, LEFT, REFUSAL, export, mixed, numbered, planned
from tests.planner.made import episode_of
from tests.selected import certificate, lines
from tests.tokenizers import saved


def test_each_distinct_plan_that_passes_is_one_row(tmp_path):
    folder = export(tmp_path, "planner_sft", mixed())
    rows = [
        (r["completion"][0]["content"], r["task_id"], r["episode_ids"], r["outcome"]) for r in lines(folder)
    ]
    assert rows == [
        (GOLD, TASK.task_id, ["e0", "e4"], "success"),
        (REFUSAL, LEFT.task_id, ["e7"], "safe_refusal"),
        (GOLD, LEFT.task_id, ["e5"], "safe_refusal"),
    ]
    assert certificate(folder)["counts"]["episodes that did not end well"] == 4


def test_the_prompt_is_what_a_planner_is_shown(tmp_path):
    made = planned(TASK, GOLD)
    shown = Shown(policy="reference", tools="none", prompt="plan_short")
    folder = export(tmp_path, "planner_sft", made, **shown.model_dump())
    asked = planner_messages(TASK.system_prompt, TASK.user_prompt, (), shown)
    assert [row["prompt"] for row in lines(folder)] == [asked]
    assert certificate(folder)["options"] == {"shown": shown.model_dump(), "max_plans": None}


def test_the_certificate_says_what_was_checked(tmp_path):
    folder = export(tmp_path, "planner_sft", mixed(), tokenizer=saved(tmp_path / "tokenizer"))
    found = certificate(folder)
    assert {c["status"] for c in found["checks"].values()} == {"passed"} and found["rows"] == 3
    assert {"completion_passes", "no_duplicates", "loss_mask"} < set(found["checks"])
    assert 0 < found["lengths"]["tokens_with_loss"] < found["lengths"]["tokens"]
    card = (folder / "README.md").read_text()
    assert "3 rows from 8 episodes of 2 tasks" in card and "| plans to imitate | 3 |" in card


def test_datasets_reads_the_rows_as_trl_wants_them(tmp_path):
    folder = export(tmp_path, "planner_sft", mixed())
    rows = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert [m["role"] for m in rows[0]["prompt"] + rows[0]["completion"]] == ["system", "user", "assistant"]


def test_a_plan_that_was_given_counts_only_where_it_is_proven(tmp_path):
    declines = [says(find_user={"name": "Conrad Vogt"}), says("I cannot do this: they have left.")]
    made = [episode_of(replace(LEFT, plan=plan), "conditioned", declines) for plan in (GOLD, HASTY)]
    folder = export(tmp_path, "planner_sft", numbered(made))
    found = [(row["origin"], row["completion"][0]["content"]) for row in lines(folder)]
    assert found == [("inferred", "REFUSE: they have left"), ("given", GOLD)]


def test_a_plan_has_to_pass_on_every_task_of_its_prompt(tmp_path):
    made = numbered([*planned(TASK, CHATTER), *planned(TWIN, REFUSAL, GOLD)])
    [row] = lines(export(tmp_path, "planner_sft", made))
    assert row["completion"][0]["content"] == GOLD and len(row["task_hashes"]) == 2


def test_a_plan_that_stands_in_its_prompt_teaches_nothing(tmp_path):
    made = planned(TWIN, "REFUSE: reason", REFUSAL)
    folder = export(tmp_path, "planner_sft", made)
    assert [row["completion"][0]["content"] for row in lines(folder)] == [REFUSAL]
    assert certificate(folder)["counts"]["episodes whose plan stands in its prompt"] == 1


def test_the_shortest_plans_come_first(tmp_path):
    folder = export(tmp_path, "planner_sft", planned(TWIN, GOLD, REFUSAL), max_plans=1)
    assert [row["completion"][0]["content"] for row in lines(folder)] == [REFUSAL]


def test_no_plan_to_imitate_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="no plans to imitate to make: of 1 prompts 0 have a plan"):
        export(tmp_path, "planner_sft", planned(TASK, CHATTER))
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
