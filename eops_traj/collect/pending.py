"""The attempts that are pending: determined by the content of the store, never by a path or a counter.

A task is due so many attempts that count. An errored attempt does not count: another is made under the next
free number, and names it (``supersedes``). So a collection that was cut short and one that ran through come
to the same store.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.llm.base import RETRIED_KINDS
from eops_traj.schema import Agent, Task
from eops_traj.store.store import Store

T = TypeVar("T")
RETRIED_ERRORS = RETRIED_KINDS | {"auth", "sandbox", "internal"}
"""The kinds of error after which an attempt is made again at once; others wait until the cause is fixed."""


@dataclass(frozen=True)
class StoredAttempt:
    """The columns of a stored attempt that decide what is pending."""

    episode_id: str
    attempt: int
    supersedes: str | None
    error: str | None


def may_retry(error: str) -> bool:
    """Check whether an attempt that ended with this error (``kind: message``) is made again at once."""
    return error.partition(":")[0] in RETRIED_ERRORS


class AttemptLedger:
    """The attempts at one task, and the numbers that they have."""

    def __init__(
        self, task: Task, attempts: int, stored: Sequence[StoredAttempt] = (), tries: int | None = None
    ) -> None:
        """Keep the number of attempts that are due, and those that are stored.

        An attempt that erred for the ``tries``-th time is settled; without a number it never is.
        """
        self.task, self.attempts, self.stored, self._tries = task, attempts, stored, tries
        self._taken = {attempt.attempt for attempt in stored}

    def take_pending(self) -> list[PendingAttempt]:
        """Number the attempts that have to be made, and return them, new ones first. Call this once."""
        replaced = {attempt.supersedes for attempt in self.stored}
        last = [attempt for attempt in self.stored if attempt.episode_id not in replaced]
        new = [PendingAttempt(self.task, self._lowest_free()) for _ in range(self.attempts - len(last))]
        failed = sorted((one for one in last if one.error is not None), key=lambda one: one.attempt)
        counting = len(last) - len(failed)  # more may be stored than are due
        failed = failed[: max(0, self.attempts - counting)]
        if self._tries is None:
            return [*new, *(PendingAttempt(self.task, self._next_free(), one.episode_id) for one in failed)]
        made = [(one.episode_id, self._made(one)) for one in failed]
        again = [(name, tries) for name, tries in made if tries < self._tries]
        return [*new, *(PendingAttempt(self.task, self._next_free(), n, tries + 1) for n, tries in again)]

    def _made(self, last: StoredAttempt) -> int:
        """Count the attempts that one stands for: itself, and those that it replaces one after the other."""
        by_id = {attempt.episode_id: attempt for attempt in self.stored}
        one, made = last, 1
        while made < len(self.stored) and (before := by_id.get(one.supersedes or "")) is not None:
            one, made = before, made + 1
        return made

    def retry(self, failed: PendingAttempt, episode_id: str) -> PendingAttempt:
        """Return the attempt in the place of one that was made and failed."""
        return PendingAttempt(self.task, self._next_free(), episode_id, failed.tries + 1)

    def _lowest_free(self) -> int:
        return self._take(next(number for number in count(1) if number not in self._taken))

    def _next_free(self) -> int:
        """Take a number above all; those up to ``attempts`` are left to first tries, alike in every run."""
        return self._take(max(self.attempts, *self._taken, 0) + 1)

    def _take(self, number: int) -> int:
        self._taken.add(number)
        return number


def load_ledgers(
    tasks: Iterable[Task], agent: Agent, attempts: int, store: Store, tries: int | None = None
) -> list[AttemptLedger]:
    """Load the stored attempts at each task by this agent. Branches of episodes are not attempts."""
    stored = _stored_attempts(store, agent.agent_hash)
    return [AttemptLedger(task, attempts, stored.get(task.task_hash, []), tries) for task in tasks]


def _stored_attempts(store: Store, agent_hash: str) -> Mapping[str, list[StoredAttempt]]:
    import polars as pl

    ours = (pl.col("agent_hash") == agent_hash) & pl.col("parent").is_null()
    columns = ("task_hash", "episode_id", "attempt", "supersedes", "error")
    stored: dict[str, list[StoredAttempt]] = defaultdict(list)
    for task_hash, *attempt in store.scan().filter(ours).select(columns).collect().iter_rows():
        stored[task_hash].append(StoredAttempt(*attempt))
    return stored


def round_robin(groups: Sequence[Sequence[T]]) -> list[T]:
    """Return the first of each group, then the second ones: what is collected early on is broad."""
    longest = max(map(len, groups), default=0)
    return [group[n] for n in range(longest) for group in groups if n < len(group)]
