"""A client gets the task that it asks for, and sees nothing of it that gives the answer away."""

import json
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from eops_traj.environments.nemo_gym_rows import row
from eops_traj.environments.openenv_actions import listing as tools_of_openenv
from eops_traj.environments.served_tasks import Selection, ServedTasks
from eops_traj.errors import FormatError, InputError, UnknownName
from eops_traj.gym import registry
from eops_traj.schema import Json, Server, Verifier
from eops_traj.tasks.json_files import dump_task
from tests.collectors.group_tasks import JOINED, TASK, TWIN


def test_a_task_is_chosen_by_id_place_or_seed_and_else_in_turn() -> None:
    tasks = ServedTasks([TASK, TWIN])
    assert tasks.choose(Selection(task_id="join_group_gone", index=0)) is TWIN
    assert [tasks.choose(Selection(index=place)) for place in (1, 0)] == [TWIN, TASK]
    assert [tasks.choose(Selection()) for _ in range(3)] == [TASK, TWIN, TASK]
    seeded = [tasks.choose(Selection(seed=seed)).task_id for seed in range(200)]
    assert seeded == [ServedTasks([TASK, TWIN]).choose(Selection(seed=seed)).task_id for seed in range(200)]
    assert min(Counter(seeded).values()) > 70


def test_what_is_not_served_is_named() -> None:
    tasks = ServedTasks([TASK, TWIN])
    with pytest.raises(
        UnknownName, match="unknown task 'leave_group'; choose from join_group, join_group_gone"
    ):
        tasks.choose(Selection(task_id="leave_group"))
    for index in (-1, 2):
        with pytest.raises(InputError, match="the tasks served are 0 to 1"):
            tasks.choose(Selection(index=index))


@pytest.mark.parametrize("fields", [{"task_id": 3}, {"index": "3"}, {"seed": 1.5}, {"index": True}])
def test_a_selection_of_another_type_is_refused(fields) -> None:
    with pytest.raises(InputError, match="which is no"):
        Selection.of(fields)


def test_tasks_need_ids_of_their_own() -> None:
    with pytest.raises(FormatError, match="1 tasks have the id of another"):
        ServedTasks([TASK, replace(TWIN, task_id=TASK.task_id)])
    with pytest.raises(FormatError, match="no tasks to serve"):
        ServedTasks([])


def test_only_the_splits_that_were_asked_for_are_served(tmp_path: Path) -> None:
    for task, split in ((TASK, "train"), (TWIN, "test")):
        text = json.dumps(dump_task(replace(task, split=split)))
        (tmp_path / f"oracle__csm__{task.task_id}.json").write_text(text)
    assert [task.task_id for task in ServedTasks.find(str(tmp_path)).tasks] == ["join_group"]
    both = ServedTasks.find(str(tmp_path), splits=("train", "test"))
    assert both.splits() == ["train", "test"] and both.of_split("test")[0].task_id == "join_group_gone"
    assert len(ServedTasks.find(str(tmp_path), splits=("train", "test"), limit=1).tasks) == 1
    with pytest.raises(UnknownName, match="unknown split 'none'; choose from test, train"):
        ServedTasks.find(str(tmp_path), splits=("none",))


def test_tasks_that_only_a_model_can_judge_are_left_out_and_counted(tmp_path: Path) -> None:
    asked = Verifier(name="asked", kind="response_check", config=Json('{"query": "SELECT 1"}'))
    judged = replace(TWIN, verifiers=(*TWIN.verifiers, asked))
    for task in (TASK, judged):
        (tmp_path / f"oracle__csm__{task.task_id}.json").write_text(json.dumps(dump_task(task)))
    served = ServedTasks.find(str(tmp_path), splits=("none",))
    assert [task.task_id for task in served.tasks] == [TASK.task_id] and served.left_out == 1


def test_nothing_that_a_client_sees_gives_the_answer_away() -> None:
    for task in (TASK, TWIN):
        view = ServedTasks([task]).view(task)
        seen = json.dumps(asdict(view)) + json.dumps(row(view, "agent"))
        assert task.user_prompt in seen and task.system_prompt in seen
        for hidden in (JOINED, "SELECT", "expected_value", "require(", "feasible", "company", "DELETE FROM"):
            assert hidden not in seen, hidden


def with_server(name: str):
    gym_name = registry.server(name).gym_name
    server = Server(name=gym_name, seed="", context=Json("{}"), details=Json('{"company": 0}'))
    return replace(TASK, task_id=name, servers=(server,), tools=())


def test_every_tool_of_every_server_has_the_schema_that_its_server_lists() -> None:
    tasks, count = ServedTasks([with_server(name) for name in registry.SERVERS]), 0
    for task in tasks.tasks:
        view, tools = tasks.view(task), registry.server(task.task_id).tools.values()
        listed = [tool.listing() for tool in tools]
        wanted = {tool["name"]: (tool.get("description", ""), tool["inputSchema"]) for tool in listed}
        functions = [tool["function"] for tool in view.tools]
        assert {f["name"]: (f.get("description", ""), f["parameters"]) for f in functions} == wanted
        openenv = {
            tool["name"]: (tool["description"], tool["input_schema"]) for tool in tools_of_openenv(view)
        }
        nemo = row(view, "agent")["responses_create_params"]["tools"]
        assert openenv == wanted == {t["name"]: (t.get("description", ""), t["parameters"]) for t in nemo}
        assert not {"verify", "seed_session", "close_session", "aggregate_metrics"} & wanted.keys()
        count += len(wanted)
    assert count == 512
