"""The actions and observations of OpenEnv's protocol, as they cross the wire, and their JSON schemas.

Calls and listings are those of OpenEnv's own MCP environments (``CallToolAction``, ``ListToolsAction``), so
that its clients speak them; the third action is the reply that ends an episode.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from eops_traj.config import problems
from eops_traj.environments.episode import Episode, Judgement
from eops_traj.environments.served_tasks import TaskView
from eops_traj.errors import FormatError
from eops_traj.sandbox.session import ToolResult

Wire = dict[str, Any]


class _Action(BaseModel):
    model_config = ConfigDict(extra="forbid")
    metadata: Wire = Field(default_factory=dict, description="Not looked at.")


class CallTool(_Action):
    """Call a tool of the task."""

    type: Literal["call_tool"] = "call_tool"
    tool_name: str
    arguments: Wire = Field(default_factory=dict)


class ListTools(_Action):
    """List the tools of the task."""

    type: Literal["list_tools"] = "list_tools"


class Answer(_Action):
    """Give the last reply, which ends the episode: its text, or a refusal of the request."""

    type: Literal["answer"] = "answer"
    text: str


Action = CallTool | ListTools | Answer
_ACTIONS: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="type")])
_OBSERVED = {
    "task_id": "The task; in every observation.",
    "domain": "After reset: the task's domain.",
    "split": "After reset: the task's split, or none.",
    "mode": "After reset: which tools are shown beside those needed.",
    "messages": "After reset: the policy, if there is one, and the request, as chat messages.",
    "functions": "After reset: the tools in the function format of the OpenAI API.",
    "tools": "After list_tools: the tools with name, description and input_schema.",
    "tool_name": "After call_tool: the tool.",
    "result": "After call_tool: the text of its answer, a refusal included.",
    "error": "After call_tool: always null; a tool's own refusal is its result.",
    "label": "After answer: the name of the outcome.",
}


def parse_action(data: Any) -> Action:
    """Parse an action. Raises FormatError with every problem in it."""
    try:
        return _ACTIONS.validate_python(data)
    except ValidationError as error:
        raise FormatError("; ".join(problems(error))) from None


def schemas() -> Wire:
    """Return the JSON schemas of actions, observations and state."""
    observed = {name: {"description": about} for name, about in _OBSERVED.items()}
    observation = {"title": "GymObservation", "type": "object", "properties": observed}
    state = {name: {"type": "string"} for name in ("episode_id", "task_id", "label")}
    counts = {"step_count": {"type": "integer"}, "done": {"type": "boolean"}}
    return {
        "action": {"title": "GymAction", **_ACTIONS.json_schema()},
        "observation": observation,
        "state": {"title": "GymState", "type": "object", "properties": {**state, **counts}},
    }


def observed_reset(episode: Episode, view: TaskView) -> Wire:
    """Return what is observed at the beginning."""
    told = {"task_id": view.task_id, "domain": view.domain, "split": view.split, "mode": view.mode}
    seen = {**told, "messages": view.messages, "functions": view.tools}
    return _observed(seen, None, False, {"episode_id": episode.id})


def observed_tools(episode: Episode, view: TaskView) -> Wire:
    """Return what is observed of a listing: it is no step of the episode, and gives no reward."""
    return _observed(
        {"task_id": view.task_id, "tools": listing(view)}, 0.0, False, {"episode_id": episode.id}
    )


def observed_call(episode: Episode, action: CallTool, result: ToolResult) -> Wire:
    """Return what is observed of a call."""
    seen = {
        "task_id": episode.task.task_id,
        "tool_name": action.tool_name,
        "result": result.text,
        "error": None,
    }
    return _observed(seen, 0.0, False, {"episode_id": episode.id, "is_error": result.is_error})


def observed_end(episode_id: str, judgement: Judgement) -> Wire:
    """Return what is observed at the end: the reward of the whole episode, and its label."""
    seen = {"task_id": judgement.task_id, "label": judgement.label}
    return _observed(seen, judgement.reward, True, {"episode_id": episode_id, "label": judgement.label})


def listing(view: TaskView) -> list[Wire]:
    """Return the tools of a task as OpenEnv lists tools."""
    functions = [tool["function"] for tool in view.tools]
    return [
        {"name": f["name"], "description": f.get("description", ""), "input_schema": f["parameters"]}
        for f in functions
    ]


def state_of(episode: Episode | None) -> Wire:
    """Return the state of an episode; of none, that nothing began."""
    if episode is None:
        return {"episode_id": None, "step_count": 0, "task_id": None, "done": False, "label": None}
    judgement = episode.judgement
    return {
        "episode_id": episode.id,
        "step_count": episode.steps,
        "task_id": episode.task.task_id,
        "done": episode.over,
        "label": judgement.label if judgement else None,
    }


def _observed(observation: Wire, reward: float | None, done: bool, metadata: Wire) -> Wire:
    """Return an observation as it is sent; metadata stands in it too, for clients with types."""
    body = {**observation, "metadata": metadata}
    return {"observation": body, "reward": reward, "done": done, "metadata": metadata}
