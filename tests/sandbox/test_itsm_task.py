"""A real task of the benchmark on its real database: in this process, and over the wire."""

import contextlib

import pytest

from eops_traj.gym import registry
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.remote import open_remote
from eops_traj.tasks import load_task
from eops_traj.verify.verifiers import verify
from tests.serving import served

SERVER = "gym-itsm-mcp"
HEADERS = {"x-itsm-user-token": "admin_token_marcus_2024_secure"}
LOOK_UP = ("find_incident_by_number", {"number": "INC0000003"})
UPDATE = ("update_incident", {"incident_id": "INC_003", "impact": "high", "priority": "high"})
LINK = (
    "link_new_incident_sla",
    {"incident_id": "INC_003", "sla_def_id": "SLA_002", "start_time": "2026-01-05T09:00:00"},
)


@pytest.fixture(scope="module")
def task(shared):
    return load_task(shared / "eog/tasks/task_20251212_172511_458_e6427839_47076c15.json")


@pytest.fixture(scope="module", params=["embedded", "remote"])
def opened(request, shared):
    """Opens a session on the task's database."""
    seeds = {SERVER: (shared / "eog/seeds/db_1765301900121_3mwjj54xy.sql").read_text()}
    with contextlib.ExitStack() as stack:
        if request.param == "embedded":
            yield lambda: open_session(seeds, HEADERS)
        else:
            url = stack.enter_context(served(registry.server("itsm")))["itsm"]
            yield lambda: open_remote({SERVER: url}, seeds, HEADERS)


def passed(task, session):
    return [
        v.passed_strict for v in verify(task.verifiers, session, "done", (), servers=[SERVER], request="")
    ]


@pytest.mark.parametrize(
    ("calls", "verdicts"),
    [
        ((LOOK_UP,), [False, False]),
        ((LOOK_UP, UPDATE), [True, False]),
        ((LOOK_UP, LINK), [False, True]),
        ((LOOK_UP, UPDATE, LINK), [True, True]),
    ],
    ids=["nothing done", "only updated", "only linked", "all done"],
)
def test_its_verifiers_pass_when_all_is_done_and_only_then(task, opened, calls, verdicts):
    with opened() as session:
        for name, arguments in calls:
            assert not session.call_tool(name, arguments).is_error
        assert passed(task, session) == verdicts


def test_the_tools_it_shows_are_there(task, opened):
    with opened() as session:
        listed = {tool["name"] for tool in session.list_tools()}
    assert set(task.tools) <= listed
