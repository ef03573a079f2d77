"""A process that ends with us, however we end.

``kill -9`` cannot be caught, and what a killed process had started lives on. So a command is started by a
guard, which is this file run as a script: it reads from a pipe whose other end we hold, and when we close
that end, or are gone, it ends the command with everything that the command started.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


class ChildProcess:
    """A command that runs until it is stopped or this process ends; its output is in ``log``.

    It is asked to end, and killed where it has not ended ``grace`` seconds later.
    """

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str], grace: float = 10.0
    ) -> None:
        self.log = log
        guard = [sys.executable, "-I", __file__, str(grace), *command]
        with log.open("wb") as out:
            self._guard = subprocess.Popen(
                guard, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT,
                env={**os.environ, **environment}, start_new_session=True,  # Ctrl-C is for us to handle
            )  # fmt: skip

    @property
    def code(self) -> int | None:
        """The command's exit code, 128 + n for signal n as shells have it; None while it runs."""
        return self._guard.poll()

    def tail(self, lines: int) -> list[str]:
        """Return the last lines of the log."""
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]

    def stop(self) -> None:
        """End the command and wait until it and all that it started are gone. A second time does no harm."""
        assert self._guard.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._guard.stdin.close()
        self._guard.wait()


def guard(grace: float, command: Sequence[str]) -> int:
    """Run the command until it ends or standard input does, and return its exit code."""
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())  # a batch system ends every process of a job
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=_end, args=(child.pid, grace, ending), daemon=True).start()
    threading.Thread(target=_until_alone, args=(ending,), daemon=True).start()
    code = child.wait()
    _signal_all(child.pid, signal.SIGKILL)  # what it left behind
    return code


def _until_alone(ending: threading.Event) -> None:
    sys.stdin.buffer.read()
    ending.set()


def _end(group: int, grace: float, ending: threading.Event) -> None:
    ending.wait()
    _signal_all(group, signal.SIGTERM)
    time.sleep(grace)
    _signal_all(group, signal.SIGKILL)


def _signal_all(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


if __name__ == "__main__":
    code = guard(float(sys.argv[1]), sys.argv[2:])
    os._exit(code if code >= 0 else 128 - code)
