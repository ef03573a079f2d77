"""Environments of a handwritten task, reset to it, and the work that it asks for."""

from dataclasses import replace
from pathlib import Path

from eops_traj.gym.engine.templates import to_sql
from eops_traj.sandbox.open import server_template
from eops_traj.schema import Json, Task
from eops_traj.train.rollout_env import Environment, environment_name, make_environments
from tests.planner_data import task_text


def reset_environment(task: Task) -> Environment:
    """Make the environment of a task, reset to it."""
    environment = make_environments([task])[environment_name(task)]()
    environment.reset(task=task_text(task), prompt=[])
    return environment


def do_work(environment: Environment) -> None:
    """Do what the request of ``group_tasks.TASK`` asks for."""
    environment.add_new_group_member(group_id=1, user_id=8)  # type: ignore[attr-defined]
    environment.update_user_details(user_id=8, phone="+1 555 0100")  # type: ignore[attr-defined]


def seeded_by_file(task: Task, folder: Path) -> Task:
    """Return a task of one server whose database is in a file of this folder, and nowhere else."""
    (folder / "seeds").mkdir(parents=True)
    [server] = task.servers
    (folder / "seeds" / "desk.sql").write_text(to_sql(server_template(server)), encoding="utf-8")
    return replace(task, servers=(replace(server, seed="seeds/desk.sql", details=Json("{}")),))
