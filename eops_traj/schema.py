"""The records of the store: task, episode, turn, tool call, verdict and the rest.

The dataclasses are the schema, written once: :mod:`eops_traj.store.arrow` turns each into Arrow, field by
field, and the text beside each field is its documentation. Change a field and :data:`SCHEMA_VERSION` goes up.
One that may be None can be added at the end: older tables read as if they had it, and get it when written.

Two habits hold throughout. What a model or a tool shapes freely (arguments, expected values, provider
metadata) is stored as canonical JSON text, since Arrow would merge structs and fill them with nulls. And
``None`` means *not known*; it is never a zero, a failure or an empty string.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NewType, TypeVar, dataclass_transform

from eops_traj.hashing import canonical_json, digest

SCHEMA_VERSION = 1

OUTCOMES = (
    "success",
    "failure",
    "safe_refusal",
    "blind_refusal",
    "over_refusal",
    "unsafe_action",
    "false_success",
    "error",
    "unverified",
)
PASSED = frozenset({"success", "safe_refusal"})
"""The outcomes that count as passed: the task was done, or rightly declined."""
REFUSALS = frozenset({"safe_refusal", "blind_refusal", "over_refusal"})
"""The outcomes of an episode that declined: rightly, for no reason that holds, or what can be done."""
UNVERIFIED = "unverified"
"""The outcome of an episode that no verifier of ours has judged; mostly another harness recorded it."""
BENCHMARK_SUITE = "enterpriseops-gym"
"""The suite of tasks that name no other: those of the benchmark."""

CATEGORIES = ("task_completion", "integrity", "permission_and_process")

Json = NewType("Json", str)
"""Canonical JSON text, as :func:`eops_traj.hashing.canonical_json` writes it."""

OBJECT = object()
"""The mark of a field whose JSON is an object."""

T = TypeVar("T")


def json_of(value: Any) -> Json:
    """Return a value as canonical JSON; what JSON cannot hold (bytes, infinities) becomes its text."""
    return Json(canonical_json(json.loads(json.dumps(value, default=str), parse_constant=str)))


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass whose fields are given by name."""
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


@record
class Server:
    """One tool server of a task, with the database it starts from."""

    name: Annotated[str, "The server's name, for example sn-csm-server."]
    seed: Annotated[
        str, "The seed database: a file the benchmark names, or an address in the built-in suite."
    ]
    url: Annotated[str | None, "Where it was served, where that is known."] = None
    context: Annotated[Json, "Headers that say who is calling, an object. Never a secret.", OBJECT] = Json(
        "{}"
    )
    details: Annotated[Json, "What else the source says of this server, an object.", OBJECT] = Json("{}")


@record
class Verifier:
    """One check of the final state, the reply, or the calls."""

    name: Annotated[str, "Its name; the benchmark lets several verifiers share one."]
    kind: Annotated[str, "A kind of eops_traj.verify.verifier_kinds: database_state, response_check ..."]
    server: Annotated[str | None, "The server whose database it reads (the benchmark's gym_name)."] = None
    config: Annotated[
        Json, "Query, expected value, comparison and the rest (validation_config), an object.", OBJECT
    ]
    description: Annotated[str | None, "What it is for, in words."] = None
    category: Annotated[str | None, "task_completion, integrity or permission_and_process, where given."] = (
        None
    )


@record
class Task:
    """What is asked, with its tools, seed databases and verifiers."""

    task_id: Annotated[str, "The task's name in its suite."]
    domain: Annotated[str, "csm, itsm, hr, teams, drive, email, calendar or hybrid; or unknown."]
    mode: Annotated[str, "Which tools are shown: oracle, plus_5_tools, ..."]
    suite: Annotated[str, "The suite it belongs to."]
    split: Annotated[str | None, "train, dev, test or test_ood, where the suite has splits."] = None
    system_prompt: Annotated[str, "The policy the agent works under."]
    user_prompt: Annotated[str, "The request."]
    servers: Annotated[tuple[Server, ...], "The tool servers, in routing order."]
    tools: Annotated[tuple[str, ...], "Names of the tools shown."] = ()
    restricted_tools: Annotated[tuple[str, ...], "Names of tools that are withheld."] = ()
    verifiers: Annotated[tuple[Verifier, ...], "Every verifier, in order."] = ()
    feasible: Annotated[bool | None, "Whether the task can and may be done; None where it is not known."] = (
        None
    )
    plan: Annotated[str | None, "The gold plan, where there is one."] = None
    details: Annotated[Json, "What else the task's file says, an object.", OBJECT] = Json("{}")

    @property
    def task_hash(self) -> str:
        """The task's identity: the agent's instructions, its starting state, and the tools' mode.

        Verifiers are left out, so that an episode keeps its task when a verifier is fixed and run again.
        """
        return digest(
            self.task_id,
            self.mode,
            self.system_prompt,
            self.user_prompt,
            [[s.name, s.seed] for s in self.servers],
        )


@record
class Change:
    """One row that a tool call inserted, updated or deleted."""

    server: Annotated[str, "The server whose database changed."]
    table: Annotated[str, "The table."]
    operation: Annotated[str, "insert, update or delete."]
    key: Annotated[Json, "The row's primary key, an object.", OBJECT]
    before: Annotated[
        Json | None, "The columns before (all of them for a delete); None for an insert.", OBJECT
    ] = None
    after: Annotated[
        Json | None, "The columns after (all of them for an insert); None for a delete.", OBJECT
    ] = None


@record
class ToolCall:
    """One call that the model asked for, with its result."""

    id: Annotated[str, "The call's id in its conversation."]
    name: Annotated[str, "The tool that was asked for."]
    arguments: Annotated[Json, "The arguments, an object; empty where they did not parse.", OBJECT]
    server: Annotated[str | None, "The server that answered."] = None
    result: Annotated[str | None, "The text that the model saw; None where no result is recorded."] = None
    envelope: Annotated[
        Json | None, "The reply around that text, an object with the text taken out.", OBJECT
    ] = None
    is_error: Annotated[bool, "Whether the tool answered with an error."] = False
    error: Annotated[str | None, "Why the call never reached the tool (transport, sandbox)."] = None
    raw: Annotated[
        str | None, "What the model wrote, where its arguments did not parse or were salvaged."
    ] = None
    latency_ms: Annotated[float | None, "Time from call to result."] = None
    changes: Annotated[tuple[Change, ...], "The rows it changed, where the sandbox records them."] = ()


@record
class Turn:
    """One model reply, with its tool calls and their results."""

    text: Annotated[str, "The text of the reply."]
    reasoning: Annotated[str | None, "Its reasoning, where the endpoint gives it."] = None
    tool_calls: Annotated[tuple[ToolCall, ...], "The calls it made, in order."] = ()
    nudge: Annotated[
        str | None, "A user message before this reply; on the first turn, in the request's place."
    ] = None
    finish_reason: Annotated[str | None, "Why generation stopped, in the provider's word."] = None
    input_tokens: Annotated[int | None, "Prompt tokens, cached ones included."] = None
    cached_tokens: Annotated[int | None, "Prompt tokens read from a cache."] = None
    output_tokens: Annotated[int | None, "Completion tokens, reasoning included."] = None
    reasoning_tokens: Annotated[int | None, "Completion tokens spent on reasoning."] = None
    cost: Annotated[float | None, "US dollars; None where no price is known."] = None
    latency_ms: Annotated[float | None, "Time from request to the whole reply."] = None
    provider: Annotated[Json, "What else the provider said of this reply, an object.", OBJECT] = Json("{}")
    prompt_token_ids: Annotated[tuple[int, ...] | None, "Token ids of the prompt, from vLLM."] = None
    token_ids: Annotated[tuple[int, ...] | None, "Token ids of the reply, from vLLM."] = None
    logprobs: Annotated[tuple[float, ...] | None, "Log-probability of each reply token, from vLLM."] = None


@record
class Verdict:
    """One verifier's result, labelled twice: as the benchmark scores, and strictly."""

    name: Annotated[str, "The verifier's name."]
    kind: Annotated[str, "A kind of eops_traj.verify.verifier_kinds: database_state, response_check ..."]
    server: Annotated[str | None, "The server it read."] = None
    config: Annotated[Json, "The verifier's configuration as it ran, an object.", OBJECT] = Json("{}")
    query: Annotated[str | None, "The SQL it ran."] = None
    comparison: Annotated[str | None, "equals, greater_than, less_than or contains."] = None
    expected: Annotated[Json | None, "The expected value."] = None
    actual: Annotated[Json | None, "The value found; None where the verifier could not run."] = None
    passed_parity: Annotated[
        bool | None, "The benchmark's verdict; None where it does not count this one."
    ] = None
    passed_strict: Annotated[bool | None, "The strict verdict; None where no result is known."] = None
    category: Annotated[str, "task_completion, integrity or permission_and_process."] = "task_completion"
    category_inferred: Annotated[bool, "Whether the category is inferred from the query."] = True
    description: Annotated[str | None, "What the verifier is for."] = None
    details: Annotated[str | None, "The comparison in words."] = None
    error: Annotated[str | None, "Why it could not run, or why the benchmark does not count it."] = None


@record
class Agent:
    """Who works the task: an orchestrator with its model and settings."""

    model: Annotated[str, "The model's name, as its endpoint knows it."]
    orchestrator: Annotated[str, "react, planner_react, decomposing or plan."]
    settings: Annotated[Json, "Everything else that shapes its behaviour, an object.", OBJECT] = Json("{}")

    @property
    def agent_hash(self) -> str:
        """The agent's identity: model, orchestrator and settings."""
        return digest(self.model, self.orchestrator, self.settings)


@record
class Episode:
    """One attempt of an agent at a task: a row of the store."""

    episode_id: Annotated[str, "Identity: task, agent, attempt and where it has one its recorded content."]
    task_hash: Annotated[str, "The task's identity."]
    agent_hash: Annotated[str, "The agent's identity."]
    attempt: Annotated[int, "The attempt's number, from 1."]
    supersedes: Annotated[str | None, "The errored attempt that this one replaces."] = None
    run_id: Annotated[str, "The run that made it."]
    source: Annotated[str, "Who recorded it: eops-traj, or the harness it was imported from."]

    task_id: Annotated[str, "The task's name."]
    domain: Annotated[str, "The task's domain."]
    suite: Annotated[str, "The task's suite."]
    split: Annotated[str | None, "The task's split."] = None
    mode: Annotated[str, "Which tools were shown."]
    feasible: Annotated[bool | None, "Whether the task can and may be done."] = None
    prompt_hash: Annotated[str, "The system prompt, in the table prompts."]
    user_prompt: Annotated[str, "The request."]
    toolset_hash: Annotated[str, "The tools shown, in the table toolsets."]
    servers: Annotated[tuple[Server, ...], "The tool servers."]

    model: Annotated[str, "The agent's model."]
    orchestrator: Annotated[str, "The agent's orchestrator."]
    settings: Annotated[Json, "The agent's settings, an object.", OBJECT] = Json("{}")

    turns: Annotated[tuple[Turn, ...], "The conversation after the request."]
    stop_reason: Annotated[str, "completed, max_turns, max_tokens, max_cost, timeout or error."]
    error: Annotated[str | None, "What failed, where the outcome is error."] = None

    verdicts: Annotated[tuple[Verdict, ...], "Every verifier's result."]
    success_parity: Annotated[bool | None, "Success as the benchmark scores; None for an error."]
    success_strict: Annotated[bool | None, "Success with every verifier counted; None for an error."]
    verifier_pass_parity: Annotated[float | None, "Share of verifiers passed, as the benchmark counts them."]
    verifier_pass_strict: Annotated[float | None, "Share of verifiers passed, every one counted."]
    outcome: Annotated[str, "The episode's label, one of schema.OUTCOMES."]
    failure_modes: Annotated[tuple[str, ...], "What eops_traj.verify.failure_modes found."] = ()

    started_at: Annotated[str | None, "ISO 8601, UTC."] = None
    duration_ms: Annotated[float | None, "Wall-clock time of the episode."] = None
    n_turns: Annotated[int, "Model replies."]
    n_steps: Annotated[int, "Tool calls."]
    n_tool_errors: Annotated[int, "Tool calls answered with an error."]
    input_tokens: Annotated[int | None, "Sum over the turns."] = None
    cached_tokens: Annotated[int | None, "Sum over the turns."] = None
    output_tokens: Annotated[int | None, "Sum over the turns."] = None
    reasoning_tokens: Annotated[int | None, "Sum over the turns."] = None
    cost: Annotated[float | None, "US dollars, sum over the turns; None unless every turn's is known."] = None

    changeset: Annotated[
        bytes | None, "SQLite changesets that turn the seed into the final state, where recorded."
    ] = None
    parent: Annotated[str | None, "The episode this one was branched from."] = None
    branch_turn: Annotated[int | None, "The turn of the parent at which it was branched."] = None
    details: Annotated[Json, "What else the source recorded, an object.", OBJECT] = Json("{}")
    task_defect: Annotated[
        str | None, "What is wrong with the task itself, by `tasks audit`; None where nothing is known."
    ] = None
    causes: Annotated[
        tuple[str, ...] | None, "Why it failed: kinds of eops_traj.causes, the first error first."
    ] = None

    @property
    def response(self) -> str:
        """The final answer: the last reply's text, or nothing where that reply still asked for tools.

        Where the protocol makes something else the answer (a tool's result, a summary), that is noted among
        the details.
        """
        return final_answer(self.turns, json.loads(self.details) if ANSWER in self.details else {})

    def tool_calls(self) -> list[ToolCall]:
        """Return every tool call of the episode, in order."""
        return [call for turn in self.turns for call in turn.tool_calls]


TASK_DEFECT = "task_defect"
"""The detail of a task that holds what is wrong with it, and the column of its episodes."""
CAUSES = "causes"
"""The column of an episode that holds why it failed."""
ADDED_COLUMNS = (TASK_DEFECT, CAUSES)
"""Columns that tables of older programs lack: not known there, and added when such a table is written."""
ANSWER = "final_answer"
"""The detail of an episode that holds its final answer, where that is not its last reply's text."""


def final_answer(turns: Sequence[Turn], details: Mapping[str, Any]) -> str:
    """Return the answer that is noted, or else the last reply's text; nothing where that asked for tools."""
    noted = details.get(ANSWER)
    if isinstance(noted, str):
        return noted
    return turns[-1].text if turns and not turns[-1].tool_calls else ""


@record
class Run:
    """One collection job, or one import."""

    run_id: Annotated[str, "Identity, by content."]
    kind: Annotated[str, "import, collect or branch."]
    config: Annotated[Json, "What the run was asked to do, an object.", OBJECT]
    started_at: Annotated[str | None, "ISO 8601, UTC."] = None
    version: Annotated[str, "The version of eops-traj that wrote it."]
    attempts: Annotated[int | None, "Attempts that were to be made when it began."] = None


@record
class Prompt:
    """A system prompt, stored once."""

    prompt_hash: Annotated[str, "Digest of the text."]
    text: Annotated[str, "The prompt."]

    @classmethod
    def of(cls, text: str) -> "Prompt":
        """Make the prompt of this text."""
        return cls(prompt_hash=digest(text), text=text)


@record
class ToolSet:
    """The tools an agent was shown, stored once."""

    toolset_hash: Annotated[str, "Digest of the tools and their origin."]
    origin: Annotated[str, "listed: what the server declared; observed: only what the calls show."]
    tools: Annotated[Json, "MCP tools: a list of objects with name, description and inputSchema."]

    @classmethod
    def of(cls, tools: list[dict[str, Any]], origin: str = "listed", ordered: bool = False) -> "ToolSet":
        """Make the tool set of these MCP tools, in the order they were shown.

        ``ordered`` keeps the order of their properties too; otherwise those are in alphabetical order.
        """
        text = (
            json.dumps(tools, separators=(",", ":"), ensure_ascii=False) if ordered else canonical_json(tools)
        )
        return cls(toolset_hash=digest(origin, text), origin=origin, tools=Json(text))


LABELS = ("right", "wrong", "unsure")
"""What a reader can say of an episode or a turn."""


@record
class Label:
    """What a reader said of an episode, or of one of its turns; rows are added and never changed."""

    label_id: Annotated[str, "Identity: new with every label."]
    episode_id: Annotated[str, "The episode."]
    turn: Annotated[int | None, "The turn, from 0; None for the episode as a whole."] = None
    reader: Annotated[str, "Who said it: the name given to `view --review`."]
    value: Annotated[str, "right, wrong or unsure."]
    cause: Annotated[
        str | None, "The true cause, a kind of eops_traj.causes, where the reader names one."
    ] = None
    note: Annotated[str | None, "A note in words."] = None
    better_call: Annotated[
        Json | None, "The call that should have been made there, an object: name and arguments.", OBJECT
    ] = None
    created_at: Annotated[str, "ISO 8601, UTC."]


@record
class SelectionRow:
    """One episode that a filter saw, kept or dropped."""

    episode_id: Annotated[str, "The episode."]
    dropped_by: Annotated[
        str | None, "The label of the first rule that dropped it; None where it is kept."
    ] = None
    detail: Annotated[str | None, "What decided it, where the row alone does not show it."] = None


@record
class Selection:
    """The result of a filter on one version of the store: every episode, kept or dropped, with the reason.

    One of more than a million episodes is stored in several rows of its name, in the order of its episodes.
    """

    name: Annotated[str, "The name it is saved under."]
    store_version: Annotated[int, "The version of the episodes table that was read."]
    config: Annotated[Json, "The filter's config, every default filled in, an object.", OBJECT]
    created_at: Annotated[str, "ISO 8601, UTC."]
    rows: Annotated[tuple[SelectionRow, ...], "Every episode of that version, best first."]

    def kept(self) -> list[str]:
        """Return the ids of the episodes that no rule dropped, best first."""
        return [row.episode_id for row in self.rows if row.dropped_by is None]
