"""The audit of tasks of our own: they were proven, so that whatever it finds in them is its mistake."""

from eops_traj.audit.register import audit_tasks
from eops_traj.tasks.summary import BENCHMARK
from tests.tasks.small_suite import small_suite


def test_no_task_that_was_proven_is_blamed() -> None:
    tasks = small_suite()
    assert {task.domain for task in tasks} == set(BENCHMARK)
    assert audit_tasks(tasks, None).findings == ()
