"""Tasks in the layout of the benchmark's dataset on the hub: a configuration a mode, a split a domain.

Columns as there: ``task_id``, ``domain``, ``system_prompt``, ``user_prompt``, ``selected_tools``,
``restricted_tools``, ``mcp_endpoint``, ``number_of_runs``, ``reset_database_between_runs``, and
``gym_servers_config`` and ``verifiers`` as JSON strings. Tasks of this project's own have one more,
``eops_traj``, a JSON string too. Files are ``<mode>/<domain>-00000-of-00001.parquet``.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Task
from eops_traj.tasks.json_files import OURS, STANDARD, dump_task, task_of

if TYPE_CHECKING:
    import pyarrow as pa

FILE = re.compile(r"(?P<domain>[a-z]+)-\d{5}-of-\d{5}\.parquet")
_STRINGS = ("gym_servers_config", "verifiers")
_PLAIN = ("system_prompt", "user_prompt", "selected_tools", "restricted_tools", *STANDARD)


def is_hub_layout(folder: Path) -> bool:
    """Whether a folder holds tasks in this layout."""
    return any(FILE.fullmatch(path.name) for path in folder.glob("*/*.parquet"))


def write_hub(tasks: Iterable[Task], folder: Path) -> None:
    """Write tasks in this layout, with the card that names configurations and splits."""
    import pyarrow.parquet as pq

    parts: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        parts[task.mode, task.domain].append(task)
    for (mode, domain), found in sorted(parts.items()):
        path = folder / mode / f"{domain}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(_table(found), path, compression="zstd", row_group_size=64)
    (folder / "README.md").write_text(_card(sorted(parts)), encoding="utf-8")


def read_hub(folder: Path, mode: str | None = None) -> list[Task]:
    """Every task of a local copy of this layout, or those of one configuration.

    Raises FormatError naming file, task and every problem.
    """
    import pyarrow.parquet as pq

    tasks, wrong = list[Task](), list[str]()
    for path in sorted(folder.glob(f"{mode or '*'}/*.parquet")):
        try:
            rows = pq.read_table(path).to_pylist()
        except (OSError, ValueError) as error:
            raise FormatError(f"{path}: not readable as Parquet ({error})") from error
        for row in rows:
            try:
                tasks.append(_task(row, path.parent.name))
            except FormatError as error:
                wrong.append(f"{path}, task {row.get('task_id')}: {error}")
    if wrong:
        raise FormatError("; ".join(wrong))
    return tasks


def _table(tasks: Sequence[Task]) -> "pa.Table":
    import pyarrow as pa

    rows = [_row(task) for task in tasks]
    texts, lists = pa.string(), pa.list_(pa.string())
    types = {name: lists if name.endswith("_tools") else texts for name in rows[0]}
    types |= {"number_of_runs": pa.int64(), "reset_database_between_runs": pa.bool_()}
    if any(OURS in row for row in rows):
        types[OURS] = texts
    return pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))


def _row(task: Task) -> dict[str, Any]:
    data = dump_task(task)
    row = {"task_id": task.task_id, "domain": task.domain, **{name: data.get(name) for name in _PLAIN}}
    row |= {name: canonical_json(data[name]) for name in _STRINGS}
    return row | ({OURS: canonical_json(data[OURS])} if OURS in data else {})


def _task(row: dict[str, Any], mode: str) -> Task:
    data = {name: row[name] for name in _PLAIN if row.get(name) is not None}
    for name in (*_STRINGS, OURS):
        if row.get(name) is None:
            continue
        try:
            data[name] = json.loads(row[name])
        except ValueError as error:
            raise FormatError(f"{name}: not JSON ({error})") from error
    return task_of(data, str(row.get("task_id")), row.get("domain"), mode)


def _card(parts: Sequence[tuple[str, str]]) -> str:
    """The dataset card's head: which files make which configuration and split."""
    import yaml

    modes = dict.fromkeys(mode for mode, _ in parts)
    configs = [
        {
            "config_name": mode,
            "data_files": [{"split": d, "path": f"{mode}/{d}-*.parquet"} for m, d in parts if m == mode],
        }
        for mode in modes
    ]
    head = yaml.safe_dump({"license": "apache-2.0", "configs": configs}, sort_keys=False)
    said = "Tasks in the layout of EnterpriseOps-Gym: a configuration a mode, a split a domain."
    return f"---\n{head}---\n\n# Tasks\n\n{said}\n"
