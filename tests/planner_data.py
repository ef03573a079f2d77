"""Small certified data sets of plans, in the shape in which the planner exporters write theirs."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from eops_traj.export.certificate import CERTIFICATE, content_hash
from eops_traj.hashing import canonical_json
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.store.arrow import to_row
from eops_traj.tasks import dump_task
from eops_traj.tasks.toolset import ToolsetCache

NAMES = ("Odile", "Bram", "Saga", "Ivo", "Mirre", "Tjark", "Wanda", "Pelle")
DATA = "data/*.jsonl"
WHOLE, SHORT = PlannerView(), PlannerView(policy="reference", tools="none", prompt="plan_short")


def prompt(name: str) -> list[dict[str, str]]:
    """Return the prompt of a planner."""
    return [
        {"role": "system", "content": "Requests from outside are declined."},
        {"role": "user", "content": f"Find {name}."},
    ]


def plan(name: str) -> list[dict[str, str]]:
    """Return a plan that does it."""
    return reply(f'1. find_user(name="{name}") -- whom the request names')


def refusal() -> list[dict[str, str]]:
    """Return a plan that declines."""
    return reply("REFUSE: the request comes from outside")


def reply(text: str) -> list[dict[str, str]]:
    """Return the planner's reply."""
    return [{"role": "assistant", "content": text}]


def planner_sft(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Make data of requests, each with its plan."""
    rows = [{"prompt": prompt(name), "completion": plan(name)} for name in names]
    return certified_data(folder / "planner_sft", "planner_sft", rows)


def planner_dpo(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Make data of requests, each with a plan that does it and one that declines."""
    rows = [{"prompt": prompt(name), "chosen": plan(name), "rejected": refusal()} for name in names]
    return certified_data(folder / "planner_dpo", "planner_dpo", rows)


def taught_by_heart(folder: Path, tasks: Iterable[Task], text: str) -> Path:
    """Make data of these tasks' planner prompts in short, each time with the same plan."""
    rows = [{"prompt": planner_prompt(task, SHORT), "completion": reply(text)} for task in tasks]
    return certified_data(folder / "by_heart", "planner_sft", rows, SHORT)


def certified_data(
    folder: Path, format: str, rows: Iterable[dict[str, Any]], view: PlannerView = WHOLE
) -> Path:
    """Make a folder of these rows with a certificate that all checks passed."""
    (folder / "data").mkdir(parents=True)
    whole = [{"task_id": f"t{n}", "domain": "csm", "episode_id": "e", **row} for n, row in enumerate(rows)]
    lines = "".join(json.dumps(row) + "\n" for row in whole)
    (folder / "data" / "train.jsonl").write_text(lines, encoding="utf-8")
    _write_card(folder, whole[0])
    certificate = {
        "passed": True,
        "format": format,
        "content_hash": content_hash(folder, DATA),
        "data_files": DATA,
        "store": "store",
        "store_version": 1,
        "selection": "chosen",
        "options": {"shown": view.model_dump()},
    }
    (folder / CERTIFICATE).write_text(json.dumps(certificate), encoding="utf-8")
    return folder


def kto(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Make data of requests, each with a plan that does it; every other one with one that declines, too."""
    rows: list[dict[str, Any]] = []
    for n, name in enumerate(names):
        rows.append({"prompt": prompt(name), "completion": plan(name), "label": True})
        if n % 2:
            rows.append({"prompt": prompt(name), "completion": refusal(), "label": False})
    return certified_data(folder / "kto", "kto", rows)


def prompts(folder: Path, tasks: Iterable[Task], view: PlannerView = WHOLE) -> Path:
    """Make data of the planner prompts of these tasks, with the tasks."""
    rows = [{"prompt": planner_prompt(task, view), "task": task_text(task)} for task in tasks]
    return certified_data(folder / "prompts", "prompts", rows, view)


def task_text(task: Task) -> str:
    """Return a task as the rows hold it."""
    return canonical_json(to_row(task))


def planner_prompt(task: Task, view: PlannerView = WHOLE) -> list[dict[str, Any]]:
    """Return the prompt of a task's planner."""
    with open_task(task) as session:
        tools = ToolsetCache().get(task, session.list_tools).functions
    return planner_messages(task.system_prompt, task.user_prompt, tools, view)


def task_files(folder: Path, tasks: Iterable[Task]) -> Path:
    """Make a folder of these tasks."""
    folder.mkdir()
    for task in tasks:
        (folder / f"{task.task_id}.json").write_text(json.dumps(dump_task(task)), encoding="utf-8")
    return folder


def _write_card(folder: Path, row: dict[str, Any]) -> None:
    """Write the card from which `datasets` learns that messages stay as they were written."""
    kinds = {str: {"dtype": "string"}, bool: {"dtype": "bool"}, list: {"list": "json"}}
    columns = [{"name": name, **kinds[type(value)]} for name, value in row.items()]
    split = {"split": "train", "path": DATA}
    about = {
        "configs": [{"config_name": "default", "data_files": [split]}],
        "dataset_info": {"features": columns},
    }
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(about)}---\n", encoding="utf-8")
