"""Environments of a handwritten task, reset to it, and the work that it asks for."""

from eops_traj.schema import Task
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
