"""The episodes that a process holds: bounded in number, dropped when idle, closed when their client goes.

What an episode came to is remembered for a while, so that a client that lost the answer can ask again, and so
is that it was closed.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

from eops_traj.environments.episode import Episode, EpisodeOver, Judgement
from eops_traj.errors import InputError, SandboxError
from eops_traj.schema import Task

REMEMBERED = 10_000
"""Episodes that are over and whose judgement, or end, is still known."""
MOST_ID_CHARS = 200


class UnknownEpisode(InputError):
    """No episode has this id."""


class EpisodesFull(SandboxError):
    """As many episodes are open as may be."""


@dataclass(frozen=True)
class PoolLimits:
    """The bounds on the episodes of a process."""

    episodes: int = 512
    idle_seconds: float = 3600.0
    call_seconds: float = 30.0
    """How long a call or a judgement may run."""


class EpisodePool:
    """Every open episode of a process; safe to use from any thread."""

    def __init__(self, limits: PoolLimits | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self.limits, self._now = limits or PoolLimits(), now
        self._open: dict[str, Episode] = {}
        self._over: OrderedDict[str, Judgement | None] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    def __deepcopy__(self, memo: object) -> Self:
        """Return the pool itself: what refers to it may be copied, the sandboxes cannot."""
        return self

    def reserve(self, task: Task, root: Path | None, episode_id: str | None = None) -> Episode:
        """Take a place for an episode, which is not open yet; an id that is given has to be a new one.

        Raises EpisodesFull, InputError for an id that is taken or too long, EpisodeOver for a closed one.
        """
        self.sweep()
        name = uuid4().hex if episode_id is None else episode_id
        with self._lock:
            if not 0 < len(name) <= MOST_ID_CHARS:
                raise InputError(f"an episode's id has 1 to {MOST_ID_CHARS} characters, not {len(name)}")
            if name in self._over:
                raise EpisodeOver(f"episode {name} is over; begin another one")
            if name in self._open:
                raise InputError(f"episode {name} is running already")
            if len(self._open) >= self.limits.episodes:
                raise EpisodesFull(f"{len(self._open)} episodes are open, which is the limit; {_ADVICE}")
            episode = self._open[name] = Episode(name, task, root, self._now())
        return episode

    def find(self, episode_id: str) -> Episode:
        """Return an open episode, which is used now. Raises EpisodeOver or UnknownEpisode."""
        with self._lock:
            if (episode := self._open.get(episode_id)) is not None:
                episode.used = self._now()
                return episode
            if episode_id in self._over:
                raise EpisodeOver(f"episode {episode_id} is over; begin another one")
        raise UnknownEpisode(f"no episode {episode_id[:MOST_ID_CHARS]!r}")

    def touch(self, episode: Episode) -> None:
        """Count an episode as used now."""
        episode.used = self._now()

    def judged(self, episode_id: str) -> Judgement | None:
        """Return what an episode came to, where it is over and was judged."""
        with self._lock:
            return self._over.get(episode_id)

    def close(self, episode_id: str) -> None:
        """Close an episode, and begin none of that id any more; one that is over or unknown is no error."""
        with self._lock:
            episode = self._open.pop(episode_id, None)
            if episode_id not in self._over:
                self._over[episode_id[:MOST_ID_CHARS]] = episode.judgement if episode else None
            while len(self._over) > REMEMBERED:
                self._over.popitem(last=False)
        if episode is not None:
            episode.close()

    def sweep(self) -> None:
        """Drop the episodes that were not used for the idle time."""
        latest = self._now() - self.limits.idle_seconds
        with self._lock:
            idle = [episode for episode in self._open.values() if episode.used < latest]
        for episode in idle:
            if episode.close_if_idle():
                self.close(episode.id)

    def close_all(self) -> None:
        """Close every episode."""
        for episode_id in list(self._open):
            self.close(episode_id)


_ADVICE = "end one (a reply, or closing it), raise the limit, or wait until an idle one is dropped"
