"""Checkouts of the benchmark for tests: a stand-in with the files that every checkout has, and its script."""

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from eops_traj.gym import registry
from eops_traj.gym.engine.templates import to_sql
from eops_traj.harness.checkout import PARTS
from eops_traj.plan import iter_calls, parse
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Json, Server, Task
from eops_traj.taskgen.gold_answer import asked_of, gold_answer
from eops_traj.tasks import dump_task
from tests.collect.case_tasks import COUNT, LOOK_UP, SERVER, admin, task

Script = Mapping[str, Any]
STUB = Path(__file__).with_name("stub_evaluate.py")
REAL = os.environ.get("EOPS_TRAJ_HARNESS")
"""A checkout of the real one, with its requirements in its ``.venv``."""


def stub_checkout(folder: Path) -> Path:
    """Make a checkout that starts with nothing but Python."""
    for part in (*PARTS[1:-1], "orchestrators/react.py"):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (folder / part).write_text("")
    shutil.copyfile(STUB, folder / "evaluate.py")
    return folder


def write_llm(folder: Path, scripts: Mapping[str, Script]) -> Path:
    """Write the stub's file of models, whose endpoint is a file with a script for each request."""
    (folder / "scripts.json").write_text(json.dumps(scripts))
    llm = {"llm_provider": "vllm", "llm_model": "stub", "llm_api_key": "no-key", "temperature": 0.0}
    path = folder / "llm.json"
    path.write_text(json.dumps(llm | {"llm_api_endpoint": str(folder / "scripts.json")}))
    return path


def write_config(folder: Path, tasks: Path, scripts: Mapping[str, Script], **settings: Any) -> Path:
    """Write a config of a collection by a stub checkout."""
    plain = {
        "tasks": {"source": str(tasks)},
        "harness": str(stub_checkout(folder / "checkout")),
        "python": sys.executable,
        "llm": str(write_llm(folder, scripts)),
        "concurrency": 4,
    }
    path = folder / "harness.yaml"
    path.write_text(yaml.safe_dump(plain | settings))
    return path


def case_script(task: Task, case: int, good: bool, **more: Any) -> Script:
    """Return the script of a task of `case_tasks`: done rightly, or with a wrong count."""
    update = {"case_id": case, "reopen_count": COUNT if good else COUNT + 1}
    calls = [[LOOK_UP, {"case_id": case}], ["update_case", update]]
    return {"calls": calls, "answer": f"Case {case} now has the count {update['reopen_count']}.", **more}


def write_small_tasks(at: Path, count: int) -> Path:
    """Write tasks of `case_tasks` whose seed is a file with what they need, which loads much sooner."""
    (at / "seeds").mkdir(parents=True)
    (at / "seeds" / "cases.sql").write_text(cases_sql(count), encoding="utf-8")
    context = Json(json.dumps({"x-user-email": admin()}))
    servers = (Server(name=SERVER, seed="seeds/cases.sql", context=context),)
    for case in range(1, count + 1):
        one = task(case, servers=servers)
        (at / f"oracle__csm__{one.task_id}.json").write_text(json.dumps(dump_task(one)))
    return at


def cases_sql(count: int) -> str:
    """Return the people and the first cases of the default company."""
    rows = to_sql(registry.server("csm").template()).split("\nINSERT INTO ")
    people, cases = (
        [row for row in rows if row.startswith(f'"{table}"')] for table in ("user", "customer_case")
    )
    return "\n".join(f"INSERT INTO {row}" for row in (*people, *cases[:count]))


def gold_script(task: Task) -> Script:
    """Return the script of a task's gold plan: its calls as they are in a fresh session, and its answer."""
    assert task.plan is not None
    plan, made = parse(task.plan), []
    with open_task(task) as session:
        calls = iter_calls(plan)
        try:
            call = next(calls)
            while True:
                result = session.call_tool(call.tool, call.arguments)
                made.append((call, result))
                call = calls.send(result)
        except StopIteration as stop:
            ending = stop.value
    answer = ending.answer
    if ending.kind == "completed":
        answer = gold_answer(plan, made, asked_of(task.details), [server.name for server in task.servers])
    return {"calls": [[call.tool, dict(call.arguments)] for call, _ in made], "answer": answer}


def gold_scripts(tasks: Sequence[Task]) -> dict[str, Script]:
    """Return the scripts of tasks by request."""
    return {task.user_prompt: gold_script(task) for task in tasks}
