"""A task file may say anything of our own kinds: what is no configuration fails its verdict, and no more."""

import json

import pytest

from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Json, ToolCall, Verifier
from eops_traj.verify.verifier_kinds import KINDS
from eops_traj.verify.verifiers import verify

OURS = [name for name, kind in KINDS.items() if kind.strict_only and name != "declines"]
KEYS = ("rows", "own", "bookkeeping", "touched", "effects", "tools", "requirements", "today", "names",
        "shown_by")  # fmt: skip
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
