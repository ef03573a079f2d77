"""Episodes from the result files of ServiceNow's EnterpriseOps-Gym harness, nothing lost.

A file holds one task's runs (``benchmark_config``, ``runs``, ``statistics``); each run is one attempt, with
its conversation, the tool results, and a result per verifier name. Parts that the record has no field for are
kept in ``details``, ``provider`` and ``envelope``, so that the exporter of that name can write the file
again. The harness puts task id, mode and domain into the file's name only, so they are read from there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eops_traj.bundle import EpisodeBundle, build_episode, build_run
from eops_traj.config import problems
from eops_traj.errors import FormatError
from eops_traj.files import find_files, read_json
from eops_traj.hashing import canonical_json, digest
from eops_traj.interchange.enterpriseops_calls import arguments_of, result_of
from eops_traj.interchange.enterpriseops_conversation import (
    FLOW,
    HarnessConversation,
    replayed_flow,
    text_of,
    write_flow,
)
from eops_traj.interchange.enterpriseops_results import (
    JUDGED,
    NUMBERED,
    are_numbered,
    judge_answers,
    recorded_verdicts,
)
from eops_traj.interchange.enterpriseops_tasks import KnownTasks
from eops_traj.interchange.episode_from_conversation import in_utc, observed_tool, with_failure_modes
from eops_traj.schema import ANSWER, BENCHMARK_SUITE, Agent, Json, Prompt, Run, Server, Task, ToolSet, Turn
from eops_traj.tasks import FILE_NAME, domain_of
from eops_traj.verify.outcome import labels, outcome, refusal_passed

SOURCE = BENCHMARK_SUITE
DERIVED = ("overall_success", "tools_used", "verification_summary")
"""The parts of a run that repeat its calls and verdicts, as ``statistics`` does for the runs."""


ORCHESTRATORS = {
    "generated_plan": "planner_react",
    "golden_substitutions": "golden_guided",
    "cc_usage": "claude_code",
}
"""What each of the harness's orchestrators, and of those that others added to it, leaves in a run."""
REACT = {"system_message", "user_message", "ai_message", "tool_result"}
DECOMPOSING = {"meta_agent_plan", "subtask_start", "subtask_complete"}
"""The types of entries of a conversation."""


class _Server(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
    url: str | None = None
    seed_database_file: str = ""


class _Config(BaseModel):
    model_config = ConfigDict(extra="allow")
    model: str
    user_prompt: str
    gym_servers: list[_Server] = Field(min_length=1)


class _Run(BaseModel):
    model_config = ConfigDict(extra="allow")
    run_number: int = 1
    started_at: str | None = None
    execution_time_ms: float | None = None
    error: str | None = None
    model_response: Any = ""
    conversation_flow: list[dict[str, Any]] = Field(default_factory=list)
    tool_results: list[dict[str, Any]] = Field(default_factory=list)
    verification_results: dict[str, dict[str, Any]] = Field(default_factory=dict)


class _File(BaseModel):
    model_config = ConfigDict(extra="allow")
    benchmark_config: _Config
    runs: list[_Run] = Field(min_length=1)
    statistics: dict[str, Any]


@dataclass(frozen=True)
class EnterpriseOpsReader:
    """Reads result files, joining ``tasks`` and tool declarations (by name) where they are known."""

    tasks: KnownTasks
    tools: Mapping[str, dict[str, Any]]

    @classmethod
    def open(cls, tasks: Sequence[Task], tools: Iterable[Path]) -> Self:
        """Return a reader that joins these tasks, and the tools of these files or folders."""
        return cls(KnownTasks(tasks), load_tools(tools))

    def recognises(self, record: Any) -> bool:
        """Check whether a record looks like a result file."""
        return "benchmark_config" in record and "runs" in record

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Find the JSON files that paths name, folders searched."""
        return list(find_files(paths))

    def read(self, path: Path) -> list[EpisodeBundle]:
        """Read the episodes of one file, a run each. Raises FormatError naming the file and what is wrong."""
        data = read_json(path)
        try:
            file = _File.model_validate(data)
            conversations = [
                HarnessConversation.read(
                    replayed_flow(run.conversation_flow, run.tool_results), file.benchmark_config.user_prompt
                )
                for run in file.runs
            ]
            task = self._task(path.stem.removeprefix("results_"), file.benchmark_config, conversations)
            return [
                self._episode(file, run, conversation, task)
                for run, conversation in zip(file.runs, conversations, strict=True)
            ]
        except ValidationError as error:
            raise FormatError(f"{path}: not a result file: " + "; ".join(problems(error))) from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise FormatError(f"{path}: not a result file: {type(error).__name__}: {error}") from error

    def _task(self, name: str, config: _Config, conversations: Iterable[HarnessConversation]) -> Task:
        """Return the task as the run saw it, with the verifiers and tools of its task file where known."""
        match = FILE_NAME.fullmatch(name)
        known = self.tasks.find(*match.group("task_id", "mode")) if match else self.tasks.find(name, None)
        where = [[s.name, s.seed_database_file] for s in config.gym_servers]
        return Task(
            task_id=match["task_id"] if match else "task_" + digest(config.user_prompt, where),
            domain=match["domain"] if match else domain_of(s.name for s in config.gym_servers),
            mode=match["mode"] if match else "unknown",
            suite=SOURCE,
            system_prompt=next((t.system_prompt for t in conversations if t.system_prompt), ""),
            user_prompt=config.user_prompt,
            servers=tuple(_server(s, known) for s in config.gym_servers),
            tools=known.tools if known else (),
            verifiers=known.verifiers if known else (),
        )

    def _episode(
        self, file: _File, run: _Run, conversation: HarnessConversation, task: Task
    ) -> EpisodeBundle:
        agent = Agent(model=file.benchmark_config.model, orchestrator=_orchestrator(run))
        toolset, run_record = self._toolset(task, conversation.turns), _run(agent, task)
        episode = build_episode(
            task,
            agent,
            conversation.turns,
            toolset,
            episode_id=digest(task.task_hash, agent.agent_hash, run.run_number, run.model_dump(mode="json")),
            attempt=run.run_number,
            run_id=run_record.run_id,
            source=SOURCE,
            started_at=in_utc(run.started_at),
            duration_ms=run.execution_time_ms,
            details=_leftovers(file, run, conversation),
            **_ending(run, conversation.turns, task),
        )
        return with_failure_modes(EpisodeBundle(episode, Prompt.of(task.system_prompt), toolset, run_record))

    def _toolset(self, task: Task, turns: Iterable[Turn]) -> ToolSet:
        """Return the tools listed, where the task is known and all are declared; else as the calls show."""
        calls = [call for turn in turns for call in turn.tool_calls]
        names = task.tools or tuple(dict.fromkeys(call.name for call in calls))
        listed = bool(task.tools) and all(name in self.tools for name in names)
        declared = [self.tools.get(name) or observed_tool(name, calls) for name in names]
        return ToolSet.of(declared, "listed" if listed else "observed")


def _server(server: _Server, known: Task | None) -> Server:
    """Return a server of the run; its context (the caller) is in the task file alone."""
    context = next((s.context for s in known.servers if s.name == server.name), None) if known else None
    return Server(
        name=server.name,
        seed=server.seed_database_file,
        url=server.url,
        context=context or Json("{}"),
        details=Json(canonical_json(server.model_extra or {})),
    )


def _orchestrator(run: _Run) -> str:
    """Determine which orchestrator made a run: the one it names, or by what each of them leaves there."""
    metadata = run.model_extra or {}
    types = {entry["type"] for entry in run.conversation_flow}
    named = metadata.get("orchestrator")
    if isinstance(named, str) and named:
        return named
    left = [name for key, name in ORCHESTRATORS.items() if key in metadata]
    if left:
        return left[0]
    if types <= REACT:
        return "react" if "ai_message" in types or "tool_result" not in types else "golden"
    return "decomposing" if types & DECOMPOSING else "unknown"


def _run(agent: Agent, task: Task) -> Run:
    """Return the run that a result belongs to: the harness names none, so one agent in one mode is one."""
    config = {"source": SOURCE, "model": agent.model, "orchestrator": agent.orchestrator, "mode": task.mode}
    return build_run("import", config)


def _ending(run: _Run, turns: list[Turn], task: Task) -> dict[str, Any]:
    """Return the columns of the episode's end: stop reason, verdicts, labels."""
    calls = [call for turn in turns for call in turn.tool_calls]
    response = text_of(run.model_response)[0]
    servers = [server.name for server in task.servers]
    verdicts = recorded_verdicts(task.verifiers or None, run.verification_results, servers)
    scored = labels(verdicts, error=run.error)
    return {
        "stop_reason": _stop_reason(run, turns),
        "error": run.error,
        "verdicts": verdicts,
        "success_parity": scored.success_parity,
        "success_strict": scored.success_strict,
        "verifier_pass_parity": scored.verifier_pass_parity,
        "verifier_pass_strict": scored.verifier_pass_strict,
        "outcome": outcome(
            scored,
            calls=calls,
            response=response,
            feasible=task.feasible,
            error=run.error,
            refusal=refusal_passed(verdicts),
        ),
    }


def _stop_reason(run: _Run, turns: list[Turn]) -> str:
    if run.error:
        return "error"
    last = turns[-1] if turns else None
    if last and last.finish_reason == "length":
        return "max_tokens"
    return "max_turns" if last and last.tool_calls else "completed"


def _leftovers(file: _File, run: _Run, conversation: HarnessConversation) -> Json:
    """Return the parts of file, run and messages that no field holds and nothing else implies."""
    calls = [call for turn in conversation.turns for call in turn.tool_calls if call.envelope]
    listed = [
        {
            "tool_name": c.name,
            "arguments": arguments_of(c),
            "result": result_of(c),
            "gym_server": c.server,
        }
        for c in calls
    ]
    answer = (
        conversation.turns[-1].text if conversation.turns and not conversation.turns[-1].tool_calls else ""
    )
    flow = write_flow(
        tuple(conversation.turns),
        conversation.system_prompt,
        file.benchmark_config.user_prompt,
        conversation.aside,
    )
    left: dict[str, Any] = {
        FLOW: run.conversation_flow if flow != run.conversation_flow else None,
        "benchmark_config": file.benchmark_config.model_extra,
        "run": {k: v for k, v in (run.model_extra or {}).items() if k not in DERIVED} | _local_time(run),
        "file": file.model_extra,
        "conversation_flow": conversation.aside,
        "tool_results": [] if listed == run.tool_results else run.tool_results,
        "model_response": run.model_response if run.model_response != answer else None,
        ANSWER: text_of(run.model_response)[0] if run.model_response != answer else None,
        JUDGED: judge_answers(run.verification_results),
        NUMBERED: are_numbered(run.verification_results),
    }
    return Json(canonical_json({key: value for key, value in left.items() if value}))


def _local_time(run: _Run) -> dict[str, Any]:
    """Return the time of a run as it stands in the file, where the episode has it in UTC."""
    return {} if in_utc(run.started_at) == run.started_at else {"started_at": run.started_at}


def load_tools(paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Tool declarations by name, from files that hold a server's ``tools/list`` answer; the first wins.

    Raises FormatError for a file that holds none.
    """
    tools: dict[str, dict[str, Any]] = {}
    for path in find_files(paths):
        try:
            for tool in read_json(path)["tools"]:
                told = {key: tool[key] for key in ("description", "inputSchema") if key in tool}
                tools.setdefault(tool["name"], {"name": tool["name"], **told})
        except (KeyError, TypeError) as error:
            raise FormatError(f"{path}: not a tools/list answer: {type(error).__name__}: {error}") from error
    return tools
