"""An episode out of a foreign conversation: whose, of what task, and that nobody verified it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from eops_traj import __version__
from eops_traj.hashing import canonical_json, digest
from eops_traj.interchange.conversation import Conversation
from eops_traj.schema import UNVERIFIED, Agent, Episode, Json, Prompt, Run, Task, ToolSet, Turn
from eops_traj.verify.failure_modes import diagnose
from eops_traj.verify.totals import totals

if TYPE_CHECKING:
    from eops_traj.collectors.importers import Imported

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Told:
    """What a foreign record says besides its conversation.

    ``tools`` are MCP tools, None where the record lists none; ``details`` is what an episode has no field
    for; ``content`` is the whole of the record, which tells one episode from another; ``totals`` are tokens
    and cost of the whole, where they are told of it alone.
    """

    format: str
    content: Any
    tools: list[dict[str, Any]] | None = None
    model: str = UNKNOWN
    orchestrator: str = UNKNOWN
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    attempt: int = 1
    started_at: str | None = None
    totals: Mapping[str, Any] = field(default_factory=dict)


def foreign(said: Conversation, told: Told) -> "Imported":
    """The episode of a conversation, its labels unknown: no verifier of ours looked at what it did."""
    from eops_traj.collectors.importers import Imported

    agent = _agent(told)
    task, prompt, toolset = _task(said, told), Prompt.of(said.system_prompt), _toolset(said, told)
    run = _run(told, agent)
    episode = Episode(
        episode_id=digest(told.format, told.content),
        task_hash=task.task_hash,
        agent_hash=agent.agent_hash,
        attempt=told.attempt,
        run_id=run.run_id,
        source=told.format,
        task_id=task.task_id,
        domain=task.domain,
        suite=task.suite,
        mode=task.mode,
        prompt_hash=prompt.prompt_hash,
        user_prompt=task.user_prompt,
        toolset_hash=toolset.toolset_hash,
        servers=(),
        model=agent.model,
        orchestrator=agent.orchestrator,
        settings=agent.settings,
        turns=tuple(said.turns),
        stop_reason=_stop_reason(said.turns),
        verdicts=(),
        success_parity=None,
        success_strict=None,
        verifier_pass_parity=None,
        verifier_pass_strict=None,
        outcome=UNVERIFIED,
        started_at=told.started_at,
        details=_details(said, told),
        **(totals(said.turns) | dict(told.totals)),
    )
    return Imported(episode, prompt, toolset, run)


def diagnosed(found: "Imported") -> "Imported":
    """The same with the failure modes that its turns show."""
    modes = dict.fromkeys(finding.mode for finding in diagnose(found.episode, found.prompt.text))
    return found._replace(episode=replace(found.episode, failure_modes=tuple(modes)))


def _agent(told: Told) -> Agent:
    settings = Json(canonical_json(dict(told.settings)))
    return Agent(model=told.model, orchestrator=told.orchestrator, settings=settings)


def _task(said: Conversation, told: Told) -> Task:
    """The task as the conversation shows it; where none is named, its words are its name."""
    request = said.request or ""
    return Task(
        task_id=told.task_id or "task_" + digest(said.system_prompt, request),
        domain=UNKNOWN,
        mode=UNKNOWN,
        suite=told.format,
        system_prompt=said.system_prompt,
        user_prompt=request,
        servers=(),
    )


def _toolset(said: Conversation, told: Told) -> ToolSet:
    """The tools listed, or what the calls show of them."""
    if told.tools is not None:
        return ToolSet.of(told.tools)
    from eops_traj.collectors.importers.enterpriseops import observed

    calls = [call for turn in said.turns for call in turn.tool_calls]
    return ToolSet.of([observed(name, calls) for name in dict.fromkeys(c.name for c in calls)], "observed")


def _run(told: Told, agent: Agent) -> Run:
    """The run: such files name none, so that one agent in files of one format is one."""
    config = {"source": told.format, "model": agent.model, "orchestrator": agent.orchestrator}
    return Run(run_id=digest(config), kind="import", config=Json(canonical_json(config)), version=__version__)


def _stop_reason(turns: Sequence[Turn]) -> str:
    """How it ended, as far as the last reply tells."""
    if turns and turns[-1].finish_reason == "length":
        return "max_tokens"
    return "max_turns" if turns and turns[-1].tool_calls else "completed"


def _details(said: Conversation, told: Told) -> Json:
    """What no field holds, under the format's name."""
    left = {**told.details, "aside": said.left_over()}
    kept = {name: value for name, value in left.items() if value not in (None, [], {}, "")}
    return Json(canonical_json({told.format: kept} if kept else {}))
