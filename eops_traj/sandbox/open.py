"""Open the embedded session of a task: its servers seeded as it says, its caller identified."""

import json
from collections.abc import Collection
from pathlib import Path

from eops_traj.errors import FormatError
from eops_traj.gym import registry
from eops_traj.gym.engine.clock import Clock
from eops_traj.gym.engine.current_call import Ids
from eops_traj.gym.engine.database import Template
from eops_traj.sandbox.embedded import EmbeddedSession, open_on_templates
from eops_traj.sandbox.seed_source import contained_path, has_seed, read_seed
from eops_traj.schema import Server, Task
from eops_traj.untrusted.json_text import shorten_value


def open_task(
    task: Task, root: Path | None = None, *, strict_permissions: bool = False, clock: Clock | None = None,
    ids: Ids | None = None, quirks: Collection[str] = (),
) -> EmbeddedSession:  # fmt: skip
    """Open an embedded session of the task. ``root`` is the folder that its seed files are named from.

    Raises UnknownName for a server that the gym lacks, FormatError for a seed file that is missing or does
    not load.
    """
    templates, headers = {}, dict[str, str]()
    for server in task.servers:
        known = registry.server(server.name).with_quirks(quirks)
        templates[known] = server_template(server, root)
        headers |= {name: str(value) for name, value in json.loads(server.context).items()}
    return open_on_templates(templates, headers, clock, ids, strict_permissions)


def server_template(server: Server, root: Path | None = None) -> Template:
    """Return the seeded database of a task's server: a company's number with a patch, or a file of SQL.

    Raises FormatError for a file that is missing or does not load, with its name.
    """
    details, known = json.loads(server.details), registry.server(server.name)
    if "company" in details:
        return known.template(int(details["company"]), str(details.get("patch", "")))
    if not server.seed:
        return known.template()
    text = seed_text(server, root)
    try:
        return known.template(text)
    except FormatError as error:
        raise FormatError(f"{server.name}: {shorten_value(Path(server.seed).name)}: {error}") from error


def seed_path(server: Server, root: Path | None) -> Path | None:
    """Return the seed file of a server; None where it starts from a company of ours.

    Raises FormatError for one that is not under ``root``: the task's author must not choose among all the
    files of this machine, for a seed is sent to the server that the task may name too.
    """
    if "company" in json.loads(server.details) or not server.seed:
        return None
    try:
        path = contained_path(root or Path(), server.seed)
    except ValueError as error:
        raise FormatError(f"{server.name}: seed file {shorten_value(server.seed)}: {error}") from None
    return path


def seed_text(server: Server, root: Path | None) -> str:
    """Return the SQL of a server's seed file, in a folder or zip. Raises FormatError where there is none."""
    path = seed_path(server, root)
    if path is None:
        raise FormatError(f"{server.name}: no seed file {path}")
    try:
        return read_seed(root or Path(), server.seed)
    except FormatError as error:
        raise FormatError(f"{server.name}: {error}") from None


def missing_seed(server: Server, root: Path | None) -> str | None:
    """Return the seed file that a server starts from and that is not there; None where nothing is missing."""
    path = seed_path(server, root)
    return None if path is None or has_seed(root or Path(), server.seed) else str(path)
