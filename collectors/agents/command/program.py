"""A program under guard: its output and its processes are counted, and nothing of it outlives it."""

import asyncio
import contextlib
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from eops_traj.collect.orchestrator import ProgramFailed
from eops_traj.llm.child_process import descendants, guard_command, kill_descendants, process_parents

Cut = Literal["time", "output", "processes", "session"]
"""What ended a program that did not end by itself."""
_CHUNK = 64 * 1024
_TAIL_BYTES = 4096  # of what is printed to standard error
_GRACE = 2.0  # seconds between the polite signal and the other
_LAST = 10.0  # seconds until the guard itself is killed, once it was to end
_DRAIN = 10.0  # seconds for reading what was printed, once the program is gone
_LOOK = 0.5  # seconds between two counts of processes


@dataclass(frozen=True)
class ProgramLimits:
    """The most that a program may take."""

    seconds: float
    output_bytes: int
    processes: int


@dataclass
class ProgramEnd:
    """How a program ended: its exit code, what it printed, and what cut it short."""

    code: int
    printed: bytes
    complaint: str
    """The last line of its standard error."""
    cut: Cut | None


@dataclass
class _Output:
    """What a program prints: kept up to a limit, which both streams share, and counted."""

    limit: int
    kept: bytearray = field(default_factory=bytearray)
    tail: bytes = b""
    count: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, stream: asyncio.StreamReader, is_answer: bool) -> None:
        """Read a stream to its end; past the limit nothing is kept."""
        while chunk := await stream.read(_CHUNK):
            self.count += len(chunk)
            if self.count > self.limit:
                self.over.set()
            elif is_answer:
                self.kept += chunk
            else:
                self.tail = (self.tail + chunk)[-_TAIL_BYTES:]


async def run_program(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: Path, limits: ProgramLimits,
    session: "asyncio.Future[Any]",
) -> ProgramEnd:  # fmt: skip
    """Run a program until it ends, a limit is reached or its session is done; nothing of it is left then.

    Raises ProgramFailed where the system does not start it: arguments that are too long, for one.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *guard_command(command, _GRACE, stdin), cwd=folder, env=dict(environment), start_new_session=True,
            stdin=PIPE, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip
    except (OSError, ValueError) as error:  # ValueError: a null byte in an argument
        raise ProgramFailed(f"it cannot be started: {error}") from error
    assert process.stdin and process.stdout and process.stderr
    output = _Output(limits.output_bytes)
    reading = asyncio.gather(output.read(process.stdout, True), output.read(process.stderr, False))
    try:
        cut = await _first(process, output, limits, session)
    finally:
        process.stdin.close()
        await _ended(process)
        await _drained(reading)
    if cut is None and output.over.is_set():  # it ended before all of that was read
        cut = "output"
    lines = output.tail.decode("utf-8", "replace").strip().splitlines()
    assert process.returncode is not None
    return ProgramEnd(process.returncode, bytes(output.kept), lines[-1] if lines else "", cut)


async def _first(
    process: Process,
    output: _Output,
    limits: ProgramLimits,
    session: "asyncio.Future[Any]",
) -> Cut | None:
    """Wait for the first of all that ends a program, and say which it was; None for itself."""

    async def session_done() -> None:
        await asyncio.wait([session])

    waits: dict[asyncio.Task[Any], Cut | None] = {
        asyncio.ensure_future(output.over.wait()): "output",
        asyncio.ensure_future(_too_many(process.pid, limits.processes)): "processes",
        asyncio.ensure_future(session_done()): "session",
        asyncio.ensure_future(process.wait()): None,
    }
    try:
        done, _ = await asyncio.wait(waits, timeout=limits.seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return next((cut for wait, cut in waits.items() if wait in done), "time")


async def _too_many(guard: int, most: int) -> None:
    """Return once a guard has more processes than that."""
    while len(descendants(guard, _parents_now())) <= most:
        await asyncio.sleep(_LOOK)


_seen: tuple[float, dict[int, int]] = (-_LOOK, {})


def _parents_now() -> dict[int, int]:
    """Return the processes of this machine; all programs share one look at them."""
    global _seen
    if time.monotonic() - _seen[0] > _LOOK / 2:
        _seen = time.monotonic(), process_parents()
    return _seen[1]


async def _ended(process: Process) -> None:
    """Wait for the guard, which ends all of the program; one that does not end is killed with all of it."""
    try:
        await asyncio.wait_for(asyncio.shield(process.wait()), _GRACE + _LAST)
    except TimeoutError:
        kill_descendants(process.pid)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _drained(reading: "asyncio.Future[Any]") -> None:
    """Wait for the end of what was printed; a pipe that something still holds is not waited for."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(reading, _DRAIN)
