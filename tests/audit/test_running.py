"""What is found by running: whether somebody acts, by whatever name the server's header goes."""

from dataclasses import replace

import pytest

from eops_traj.audit.running import _claims_change, callers
from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.hashing import canonical_json
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Json, Server, Verdict
from tests.audit.broken import imported


def test_a_caller_is_found_by_a_header_in_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    csm = registry.server("csm")
    assert csm.identity
    own = replace(csm, identity=replace(csm.identity, header="X-User-Email"))
    monkeypatch.setattr(registry, "server", lambda name: own)
    admin = default_caller(csm, csm.template().open())
    found = []
    for value in (admin, "nobody@x.example"):
        context = Json(canonical_json({"x-User-email": value}))
        task = imported(servers=(Server(name=csm.gym_name, seed="", context=context),))
        with open_session({csm.gym_name: 0}) as session:
            found.append([finding.reason for finding in callers(task, session)])
    assert found == [[], ["no_caller"]]


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("verify_email_address", False), ("additional_notes_present", False), ("postal_code_check", False),
        ("closing_balance_correct", False), ("Verify owner of shared drive", False),
        ("Fern's entry added last year is intact", False), ("linked_in_profile_kept", False),
        ("Assigned group as it was", False), ("sender_is_known", False),
        ("case_closed", True), ("email_sent", True), ("update_applied", True), ("File shared with Ana", True),
        ("Adding Fern to the list", True), ("Deletion of the draft", True), ("Meeting cancelled", True),
        ("closure_code_set", True), ("Record modified", True), ("Removal of Ben", True),
    ],
)  # fmt: skip
def test_a_name_claims_a_change_by_whole_words(name: str, claims: bool) -> None:
    verdict = Verdict(name=name, kind="database_state", expected=Json("1"))
    assert _claims_change(verdict) is claims
