"""Results are joined with the task as their run saw it."""

import pytest

from eops_traj.interchange.enterpriseops_tasks import KnownTasks
from tests.collectors.group_tasks import TASK


@pytest.mark.parametrize(
    ("mode", "shown"), [(None, TASK.tools), ("oracle", TASK.tools), ("plus_9_tools", ())]
)
def test_a_result_that_names_no_mode_has_the_task_as_it_is(mode: str | None, shown: tuple[str, ...]) -> None:
    found = KnownTasks([TASK]).find(TASK.task_id, mode)
    assert found is not None and (found.mode, found.tools) == (mode or "oracle", shown)


def test_an_unknown_task_is_none() -> None:
    assert KnownTasks([TASK]).find("another", "oracle") is None
