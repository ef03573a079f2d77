"""The judge's reply is read as the benchmark reads it, and a score off the scale is no strict pass."""

import pytest

from eops_traj.errors import FormatError
from eops_traj.verify.judge import Rating, rate


def rated(reply: str) -> Rating:
    return rate(lambda prompt: reply, "Is the state told?", {"data": [{"state": "open"}]}, "It is open.")


@pytest.mark.parametrize("score", [1, 1.0, 7.5, 10])
def test_a_score_on_the_scale_is_sound(score: float) -> None:
    assert Rating(score, "").sound


@pytest.mark.parametrize("score", [0, 0.9, 10.1, 11, -3, float("nan"), True, "7", None, [7]])
def test_a_score_off_the_scale_is_not(score: object) -> None:
    assert not Rating(score, "").sound


def test_a_missing_score_is_zero_and_a_missing_reason_is_empty() -> None:
    assert rated('{"reasoning": "none given"}') == Rating(0, "none given")
    assert rated('{"score": 8}') == Rating(8, "")


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 8}',
        '```json\n{"score": 8}\n```',
        '```\n{"score": 8}```',
        'So:\n```json\n{"score": 8}\n```\n```json\n{"score": 2}\n```',
    ],
)
def test_the_first_fenced_part_is_the_reply(reply: str) -> None:
    assert rated(reply).score == 8


@pytest.mark.parametrize("reply", ['```json\n{"score": 8}', '{"score": 8}\n```', "8", "[8]", ""])
def test_what_is_no_object_is_refused(reply: str) -> None:
    with pytest.raises(FormatError):
        rated(reply)


def test_the_judge_is_shown_task_rows_and_answer() -> None:
    prompts: list[str] = []
    rate(lambda prompt: prompts.append(prompt) or "{}", "THE TASK", {"data": [{"state": "open"}]}, "ANSWER")
    [prompt] = prompts
    assert "THE TASK" in prompt and '"state": "open"' in prompt and "ANSWER" in prompt
