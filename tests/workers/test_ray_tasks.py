"""Two workers of a Ray cluster make what this process makes alone, and what a dead one had is made again."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.workers.engine import HERE, Engine
from eops_traj.workers.processes import count_done

RAY = Engine(2, "ray")


@pytest.fixture(scope="module", autouse=True)
def ray() -> Iterator[None]:
    found = pytest.importorskip("ray")
    found.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    found.shutdown()


def cube(number: int, graves: Path | None = None) -> tuple[int, int]:
    """Return the cube and the process; the first that is asked for 5 dies, and leaves a mark."""
    count_done(number)
    if graves and number == 5:
        mark = graves / "grave"
        if not mark.exists():
            mark.touch()
            os._exit(9)
    return number**3, os.getpid()


@pytest.mark.slow
def test_results_come_in_order_from_workers_of_the_cluster() -> None:
    results = list(RAY.map(cube, range(12), 2))
    assert [value for value, _ in results] == [n**3 for n in range(12)]
    assert os.getpid() not in {process for _, process in results}


@pytest.mark.slow
def test_what_a_dead_worker_had_is_done_again_and_nothing_twice(tmp_path: Path) -> None:
    results = list(RAY.map(partial(cube, graves=tmp_path), range(12), 2))
    assert (tmp_path / "grave").exists()
    assert [value for value, _ in results] == [n**3 for n in range(12)]


def refusing(number: int) -> int:
    if number == 3:
        raise InputError(f"no {number}")
    return number


@pytest.mark.slow
def test_an_error_of_the_work_is_raised_as_it_is_in_this_process() -> None:
    alone, taken = HERE.map(refusing, range(9)), RAY.map(refusing, range(9))
    assert [next(taken) for _ in range(3)] == [next(alone) for _ in range(3)]
    for results in (alone, taken):
        with pytest.raises(InputError, match=r"^no 3$") as raised:
            next(results)
        assert type(raised.value) is InputError


@pytest.mark.slow
def test_what_is_done_is_told_as_parts_end() -> None:
    told: list[int] = []
    assert [value for value, _ in RAY.counted(cube, [3, 1, 2], told.append)] == [27, 1, 8]
    assert sorted(told) == [1, 2, 3]
