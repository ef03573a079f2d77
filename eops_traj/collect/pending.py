"""What is owed: told by the content of the store, never by a path or a counter.

A task is owed so many attempts that count. An errored attempt does not count: another is made under the next
free number, and names it (``supersedes``). So a collection that was cut short and one that ran through come
to the same store.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from eops_traj.collect.contract import RETRIED
from eops_traj.collect.episode_builder import Owed
from eops_traj.schema import Agent, Task
from eops_traj.store.store import Store

T = TypeVar("T")
AGAIN = RETRIED | {"auth", "sandbox", "internal"}
"""The kinds of error after which an attempt is made again at once; others wait until the cause is mended."""


@dataclass(frozen=True)
class Past:
    """A stored attempt, as far as it matters here."""

    episode_id: str
    attempt: int
    supersedes: str | None
    error: str | None


def may_retry(error: str) -> bool:
    """Whether an attempt that ended with this error (``kind: what happened``) is made again at once."""
    return error.partition(":")[0] in AGAIN


class Ledger:
    """The attempts at one task, and the numbers that they have."""

    def __init__(self, task: Task, attempts: int, past: Sequence[Past] = ()) -> None:
        """``attempts`` are wanted, ``past`` are there."""
        self.task, self.attempts, self.past = task, attempts, past
        self._taken = {known.attempt for known in past}

    def owed(self) -> list[Owed]:
        """The attempts that have to be made, in the order of their numbers. Ask once."""
        replaced = {known.supersedes for known in self.past}
        ends = [known for known in self.past if known.episode_id not in replaced]
        fresh = [Owed(self.task, self._lowest_free()) for _ in range(self.attempts - len(ends))]
        failed = sorted((end for end in ends if end.error is not None), key=lambda end: end.attempt)
        return [*fresh, *(Owed(self.task, self._next_free(), end.episode_id) for end in failed)]

    def retry(self, owed: Owed, episode_id: str) -> Owed:
        """The attempt in the place of one that was made and failed."""
        return Owed(self.task, self._next_free(), episode_id, owed.tries + 1)

    def _lowest_free(self) -> int:
        return self._take(next(number for number in count(1) if number not in self._taken))

    def _next_free(self) -> int:
        """Numbers up to ``attempts`` are left to first tries, so that they are the same in every run."""
        return self._take(max(self.attempts, *self._taken, 0) + 1)

    def _take(self, number: int) -> int:
        self._taken.add(number)
        return number


def ledgers(tasks: Iterable[Task], agent: Agent, attempts: int, store: Store) -> list[Ledger]:
    """What the store has of each task's attempts by this agent. Branches of episodes are not attempts."""
    past = _stored(store, agent.agent_hash)
    return [Ledger(task, attempts, past.get(task.task_hash, [])) for task in tasks]


def _stored(store: Store, agent_hash: str) -> Mapping[str, list[Past]]:
    import polars as pl

    mine = (pl.col("agent_hash") == agent_hash) & pl.col("parent").is_null()
    columns = ("task_hash", "episode_id", "attempt", "supersedes", "error")
    found: dict[str, list[Past]] = defaultdict(list)
    for task_hash, *past in store.scan().filter(mine).select(columns).collect().iter_rows():
        found[task_hash].append(Past(*past))
    return found


def in_rounds(each: Sequence[Sequence[T]]) -> list[T]:
    """The first of each, then the second: what is collected early on is broad."""
    most = max(map(len, each), default=0)
    return [some[n] for n in range(most) for some in each if n < len(some)]
