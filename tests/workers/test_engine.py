"""Work is shared out, its results come in order, and what is done is counted as it is."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eops_traj.errors import ConfigError, InputError, UnknownName, WorkError
from eops_traj.workers.engine import AHEAD, FEW, HERE, Engine
from eops_traj.workers.processes import count_done
from tests.waiting import eventually


def square(number: int) -> tuple[int, int]:
    """Return the square, and the process; the larger the number, the sooner."""
    time.sleep(0.02 / (1 + number))
    for _ in range(number):
        count_done(1)
    return number * number, os.getpid()


def squares(engine: Engine, count: int, together: int = 1) -> tuple[list[int], set[int]]:
    results = list(engine.map(square, range(count), together))
    return [value for value, _ in results], {process for _, process in results}


@pytest.mark.parametrize("together", [1, 3])
def test_results_come_in_order_from_other_processes(together: int) -> None:
    values, processes = squares(Engine(2), 20, together)
    assert values == [n * n for n in range(20)] and os.getpid() not in processes


@pytest.mark.parametrize(("engine", "count"), [(HERE, 20), (Engine(2), FEW - 1), (Engine(2), 0)])
def test_one_process_is_this_one_and_so_it_is_for_a_little_work(engine: Engine, count: int) -> None:
    assert squares(engine, count) == ([n * n for n in range(count)], {os.getpid()} if count else set())


def test_no_more_is_read_than_the_workers_have_under_way() -> None:
    read = 0

    def numbers() -> Iterator[int]:
        nonlocal read
        while True:
            read += 1
            yield read

    results = Engine(2).map(square, numbers(), 2)
    assert next(results)[0] == 1 and read <= 2 * (2 * AHEAD + FEW)


def failing(number: int) -> int:
    if number == 7:
        raise InputError(f"no {number}")
    return number


def test_what_one_raises_comes_in_its_turn_and_ends_the_rest() -> None:
    results, taken = Engine(2).map(failing, range(10**9)), list[int]()
    with pytest.raises(InputError, match=r"^no 7$"):
        taken.extend(results)
    assert taken == [*range(7)] and list(results) == []


def unknown(number: int) -> int:
    raise ConfigError(f"{number}", ["no such key", "no such value"])


def test_an_error_that_is_made_of_parts_comes_whole_from_another_process() -> None:
    """One that could not be read here would break the pool, and be called its sudden end."""
    with pytest.raises(ConfigError, match=r"^0: no such key; no such value$") as raised:
        list(Engine(2).map(unknown, range(10**9)))
    assert raised.value.problems == ["no such key", "no such value"]


def dying(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_worker_that_the_system_kills_ends_the_work_in_one_line() -> None:
    with pytest.raises(WorkError, match=r"^a worker process was killed \(out of memory\?\); fewer --workers"):
        list(Engine(2).map(dying, range(60)))
    with pytest.raises(WorkError, match=r"^a worker process was killed"):
        Engine(2).counted(dying, [3, 7, 5], lambda count: None)


def test_all_that_was_done_is_told() -> None:
    told: list[int] = []
    results = Engine(2).counted(square, [3, 1, 2], told.append)
    assert [value for value, _ in results] == [9, 1, 4]
    assert sum(told) == 6 and os.getpid() not in {process for _, process in results}


def counting(number: int) -> None:
    for _ in range(number):
        count_done(1)
        time.sleep(0.02)


def test_what_is_done_while_one_is_told_is_told_next() -> None:
    told: list[int] = []

    def tell(count: int) -> None:
        told.append(count)
        time.sleep(0.2)

    Engine(2).counted(counting, [20, 40, 60], tell)
    assert sum(told) == 120


def test_one_process_counts_what_it_does_as_it_does_it_and_until_its_end() -> None:
    told: list[int] = []
    results = HERE.counted(square, [3, 2], told.append)
    assert results == [(9, os.getpid()), (4, os.getpid())] and told == [1] * 5
    count_done(7)
    assert sum(told) == 5


def test_no_one_counts_where_no_pool_was_opened() -> None:
    count_done(5)


def test_another_kind_is_refused_before_anything_is_begun() -> None:
    with pytest.raises(UnknownName, match=r"'dask'.*processes.*ray"):
        Engine(2, "dask")


def sleep_after_noting(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def two_asleep(folder: Path) -> "subprocess.Popen[str]":
    """Begin a program, in a group of its own, whose two workers note themselves in a folder and sleep."""
    call = f"Engine(2).counted(sleep_after_noting, [{str(folder)!r}] * 2, print)"
    heard = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # also where the tests do not hear it
    main = f"from {__name__} import *\nif __name__ == '__main__':\n    {heard}\n    {call}\n"
    (folder / "main.py").write_text(main)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(folder / "main.py")]
    return subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def starting(process: int) -> list[int]:
    """Return the workers of a process in which Python runs by now, whose handler of Ctrl-C it begins with."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    status = {child: Path(f"/proc/{child}/status").read_text() for child in children}
    workers = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return [int(w) for w in workers if int(status[w].split("SigCgt:")[1].split()[0], 16) & 0b10]


def test_ctrl_c_ends_workers_that_only_start_without_a_word(tmp_path: Path) -> None:
    with two_asleep(tmp_path) as parent:
        assert eventually(lambda: len(starting(parent.pid)) == 2, 300)
        workers = starting(parent.pid)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: every process of the group
        _, said = parent.communicate(timeout=120)
    assert said.count("Traceback") == 1 and said.strip().endswith("KeyboardInterrupt"), said  # the parent's
    assert not any(map(is_alive, workers))


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_began_them(tmp_path: Path, kind: signal.Signals) -> None:
    with two_asleep(tmp_path) as parent:
        assert eventually(lambda: len([*tmp_path.glob("[0-9]*")]) == 2, 300)
        workers = [int(path.name) for path in tmp_path.glob("[0-9]*")]
        parent.send_signal(kind)
    assert eventually(lambda: not any(map(is_alive, workers)), 120)
