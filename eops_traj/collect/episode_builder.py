"""The episode that an attempt leaves, with labels and totals, and the records that it refers to."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_episode
from eops_traj.causes.find import diagnosed
from eops_traj.collect.episode_recorder import EpisodeRecorder
from eops_traj.errors import FormatError
from eops_traj.hashing import digest
from eops_traj.privacy.redact import scrub, scrub_shared, stored_servers
from eops_traj.schema import (
    Agent,
    Json,
    Prompt,
    Task,
    ToolCall,
    ToolSet,
    Turn,
    Verdict,
    final_answer,
    json_of,
)
from eops_traj.tasks.recipe import made_of
from eops_traj.verify.outcome import labels, outcome, refusal_passed

SOURCE = "eops-traj"


@dataclass(frozen=True)
class PendingAttempt:
    """An attempt that has to be made; ``tries`` counts it and the errored ones that it stands for."""

    task: Task
    attempt: int
    supersedes: str | None = None
    tries: int = 1


@dataclass(frozen=True)
class RunningAttempt:
    """An attempt under way: which, of what run and agent, and since when."""

    pending: PendingAttempt
    run_id: str
    agent: Agent
    moment: datetime
    clock: float

    @classmethod
    def start(cls, pending: PendingAttempt, run_id: str, agent: Agent) -> "RunningAttempt":
        """Start an attempt at this moment."""
        return cls(pending, run_id, agent, datetime.now(UTC), time.monotonic())


@dataclass
class AttemptEnding:
    """The end of an attempt: why it stopped, what failed, and what the sandbox held then."""

    stop_reason: str
    error: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    changeset: bytes | None = None


def make_episode(
    attempt: RunningAttempt, recorder: EpisodeRecorder | None, ending: AttemptEnding
) -> EpisodeBundle:
    """Make the episode of an attempt, without any secret that a tool or a provider let slip.

    ``recorder`` is None where the sandbox gave no session, so that nothing was worked at all. Raises
    FormatError for notes that no JSON holds.
    """
    pending, agent = attempt.pending, attempt.agent
    task, turns = pending.task, list(recorder.turns) if recorder else []
    toolset = recorder.environment.tools.toolset if recorder else ToolSet.of([], "observed")
    episode = build_episode(
        task,
        agent,
        turns,
        toolset,
        episode_id=_attempt_id(task.task_hash, agent.agent_hash, pending.attempt),
        attempt=pending.attempt,
        supersedes=pending.supersedes,
        run_id=attempt.run_id,
        source=SOURCE,
        servers=stored_servers(task.servers),
        stop_reason=ending.stop_reason,
        error=ending.error,
        changeset=ending.changeset,
        started_at=attempt.moment.isoformat(timespec="milliseconds"),
        duration_ms=round((time.monotonic() - attempt.clock) * 1000, 1),
        details=_details(recorder, task),
        **compute_labels(
            turns,
            ending.verdicts,
            task.feasible,
            ending.error,
            recorded=ending.changeset is not None,
            response=final_answer(turns, recorder.notes if recorder else {}),
        ),
    )
    episode = diagnosed(episode, task.system_prompt)
    return EpisodeBundle(scrub(episode), scrub_shared(Prompt.of(task.system_prompt)), scrub_shared(toolset))


def numbered(bundle: EpisodeBundle, attempt: int) -> EpisodeBundle:
    """Return an attempt's episode under another number."""
    episode = bundle.episode
    identity = _attempt_id(episode.task_hash, episode.agent_hash, attempt)
    return replace(bundle, episode=replace(episode, episode_id=identity, attempt=attempt))


def _attempt_id(task_hash: str, agent_hash: str, attempt: int) -> str:
    return digest(task_hash, agent_hash, attempt)


def compute_labels(
    turns: Sequence[Turn],
    verdicts: tuple[Verdict, ...],
    feasible: bool | None,
    error: str | None,
    recorded: bool,
    response: str | None = None,
) -> dict[str, Any]:
    """Return the verdicts of an episode with the labels that follow from them, by column."""
    scored = labels(verdicts, error)
    return {
        "verdicts": verdicts,
        "success_parity": scored.success_parity,
        "success_strict": scored.success_strict,
        "verifier_pass_parity": scored.verifier_pass_parity,
        "verifier_pass_strict": scored.verifier_pass_strict,
        "outcome": outcome(
            scored,
            calls=tool_calls(turns),
            response=final_answer(turns, {}) if response is None else response,
            feasible=feasible,
            error=error,
            recorded=recorded,
            refusal=refusal_passed(verdicts),
        ),
    }


def tool_calls(turns: Sequence[Turn]) -> list[ToolCall]:
    """Return every tool call, in order."""
    return [call for turn in turns for call in turn.tool_calls]


_ORIGIN = ("families", "draw", "reactive")
"""What an episode keeps of how its task was made: plans read off it are proven in the task's twin world."""


def _details(recorder: EpisodeRecorder | None, task: Task) -> Json:
    """Return the orchestrator's notes, the roles of turns where there are several, and the task's origin.

    Raises FormatError for notes that no JSON holds; NaN and infinities, which models write, become text.
    """
    if recorder is None:
        return Json("{}")
    roles = {"roles": recorder.roles} if len(set(recorder.roles)) > 1 else {}
    made = {name: value for name, value in made_of(task).items() if name in _ORIGIN}
    origin = {"made": made} if "draw" in made else {}
    try:
        return json_of(recorder.notes | roles | origin)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(f"the notes are no JSON: {error}") from None
