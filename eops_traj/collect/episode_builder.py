"""What an attempt leaves: the episode, with labels and totals, and what it refers to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from eops_traj.collect.episode_recorder import RecordingDesk
from eops_traj.hashing import canonical_json, digest
from eops_traj.privacy.redact import scrub, stored_servers
from eops_traj.schema import Agent, Episode, Json, Prompt, Task, ToolCall, ToolSet, Turn, Verdict
from eops_traj.verify.failure_modes import diagnose
from eops_traj.verify.outcome import labels, outcome
from eops_traj.verify.totals import totals

SOURCE = "eops-traj"


@dataclass(frozen=True)
class Owed:
    """An attempt that has to be made; ``tries`` counts it and the errored ones that it stands for."""

    task: Task
    attempt: int
    supersedes: str | None = None
    tries: int = 1


@dataclass(frozen=True)
class Started:
    """An attempt under way: which, whose, and since when."""

    owed: Owed
    run_id: str
    agent: Agent
    moment: datetime
    clock: float

    @classmethod
    def now(cls, owed: Owed, run_id: str, agent: Agent) -> "Started":
        """An attempt that starts at this moment."""
        return cls(owed, run_id, agent, datetime.now(UTC), time.monotonic())


@dataclass
class Ending:
    """How an attempt ended: why it stopped, what failed, and what the sandbox held then."""

    stop_reason: str
    error: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    changeset: bytes | None = None


class Made(NamedTuple):
    """An episode with the records that it refers to."""

    episode: Episode
    prompt: Prompt
    toolset: ToolSet


def episode_id(task: Task, agent: Agent, attempt: int) -> str:
    """The identity of an attempt, by content."""
    return digest(task.task_hash, agent.agent_hash, attempt)


def make_episode(started: Started, desk: RecordingDesk | None, ending: Ending) -> Made:
    """The episode of an attempt, without any secret that a tool or a provider let slip.

    ``desk`` is None where the sandbox gave no session, so that nothing was worked at all.
    """
    task, agent, turns = started.owed.task, started.agent, list(desk.turns) if desk else []
    toolset = desk.place.shown.toolset if desk else ToolSet.of([], "observed")
    prompt = Prompt.of(task.system_prompt)
    episode = Episode(
        episode_id=episode_id(task, agent, started.owed.attempt),
        task_hash=task.task_hash,
        agent_hash=agent.agent_hash,
        attempt=started.owed.attempt,
        supersedes=started.owed.supersedes,
        run_id=started.run_id,
        source=SOURCE,
        task_id=task.task_id,
        domain=task.domain,
        suite=task.suite,
        split=task.split,
        mode=task.mode,
        feasible=task.feasible,
        prompt_hash=prompt.prompt_hash,
        user_prompt=task.user_prompt,
        toolset_hash=toolset.toolset_hash,
        servers=stored_servers(task.servers),
        model=agent.model,
        orchestrator=agent.orchestrator,
        settings=agent.settings,
        turns=tuple(turns),
        stop_reason=ending.stop_reason,
        error=ending.error,
        changeset=ending.changeset,
        started_at=started.moment.isoformat(timespec="milliseconds"),
        duration_ms=round((time.monotonic() - started.clock) * 1000, 1),
        details=_details(desk),
        **labelled(turns, ending.verdicts, task.feasible, ending.error, ending.changeset is not None),
        **totals(turns),
    )
    found = dict.fromkeys(finding.mode for finding in diagnose(episode, task.system_prompt))
    return Made(scrub(replace(episode, failure_modes=tuple(found))), scrub(prompt), scrub(toolset))


def labelled(
    turns: Sequence[Turn],
    verdicts: tuple[Verdict, ...],
    feasible: bool | None,
    error: str | None,
    recorded: bool,
) -> dict[str, Any]:
    """The verdicts of an episode, and the labels that they come to."""
    scored = labels(verdicts, error)
    done, said = calls(turns), answer(turns)
    return {
        "verdicts": verdicts,
        "success_parity": scored.success_parity,
        "success_strict": scored.success_strict,
        "verifier_pass_parity": scored.verifier_pass_parity,
        "verifier_pass_strict": scored.verifier_pass_strict,
        "outcome": outcome(
            scored, calls=done, response=said, feasible=feasible, error=error, recorded=recorded
        ),
    }


def answer(turns: Sequence[Turn]) -> str:
    """The final answer: the last reply's text, or nothing where that reply still asked for tools."""
    return turns[-1].text if turns and not turns[-1].tool_calls else ""


def calls(turns: Sequence[Turn]) -> list[ToolCall]:
    """Every tool call, in order."""
    return [call for turn in turns for call in turn.tool_calls]


def _details(desk: RecordingDesk | None) -> Json:
    """What the orchestrator noted, and who gave each turn where that was not one model alone."""
    if desk is None:
        return Json("{}")
    roles = {"roles": desk.roles} if len(set(desk.roles)) > 1 else {}
    return Json(canonical_json(desk.notes | roles))
