"""Ctrl-C put off until what must not be done by halves is done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off to the end of the block, by which what it came to is assigned; a second does not wait.

    Where it is not Python's own handler that is told, as in any thread but the main one, nothing is put off.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came: list[int] = []

    def put_off(number: int, _: object) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    signal.signal(signal.SIGINT, put_off)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt
