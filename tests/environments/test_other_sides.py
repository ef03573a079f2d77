"""The packages of the other sides, as the registry has them, roll out tasks in the gym, each its own way.

Each runs in an environment of its own: openenv's newest wants fastmcp below 4 and so mcp below 2, verifiers
one version of mcp, and nemo-gym mcp below 2 and Python 3.13.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from eops_traj.environments.nemo_gym_rows import row
from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.tasks.json_files import dump_task
from tests.collectors.group_tasks import TASK, TWIN
from tests.endpoint import Endpoint, endpoint
from tests.environments.cases import BY_NAME, CASES
from tests.environments.models import CUT, LACKING, MARK, breaking_model, responses_model
from tests.environments.other_side import (
    NEMO_GYM,
    NEMO_GYM_PYTHON,
    OPENENV,
    ROOT,
    VERIFIERS,
    interpreter,
    python_with,
    run_script,
)
from tests.environments.serving import served_environment

pytestmark = pytest.mark.slow
WORTH = {case.name: (case.reward, case.label) for case in CASES}


def worth(told: Iterable[dict[str, Any]], way: str) -> dict[str, tuple[float, str]]:
    """What each case was worth, rolled out one way."""
    return {line["case"]: (line["reward"], line["label"]) for line in told if line["way"] == way}


def test_openenv_s_own_clients_are_rewarded_as_they_should_be(tmp_path: Path) -> None:
    python = python_with(OPENENV)
    (tmp_path / "cases.json").write_text(json.dumps([case.as_json() for case in CASES]))
    limits = PoolLimits(episodes=7)
    with served_environment("openenv", TASK, TWIN, limits=limits) as (url, service):
        told = run_script(python, "openenv_rollouts.py", url, tmp_path / "cases.json")
        assert len(service.pool) == 0
    assert worth(told, "generic") == worth(told, "tools") == WORTH
    assert worth(told, "sync") == {"gold": WORTH["gold"]}
    (limit,) = (line for line in told if line["way"] == "limit")
    assert limit["open"] == 7 and "7 episodes are open, which is the limit" in limit["reason"]
    assert told[-1] == {"way": "validate", "passed": True, "failed": []}


def test_nemo_gym_s_own_agent_and_environment_server_are_rewarded_as_they_should_be(tmp_path: Path) -> None:
    # Its floor is 3.13.14; what is run of it here needs no more than 3.13.
    python = python_with(NEMO_GYM, interpreter(NEMO_GYM_PYTHON), "--python-version", "3.13.14")
    with served_environment("nemo-gym", TASK, TWIN) as (url, service), endpoint(responses_model) as model:
        rows = tmp_path / "rows.jsonl"
        rows.write_text("".join(json.dumps(line) + "\n" for line in marked_rows(service.tasks)))
        told = run_script(python, "nemo_gym_rollouts.py", url, model.url.removesuffix("/v1"), rows)
        assert len(service.pool) == 0
    assert worth(told, "agent") == worth(told, "environment") == WORTH
    shares = {f"share/{label}": 0.2 for _, label in WORTH.values()}
    assert told[-1] == {"way": "metrics", "mean/reward": 0.4, **shares}


def marked_rows(tasks: ServedTasks) -> Iterable[dict[str, Any]]:
    """The rows of the cases; the request names the case, which the scripted model plays."""
    by_id = {task.task_id: task for task in tasks.tasks}
    for case in CASES:
        line = row(tasks.view(by_id[case.task_id]), "simple_agent")
        line["responses_create_params"]["input"][-1]["content"] += f" {MARK}{case.name}"
        yield {**line, "case": case.name}


def test_verifiers_own_rollouts_are_rewarded_as_they_should_be(tmp_path: Path) -> None:
    python, tasks = python_with(VERIFIERS), tmp_path / "tasks"
    tasks.mkdir()
    marks = {case.name: f"{MARK}{case.name}" for case in CASES}
    marks |= {"cut": f"{CUT}{MARK}gold", "lacking": f"{LACKING}{MARK}gold"}
    for name, mark in marks.items():
        task = TWIN if name in BY_NAME and BY_NAME[name].task_id == TWIN.task_id else TASK
        marked = replace(task, task_id=name, user_prompt=f"{task.user_prompt} {mark}")
        (tasks / f"oracle__csm__{name}.json").write_text(json.dumps(dump_task(marked)))
    places = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    with endpoint(breaking_model) as model:
        told = run_script(python, "verifiers_rollouts.py", tasks, model.url, 2, **places)
    assert len(told) == 2 * len(marks)
    worth = {**WORTH, "cut": (0.0, "failure"), "lacking": (0.0, "failure")}
    for line in told:
        assert (line["reward"], line["label"]) == worth[line["task_id"]], line
        assert line["ok"] and line["metric"] == 1.0 and line["key"] == line["task_id"]
        assert (line["harness"], line["left"], line["gives_away"]) == ("GymHarness", 0, [])
    assert "tools" in model.requests[0].body and model.requests[0].body["messages"][0]["role"] == "system"
    assert not_made(model, CUT) == {"find_user", "add_new_group_member", "update_user_details"}
    assert not_made(model, LACKING) == {"add_new_group_member", "update_user_details"}


def not_made(model: Endpoint, mark: str) -> set[str]:
    """The tools that a model was told were not called, where the request has this mark."""
    bodies = [request.body["messages"] for request in model.requests if mark in str(request.body["messages"])]
    results = [str(said["content"]) for said in chain(*bodies) if said["role"] == "tool"]
    refused = re.compile(r"The arguments of (\w+) are no JSON object; nothing was called\.")
    return {found.group(1) for result in results if (found := refused.fullmatch(result))}
