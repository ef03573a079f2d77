"""What checks are made of: which steps feed the writes, what acts outside, what counts as kept."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.hashing import canonical_json
from eops_traj.plan import parse
from eops_traj.schema import Change, Json
from eops_traj.taskgen import checks
from tests.taskgen.test_checks import make_task, trial_of

CHAIN = """1. find_user_group(name="Night Watch") -- the group
2. list_users(group=$1.group_id) -- who is in it
3. find_user(name="Ann") -- nobody's business
4. close_case(user_id=$2[0].user_id, second=$2[1].user_id) -- do it"""


def test_the_steps_of_a_write_are_those_that_lead_to_it_and_no_others() -> None:
    trial: Any = SimpleNamespace(plan=parse(CHAIN), writes=(4,))
    assert checks._steps_for_writes(trial) == {1, 2, 4}


@pytest.mark.parametrize(
    ("server", "tool", "name", "acts"),
    [
        ("gym-calendar", "create_event", "sendUpdates", True),  # declared as ``sendUpdates=none``
        ("gym-calendar", "create_event", "none", False),
        ("gym-calendar", "create_event", "summary", False),
        ("gym-calendar", "get_event", "sendUpdates", False),
        ("sn-csm-server", "create_event", "sendUpdates", False),
    ],
)
def test_an_argument_acts_outside_where_its_server_says_so(
    server: str, tool: str, name: str, acts: bool
) -> None:
    steps = parse(f'1. other_tool(x=1) -- first\n2. {tool}({name}="none") -- then')
    servers = [SimpleNamespace(name=server)]
    trial: Any = SimpleNamespace(plan=steps, task=SimpleNamespace(servers=servers))
    assert checks._is_effect(trial, 2, name) is acts
    assert not checks._is_effect(trial, 1, name)


@pytest.mark.parametrize(
    ("details", "known"), [({"company": 3}, True), ({"company": 3, "patch": "x"}, False), ({}, False)]
)
def test_only_of_a_company_as_it_was_made_is_it_known_where_texts_stand(
    details: dict[str, Any], known: bool
) -> None:
    [server] = make_task().servers
    found = checks._company_texts(replace(server, details=Json(canonical_json(details))))
    assert (found is not None) is known


def test_a_write_left_out_is_named_with_its_step() -> None:
    summed = trial_of(make_task(), "other_user_group_member_unchanged")
    [first, *_] = checks.every_write_counts(summed)
    assert first == f"passes without step 21: {summed.plan.steps[20]}"


def kept_of(*rows: tuple[str, str, str, dict[str, Any] | None]) -> list[tuple[str, ...]]:
    """Return what counts as kept of changed rows: server, table, operation, and what they are afterwards."""
    changes = [
        Change(server=server, table=table, operation=operation, key=Json("{}"),
               after=None if after is None else Json(canonical_json(after)))
        for server, table, operation, after in rows
    ]  # fmt: skip
    session: Any = SimpleNamespace(changed_rows=lambda: changes)
    return list(checks._kept(session))


def test_what_a_server_notes_by_itself_is_not_kept() -> None:
    kept = kept_of(
        ("email", "history", "insert", {"id": 1}),
        ("email", "users", "update", {"history_id": 7, "updated_at": "now", "display_name": "Ann"}),
        ("email", "labels", "delete", None),
    )
    assert kept == [
        ("email", "users", "update", "{}", '{"display_name":"Ann"}'),
        ("email", "labels", "delete", "{}", "{}"),
    ]


def test_a_key_is_kept_even_where_the_server_gives_it() -> None:
    row = {"org_id": "o", "created_at": "now", "name": "A"}
    [(*_, values)] = kept_of(("itsm", "organization", "insert", row))
    assert values == '{"name":"A","org_id":"o"}'
