"""Tasks in the layout of the benchmark's dataset on the hub: a configuration a mode, a split a domain.

Columns as there: ``task_id``, ``domain``, ``system_prompt``, ``user_prompt``, ``selected_tools``,
``restricted_tools``, ``mcp_endpoint``, ``number_of_runs``, ``reset_database_between_runs``, and
``gym_servers_config`` and ``verifiers`` as JSON strings. Tasks of this project's own have one more,
``_eops_traj``, a JSON string too: the benchmark's harness drops what begins with an underscore. In older
suites it is ``eops_traj``, and the harness ends there. Files are ``<mode>/<domain>-00000-of-00001.parquet``.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import FormatError, first_of
from eops_traj.hashing import canonical_json
from eops_traj.optional import require
from eops_traj.schema import Task
from eops_traj.tasks.json_files import DEFAULT_FIELDS, DOMAIN, EXTENSION_KEY, parse_task, split_task
from eops_traj.untrusted.json_text import parse_json

if TYPE_CHECKING:
    import pyarrow as pa

FILE = re.compile(rf"(?P<domain>{DOMAIN})-\d{{5}}-of-\d{{5}}\.parquet")
EXTENSION_COLUMN = f"_{EXTENSION_KEY}"
_EXTENSIONS = {EXTENSION_COLUMN: EXTENSION_KEY, EXTENSION_KEY: EXTENSION_KEY}
_STRINGS = ("gym_servers_config", "verifiers")
_PLAIN = ("system_prompt", "user_prompt", "selected_tools", "restricted_tools", *DEFAULT_FIELDS)


def modes_of(folder: Path) -> list[str]:
    """Return the configurations that a local copy of this layout has, in order; none of another folder."""
    return sorted({path.parent.name for path in folder.glob("*/*.parquet") if FILE.fullmatch(path.name)})


def write_hub(tasks: Iterable[Task], folder: Path) -> None:
    """Write tasks in this layout, with the card that names configurations and splits."""
    import pyarrow.parquet as pq

    parts: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        parts[task.mode, task.domain].append(task)
    for (mode, domain), members in sorted(parts.items()):
        path = folder / mode / f"{domain}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(_table(members), path, compression="zstd", row_group_size=64)
    (folder / "README.md").write_text(_card(sorted(parts)), encoding="utf-8")


def read_hub(folder: Path, mode: str | None = None) -> list[Task]:
    """Read every task of a local copy of this layout, or those of one configuration.

    Raises FormatError naming file, task and problem, of the first few tasks that have one.
    """
    import pyarrow.parquet as pq

    tasks, errors = list[Task](), list[str]()
    for path in sorted(folder.glob(f"{mode or '*'}/*.parquet")):
        try:
            rows = pq.read_table(path).to_pylist()
        except (OSError, ValueError) as error:
            raise FormatError(f"{path}: not readable as Parquet ({error})") from error
        for row in rows:
            try:
                tasks.append(_task(row, path.parent.name))
            except FormatError as error:
                errors.append(f"{path}, task {row.get('task_id')}: {error}")
    if errors:
        raise FormatError(first_of(errors))
    return tasks


def _table(tasks: Sequence[Task]) -> "pa.Table":
    import pyarrow as pa

    rows = [_row(task) for task in tasks]
    texts, lists = pa.string(), pa.list_(pa.string())
    types = {name: lists if name.endswith("_tools") else texts for name in rows[0]}
    types |= {"number_of_runs": pa.int64(), "reset_database_between_runs": pa.bool_()}
    if any(EXTENSION_COLUMN in row for row in rows):
        types[EXTENSION_COLUMN] = texts
    return pa.Table.from_pylist(rows, schema=pa.schema(list(types.items())))


def _row(task: Task) -> dict[str, Any]:
    data, beside = split_task(task)
    row = {"task_id": task.task_id, "domain": task.domain, **{name: data.get(name) for name in _PLAIN}}
    row |= {name: canonical_json(data[name]) for name in _STRINGS}
    return row | ({EXTENSION_COLUMN: canonical_json(beside)} if beside else {})


def _task(row: dict[str, Any], mode: str) -> Task:
    data = {name: row[name] for name in _PLAIN if row.get(name) is not None}
    for name in (*_STRINGS, *_EXTENSIONS):
        if row.get(name) is None:
            continue
        try:
            data[_EXTENSIONS.get(name, name)] = parse_json(row[name])
        except FormatError as error:
            raise FormatError(f"{name}: {error}") from error
    return parse_task(data, str(row.get("task_id")), row.get("domain"), mode)


def _card(parts: Sequence[tuple[str, str]]) -> str:
    """Render the dataset card; its head says which files make which configuration and split."""
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
    text = "Tasks in the layout of EnterpriseOps-Gym: a configuration a mode, a split a domain."
    return f"---\n{head}---\n\n# Tasks\n\n{text}\n"


def download(name: str, mode: str) -> list[Task]:
    """Download the tasks of a dataset on the hub in a mode.

    Raises InputError without the extra that talks to the hub, FormatError where it is not to be had.
    """
    require("publish", "huggingface_hub")
    if name.count("/") != 1 or not all(name.split("/")):
        raise FormatError(f"hub:{name} names no dataset; give hub:ORG/NAME")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = snapshot_download(name, repo_type="dataset", allow_patterns=f"{mode}/*.parquet")
    except LocalEntryNotFoundError as error:
        what = "not in the local cache, and the hub cannot be reached (or HF_HUB_OFFLINE is set)"
        raise FormatError(f"hub:{name}: {what}") from error
    except (HfHubHTTPError, ValueError) as error:
        raise FormatError(f"hub:{name}: {' '.join(str(error).split())[:200]}") from error
    return read_hub(Path(folder), mode)
