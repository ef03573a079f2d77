"""The gym speaks the protocol of NeMo Gym's resource servers: seeding, tools, verifying, closing."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from eops_traj.environments import nemo_gym_rows
from eops_traj.environments.nemo_gym import COOKIE
from eops_traj.environments.nemo_gym_rows import last_reply, row, write_rows
from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.environments.serving import make_app
from eops_traj.errors import FormatError
from eops_traj.sandbox.embedded import EmbeddedSession
from tests.collectors.group_tasks import JOINED, TASK, TWIN
from tests.environments.cases import CASES, JOIN, Case
from tests.waiting import PATIENCE

TASKS = ServedTasks([TASK, TWIN])
EPISODE = {"rollout_id": "r", "attempt": 0}


@contextlib.contextmanager
def client(**limits: Any) -> Iterator[tuple[TestClient, GymService]]:
    service = GymService(TASKS, PoolLimits(**limits))
    with TestClient(make_app("nemo-gym", service), base_url="http://localhost") as opened:
        yield opened, service


def row_of(task_id: str) -> dict[str, Any]:
    return row(TASKS.view({task.task_id: task for task in TASKS.tasks}[task_id]), "simple_agent")


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def typed_seed(session: str, task_id: str) -> dict[str, Any]:
    name = {"taskset": "eops_gym", "task_id": "0"}
    data = {"task_id": task_id}
    return {"resources_session_id": session, "episode_id": EPISODE, "task_id": name, "task_data": data}


def play(http: TestClient, case: Case) -> dict[str, Any]:
    for name, arguments in case.calls:
        http.post(f"/{name}", json=arguments).raise_for_status()
    body = {**row_of(case.task_id), "response": {"output": [said(case.reply)]}}
    return http.post("/verify", json=body).raise_for_status().json()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_is_worth_what_it_is_worth(case: Case) -> None:
    with client() as (http, service):
        assert http.post("/seed_session", json=row_of(case.task_id)).json() == {}
        verified = play(http, case)
        assert (verified["reward"], verified["label"]) == (case.reward, case.label)
        assert verified["responses_create_params"] == row_of(case.task_id)["responses_create_params"]
        assert len(service.pool) == 0


def test_a_lost_verdict_is_given_again() -> None:
    with client() as (http, _):
        http.post("/seed_session", json=row_of(TASK.task_id))
        first = play(http, CASES[0])
        body = {**row_of(TASK.task_id), "response": {"output": []}}
        assert http.post("/verify", json=body).json()["reward"] == first["reward"] == 1.0


def test_rollouts_are_told_apart_by_their_cookies() -> None:
    with client() as (http, service):
        cookies = []
        for _ in range(2):
            http.cookies.clear()
            cookies.append(http.post("/seed_session", json=row_of(TASK.task_id)).cookies[COOKIE])
        assert len(set(cookies)) == len(service.pool) == 2
        http.cookies.clear()
        refused = http.post(f"/{JOIN[0]}", json=JOIN[1])
        assert refused.status_code == 404 and "call /seed_session first" in refused.json()["detail"]


def test_a_tool_answers_with_its_text_and_nothing_around_it() -> None:
    with client() as (http, _):
        http.post("/seed_session", json=row_of(TASK.task_id))
        found = http.post("/find_user", json={"name": "Conrad Vogt"})
        assert found.json()["user_id"] == 8 and found.headers["content-type"].startswith("text/plain")
        refused = http.post("/find_user", json={"name": 3})
        assert refused.status_code == 200 and "name" in refused.text
        assert http.post("/create_new_case", json={}).text == "Unknown tool: create_new_case"


def test_an_id_that_was_given_is_one_episode_and_cannot_begin_again_once_closed() -> None:
    with client() as (http, service):
        for _ in range(2):
            assert http.post("/seed_session", json=typed_seed("s-1", TASK.task_id)).json() == {
                "resources_session_id": "s-1"
            }
        assert len(service.pool) == 1 and play(http, CASES[0])["label"] == "success"
        for session in ("s-1", "s-1", "never-seeded"):
            closed = http.post(
                "/close_session", json={"resources_session_id": session, "episode_id": EPISODE}
            )
            assert closed.json() == {"resources_session_id": session}
        for session in ("s-1", "never-seeded"):
            assert http.post("/seed_session", json=typed_seed(session, TASK.task_id)).status_code == 409


def test_an_agent_that_gives_up_closes_its_episode() -> None:
    with client() as (http, service):
        http.post("/seed_session", json=row_of(TASK.task_id))
        assert http.post("/close_session", json={}).status_code == 200 and len(service.pool) == 0


def test_a_sandbox_that_failed_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    with client() as (http, _):
        http.post("/seed_session", json=row_of(TASK.task_id))

        def fail(*_: object) -> None:
            raise OSError("no memory")

        monkeypatch.setattr(EmbeddedSession, "run_sql", fail)
        verified = play(http, CASES[0])
        assert (verified["mask_sample"], verified["label"]) == (True, "error")
        assert "no memory" in verified["failure_reason"]


def test_an_episode_that_was_dropped_as_idle_is_masked() -> None:
    with client() as (http, service):
        http.post("/seed_session", json=row_of(TASK.task_id))
        (idle,) = service.pool._open
        service.pool.close(idle)
        body = {**row_of(TASK.task_id), "response": {"output": [said("Done.")]}}
        verified = http.post("/verify", json=body).json()
        assert (verified["mask_sample"], verified["reward"]) == (True, 0.0)
        assert "is over" in verified["failure_reason"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/seed_session", {}, 422),
        ("/seed_session", {"task_id": "leave"}, 404),
        ("/seed_session", typed_seed("a\nb", TASK.task_id), 400),
        ("/seed_session", typed_seed("s", "leave"), 404),
        ("/verify", {"response": {"output": []}}, 404),
        ("/verify", {}, 422),
        ("/aggregate_metrics", {}, 422),
        ("/aggregate_metrics", {"verify_responses": [{"label": "success"}]}, 422),
        ("/aggregate_metrics", {"verify_responses": [{"reward": "much"}]}, 422),
        ("/aggregate_metrics", {"verify_responses": [{"mask_sample": True}]}, 200),
    ],
)
def test_what_cannot_be_used_is_refused(path: str, body: dict[str, Any], status: int) -> None:
    with client() as (http, _):
        assert http.post(path, json=body).status_code == status


def test_over_the_limit_a_seed_is_refused_with_the_reason() -> None:
    with client(episodes=1) as (http, _):
        http.post("/seed_session", json=row_of(TASK.task_id))
        refused = http.post("/seed_session", json=row_of(TASK.task_id))
        assert refused.status_code == 429 and "which is the limit" in refused.json()["detail"]


def test_metrics_leave_out_what_was_not_measured() -> None:
    verified = [
        {"reward": 1.0, "label": "success"},
        {"reward": 0.0, "label": "failure"},
        {"reward": 0.0, "label": "error", "mask_sample": True},
    ]
    with client() as (http, _):
        figures = http.post("/aggregate_metrics", json={"verify_responses": verified}).json()["key_metrics"]
        assert figures == {"mean/reward": 0.5, "share/failure": 0.5, "share/success": 0.5}
        assert http.post("/aggregate_metrics", json={"verify_responses": []}).json()["key_metrics"] == {}


def test_the_last_reply_is_the_message_at_the_very_end() -> None:
    call = {"type": "function_call", "name": "find_user"}
    assert last_reply({"response": {"output": [call, said("Done.")]}}) == "Done."
    assert last_reply({"response": {"output": [said("Done."), call]}}) == ""
    assert last_reply({"response": {"output": []}}) == ""
    plain = {"type": "message", "role": "assistant", "content": "Done."}
    assert last_reply({"response": {"output": [plain]}}) == "Done."
    declined = [{"type": "refusal", "refusal": "I cannot do this."}]
    assert last_reply({"response": {"output": [{**plain, "content": declined}]}}) == "I cannot do this."
    with pytest.raises(FormatError, match=r"response\.output"):
        last_reply({"response": "Done."})


def test_rows_are_written_whole_and_tell_nothing(tmp_path) -> None:
    out = tmp_path / "rows.jsonl"
    assert write_rows(TASKS, "my_agent", out) == 2
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["task_id"] for line in lines] == [TASK.task_id, TWIN.task_id]
    assert lines[0]["agent_ref"] == {"type": "responses_api_agents", "name": "my_agent"}
    assert JOINED not in out.read_text() and [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]
    with pytest.raises(FormatError, match="nowhere"):
        write_rows(TASKS, "a", tmp_path / "nowhere" / "rows.jsonl")
    with pytest.raises(FormatError, match=r"^\.: "):
        write_rows(TASKS, "a", Path())


def test_two_that_write_the_same_rows_at_once_both_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.jsonl"

    def meeting(tasks: ServedTasks, agent: str) -> Iterator[dict[str, Any]]:
        yield {"agent": agent}
        if agent == "late":
            write_rows(tasks, "early", out)
        yield {"agent": agent}

    monkeypatch.setattr(nemo_gym_rows, "rows", meeting)
    assert write_rows(TASKS, "late", out) == 2
    assert out.read_text() == '{"agent": "late"}\n' * 2 and [*tmp_path.iterdir()] == [out]


def test_a_call_over_its_time_is_stopped_and_the_episode_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"

    def hang(self: EmbeddedSession, *_: object) -> None:
        self.database("csm").connection.execute(endless).fetchall()

    with client(call_seconds=0.1) as (http, service):
        http.post("/seed_session", json=row_of(TASK.task_id))
        with monkeypatch.context() as patched:
            patched.setattr(EmbeddedSession, "call_tool", hang)
            stopped = http.post(f"/{JOIN[0]}", json=JOIN[1])
        assert stopped.status_code == 504 and "stopped" in stopped.json()["detail"]
        service._threads._seconds = PATIENCE  # what follows is to end by itself
        assert play(http, CASES[0])["label"] == "success"
