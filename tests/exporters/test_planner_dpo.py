"""Pairs of plans: one proven to pass, one proven to fail, both ways of refusing wrongly among them."""

import json
from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.schema import ToolSet
from tests.collectors.group_tasks import TASK, TWIN
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
from tests.selected import certificate
from tests.tokenizers import save_tokenizer


def sides(records):
    return [(r["task_id"], r["chosen"][0]["content"], r["rejected"][0]["content"]) for r in records]


def test_acting_and_refusing_are_held_against_each_other(tmp_path):
    records = rows(tmp_path, "planner_dpo", mixed(), max_pairs=3, balance=False)
    assert sides(records) == [
        (TASK.task_id, GOLD, SHORT),
        (TASK.task_id, GOLD, REFUSAL),
        (TASK.task_id, GOLD, CHATTER),
        (LEFT.task_id, REFUSAL, HASTY),
    ]
    outcomes = [row["rejected_outcome"] for row in records]
    assert outcomes == ["failure", "over_refusal", "failure", "unsafe_action"]
    for row in records:
        task = TASK if row["task_id"] == TASK.task_id else LEFT
        passed = [evaluate_plan(row[side][0]["content"], task).passed for side in ("chosen", "rejected")]
        assert passed == [True, False]


def test_what_is_right_for_one_twin_alone_is_rejected_for_their_prompt(tmp_path):
    bundles = numbered([*planned(TASK, GOLD), *planned(TWIN, REFUSAL)])
    [row] = rows(tmp_path, "planner_dpo", bundles, balance=False)
    assert sides([row]) == [(TASK.task_id, GOLD, REFUSAL)] and row["rejected_outcome"] == "over_refusal"


def test_a_task_with_other_tools_has_pairs_of_its_own(tmp_path):
    bundles = planned(TASK, GOLD, SHORT, GOLD, CHATTER)
    more = ToolSet.of([*json.loads(bundles[0].toolset.tools), {"name": "another"}])
    bundles[2:] = [replace(bundle, toolset=more) for bundle in bundles[2:]]
    records = rows(tmp_path, "planner_dpo", numbered(bundles), balance=False, negatives="written")
    assert [pair[1:] for pair in sides(records)] == [(GOLD, SHORT), (GOLD, CHATTER)]


def test_requests_that_are_shown_alike_have_pairs_of_their_own(tmp_path):
    other = replace(TASK, user_prompt=TASK.user_prompt.replace("Service Desk", "Talent Team"))
    bundles = numbered([*planned(TASK, GOLD, SHORT), *planned(other, GOLD, CHATTER)])
    told = {"values": "marked", "tools": "none", "prompt": "plan_short"}
    records = rows(tmp_path, "planner_dpo", bundles, balance=False, negatives="written", **told)
    assert records[0]["prompt"] == records[1]["prompt"]
    assert [row["rejected_outcome"] for row in records] == ["failure", "failure"]
    chatter = CHATTER.replace("Conrad Vogt", "[name 1]")
    assert [row["rejected"][0]["content"] == chatter for row in records] == [False, True]


def test_the_certificate_says_what_was_checked(tmp_path):
    written = certificate(
        export(tmp_path, "planner_dpo", mixed(), tokenizer=save_tokenizer(tmp_path / "tokenizer"))
    )
    assert {c["status"] for c in written["checks"].values()} == {"passed"} and written["rows"] == 3
    assert {"chosen_passes", "rejected_fails", "sides_differ"} < set(written["checks"])
    assert (written["options"]["max_pairs"], written["options"]["balance"]) == (2, True)
    assert written["counts"]["pairs of plans"] == 3


def test_a_given_plan_is_paired_with_how_it_was_departed_from(tmp_path):
    skips = [
        scripted_turn(find_user_group={"name": "Service Desk"}),
        scripted_turn(find_user={"name": "Conrad Vogt"}),
        scripted_turn(check_user_membership={"user_id": 8, "group_id": 1}),
        scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}),
        scripted_turn("Done."),
    ]
    bundles = numbered([*planned(TASK, GOLD), episode_of(TASK, "conditioned", skips)])
    [row] = rows(tmp_path, "planner_dpo", bundles, balance=False)
    assert row["rejected_origin"] == "deviated" and row["rejected"][0]["content"] == SHORT
    assert row["episode_ids"] == ["e0", "e1"]


def test_negatives_may_be_those_alone_that_a_planner_wrote(tmp_path):
    acts = [scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}), scripted_turn("Done.")]
    bundles = numbered([*planned(TASK, GOLD, CHATTER), episode_of(TASK, "react", acts)])
    for negatives, origins in {"any": ["inferred", "written"], "written": ["written"]}.items():
        (folder := tmp_path / negatives).mkdir()
        pairs = rows(folder, "planner_dpo", bundles, negatives=negatives, balance=False)
        assert sorted(row["rejected_origin"] for row in pairs) == origins


def test_the_same_selection_gives_the_same_pairs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert rows(tmp_path / "a", "planner_dpo", mixed()) == rows(tmp_path / "b", "planner_dpo", mixed())


@pytest.mark.parametrize("texts", [[GOLD], [SHORT, CHATTER]])
def test_a_selection_with_no_pair_to_make_is_bad_input(tmp_path, texts):
    with pytest.raises(InputError, match=r"no pairs of plans to make: of 1 prompts .* 0 both"):
        export(tmp_path, "planner_dpo", planned(TASK, *texts), balance=False)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
