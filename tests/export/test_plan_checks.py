"""A row that was tampered with after it was written fails the check that it breaks."""

import json

import pytest

from eops_traj.export.certificate import check_rows
from eops_traj.export.checks import ExpectedRow
from eops_traj.instances import load
from tests.collectors.group_tasks import TASK, TWIN
from tests.exporters.attempts import GOLD, REFUSAL, SHORT, mixed, numbered, planned


def failures(folder, format, spoil, bundles=()):
    """The checks that fail once the first row is spoiled, each with what it says of the row."""
    exporter = load("format", format)()
    ids = exporter.write(bundles or mixed(), folder)
    path = folder / "data" / "train.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    spoil(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = [ExpectedRow(i, "", 0, {"split": "train"}) for i in ids]
    results, _ = check_rows(exporter, folder, expected, None, lambda _: None)
    return {result.check: result.failures[0].why for result in results if result.failures}


def says(side, text):
    def spoil(rows):
        rows[0][side][0]["content"] = text

    return spoil


def relabelled(rows):
    rows[0]["label"] = not rows[0]["label"]


def repeated(rows):
    rows[1] = rows[0]


def answer_in_prompt(rows):
    rows[0]["prompt"][1]["content"] += rows[0]["completion"][0]["content"]


def unscored(rows):
    rows[0]["task"] = rows[0]["task"].replace(r"\"expected_value\":1", r"\"expected_value\":0")


def closed(rows):
    task = json.loads(rows[0]["task"])
    rows[0]["task"] = json.dumps({**task, "servers": [{**task["servers"][0], "name": "nowhere"}]})


SPOILED = [
    ("planner_sft", says("completion", SHORT), {"completion_passes"}),
    ("planner_sft", says("completion", "no plan at all"), {"completion_passes"}),
    ("planner_sft", answer_in_prompt, {"prompt_holds_no_answer"}),
    ("planner_sft", repeated, {"no_duplicates"}),
    ("planner_dpo", says("chosen", REFUSAL), {"chosen_passes"}),
    ("planner_dpo", says("rejected", GOLD + " "), {"rejected_fails", "sides_differ"}),
    ("kto", relabelled, {"label_is_proven"}),
    ("prompts", unscored, {"task_scores"}),
    ("prompts", closed, {"task_scores"}),
]


@pytest.mark.parametrize(("format", "spoil", "failing"), SPOILED)
def test_a_spoiled_row_is_found(tmp_path, format, spoil, failing):
    assert failures(tmp_path, format, spoil).keys() == failing


@pytest.mark.parametrize(
    ("format", "side", "text", "why"),
    [
        ("planner_sft", "completion", SHORT, "proves as failure"),
        (
            "planner_sft",
            "completion",
            "no plan",
            "proves as failure (line 1: expected `1. tool(...)`, found 'no plan')",
        ),
        ("planner_dpo", "rejected", GOLD + " ", "proves as success"),
    ],
)
def test_what_a_plan_proves_as_is_said(tmp_path, format, side, text, why):
    found = failures(tmp_path, format, says(side, text))
    assert f"its {side} {why}" in found.values()


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_tasks_the_one_is_named_on_which_a_plan_fails(tmp_path, order):
    def spoil(rows):
        says("completion", REFUSAL)(rows)
        rows[0]["task_hashes"] = rows[0]["task_hashes"][::order]

    found = failures(tmp_path, "planner_sft", spoil, numbered([*planned(TASK, GOLD), *planned(TWIN, GOLD)]))
    assert found["completion_passes"] == "its completion proves as over_refusal"
