"""Episodes for clients of an event loop: opened, called and judged in threads, with deadlines."""

import asyncio
from collections.abc import Mapping
from typing import Any

from eops_traj.environments.episode import Episode, Judgement
from eops_traj.environments.pool import EpisodePool, PoolLimits
from eops_traj.environments.served_tasks import Selection, ServedTasks, TaskView
from eops_traj.gym.http.threads import Threads
from eops_traj.sandbox.session import ToolResult

_SWEEP_SECONDS = 0.5


class GymService:
    """Tasks, the episodes at them, and the threads in which they are worked on."""

    def __init__(self, tasks: ServedTasks, limits: PoolLimits | None = None, threads: int = 16) -> None:
        self.tasks, self.pool = tasks, EpisodePool(limits)
        self._threads = Threads(threads, self.pool.limits.call_seconds)
        self._closing: set[asyncio.Future[None]] = set()  # the loop itself keeps no task alive

    async def begin(self, selection: Selection, episode_id: str | None = None) -> Episode:
        """Begin an episode at the task of a selection.

        Raises UnknownName and InputError for a selection that means none, EpisodesFull, and what opening the
        task raises.
        """
        episode = self.pool.reserve(self.tasks.choose(selection), self.tasks.root, episode_id)
        try:
            await self._threads.run(lambda: episode.open(self.tasks.tools))
        except BaseException:
            self.pool.close(episode.id)
            raise
        return episode

    def view(self, episode: Episode) -> TaskView:
        """Return what its client sees of an episode's task: its tools are known since it was opened."""
        return self.tasks.view(episode.task)

    async def call(self, episode_id: str, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool. Raises UnknownEpisode, what `Episode.call` raises, TimedOut at the deadline."""
        episode = self.pool.find(episode_id)
        try:
            return await self._threads.run(lambda: episode.call(name, arguments), episode.interrupt)
        finally:
            self.pool.touch(episode)  # a long call must not make its episode look idle

    async def finish(self, episode_id: str, reply: str) -> Judgement:
        """Judge an episode and close it; one that was judged before is worth what it was.

        Raises UnknownEpisode, what `Episode.finish` raises, TimedOut at the deadline.
        """
        if (judgement := self.pool.judged(episode_id)) is not None:
            return judgement
        episode = self.pool.find(episode_id)
        judgement = await self._threads.run(lambda: episode.finish(reply), episode.interrupt)
        self.pool.close(episode.id)
        return judgement

    async def close(self, episode_id: str) -> None:
        """Close an episode, in whatever state it is; it is closed even where the caller is cancelled."""
        closing = asyncio.ensure_future(self._threads.run(lambda: self.pool.close(episode_id)))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    async def keep_bounds(self) -> None:
        """Drop idle episodes and stop late calls, until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self.pool.sweep()
            self._threads.stop_late()

    def shut(self) -> None:
        """Stop all work, and close every episode."""
        self._threads.close()
        self.pool.close_all()
