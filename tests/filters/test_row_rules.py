"""Each row rule: one episode it keeps, one it drops, and one where what it asks is not known."""

from typing import Any

import pytest

from eops_traj.filters.cause import Cause
from eops_traj.filters.no_loop import LOOP, NoLoop
from eops_traj.schema import Turn
from eops_traj.verify.failure_modes import MODES
from tests.episodes import episode
from tests.filters.labelled import kept

CUT = (Turn(text="", finish_reason="tool_calls"), Turn(text="So I", finish_reason="length"))
WHOLE = (Turn(text="", finish_reason="tool_calls"), Turn(text="Done.", finish_reason=None))

CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [  # rule, fields kept, fields dropped
    ({"no_error": {}}, {"outcome": "failure"}, {"outcome": "error"}),
    ({"verified": {}}, {"success_strict": True}, {"success_parity": True, "success_strict": False}),
    ({"verified": {"label": "parity"}}, {"success_strict": False}, {"success_parity": False}),
    ({"verified": {"label": "parity"}}, {"success_parity": True}, {"success_parity": None}),
    ({"split": {"one_of": ["train", "dev"]}}, {"split": "dev"}, {"split": "test"}),
    ({"split": {"one_of": "train"}}, {"split": "train"}, {"split": None}),
    ({"outcome": {"one_of": "success"}}, {"outcome": "success"}, {"outcome": "failure"}),
    ({"outcome": {"one_of": ["success", "safe_refusal"]}}, {"outcome": "safe_refusal"}, {"outcome": "error"}),
    ({"min_verifier_pass": {"share": 0.5}}, {"verifier_pass_strict": 0.5}, {"verifier_pass_strict": 0.49}),
    (
        {"min_verifier_pass": {"share": 0, "label": "parity"}},
        {"verifier_pass_parity": 0.0},
        {"verifier_pass_parity": None},
    ),
    ({"max_turns": {"most": 3}}, {"n_turns": 3}, {"n_turns": 4}),
    ({"max_tool_errors": {}}, {"n_tool_errors": 0}, {"n_tool_errors": 1}),
    ({"max_tool_errors": {"most": 2}}, {"n_tool_errors": 2}, {"n_tool_errors": 3}),
    ({"no_loop": {}}, {"failure_modes": ("premature_end",)}, {"failure_modes": ("premature_end", "loop")}),
    ({"cause": {"one_of": "wrong_value"}}, {"causes": ("x", "wrong_value")}, {"causes": ("missing_write",)}),
    ({"cause": {"none_of": ["wrong_value"]}}, {"causes": ()}, {"causes": ("missing_write", "wrong_value")}),
    ({"cause": {"none_of": ["wrong_value"]}}, {"causes": ("missing_write",)}, {"causes": None}),
    (
        {"cause": {"one_of": ["wrong_value", "extra_write"], "first": True}},
        {"causes": ("extra_write", "missing_write")},
        {"causes": ("missing_write", "extra_write")},
    ),
    ({"not_truncated": {}}, {"turns": WHOLE}, {"turns": CUT}),
    ({"not_truncated": {}}, {"turns": ()}, {"stop_reason": "max_turns"}),
    ({"sound_task": {}}, {"task_defect": None}, {"task_defect": "cannot_pass: x", "outcome": "success"}),
    (
        {"sound_task": {"passed": True}},
        {"task_defect": "cannot_pass: x", "outcome": "safe_refusal"},
        {"task_defect": "cannot_pass: x", "outcome": "failure"},
    ),
    ({"domain": {"one_of": ["csm", "hr"]}}, {"domain": "hr"}, {"domain": "teams"}),
    ({"model": {"one_of": "gpt"}}, {"model": "gpt"}, {"model": "gpt-5"}),
    ({"run": {"one_of": ["r1"]}}, {"run_id": "r1"}, {"run_id": "r2"}),
]


@pytest.mark.parametrize(("rule", "keeps", "drops"), CASES, ids=lambda case: str(case))
def test_a_row_rule_keeps_and_drops(
    rule: dict[str, Any], keeps: dict[str, Any], drops: dict[str, Any]
) -> None:
    assert kept([episode("in", **keeps), episode("out", **drops)], rule) == ["in"]


def test_a_cause_that_there_is_not_and_a_rule_that_asks_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown cause 'wrong_walue'.*wrong_value"):
        Cause(one_of=["wrong_walue"])
    with pytest.raises(ValueError, match="give one_of or none_of"):
        Cause()


def test_no_loop_asks_for_a_mode_that_diagnose_finds() -> None:
    assert NoLoop().deciding_values().keys() == {"failure_modes"}
    assert LOOP in MODES
