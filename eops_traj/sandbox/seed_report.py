"""What was loosened for the seed files of tasks: a line each, for those who use the tasks."""

from collections.abc import Iterable
from pathlib import Path

from eops_traj.gym.seed_check import said
from eops_traj.sandbox.open import seed_path, server_template
from eops_traj.schema import Task


def loosened_seeds(tasks: Iterable[Task], root: Path | None) -> dict[str, str]:
    """Return what was loosened, by seed file; those that are kept to the letter are left out.

    Raises FormatError for a seed that is missing, or does not load.
    """
    used = {(s.name, s.seed): s for task in tasks for s in task.servers if seed_path(s, root) is not None}
    found = {}
    for (_, seed), server in used.items():
        loosened = server_template(server, root).schema.loosened
        if loosened:
            found[seed] = said(loosened)
    return found
