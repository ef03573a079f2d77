"""A suite on disk: JSON files and the hub's layout, with the seed databases as SQL.

::

    DIR/tasks/<mode>__<domain>__<task>.json    the benchmark's format; seed paths are relative to DIR
    DIR/tasks/eops_traj.jsonl                  what that format has no word for, a task a line
    DIR/hub/<mode>/<domain>-….parquet          the benchmark's dataset layout
    DIR/seeds/<server>-<company>[-<patch>].sql
    DIR/suite.json                             the suite's figures, and the number of dropped drafts

The same seed gives the same bytes.
"""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.files import put_in_place, work_folder
from eops_traj.gym.engine.templates import to_sql
from eops_traj.sandbox.open import server_template
from eops_traj.schema import Task
from eops_traj.tasks.hub import write_hub
from eops_traj.tasks.json_files import split_task
from eops_traj.tasks.sidecar import write_sidecar
from eops_traj.tasks.toolset import MODES, in_mode


def save_suite(
    tasks: Sequence[Task], folder: Path, report: dict[str, Any], modes: Collection[str] = ("oracle",),
    seeds: bool = True,
) -> None:  # fmt: skip
    """Write a suite whole or not at all; the hub's layout has every mode, the JSON files these.

    Without ``seeds``, the tasks run in the embedded gym only, which makes its databases itself.

    Raises FormatError where the folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FormatError(f"{folder} is not empty")
    with work_folder(folder) as part:
        _write_tasks(tasks, part / "tasks", modes)
        write_hub((in_mode(task, mode) for mode in MODES for task in tasks), part / "hub")
        if seeds:
            _write_seeds(tasks, part)
        text = json.dumps(report, indent=2, sort_keys=True) + "\n"
        (part / "suite.json").write_text(text, encoding="utf-8")
        put_in_place(part, folder)


def _write_tasks(tasks: Sequence[Task], folder: Path, modes: Collection[str]) -> None:
    folder.mkdir()
    for mode in modes:
        for task in tasks:
            _write_json(folder / f"{mode}__{task.domain}__{task.task_id}.json", in_mode(task, mode))
    write_sidecar(folder, ((task.task_id, split_task(task)[1]) for task in tasks))


def _write_json(path: Path, task: Task) -> None:
    path.write_text(json.dumps(split_task(task)[0], indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_seeds(tasks: Sequence[Task], folder: Path) -> None:
    (folder / "seeds").mkdir()
    for seed, server in sorted({server.seed: server for task in tasks for server in task.servers}.items()):
        (folder / seed).write_text(to_sql(server_template(server)) + "\n", encoding="utf-8")
