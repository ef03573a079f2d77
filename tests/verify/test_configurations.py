"""A task file may say anything of any kind: what is no configuration fails its verdict, and no more."""

import json
from dataclasses import replace
from typing import Never

import pytest

from eops_traj.errors import SandboxError
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Json, ToolCall, Verifier
from eops_traj.verify.verifier_kinds import KINDS
from eops_traj.verify.verifiers import verify
from tests.verify.test_row_changes import Recorded

OURS = [name for name, kind in KINDS.items() if kind.strict_only and name != "declines"]
KEYS = ("rows", "own", "bookkeeping", "touched", "outward", "effects", "tools", "requirements", "today",
        "names", "shown_by")  # fmt: skip
VALUES = (None, 5, "x", [], {}, [5], ["x"], [[]], [{}], {"a": 1}, {"a": {"b": 2}}, [{"row": 1, "count": "x"}])
CALLS = (ToolCall(id="a", name="find_user", arguments=Json("{}"), result="{}"),)


@pytest.mark.parametrize("kind", OURS)
def test_what_is_no_configuration_ends_in_a_verdict(kind: str) -> None:
    session = open_session({"csm": 0})
    for key in KEYS:
        for value in VALUES:
            text = json.dumps({key: value})
            verifier = Verifier(name="v", kind=kind, config=Json(text), category="integrity")
            [verdict] = verify(
                [verifier], session, "I cannot do it.", CALLS, servers=["sn-csm-server"], request=""
            )
            assert verdict.passed_strict in (True, False, None), text
            if verdict.error:
                assert f"no configuration of {kind}" in verdict.error or "beside it" in verdict.error


def test_one_that_fails_so_is_no_pass() -> None:
    verifier = Verifier(name="v", kind="refusal", config=Json('{"names": 5, "shown_by": []}'), category=None)
    [verdict] = verify([verifier], open_session({"csm": 0}), "no", (), servers=["sn-csm-server"], request="")
    assert verdict.passed_strict is False and "TypeError" in str(verdict.error)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        *(("tool_execution", {"selected_tools": wrong}) for wrong in (None, 5, [["a"]])),
        *(("tool_execution", {"minimum_tool_calls": wrong}) for wrong in (None, "1")),
        *(("database_state", {"query": wrong, "expected_value": 1}) for wrong in (5, ["SELECT 1"], {})),
        ("database_state", {"query": "SELECT 1", "expected_value": 1, "comparison_type": ["equals"]}),
    ],
)
def test_one_of_the_benchmarks_kinds_fails_by_both_labels_and_alone(kind: str, config: object) -> None:
    bad = Verifier(name="bad", kind=kind, config=Json(json.dumps(config)))
    good = Verifier(name="good", kind="tool_execution", config=Json('{"selected_tools": ["find_user"]}'))
    servers = ["sn-csm-server"]
    first, second = verify([bad, good], open_session({"csm": 0}), "", CALLS, servers=servers, request="")
    assert (first.passed_parity, first.passed_strict) == (False, False) and (first.error or first.details)
    assert (second.passed_parity, second.passed_strict) == (True, True)
    assert isinstance(first.query, str | None) and isinstance(first.comparison, str | None)


@pytest.mark.parametrize("error", [SandboxError("gone"), MemoryError(), AssertionError("a bug of ours")])
def test_what_no_task_file_can_cause_is_no_wrong_configuration(error: Exception) -> None:
    class Gone(Recorded):
        def changed_rows(self) -> Never:
            raise error

    verifier = Verifier(name="v", kind="row_changes", config=Json('{"rows": []}'), category="integrity")
    with pytest.raises(type(error)):
        verify([verifier], Gone(), "Done.", (), servers=["sn-csm-server"], request="")


def test_a_configuration_that_is_too_deep_fails_its_verdict() -> None:
    levels = 400
    wanted, given = ('{"fields":{"a":' * levels + "1" + "}}" * levels, '{"a":' * levels + "1" + "}" * levels)
    told = f'{{"argument": "a", "value": {wanted}, "places": ["find_user"]}}'
    effects = Json(f'{{"tools": {{"find_user": {{"a": null}}}}, "effects": [{told}]}}')
    kinds = {"row_changes": Json('{"rows": []}'), "effects": effects}
    both = [Verifier(name=kind, kind=kind, config=config, category=None) for kind, config in kinds.items()]
    call = replace(CALLS[0], arguments=Json(f'{{"a": {given}}}'))
    verdicts = verify(both, Recorded(), "Done.", (call,), servers=["sn-csm-server"], request="")
    assert [v.passed_strict for v in verdicts] == [True, False] and "RecursionError" in str(verdicts[1].error)
