"""Tasks as files: the benchmark's own JSON format, one task each, read and written.

What the format has no word for (split, feasibility, gold plan, the verifiers that count for the strict label
only) stands under one more key, `OURS`, which the benchmark's harness passes over.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Server, Task, Verifier
from eops_traj.verify.verifiers import STRICT_ONLY

SERVER_DOMAINS = {
    "sn-csm-server": "csm",
    "gym-itsm-mcp": "itsm",
    "sn-hr-internal": "hr",
    "gym-teams-mcp": "teams",
    "gym-google-drive-mcp": "drive",
    "gym-email-mcp": "email",
    "gym-calendar": "calendar",
}
"""The domain of each of the benchmark's servers."""

FILE_NAME = re.compile(r"(?P<mode>[^_](?:_?[^_])*)__(?P<domain>[a-z]+)__(?P<task_id>.+)")
"""How the benchmark names its files: mode, domain and task, two underscores between."""


OURS = "eops_traj"
STANDARD = {"mcp_endpoint": "/mcp", "number_of_runs": 1, "reset_database_between_runs": True}
"""What the benchmark's files say besides, where nobody says otherwise."""


class _Server(BaseModel):
    model_config = ConfigDict(extra="allow")
    mcp_server_name: str
    mcp_server_url: str | None = None
    seed_database_file: str = ""
    context: dict[str, Any] = Field(default_factory=dict)


class _Verifier(BaseModel):
    model_config = ConfigDict(extra="forbid")
    verifier_type: str
    name: str | None = None
    description: str | None = None
    gym_name: str | None = None
    category: str | None = None
    validation_config: dict[str, Any]


class _Ours(BaseModel):
    model_config = ConfigDict(extra="forbid")
    suite: str
    split: str | None = None
    feasible: bool | None = None
    plan: str | None = None
    made: dict[str, Any] = Field(default_factory=dict)
    strict_verifiers: list[_Verifier] = Field(default_factory=list)


class _Task(BaseModel):
    model_config = ConfigDict(extra="allow")
    eops_traj: _Ours | None = None
    system_prompt: str
    user_prompt: str
    gym_servers_config: list[_Server] = Field(min_length=1)
    selected_tools: list[str] = Field(default_factory=list)
    restricted_tools: list[str] = Field(default_factory=list)
    verifiers: list[_Verifier] = Field(default_factory=list)


def problems(error: ValidationError) -> list[str]:
    """What pydantic found, a line a field: ``gym_servers_config.0.mcp_server_name: Field required``."""
    return [f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()]


def read_json(path: Path) -> Any:
    """The JSON of a file. Raises FormatError where it is not there, not text, or not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not JSON ({error})") from error


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The JSON files that paths name: files as they are, folders searched. FormatError if one is missing."""
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path} does not exist")
        yield from sorted(path.rglob("*.json")) if path.is_dir() else [path]


def domain_of(servers: Iterable[str]) -> str:
    """The domain that a set of servers stands for: one server's, else hybrid; unknown for a strange one."""
    names = list(servers)
    return SERVER_DOMAINS.get(names[0], "unknown") if len(names) == 1 else "hybrid"


def load_task(path: Path) -> Task:
    """A task from a file of the benchmark's format; its name gives the id, and mode and domain if there.

    Raises FormatError naming the file and every problem in it.
    """
    data = read_json(path)
    named = FILE_NAME.fullmatch(path.stem)
    mode, domain, task_id = named.group("mode", "domain", "task_id") if named else (None, None, path.stem)
    try:
        return task_of(data, task_id, domain, mode or "oracle")
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def task_of(data: Any, task_id: str, domain: str | None = None, mode: str = "oracle") -> Task:
    """The task that an object of the benchmark's format says. Raises FormatError with every problem in it."""
    try:
        found = _Task.model_validate(data)
    except ValidationError as error:
        raise FormatError("; ".join(problems(error))) from error
    ours = found.eops_traj or _Ours(suite="enterpriseops-gym")
    details = {**(found.model_extra or {}), **({"made": ours.made} if ours.made else {})}
    return Task(
        task_id=task_id,
        domain=domain or domain_of(s.mcp_server_name for s in found.gym_servers_config),
        mode=mode,
        suite=ours.suite,
        split=ours.split,
        system_prompt=found.system_prompt,
        user_prompt=found.user_prompt,
        servers=tuple(_server(s) for s in found.gym_servers_config),
        tools=tuple(found.selected_tools),
        restricted_tools=tuple(found.restricted_tools),
        verifiers=tuple(_verifier(i, v) for i, v in enumerate([*found.verifiers, *ours.strict_verifiers])),
        feasible=ours.feasible,
        plan=ours.plan,
        details=Json(canonical_json(details)),
    )


def dump_task(task: Task) -> dict[str, Any]:
    """The task as an object of the benchmark's format: what `task_of` reads back to an equal task."""
    details = json.loads(task.details)
    made = details.pop("made", {})
    data = {
        **(STANDARD | details),
        "gym_servers_config": [_dump_server(server) for server in task.servers],
        "system_prompt": task.system_prompt,
        "user_prompt": task.user_prompt,
        "selected_tools": list(task.tools),
        "restricted_tools": list(task.restricted_tools),
        "verifiers": [
            _dump_verifier(i, v) for i, v in enumerate(task.verifiers) if v.kind not in STRICT_ONLY
        ],
    }
    strict = [_dump_verifier(-1, v) for v in task.verifiers if v.kind in STRICT_ONLY]
    ours = {"split": task.split, "feasible": task.feasible, "plan": task.plan, "made": made}
    if strict or any(value not in (None, {}) for value in ours.values()):
        data[OURS] = {"suite": task.suite, **ours, "strict_verifiers": strict}
    return data


def _strict(verifier: Verifier) -> bool:
    return verifier.kind in STRICT_ONLY


def _dump_server(server: Server) -> dict[str, Any]:
    data: dict[str, Any] = {"mcp_server_name": server.name, "mcp_server_url": server.url}
    data |= {"seed_database_file": server.seed, "context": json.loads(server.context)}
    known = {key: value for key, value in data.items() if value is not None}
    return {**known, **json.loads(server.details)}


def _dump_verifier(index: int, verifier: Verifier) -> dict[str, Any]:
    """A verifier without what is not known; a name that stands for its place is left out again."""
    data = {
        "verifier_type": verifier.kind,
        "name": None if verifier.name == f"verifier_{index + 1}" else verifier.name,
        "description": verifier.description,
        "gym_name": verifier.server,
        "category": verifier.category,
    }
    known: dict[str, Any] = {key: value for key, value in data.items() if value is not None}
    return {**known, "validation_config": json.loads(verifier.config)}


def _server(server: _Server) -> Server:
    return Server(
        name=server.mcp_server_name,
        seed=server.seed_database_file,
        url=server.mcp_server_url,
        context=Json(canonical_json(server.context)),
        details=Json(canonical_json(server.model_extra or {})),
    )


def _verifier(index: int, verifier: _Verifier) -> Verifier:
    return Verifier(
        name=verifier.name or f"verifier_{index + 1}",  # the name that the benchmark's harness gives it
        kind=verifier.verifier_type,
        server=verifier.gym_name,
        config=Json(canonical_json(verifier.validation_config)),
        description=verifier.description,
        category=verifier.category,
    )


def load_tasks(folder: Path) -> dict[str, Task]:
    """Every task of a folder of the benchmark's JSON files, by task id.

    Raises FormatError: no such folder, or files with problems, all of them named at once.
    """
    tasks, wrong = {}, []
    for path in find_files([folder]):
        try:
            task = load_task(path)
            tasks[task.task_id] = task
        except FormatError as error:
            wrong.append(str(error))
    if wrong:
        raise FormatError("; ".join(wrong))
    return tasks
