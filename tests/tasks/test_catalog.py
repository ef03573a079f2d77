"""Tasks are chosen by names that are there; those without a split by its name."""

from dataclasses import replace

import pytest

from eops_traj.errors import UnknownName
from eops_traj.tasks.catalog import choose
from tests.tasks.small_suite import small_suite


def test_tasks_without_a_split_are_chosen_as_none() -> None:
    one, other = (
        replace(task, split=split) for task, split in zip(small_suite()[:2], (None, "test"), strict=True)
    )
    assert choose([one, other], splits=["none"]) == [one]
    assert choose([one, other], splits=["test"]) == [other]
    assert choose([one, other], splits=["none", "test"]) == [one, other]


def test_a_split_that_no_task_has_is_named_with_those_there_are() -> None:
    one = replace(small_suite()[0], split=None)
    with pytest.raises(UnknownName, match="unknown split 'train'; choose from none"):
        choose([one], splits=["train"])
