"""Open the embedded session of a task: its servers seeded as it says, its caller identified."""

import json
from collections.abc import Collection
from pathlib import Path

from eops_traj.errors import FormatError
from eops_traj.gym import registry
from eops_traj.gym.engine.clock import Clock
from eops_traj.gym.engine.database import Ids, Template
from eops_traj.sandbox.embedded import EmbeddedSession, open_on_templates
from eops_traj.schema import Server, Task


def open_task(
    task: Task, root: Path | None = None, *, strict_permissions: bool = False, clock: Clock | None = None,
    ids: Ids | None = None, quirks: Collection[str] = (),
) -> EmbeddedSession:  # fmt: skip
    """Open an embedded session of the task. ``root`` is the folder that its seed files are named from.

    Raises UnknownName for a server that the gym lacks, FormatError for a seed file that is missing.
    """
    templates, headers = {}, dict[str, str]()
    for server in task.servers:
        known = registry.server(server.name).with_quirks(quirks)
        templates[known] = server_template(server, root)
        headers |= {name: str(value) for name, value in json.loads(server.context).items()}
    return open_on_templates(templates, headers, clock, ids, strict_permissions)


def server_template(server: Server, root: Path | None = None) -> Template:
    """Return the seeded database of a task's server: a company's number with a patch, or a file of SQL."""
    details, known = json.loads(server.details), registry.server(server.name)
    if "company" in details:
        return known.template(int(details["company"]), str(details.get("patch", "")))
    if not server.seed:
        return known.template()
    return known.template(seed_text(server, root))


def seed_path(server: Server, root: Path | None) -> Path | None:
    """Return the seed file of a server; None where it starts from a company of ours."""
    if "company" in json.loads(server.details) or not server.seed:
        return None
    return (root or Path()) / server.seed


def seed_text(server: Server, root: Path | None) -> str:
    """Return the SQL of a server's seed file. Raises FormatError where there is none."""
    path = seed_path(server, root)
    if path is None or not path.is_file():
        raise FormatError(f"{server.name}: no seed file {path}")
    return path.read_text(encoding="utf-8")
