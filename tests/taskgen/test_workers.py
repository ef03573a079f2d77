"""Parts are worked in other processes, their results come in order, and what is done is counted as it is."""

import os

from eops_traj.taskgen.workers import count_done, counted_map


def square(number: int) -> tuple[int, int]:
    for _ in range(number):
        count_done(1)
    return number * number, os.getpid()


def test_results_come_in_order_and_all_that_was_done_is_told() -> None:
    told: list[int] = []
    results = list(counted_map(square, [3, 1, 2], 2, told.append))
    assert [value for value, _ in results] == [9, 1, 4]
    assert sum(told) == 6 and os.getpid() not in {process for _, process in results}


def test_no_one_counts_where_no_pool_was_opened() -> None:
    count_done(5)
