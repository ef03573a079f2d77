"""Tasks as files: the benchmark's own JSON format, one task each, read and written.

What the format has no field for (suite, split, feasibility, gold plan, categories of verifiers, the verifiers
that count for the strict label only) stands beside the file (`eops_traj.tasks.sidecar`): the benchmark's
harness reads no file with a key that it does not know. Where a task is one object, it stands under one more
key, `EXTENSION_KEY`, and so it does in the files of older suites, categories with their verifiers.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from eops_traj.config import Settings, problems
from eops_traj.errors import FormatError
from eops_traj.files import read_json
from eops_traj.gym import registry
from eops_traj.gym.own_servers import NAME
from eops_traj.hashing import canonical_json
from eops_traj.schema import BENCHMARK_SUITE, Json, Server, Task, Verifier
from eops_traj.tasks.sidecar import Sidecar
from eops_traj.verify.verifier_kinds import kind_of

DOMAIN = NAME
"""A domain: one of ours, or the name of a server of one's own."""
FILE_NAME = re.compile(rf"(?P<mode>[^_](?:_?[^_])*)__(?P<domain>{DOMAIN})__(?P<task_id>.+)")
"""How the benchmark names its files: mode, domain and task, two underscores between."""


EXTENSION_KEY = "eops_traj"
DEFAULT_FIELDS = {"mcp_endpoint": "/mcp", "number_of_runs": 1, "reset_database_between_runs": True}
"""Further fields of the benchmark's files, with their values where a task gives none."""


class _Server(BaseModel):
    model_config = ConfigDict(extra="allow")
    mcp_server_name: str
    mcp_server_url: str | None = None
    seed_database_file: str = ""
    context: dict[str, Any] = Field(default_factory=dict)
    company: Annotated[int, Field(strict=True, ge=0, lt=2**63)] = 0
    patch: str = ""


_SERVER_FIELDS = ("mcp_server_name", "mcp_server_url", "seed_database_file", "context")


class _Verifier(Settings):
    verifier_type: str
    name: str | None = None
    description: str | None = None
    gym_name: str | None = None
    category: str | None = None
    validation_config: dict[str, Any]


class _Recipe(BaseModel):
    model_config = ConfigDict(extra="allow")
    families: list[str] = Field(default_factory=list)
    steps: Annotated[int, Field(strict=True, ge=0, lt=2**31)] | None = None
    twist: str | None = None
    twin: str | None = None


class _Extension(Settings):
    suite: str
    split: str | None = None
    feasible: bool | None = None
    plan: str | None = None
    made: _Recipe = Field(default_factory=_Recipe)
    categories: list[str | None] | None = None
    strict_verifiers: list[_Verifier] = Field(default_factory=list)


class _Task(BaseModel):
    model_config = ConfigDict(extra="allow")
    eops_traj: _Extension | None = None
    system_prompt: str
    user_prompt: str
    gym_servers_config: list[_Server] = Field(min_length=1)
    selected_tools: list[str] = Field(default_factory=list)
    restricted_tools: list[str] = Field(default_factory=list)
    verifiers: list[_Verifier] = Field(default_factory=list)
    made: None = None  # it stands under `EXTENSION_KEY` alone

    @model_validator(mode="after")
    def _categorised(self) -> Self:
        """Give the verifiers the categories that stand beside them."""
        categories = self.eops_traj.categories if self.eops_traj else None
        if categories is None:
            return self
        if len(categories) != len(self.verifiers):
            raise ValueError(f"{len(categories)} categories for {len(self.verifiers)} verifiers")
        self.verifiers = [
            verifier.model_copy(update={"category": category})
            for verifier, category in zip(self.verifiers, categories, strict=True)
        ]
        return self


def domain_of(servers: Iterable[str]) -> str:
    """Return the domain of a set of servers: one server's, else hybrid; unknown for an unknown server."""
    names = list(servers)
    if len(names) != 1:
        return "hybrid"
    servers_known = (registry.server(name) for name in registry.SERVERS)
    return next((server.name for server in servers_known if server.gym_name == names[0]), "unknown")


def load_task(path: Path, sidecar: Sidecar | None = None) -> Task:
    """Load a task from a file of the benchmark's format; its name gives the id, and mode and domain if there.

    ``sidecar`` holds what stands beside it, else its folder's is read. Raises FormatError naming the file and
    every problem in it.
    """
    data = read_json(path)
    match = FILE_NAME.fullmatch(path.stem)
    mode, domain, task_id = match.group("mode", "domain", "task_id") if match else (None, None, path.stem)
    beside = (sidecar or Sidecar(path.parent)).of(task_id)
    if beside is not None and isinstance(data, dict):
        data = {EXTENSION_KEY: beside, **data}  # a file with a key of its own is of an older suite
    try:
        return parse_task(data, task_id, domain, mode or "oracle")
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def parse_task(data: Any, task_id: str, domain: str | None = None, mode: str = "oracle") -> Task:
    """Parse a task from an object of the benchmark's format. Raises FormatError with every problem in it."""
    try:
        parsed = _Task.model_validate(data)
    except ValidationError as error:
        raise FormatError("; ".join(problems(error))) from error
    extension = parsed.eops_traj or _Extension(suite=BENCHMARK_SUITE)
    made = extension.made.model_dump(exclude_unset=True)
    details = {**(parsed.model_extra or {}), **({"made": made} if made else {})}
    return Task(
        task_id=task_id,
        domain=domain or domain_of(s.mcp_server_name for s in parsed.gym_servers_config),
        mode=mode,
        suite=extension.suite,
        split=extension.split,
        system_prompt=parsed.system_prompt,
        user_prompt=parsed.user_prompt,
        servers=tuple(_server(s) for s in parsed.gym_servers_config),
        tools=tuple(parsed.selected_tools),
        restricted_tools=tuple(parsed.restricted_tools),
        verifiers=tuple(
            _verifier(i, v) for i, v in enumerate([*parsed.verifiers, *extension.strict_verifiers])
        ),
        feasible=extension.feasible,
        plan=extension.plan,
        details=Json(canonical_json(details)),
    )


def dump_task(task: Task) -> dict[str, Any]:
    """Render a task as one object, which `parse_task` reads back to an equal task."""
    data, beside = split_task(task)
    return {**data, EXTENSION_KEY: beside} if beside else data


def split_task(task: Task) -> tuple[dict[str, Any], dict[str, Any]]:
    """Render a task as an object of the benchmark's format, and what stands beside it."""
    details = json.loads(task.details)
    made = details.pop("made", {})
    counted = [v for v in task.verifiers if not kind_of(v.kind).strict_only]
    strict = [v for v in task.verifiers if kind_of(v.kind).strict_only]
    data = {
        **(DEFAULT_FIELDS | details),
        "gym_servers_config": [_dump_server(server) for server in task.servers],
        "system_prompt": task.system_prompt,
        "user_prompt": task.user_prompt,
        "selected_tools": list(task.tools),
        "restricted_tools": list(task.restricted_tools),
        "verifiers": [_dump_verifier(v, f"verifier_{n}") for n, v in enumerate(counted, 1)],
    }
    beside = {"split": task.split, "feasible": task.feasible, "plan": task.plan, "made": made}
    beside |= {"strict_verifiers": [_dump_verifier(v) | _category(v) for v in strict]}
    if any(v.category is not None for v in counted):
        beside["categories"] = [v.category for v in counted]
    said = task.suite != BENCHMARK_SUITE or any(value not in (None, {}, []) for value in beside.values())
    return data, {"suite": task.suite, **beside} if said else {}


def _dump_server(server: Server) -> dict[str, Any]:
    data: dict[str, Any] = {"mcp_server_name": server.name, "mcp_server_url": server.url}
    data |= {"seed_database_file": server.seed, "context": json.loads(server.context)}
    known = {key: value for key, value in data.items() if value is not None}
    return {**known, **json.loads(server.details)}


def _dump_verifier(verifier: Verifier, unnamed: str = "") -> dict[str, Any]:
    """Render a verifier without what is not known; a name made from its place is left out again."""
    data = {
        "verifier_type": verifier.kind,
        "name": None if verifier.name == unnamed else verifier.name,
        "description": verifier.description,
        "gym_name": verifier.server,
    }
    known: dict[str, Any] = {key: value for key, value in data.items() if value is not None}
    return {**known, "validation_config": json.loads(verifier.config)}


def _category(verifier: Verifier) -> dict[str, str]:
    return {} if verifier.category is None else {"category": verifier.category}


def _server(server: _Server) -> Server:
    return Server(
        name=server.mcp_server_name,
        seed=server.seed_database_file,
        url=server.mcp_server_url,
        context=Json(canonical_json(server.context)),
        details=Json(canonical_json(server.model_dump(exclude_unset=True, exclude=set(_SERVER_FIELDS)))),
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
