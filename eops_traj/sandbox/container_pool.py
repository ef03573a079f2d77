"""A pool of containers of one server: the least used is leased, a worn one is replaced before it breaks.

The benchmark's servers leave about five file descriptors open for every database that they were given, and
stop answering after some two hundred. So a container takes a fixed number of sessions in all; with the last
of them its successor is started, and when its last session ends it is removed.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass

from eops_traj.errors import SandboxError
from eops_traj.sandbox.docker import Container


@dataclass(eq=False)
class PooledContainer:
    """A container of the pool: how many sessions it has now, and how many it has had in all."""

    container: Container
    open: int = 0
    total: int = 0


class ContainerPool:
    """Containers of one server, started and ended by the two functions. Safe from several threads."""

    def __init__(
        self,
        start: Callable[[], Container],
        end: Callable[[Container], None],
        executor: Executor,
        *,
        size: int,
        at_once: int,
        in_all: int,
    ) -> None:
        """Limit a container to ``at_once`` sessions at a time and ``in_all`` ever."""
        self._start, self._end, self._executor = start, end, executor
        self._size, self._at_once, self._in_all = size, at_once, in_all
        self._members: list[PooledContainer] = []
        self._starting = 0
        self._failures: list[BaseException] = []
        self._closed = False
        self._changed = threading.Condition()

    def fill(self) -> bool:
        """Begin to start the containers that are missing; return whether there were any."""
        with self._changed:
            missing = 0 if self._closed else self._size - len(self._members) - self._starting
            self._starting += max(0, missing)
            for _ in range(missing):
                self._executor.submit(self._start).add_done_callback(self._started)
            return missing > 0

    def take(self) -> PooledContainer:
        """Wait for a container with room for a session; return it with `give_back`.

        Raises what starting a container raised, and SandboxError when the pool is closed.
        """
        with self._changed:
            failed_before = len(self._failures)
            while not self._closed:
                if free := [m for m in self._members if m.open < self._at_once]:
                    return self._lease(min(free, key=lambda m: m.open))
                if len(self._failures) > failed_before:
                    raise self._failures[-1]
                if not self.fill():  # a container begun earlier may be up by now
                    self._changed.wait()
            raise SandboxError("the fleet is closed")

    def take_again(self, member: PooledContainer) -> PooledContainer:
        """Lease the same container to one more session, which starts from one that is open on it."""
        with self._changed:
            return self._lease(member)

    def give_back(self, member: PooledContainer, *, healthy: bool = True) -> None:
        """End a session. A container that failed gets no other."""
        with self._changed:
            member.open -= 1
            if not healthy:
                self._retire(member)
            over = not member.open and member not in self._members
            self._changed.notify_all()
        if over:
            self._end(member.container)

    def close(self) -> None:
        """Lease nothing any more. The containers are not ended here."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _lease(self, member: PooledContainer) -> PooledContainer:
        member.open += 1
        member.total += 1
        if member.total >= self._in_all:
            self._retire(member)
        return member

    def _retire(self, member: PooledContainer) -> None:
        if member in self._members:
            self._members.remove(member)
            self.fill()

    def _started(self, start: "Future[Container]") -> None:
        with self._changed:
            self._starting -= 1
            if start.cancelled():
                pass
            elif error := start.exception():
                self._failures.append(error)
            else:
                self._members.append(PooledContainer(start.result()))
            self._changed.notify_all()
