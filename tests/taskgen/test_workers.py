"""Parts are worked in other processes, their results come in order, and what is done is counted as it is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eops_traj.taskgen.workers import count_done, counted_map
from tests.waiting import eventually


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


def sleep_after_noting(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_began_them(tmp_path, kind) -> None:
    call = f"counted_map(sleep_after_noting, [{str(tmp_path)!r}] * 2, 2, print)"
    main = f"from {__name__} import *\nif __name__ == '__main__':\n    {call}\n"
    (tmp_path / "main.py").write_text(main)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(tmp_path / "main.py")], env=environment) as parent:
        assert eventually(lambda: len([*tmp_path.glob("[0-9]*")]) == 2, 60)
        workers = [int(path.name) for path in tmp_path.glob("[0-9]*")]
        parent.send_signal(kind)
    assert eventually(lambda: not any(map(is_alive, workers)))
