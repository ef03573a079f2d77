"""Ctrl-C waits for what must not be done by halves."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from eops_traj.workers.uninterrupted import uninterrupted


@pytest.fixture(autouse=True)
def pythons_own_handler() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests run in the background, and leave it as it was."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_was_begun_is_done_before_the_interruption() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("all of it")
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_asks_twice_does_not_wait() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("the first")
        os.kill(os.getpid(), signal.SIGINT)
        done.append("the second")
    assert done == ["the first"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_fails_in_it_is_told_and_the_next_one_interrupts_again() -> None:
    with pytest.raises(ValueError, match="broken"), uninterrupted():
        raise ValueError("broken")
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_other_threads_and_other_handlers_are_left_alone() -> None:
    def in_a_thread() -> str:
        with uninterrupted():
            return "done"

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(in_a_thread).result() == "done"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
