"""The processes of one run: which of them this is, what they share out, and what all of them agree on.

``accelerate launch`` and ``torchrun`` start a recipe once for each device; every process is a rank and comes
through the same code. Without a launcher there is one, and nothing here asks for torch.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from eops_traj.errors import EopsError, InputError

T = TypeVar("T")

SIZES = ("WORLD_SIZE", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")
"""The variables in which launchers say how many processes there are."""
PATIENCE = timedelta(minutes=30)
"""How long ranks wait for one another, as transformers has it (``ddp_timeout``)."""


LAST_WORD = 60.0
"""The seconds that a rank without a word gives the one that says the error to end."""

Process = tuple[str, int]
"""A machine's name, and the number of a process on it."""


class Quiet(SystemExit):
    """The end of a rank whose error another rank says: an exit code and no word."""

    def __init__(self, code: int | None, speaker: Process) -> None:
        """End with a code where this process says the error."""
        super().__init__(code)
        self.speaker = speaker

    def wait(self) -> None:
        """Wait until the speaker has ended, where that is on this machine.

        A launcher ends all processes of a machine once one of them ends with an error.
        """
        machine, pid = self.speaker
        end = time.monotonic() + LAST_WORD
        while machine == socket.gethostname() and _runs(pid) and time.monotonic() < end:
            time.sleep(0.1)


@dataclass(frozen=True)
class Ranks:
    """The place of this process among those of its run."""

    index: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks for all."""
        return self.index == 0

    @property
    def process(self) -> Process:
        """Where this rank runs."""
        return socket.gethostname(), os.getpid()

    def share(self, items: Sequence[T]) -> list[T]:
        """Return this rank's share of what every rank holds in the same order: every ``count``-th item."""
        return list(items[self.index :: self.count])

    def longest_share(self, total: int) -> int:
        """Return how many of ``total`` items the rank with the most of them has."""
        return -(-total // self.count)

    def together(self, share: Sequence[T], total: int) -> list[T]:
        """Return on every rank what became of all ``total`` items, in their order, from each rank's share.

        Raises ValueError where a share is not as long as :meth:`share` makes it.
        """
        whole: list[Any] = [None] * total
        for index, part in enumerate(self._gather(list(share))):
            for n, item in zip(range(index, total, self.count), part, strict=True):
                whole[n] = item
        return whole

    def from_first(self, work: Callable[[], T]) -> T:
        """Do work on the first rank, and return its result on every rank.

        An error of it is raised on the first rank; the others end with its exit code and no word.
        """
        value, error = _attempt(work) if self.first else (None, None)
        value, end = self._broadcast((value, (exit_code(error), self.process)))
        self._end_or_go_on(error, [end])
        return value  # type: ignore[return-value]

    def agreed(self, work: Callable[[], T]) -> T:
        """Do the same work on every rank and return each one's result, once it went well on all.

        Where it failed on some, the lowest of them raises its error, and the others end without a word.
        """
        value, error = _attempt(work)
        self._end_or_go_on(error, self._gather((exit_code(error), self.process)))
        return value  # type: ignore[return-value]

    def wait(self) -> None:
        """Wait until every rank is here."""
        self._gather(None)

    def leave(self) -> None:
        """Part from the other ranks once all are here: torch aborts some processes that end connected.

        What comes last carries no tensors: gloo's threads need Python to let go of one, and abort a process
        whose Python has begun to end.
        """
        if self.count == 1:
            return
        import torch.distributed
        from accelerate.state import AcceleratorState, PartialState

        PartialState().wait_for_everyone()
        torch.distributed.destroy_process_group()
        AcceleratorState._reset_state(reset_partial_state=True)

    def _end_or_go_on(self, error: Exception | None, ends: Sequence[tuple[int | None, Process]]) -> None:
        """Raise the error on the lowest rank that has one, and :class:`Quiet` on all others."""
        failed = [rank for rank, (code, _) in enumerate(ends) if code is not None]
        if failed:
            self.leave()
        if error is not None and failed[0] == self.index:
            raise error
        if failed:
            raise Quiet(*ends[failed[0]])

    def _gather(self, value: Any) -> list[Any]:
        """Return the values of all ranks, in their order."""
        if self.count == 1:
            return [value]
        import torch.distributed

        values: list[Any] = [None] * self.count
        torch.distributed.all_gather_object(values, value)
        return values

    def _broadcast(self, value: T) -> T:
        """Return the value of the first rank."""
        if self.count == 1:
            return value
        import torch.distributed

        box = [value]
        torch.distributed.broadcast_object_list(box, src=0)
        return box[0]


ALONE = Ranks()
"""A process without a launcher."""


def _attempt(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """Do work and return its result, or the error that it ended in."""
    try:
        return work(), None
    except Exception as error:  # noqa: BLE001 - whatever it is, the other ranks must not wait for this one
        return None, error


def _runs(pid: int) -> bool:
    """Check whether another process of this machine has not ended, be it that its parent has yet to see that.

    One of another container may have the number of this one, which waits for none then.
    """
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except OSError:  # of another user's process, too: the number was given again
        return False
    with suppress(OSError):  # no such file but on Linux
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return True


def exit_code(error: Exception | None) -> int | None:
    """Return the exit code that the command line gives an error; None for none."""
    if isinstance(error, EopsError):
        return error.exit_code
    return None if error is None else InputError.exit_code if isinstance(error, OSError) else 1


def launched() -> bool:
    """Check whether a launcher started this process as a rank."""
    sizes = (os.environ.get(name, "1") for name in SIZES)
    return "LOCAL_RANK" in os.environ or any(size.isdigit() and int(size) > 1 for size in sizes)


def join_ranks() -> Ranks:
    """Find out which rank this is and connect it with the others; a process without a launcher is alone."""
    if not launched():
        return ALONE
    from accelerate import PartialState

    state = PartialState(cpu=on_cpu(), timeout=PATIENCE)
    return Ranks(state.process_index, state.num_processes)


@contextmanager
def joined_ranks() -> Iterator[Ranks]:
    """Join the other ranks, and part from them where all went well; of nested ones the outermost.

    After an error a rank ends as it is: parting would wait for whatever is under way with the others. One
    without a word ends last.
    """
    outermost = not _connected()
    ranks = join_ranks()
    try:
        yield ranks
    except Quiet as end:
        end.wait()
        raise
    if outermost:
        ranks.leave()


def _connected() -> bool:
    """Check whether this process is connected with other ranks already."""
    if not launched():
        return False
    import torch.distributed

    return torch.distributed.is_available() and torch.distributed.is_initialized()


def speaks() -> bool:
    """Check whether this process prints the results of its run; of a launcher's, the first one does."""
    return os.environ.get("RANK", "0") == "0"


def on_cpu() -> bool:
    """Check whether a run is on the CPU: where there is no GPU, or accelerate was told so."""
    import torch

    return switched_on("ACCELERATE_USE_CPU") or not torch.cuda.is_available()


def sharded() -> bool:
    """Check for FSDP or DeepSpeed, which keep float32 copies of bfloat16 weights themselves."""
    return switched_on("ACCELERATE_USE_FSDP") or switched_on("ACCELERATE_USE_DEEPSPEED")


def switched_on(variable: str) -> bool:
    """Check a switch that ``accelerate launch`` hands on in the environment."""
    return os.environ.get(variable, "").lower() in ("1", "true", "yes")
