from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import FormatError
from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import (
    changeset_between,
    pack_changesets,
    parse_changeset,
    unpack_changesets,
)
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.session import stored_changes

NAMES = st.text("abc- é", min_size=1, max_size=8).map(str.strip).filter(bool)


@given(st.dictionaries(NAMES, st.binary(min_size=1)))
def test_packed_changesets_come_back(changesets):
    assert unpack_changesets(pack_changesets(changesets)) == changesets


def test_servers_without_changes_take_no_room():
    assert pack_changesets({"csm": b"", "itsm": b""}) == b"" and unpack_changesets(b"") == {}


@pytest.mark.parametrize("packed", [b"csm", b"csm 5\nabc", b" 1\na", b"csm x\na", b"csm -1\na"])
def test_what_is_no_pack_is_refused(packed):
    with pytest.raises(FormatError, match="damaged"):
        unpack_changesets(packed)


def test_the_change_between_two_states_is_that_of_the_step():
    server = registry.server("csm")
    with open_session({"csm": 0}, {"x-user-email": "victoria.andres@corvane.example"}) as session:
        states, changes = [session.changes()["csm"]], []
        for call in ({"case_id": 1, "reopen_count": 7}, {"case_id": 1, "reopen_count": 8}, {"case_id": 2}):
            changes.append(session.call_tool("update_case", call).changes)
            states.append(session.changes()["csm"])
    steps = [parse_changeset(changeset_between(*pair), server.schema) for pair in pairwise(states)]
    assert [stored_changes(server, step) for step in steps] == changes and len(changes[1]) == 1
