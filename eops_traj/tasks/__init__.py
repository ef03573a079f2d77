"""Tasks: where they come from and in which form, which tools they show, and which of them are taken."""

from eops_traj.tasks.catalog import find_tasks
from eops_traj.tasks.json_files import (
    FILE_NAME,
    SERVER_DOMAINS,
    domain_of,
    dump_task,
    find_files,
    load_task,
    load_tasks,
    problems,
    read_json,
)
from eops_traj.tasks.modes import MODES, in_mode
from eops_traj.tasks.sampling import sample

__all__ = [
    "FILE_NAME", "MODES", "SERVER_DOMAINS", "domain_of", "dump_task", "find_files", "find_tasks", "in_mode",
    "load_task", "load_tasks", "problems", "read_json", "sample",
]  # fmt: skip
