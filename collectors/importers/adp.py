"""Episodes from trajectories of the Agent Data Protocol (arXiv 2510.24702), schema versions 1.0 to 1.5.

Actions that follow each other are one reply: its text, its calls. What is observed after them is their
result, by id where there are ids, in order where there are none; what a user says is a request. A piece of
code is a call of its language. The policy is the text of the environment that is named ``system``.
"""

import json
import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.conversation import Conversation, call_of, mcp_tools
from eops_traj.interchange.episode_from_conversation import ForeignRecord, foreign_episode
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Reader, Record
from eops_traj.schema import ToolCall, Turn

MINOR = 5
"""The newest minor version of schema 1 that is read."""
VERSION = f"1.{MINOR}.0"
SYSTEM = "system"
"""The name of the observation that holds the policy."""
TOOLS = "tools"
"""The detail that holds the declarations of the tools."""
ACTIONS = ("api_action", "code_action", "message_action")


class AdpItem(BaseModel):
    """An action or an observation, with the fields of all of them; each class has some."""

    model_config = ConfigDict(extra="allow")
    class_: Literal[
        "api_action", "code_action", "message_action", "text_observation", "json_observation",
        "image_observation", "web_observation",
    ]  # fmt: skip
    content: Any = None
    description: str | None = None
    reasoning_content: str | None = None
    reward: float | None = None
    function: str | None = None
    language: str | None = None
    name: str | None = None
    source: Literal["user", "agent", "environment"] | None = None
    tool_call_id: str | None = None

    @property
    def arguments(self) -> Any:
        """The arguments of a function: ``kwargs``, a name that no field of a model can have."""
        return (self.model_extra or {}).get("kwargs", {})


class AdpTrajectory(BaseModel):
    """A trajectory."""

    model_config = ConfigDict(extra="allow")
    schema_version: str = "1.0.0"
    id: str
    content: list[AdpItem] = Field(min_length=1)
    details: dict[str, Any] = {}


class AdpReader(Reader):
    """Reads trajectories, one a line."""

    name = "adp"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has content of these classes."""
        content = record.get("content")
        return isinstance(content, list) and bool(content) and "class_" in dict(content[0])

    def extension(self, record: Record) -> tuple[Record, Any]:
        """Split off our own key, which stands in ``details``, the format's place for such."""
        details = record.get("details")
        if not isinstance(details, dict) or KEY not in details:
            return record, None
        rest = {name: value for name, value in details.items() if name != KEY}
        return {**record, "details": rest}, details[KEY]

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a trajectory."""
        trajectory = validate_trajectory(record)
        reading = _Reading()
        for item in trajectory.content:
            reading.take(item)
        reading.close()
        details = dict(trajectory.details)
        tools = details.pop(TOOLS, None)
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=mcp_tools(tools) if isinstance(tools, list) else None,
            details={
                **details,
                "id": trajectory.id,
                "rewards": reading.rewards,
                **(trajectory.model_extra or {}),
            },
        )
        return foreign_episode(reading.conversation, foreign_record)


def validate_trajectory(record: Record) -> AdpTrajectory:
    """Validate a record. Raises FormatError for another version, ValidationError for another form."""
    version = str(record.get("schema_version", VERSION))
    match = re.fullmatch(r"1\.(\d{1,3})\.\d{1,3}", version)
    if not match or int(match[1]) > MINOR:
        raise FormatError(f"schema_version {version[:40]!r}; this eops-traj reads 1.0.0 to {VERSION}")
    return AdpTrajectory.model_validate(record)


class _Reading:
    """A trajectory while it is read: the conversation so far, and the actions of the reply under way."""

    def __init__(self) -> None:
        self.conversation, self.rewards = Conversation(), dict[str, float]()
        self._actions: list[AdpItem] = []
        self._count = 0

    def take(self, item: AdpItem) -> None:
        """Take an action or an observation."""
        self._count += 1
        if item.reward is not None:
            self.rewards[str(self._count - 1)] = item.reward
        if item.class_ in ACTIONS:
            self._actions.append(item)
            return
        self.close()
        self._observe(item)

    def close(self) -> None:
        """End the reply under way."""
        if self._actions:
            self.conversation.reply(_turn(self._actions, len(self.conversation.turns)))
        self._actions = []

    def _observe(self, item: AdpItem) -> None:
        text = _text(item)
        if item.tool_call_id is not None:
            self.conversation.answer(text, item.tool_call_id)
        elif item.source == "user":
            self.conversation.ask(text)
        elif item.name == SYSTEM and not self.conversation.turns:
            self.conversation.instruct(text)
        elif _waits(self.conversation):
            self.conversation.answer(text)
        else:
            self.conversation.ask(text)
        if item.class_ in ("web_observation", "image_observation"):
            self.conversation.put_aside(observation=item.model_dump(mode="json", exclude_none=True))


def _waits(conversation: Conversation) -> bool:
    return bool(conversation.turns) and any(call.result is None for call in conversation.turns[-1].tool_calls)


def _turn(actions: list[AdpItem], index: int) -> Turn:
    texts = [str(a.content) for a in actions if a.class_ == "message_action" and a.content]
    texts += [a.description for a in actions if a.description and a.description not in texts]
    calls = [_call(action, f"call_{index}_{n}") for n, action in enumerate(actions)]
    reasoning = [a.reasoning_content for a in actions if a.reasoning_content]
    return Turn(
        text="\n".join(texts),
        reasoning="\n".join(reasoning) or None,
        tool_calls=tuple(call for call in calls if call is not None),
    )


def _call(action: AdpItem, number: str) -> ToolCall | None:
    """Return the call of an action. Raises ValueError for one of no function or language."""
    if action.class_ == "message_action":
        return None
    call_id = number if action.tool_call_id is None else action.tool_call_id
    is_code = action.class_ == "code_action"
    name = action.language if is_code else action.function
    if name is None:
        raise ValueError(f"an {action.class_} without {'a language' if is_code else 'a function'}")
    return call_of(call_id, name, {"code": action.content} if is_code else action.arguments)


def _text(item: AdpItem) -> str:
    """Return what is observed as text."""
    more = item.model_extra or {}
    if item.class_ == "image_observation":
        return "[image left out]"
    if item.class_ == "web_observation":
        return str(more.get("axtree") or more.get("html") or more.get("url") or "")
    return item.content if isinstance(item.content, str) else json.dumps(item.content, ensure_ascii=False)
