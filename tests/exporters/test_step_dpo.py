"""Pairs of single decisions: one message each, equal prompts and states up to them."""

import json
from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.export.certificate import inspect
from eops_traj.export.checks import Expected
from eops_traj.export.decisions import prefix_hash
from eops_traj.exporters.step_dpo import StepDpo
from tests.collectors.asked import TASK, TWIN
from tests.export.test_step_pairs import DONE, GOOD, JOIN, PERSON, WRONG
from tests.exporters.attempts import export, numbered, samples
from tests.planner.made import episode_of
from tests.selected import certificate, lines
from tests.tokenizers import saved


def siblings():
    """Three attempts at a task, of which one ends well, and one at another."""
    attempts = (GOOD, (PERSON, WRONG, DONE), (PERSON, JOIN, DONE))
    made = [episode_of(TASK, "react", turns) for turns in attempts]
    return numbered([*made, episode_of(TWIN, "react", [DONE])])


def test_a_row_is_one_decision_with_two_replies(tmp_path):
    from datasets import load_dataset

    folder = export(tmp_path, "step_dpo", siblings(), tokenizer=saved(tmp_path / "tokenizer"))
    first, second = lines(folder)
    assert [m["role"] for m in first["prompt"]] == ["system", "user", "assistant", "tool"]
    assert [m["role"] for m in first["chosen"] + first["rejected"]] == ["assistant"] * 2
    given = [row["tool_calls"][0]["function"]["arguments"] for row in (*first["chosen"], *first["rejected"])]
    assert given == [{"group_id": 1, "user_id": 8}, {"group_id": 1, "user_id": 7}]
    assert second["rejected"][0]["content"] == "Done." and second["turns"] == [2, 2]
    assert first["state_hash"] != second["state_hash"]
    assert all(prefix_hash(row["prompt"], row["tools"]) == row["prefix_hash"] for row in (first, second))
    found = certificate(folder)
    assert {check["status"] for check in found["checks"].values()} == {"passed"}
    assert {"same_prefix", "same_state", "replies_as_made", "loss_mask"} < set(found["checks"])
    rows = load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert rows[0]["prompt"] == first["prompt"] and rows[1]["rejected"] == second["rejected"]


def spoiled(folder, column, change):
    """The checks that fail once a column of the first row is changed."""
    exporter = StepDpo()
    ids = exporter.write(samples(siblings()), folder)
    path = folder / "data" / "train.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0][column] = change(rows[0][column])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results, _ = inspect(exporter, folder, [Expected(i, "", 0) for i in ids], None, lambda _: None)
    return {result.check for result in results if result.failures}


SPOILED = [
    ("prompt", lambda said: said[:-1], {"same_prefix", "one_decision"}),
    ("prefix_hash", lambda text: "0" * 24, {"same_prefix"}),
    ("state_hash", lambda text: "0" * 24, {"same_state"}),
    ("chosen", lambda said: [{**said[0], "content": "Then."}], {"replies_as_made"}),
    ("rejected", lambda said: [*said, *said], {"replies_as_made", "one_decision"}),
    ("tools", lambda tools: tools[1:], {"same_prefix"}),
]


@pytest.mark.parametrize(("column", "change", "found"), SPOILED)
def test_a_spoiled_row_is_found(tmp_path, column, change, found):
    assert spoiled(tmp_path, column, change) == found


def test_episodes_whose_changes_nobody_recorded_are_left_out(tmp_path):
    made = [replace(m, episode=replace(m.episode, changeset=None)) for m in siblings()]
    with pytest.raises(InputError, match="no pair of decisions to make: of 0 episodes of 0 tasks"):
        export(tmp_path, "step_dpo", made)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_selection_with_no_pair_to_make_is_bad_input(tmp_path):
    made = numbered([episode_of(TASK, "react", GOOD), episode_of(TWIN, "react", [DONE])])
    with pytest.raises(InputError, match="of 2 episodes of 2 tasks no two came to the same place"):
        export(tmp_path, "step_dpo", made)
