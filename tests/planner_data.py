"""Small certified data sets of plans, in the shape in which the planner exporters write theirs."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from eops_traj.export.certificate import CERTIFICATE, content_hash
from eops_traj.hashing import canonical_json
from eops_traj.planner.prompt import Shown, planner_messages
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.store.arrow import to_row
from eops_traj.tasks import dump_task
from eops_traj.tasks.toolset import ToolsetCache

NAMES = ("Odile", "Bram", "Saga", "Ivo", "Mirre", "Tjark", "Wanda", "Pelle")
DATA = "data/*.jsonl"
WHOLE, SHORT = Shown(), Shown(policy="reference", tools="none", prompt="plan_short")


def prompt(name: str) -> list[dict[str, str]]:
    """What a planner is shown."""
    return [
        {"role": "system", "content": "Requests from outside are declined."},
        {"role": "user", "content": f"Find {name}."},
    ]


def plan(name: str) -> list[dict[str, str]]:
    """A plan that does it."""
    return reply(f'1. find_user(name="{name}") -- whom the request names')


def refusal() -> list[dict[str, str]]:
    """A plan that declines."""
    return reply("REFUSE: the request comes from outside")


def reply(text: str) -> list[dict[str, str]]:
    """What the planner says."""
    return [{"role": "assistant", "content": text}]


def planner_sft(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Requests, each with its plan."""
    rows = [{"prompt": prompt(name), "completion": plan(name)} for name in names]
    return certified_data(folder / "planner_sft", "planner_sft", rows)


def planner_dpo(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Requests, each with a plan that does it and one that declines."""
    rows = [{"prompt": prompt(name), "chosen": plan(name), "rejected": refusal()} for name in names]
    return certified_data(folder / "planner_dpo", "planner_dpo", rows)


def taught_by_heart(folder: Path, tasks: Iterable[Task], text: str) -> Path:
    """What planners of these tasks are asked in short, each time with the same plan."""
    rows = [{"prompt": asked(task, SHORT), "completion": reply(text)} for task in tasks]
    return certified_data(folder / "by_heart", "planner_sft", rows, SHORT)


def certified_data(folder: Path, format: str, rows: Iterable[dict[str, Any]], shown: Shown = WHOLE) -> Path:
    """A folder of these rows with a certificate that says all checks passed."""
    (folder / "data").mkdir(parents=True)
    whole = [{"task_id": f"t{n}", "domain": "csm", "episode_id": "e", **row} for n, row in enumerate(rows)]
    lines = "".join(json.dumps(row) + "\n" for row in whole)
    (folder / "data" / "train.jsonl").write_text(lines, encoding="utf-8")
    _say_what_columns_hold(folder, whole[0])
    certificate = {
        "passed": True,
        "format": format,
        "content_hash": content_hash(folder, DATA),
        "data_files": DATA,
        "store": "store",
        "store_version": 1,
        "selection": "chosen",
        "options": {"shown": shown.model_dump()},
    }
    (folder / CERTIFICATE).write_text(json.dumps(certificate), encoding="utf-8")
    return folder


def kto(folder: Path, names: Iterable[str] = NAMES) -> Path:
    """Requests, each with a plan that does it; every other one with a plan that declines, too."""
    rows: list[dict[str, Any]] = []
    for n, name in enumerate(names):
        rows.append({"prompt": prompt(name), "completion": plan(name), "label": True})
        if n % 2:
            rows.append({"prompt": prompt(name), "completion": refusal(), "label": False})
    return certified_data(folder / "kto", "kto", rows)


def prompts(folder: Path, tasks: Iterable[Task], shown: Shown = WHOLE) -> Path:
    """What planners of these tasks are asked, with the tasks."""
    rows = [{"prompt": asked(task, shown), "task": task_text(task)} for task in tasks]
    return certified_data(folder / "prompts", "prompts", rows, shown)


def task_text(task: Task) -> str:
    """A task as the rows hold it."""
    return canonical_json(to_row(task))


def asked(task: Task, shown: Shown = WHOLE) -> list[dict[str, Any]]:
    """What a planner of a task is asked."""
    with open_task(task) as session:
        tools = ToolsetCache().get(task, session.list_tools).functions
    return planner_messages(task.system_prompt, task.user_prompt, tools, shown)


def task_files(folder: Path, tasks: Iterable[Task]) -> Path:
    """A folder of these tasks."""
    folder.mkdir()
    for task in tasks:
        (folder / f"{task.task_id}.json").write_text(json.dumps(dump_task(task)), encoding="utf-8")
    return folder


def _say_what_columns_hold(folder: Path, row: dict[str, Any]) -> None:
    """The card from which `datasets` learns that messages stay as they were written."""
    kinds = {str: {"dtype": "string"}, bool: {"dtype": "bool"}, list: {"list": "json"}}
    columns = [{"name": name, **kinds[type(value)]} for name, value in row.items()]
    split = {"split": "train", "path": DATA}
    about = {
        "configs": [{"config_name": "default", "data_files": [split]}],
        "dataset_info": {"features": columns},
    }
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump(about)}---\n", encoding="utf-8")
