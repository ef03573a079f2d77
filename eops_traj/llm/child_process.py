"""A process that ends with us, however we end.

``kill -9`` cannot be caught, and what a killed process had started lives on. So a command is started by a
guard, which is this file run as a script: it reads from a pipe whose other end we hold, and when we close
that end, or are gone, it ends the command with everything that the command started. On Linux that is so for
what left the command's group as well: orphans of the command become children of the guard.
"""

import contextlib
import ctypes
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
        with log.open("wb") as out:
            self._guard = subprocess.Popen(
                guard_command(command, grace), stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT,
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


def guard_command(command: Sequence[str], grace: float, stdin: str | Path = os.devnull) -> list[str]:
    """Return the command of a guard for a command, which reads ``stdin``; the guard's own is the pipe."""
    return [sys.executable, "-I", __file__, str(grace), str(stdin), *command]


def guard(grace: float, stdin: str, command: Sequence[str]) -> int:
    """Run the command until it ends or standard input does, and return its exit code."""
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())  # a batch system ends every process of a job
    _adopt_orphans()
    with open(stdin, "rb") as source:  # noqa: PTH123
        child = subprocess.Popen(command, stdin=source, start_new_session=True)
    threading.Thread(target=_end, args=(child.pid, grace, ending), daemon=True).start()
    threading.Thread(target=_until_alone, args=(ending,), daemon=True).start()
    code = _wait(child.pid)
    _signal_all(child.pid, signal.SIGKILL)  # what it left behind
    if kill_descendants(os.getpid()):
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
    return code


def descendants(pid: int, parents: Mapping[int, int] | None = None) -> list[int]:
    """Return the processes that a process has started, and those have; ``parents`` is all of the machine's.

    A process whose parent has ended is no longer known for its descendant, unless a guard adopted it.
    """
    children: dict[int, list[int]] = {}
    for child, parent in (process_parents() if parents is None else parents).items():
        children.setdefault(parent, []).append(child)
    related = [pid]
    for parent in related:  # grows as it goes
        related += children.get(parent, [])
    return related[1:]


def process_parents() -> dict[int, int]:
    """Return the parent of every process of this machine; nothing where there is no ``/proc``."""
    parents = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH208, PTH112
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
            state, parent = stat.read().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                parents[int(name)] = int(parent)
    return parents


def kill_descendants(pid: int) -> bool:
    """Kill all that a process has started, and return whether there was any.

    Each is first stopped, so that none starts another meanwhile.
    """
    stopped: set[int] = set()
    while fresh := set(descendants(pid)) - stopped:
        for one in fresh:
            _signal(one, signal.SIGSTOP)
        stopped |= fresh
    for one in stopped:
        _signal(one, signal.SIGKILL)
    return bool(stopped)


def _adopt_orphans() -> None:
    """Have what the command leaves behind become children of this process (``PR_SET_CHILD_SUBREAPER``)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _wait(pid: int) -> int:
    """Wait for the command, and for whatever orphans end before it; return its exit code."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            return os.waitstatus_to_exitcode(status)


def _until_alone(ending: threading.Event) -> None:
    sys.stdin.buffer.read()
    ending.set()


def _end(group: int, grace: float, ending: threading.Event) -> None:
    ending.wait()
    _signal_all(group, signal.SIGTERM)
    time.sleep(grace)
    _signal_all(group, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _signal_all(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    code = guard(float(sys.argv[1]), sys.argv[2], sys.argv[3:])
    os._exit(code if code >= 0 else 128 - code)
