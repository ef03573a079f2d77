"""The single decisions of an episode: what was said before each, the state it was made in, and what it did.

Two hashes say where a decision was made. The prefix hash is over the conversation up to it and the tools
shown, whatever ids the calls have. The state hash is over the rows changed up to it, in their order.
Decisions that have both in common were made at the same place.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.orchestrator import kind_of
from eops_traj.hashing import digest
from eops_traj.messages import Message, reply_message, result_message
from eops_traj.schema import Change, Episode, Turn
from eops_traj.tool_effects import succeeded

ACTS = "executor"
"""The role of the model that acts."""


@dataclass(frozen=True)
class Decision:
    """One reply of a model that acts."""

    episode: Episode
    turn: int
    """Which one, from 0."""
    prefix_hash: str
    state_hash: str
    prompt: Sequence[Message]
    """The conversation up to it, which ends with a user's message or a tool's."""
    reply: Message

    @property
    def did(self) -> str:
        """What was decided, whatever words went with it: the calls, or the text where there are none."""
        calls = self.reply.get("tool_calls")
        return digest([call["function"] for call in calls] if calls else self.reply["content"])

    @property
    def ends(self) -> bool:
        """Whether the episode ended with it."""
        return self.turn == len(self.episode.turns) - 1

    @property
    def refused(self) -> bool:
        """Whether one of its calls was refused."""
        return not all(map(succeeded, self.episode.turns[self.turn].tool_calls))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The rows that it changed."""
        return changes(self.episode.turns[self.turn])


@dataclass
class Prefix:
    """A conversation so far, and its hash, in which a call goes by its place in a reply, not by its id."""

    tools: Sequence[dict[str, Any]]
    said: list[Message] = field(default_factory=list)
    hash: str = ""
    _numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hash = digest(self.tools)

    def add(self, messages: Iterable[Message]) -> None:
        """Add messages."""
        for message in messages:
            self.said.append(message)
            self.hash = digest(self.hash, self._numbered(message))

    def _numbered(self, message: Message) -> Message:
        """The message with the numbers of calls for their ids, which may be used again in a later reply."""
        if "tool_call_id" in message:
            return {**message, "tool_call_id": self._numbers.get(message["tool_call_id"])}
        if "tool_calls" in message:
            calls = message["tool_calls"]
            self._numbers = {call["id"]: n for n, call in enumerate(calls)}
            return {**message, "tool_calls": [{**call, "id": n} for n, call in enumerate(calls)]}
        return message


def prefix_hash(prompt: Iterable[Message], tools: Sequence[dict[str, Any]]) -> str:
    """The hash of a conversation with the tools shown."""
    prefix = Prefix(tools)
    prefix.add(prompt)
    return prefix.hash


def state_hash(before: str, changed: Iterable[Change]) -> str:
    """The hash of a state: that of the state before, and the rows changed since. The seed's is empty."""
    for c in changed:
        before = digest(before, c.server, c.table, c.operation, c.key, c.before, c.after)
    return before


def decisions(sample: EpisodeBundle, *, reasoning: bool = False) -> Iterator[Decision]:
    """Every decision of the model that acts in an episode; what a planner or a program said is none.

    An episode may hold several conversations, one after the other, in one sandbox: a prompt never reaches
    beyond its own.
    """
    episode, tools, state = sample.episode, sample.tools(), ""
    starts = {0, *json.loads(episode.details).get("conversations", ())}
    prefix = Prefix(tools)
    for number, (turn, role) in enumerate(zip(episode.turns, _roles(episode), strict=True)):
        if number in starts:
            prefix = Prefix(tools)
            prefix.add(_opening(sample, turn))
        elif turn.nudge is not None:
            prefix.add([{"role": "user", "content": turn.nudge}])
        reply = reply_message(turn, reasoning)
        if role == ACTS:
            yield Decision(episode, number, prefix.hash, state, tuple(prefix.said), reply)
        prefix.add([reply, *map(result_message, turn.tool_calls)])
        state = state_hash(state, changes(turn))


def _roles(episode: Episode) -> list[str]:
    """Return the role that gave each turn; where none is noted, it was one role alone."""
    kind = kind_of(episode.orchestrator)
    alone = "planner" if kind and "planner" in kind.roles else ACTS
    roles: list[str] = json.loads(episode.details).get("roles") or [alone] * len(episode.turns)
    return roles


def _opening(sample: EpisodeBundle, first: Turn) -> list[Message]:
    """How a conversation opens: the policy, where there is one, and the request as it was put."""
    policy = sample.system_prompt
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    told = sample.episode.user_prompt if first.nudge is None else first.nudge
    return [*system, {"role": "user", "content": told}]


def changes(turn: Turn) -> tuple[Change, ...]:
    """The rows that a turn changed, in order."""
    return tuple(change for call in turn.tool_calls for change in call.changes)
