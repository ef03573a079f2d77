"""Plans to imitate: those that good episodes followed, each once, each proven."""

import json
from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.schema import Json
from tests.collectors.group_tasks import BY_SLOTS, TASK, TWIN
from tests.collectors.scripted_context import scripted_turn
from tests.exporters.attempts import (
    CHATTER,
    GOLD,
    HASTY,
    LEFT,
    REFUSAL,
    SHORT,
    export,
    mixed,
    numbered,
    planned,
    rows,
)
from tests.planner.attempts import episode_of
from tests.selected import certificate, lines
from tests.tokenizers import save_tokenizer


def test_each_distinct_plan_that_passes_is_one_row(tmp_path):
    columns, records = ("task_id", "episode_ids", "outcome"), rows(tmp_path, "planner_sft", mixed())
    assert [(row["completion"][0]["content"], *(row[c] for c in columns)) for row in records] == [
        (GOLD, TASK.task_id, ["e0", "e4"], "success"),
        (REFUSAL, LEFT.task_id, ["e7"], "safe_refusal"),
        (GOLD, LEFT.task_id, ["e5"], "safe_refusal"),
    ]


def test_the_prompt_is_what_a_planner_is_shown(tmp_path):
    bundles = planned(TASK, GOLD)
    view = PlannerView(policy="reference", tools="none", prompt="plan_short")
    folder = export(tmp_path, "planner_sft", bundles, **view.model_dump())
    messages = planner_messages(TASK.system_prompt, TASK.user_prompt, (), view)
    assert [row["prompt"] for row in lines(folder)] == [messages]
    assert certificate(folder)["options"]["shown"] == view.model_dump()


def test_values_can_be_told_by_their_numbers_in_prompt_and_plan(tmp_path):
    options = {"values": "marked", "tools": "none", "prompt": "plan_short"}
    folder = export(tmp_path, "planner_sft", planned(TASK, GOLD), **options)
    [row] = lines(folder)
    asked = "Please take [name 1] into [name 2], and note his new number, [phone 1]."
    assert row["prompt"][-1]["content"] == asked
    assert row["completion"][0]["content"] == BY_SLOTS.strip()
    assert {c["status"] for c in certificate(folder)["checks"].values()} <= {"passed", "not run"}


def test_requests_that_differ_in_values_alone_are_one_row_where_these_are_not_shown(tmp_path):
    other = replace(TASK, user_prompt=TASK.user_prompt.replace("0100", "0199"))
    bundles, made = numbered([*planned(TASK, GOLD, SHORT), *planned(other, SHORT)]), {}
    for values in ("plain", "numbered", "marked"):
        (folder := tmp_path / values).mkdir()
        made[values] = rows(folder, "kto", bundles, values=values, tools="none", prompt="plan_short")
    assert {values: len(records) for values, records in made.items()} == {
        "plain": 3,
        "numbered": 3,
        "marked": 2,
    }
    assert [row["label"] for row in made["marked"]] == [True, False]


def test_the_certificate_says_what_was_checked(tmp_path):
    from datasets import load_dataset

    folder = export(tmp_path, "planner_sft", mixed(), tokenizer=save_tokenizer(tmp_path / "tokenizer"))
    written = certificate(folder)
    assert {c["status"] for c in written["checks"].values()} == {"passed"} and written["rows"] == 3
    assert {"completion_passes", "no_duplicates", "loss_mask"} < set(written["checks"])
    assert 0 < written["lengths"]["tokens_with_loss"] < written["lengths"]["tokens"]
    card = (folder / "README.md").read_text()
    assert "3 rows from 8 episodes of 2 tasks" in card and "| plans to imitate | 3 |" in card
    assert written["counts"]["episodes that did not end well"] == 4
    first = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))[0]
    assert [m["role"] for m in first["prompt"] + first["completion"]] == ["system", "user", "assistant"]


def test_a_plan_that_was_given_counts_only_where_it_is_proven(tmp_path):
    declines = [
        scripted_turn(find_user={"name": "Conrad Vogt"}),
        scripted_turn("I cannot do this: they have left."),
    ]
    bundles = [episode_of(replace(LEFT, plan=plan), "conditioned", declines) for plan in (GOLD, HASTY)]
    records = rows(tmp_path, "planner_sft", numbered(bundles))
    plans = [(row["origin"], row["completion"][0]["content"]) for row in records]
    assert plans == [("inferred", "REFUSE: they have left"), ("given", GOLD)]


def test_a_plan_read_off_an_episode_loses_what_its_outcome_does_not_need(tmp_path):
    acts = [
        scripted_turn(find_user={"name": "Iwo Olszewska"}),
        scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}),
        scripted_turn("The number.", update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
        scripted_turn("Done."),
    ]
    told = replace(TASK, user_prompt=f"{TASK.user_prompt} It is user 8; ask Iwo Olszewska for more.")
    bundles = numbered([episode_of(told, "react", acts)])
    plans = []
    for name, options in {"whole": {"prune": False}, "pruned": {}, "bare": {"reasons": False}}.items():
        (folder := tmp_path / name).mkdir()
        [row] = rows(folder, "planner_sft", bundles, **options)
        plans.append(row["completion"][0]["content"])
    whole, short, bare = plans
    tools = [[line.partition("(")[0] for line in text.splitlines()] for text in (whole, short)]
    assert tools[0][0] == "1. find_user" and len(tools[0]) == 3
    assert tools[1] == ["1. add_new_group_member", "2. update_user_details"]
    assert short == f"{bare} -- The number"


def test_a_plan_has_to_pass_on_every_task_of_its_prompt(tmp_path):
    bundles = numbered([*planned(TASK, CHATTER), *planned(TWIN, REFUSAL, GOLD)])
    [row] = rows(tmp_path, "planner_sft", bundles)
    assert row["completion"][0]["content"] == GOLD and len(row["task_hashes"]) == 2


def test_a_plan_that_stands_in_its_prompt_teaches_nothing(tmp_path):
    [row] = rows(tmp_path, "planner_sft", planned(TWIN, "REFUSE: reason", REFUSAL))
    assert row["completion"][0]["content"] == REFUSAL


def test_the_shortest_plans_come_first(tmp_path):
    [row] = rows(tmp_path, "planner_sft", planned(TWIN, GOLD, REFUSAL), max_plans=1)
    assert row["completion"][0]["content"] == REFUSAL


def test_no_plan_to_imitate_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="no plans to imitate to make: of 1 prompts 0 have a plan"):
        export(tmp_path, "planner_sft", planned(TASK, CHATTER))
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_work_that_no_plan_can_do_is_left_out(tmp_path):
    made = {"made": {"families": ["f"], "draw": "d", "reactive": ["it is a free choice"]}}
    bundles = planned(replace(TASK, details=Json(json.dumps(made))), GOLD)
    with pytest.raises(InputError, match="1 episodes of work that no plan can do"):
        rows(tmp_path, "planner_sft", bundles)
