"""Errors put into gold plans one at a time, each played and judged: the cause of the failure is known."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from benchmarks.injections.endings import ENDINGS
from benchmarks.injections.made import Made
from benchmarks.injections.refusals import REFUSALS
from benchmarks.injections.writes import WRITES
from eops_traj.bundle import build_episode
from eops_traj.collect.episode_builder import compute_labels
from eops_traj.schema import Agent, Episode, Task, ToolCall, ToolSet, Turn
from eops_traj.taskgen.attacks.arena import Arena
from eops_traj.taskgen.trial import Trial
from eops_traj.verify.verifiers import verify

_EACH = 3
"""Attempts of a kind and task."""


@dataclass(frozen=True)
class Injected:
    """An episode with one error in it: the causes of which one has to show, and what was done."""

    causes: frozenset[str]
    what: str
    episode: Episode


def inject(task: Task, root: Path | None) -> Iterator[Injected]:
    """Yield attempts at a task with one error each, those alone that fail by their verifiers or break off."""
    arena = Arena(Trial(task, root))
    try:
        for kind in REFUSALS if task.feasible is False else (*WRITES, *ENDINGS):
            for made in islice(kind(arena), _EACH):
                episode = _episode(arena, made)
                made.attempt.session.close()
                if episode.success_strict is False or episode.error is not None:
                    yield Injected(frozenset(made.causes.split()), f"{kind.__name__}: {made.what}", episode)
    finally:
        arena.close()


def _episode(arena: Arena, made: Made) -> Episode:
    """Return the episode of an attempt: a call a turn, and then its answer; one that was stopped has none."""
    done, task, calls = made.stop_reason == "completed", arena.trial.task, made.attempt.calls
    answer = (arena.answer(made.attempt) if made.answer is None else made.answer) if done else ""
    turns = [Turn(text="", tool_calls=(_stored(call),)) for call in calls]
    turns += [Turn(text=answer, finish_reason="stop")] * done
    names = [server.name for server in task.servers]
    judges = (*task.verifiers, *made.verifiers)
    request = task.user_prompt
    verdicts = verify(judges, made.attempt.session, answer, calls, servers=names, request=request)
    return build_episode(
        task,
        Agent(model="injected", orchestrator="plan"),
        turns,
        ToolSet.of([], "observed"),
        episode_id="injected",
        attempt=1,
        run_id="injected",
        source="benchmark",
        stop_reason=made.stop_reason,
        error=made.error,
        changeset=b"",
        **compute_labels(turns, tuple(verdicts), task.feasible, made.error, recorded=True, response=answer),
    )


def _stored(call: ToolCall) -> ToolCall:
    return replace(call, id=call.id or "call")
