"""The gym as an environment of verifiers (Prime Intellect): a taskset, its task, and the env around them.

The interface is that of verifiers 0.4 (``verifiers.v1``). A task's data is what its trace keeps: the request,
the policy and the task's id; by what it is judged stays in this process.
"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import verifiers.v1 as vf

from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.environments.verifiers_rollout import GymRollout
from eops_traj.schema import OUTCOMES, Task
from eops_traj.tasks.splits import TRAIN, split_name


class GymTasksetConfig(vf.TasksetConfig):
    """Which tasks, under ``--env.taskset``."""

    tasks: str = "suite:quick"
    """A folder of tasks, hub:ORG/NAME, or suite:NAME."""
    mode: str = "oracle"
    """Which tools are shown."""
    splits: list[str] = [TRAIN]  # noqa: RUF012 - pydantic copies it
    """Tasks of these splits; ``none`` is the split of a task without one."""
    domains: list[str] = []  # noqa: RUF012
    """Tasks of these domains; all where none is named."""
    limit: int | None = None
    """At most so many tasks, in proportion."""
    episodes: int = PoolLimits.episodes
    """How many sandboxes may be open at a time in this process."""
    idle_minutes: float = PoolLimits.idle_seconds / 60
    """When the sandbox of a rollout that makes no call is dropped."""


class GymData(vf.TaskData):
    """What a trace keeps of a task, beside its prompts."""

    domain: str = ""
    split: str = ""
    mode: str = ""


class GymState(vf.State):
    """What a rollout holds while it runs."""

    rollout: Any = None


class GymTask(vf.Task[GymData, GymState]):
    """A task, whose sandbox is opened before a rollout and judged after it."""

    def __init__(
        self, data: GymData, config: vf.TaskConfig | None = None, service: GymService | None = None
    ) -> None:
        super().__init__(data, config)
        self._service = service

    def __deepcopy__(self, memo: object) -> "GymTask":
        """Return a copy on the same service, which cannot be copied."""
        clone = GymTask(self.data, self.config.model_copy(deep=True), self._service)
        clone.scoring_deferred = self.scoring_deferred
        return clone

    @property
    def key(self) -> str:
        """The task's id: the same in every taskset that has it."""
        return str(self.data.id)

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Open the sandbox. Raises what `GymService.begin` raises."""
        assert self._service is not None, "a task of a taskset has a service"
        trace.state.rollout = await GymRollout.begin(self._service, str(self.data.id))

    @vf.metric
    async def outcome(self, trace: vf.Trace) -> Mapping[str, float]:
        """Return 1 for the label of the outcome and 0 for all others; note the label."""
        judgement = await trace.state.rollout.judge(trace.assistant_messages)
        trace.info["label"] = judgement.label
        return {f"label/{label}": float(label == judgement.label) for label in OUTCOMES if label != "error"}

    @vf.reward(weight=1.0)
    async def passed(self, trace: vf.Trace) -> float:
        """Return 1 where all strict verifiers pass, a right refusal included, and 0 elsewhere."""
        judgement = await trace.state.rollout.judge(trace.assistant_messages)
        return float(judgement.reward)


class GymTaskset(vf.Taskset[GymTask, GymTasksetConfig]):
    """The tasks, and the sandboxes that they share a process with."""

    def __init__(self, config: GymTasksetConfig) -> None:
        super().__init__(config)
        tasks = ServedTasks.find(
            config.tasks, mode=config.mode, splits=config.splits, domains=config.domains, limit=config.limit
        )
        self.service = GymService(tasks, PoolLimits(config.episodes, config.idle_minutes * 60))

    def load(self) -> Iterator[GymTask]:
        """Yield the tasks in order."""
        for task in self.service.tasks.tasks:
            yield GymTask(_data(task), self.config.task, self.service)


class GymEnvConfig(vf.EnvConfig):
    """The env's one agent, whose loop runs in this process and needs no box of its own."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class GymEnv(vf.Env[GymEnvConfig]):
    """One agent at a task; idle sandboxes and late calls are looked after while it is served."""

    _keeping: asyncio.Task[None] | None = None

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Have the agent play the task."""
        await agents.agent.run(task)

    async def start(self) -> None:
        """Begin to keep the bounds."""
        self._keeping = asyncio.create_task(self.taskset.service.keep_bounds())

    async def stop(self) -> None:
        """Stop, and close what is open; a later serving begins anew."""
        keeping, self._keeping = self._keeping, None
        if keeping is not None:
            keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await keeping
        self.taskset.service.pool.close_all()


def _data(task: Task) -> GymData:
    """Return what a rollout is told of a task: nothing by which it is judged."""
    return GymData(
        id=task.task_id,
        name=task.task_id,
        prompt=task.user_prompt,
        system_prompt=task.system_prompt or None,
        domain=task.domain,
        split=split_name(task.split),
        mode=task.mode,
    )
