"""Tasks: where they come from and in which form, which tools they show, and which of them are taken."""

from eops_traj.tasks.catalog import find_tasks
from eops_traj.tasks.json_files import (
    FILE_NAME,
    domain_of,
    dump_task,
    load_task,
)
from eops_traj.tasks.sampling import sample
from eops_traj.tasks.task_folder import load_folder, load_tasks
from eops_traj.tasks.toolset import MODES, in_mode

__all__ = [
    "FILE_NAME", "MODES", "domain_of", "dump_task", "find_tasks", "in_mode",
    "load_folder", "load_task", "load_tasks", "sample",
]  # fmt: skip
