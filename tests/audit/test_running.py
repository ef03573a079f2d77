"""What is found by running: whether somebody acts, by whatever name the server's header goes."""

from dataclasses import replace

import pytest

from eops_traj.audit.running import callers
from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.hashing import canonical_json
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Json, Server
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
