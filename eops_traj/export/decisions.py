"""The single decisions of an episode: the conversation before each, its state, and its effects.

Two hashes say where a decision was made. The prefix hash is over the conversation up to it and the tools
shown, regardless of the ids of calls. The state hash is over the rows changed up to it, in their order.
Decisions that have both in common were made at the same place.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.conversations import ACTS, roles_of, starts_of
from eops_traj.export.unread_calls import UNREAD_DECISIONS, is_read
from eops_traj.hashing import digest
from eops_traj.messages import Message, opening, reply_message, result_message
from eops_traj.schema import Change, Episode, Turn
from eops_traj.tool_effects import succeeded


@dataclass(frozen=True)
class Decision:
    """One reply of a model that acts."""

    episode: Episode
    turn: int
    """Its index, from 0."""
    prefix_hash: str
    state_hash: str
    prompt: Sequence[Message]
    """The conversation up to it, which ends with a user's message or a tool's."""
    reply: Message
    as_made: bool = True
    """True where prompt and reply show every call as it was made: its arguments could be read."""

    @property
    def did(self) -> str:
        """The decision itself, whatever words went with it: the calls, or the text where there are none."""
        calls = self.reply.get("tool_calls")
        return digest([call["function"] for call in calls] if calls else self.reply["content"])

    @property
    def ends(self) -> bool:
        """True where the episode ended with it."""
        return self.turn == len(self.episode.turns) - 1

    @property
    def refused(self) -> bool:
        """True where one of its calls was refused."""
        return not all(map(succeeded, self.episode.turns[self.turn].tool_calls))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The rows that it changed."""
        return turn_changes(self.episode.turns[self.turn])


@dataclass
class Prefix:
    """A conversation so far, and its hash, in which a call goes by its place in a reply, not by its id."""

    tools: Sequence[dict[str, Any]]
    messages: list[Message] = field(default_factory=list)
    hash: str = ""
    as_made: bool = True
    _numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hash = digest(self.tools)

    def add(self, messages: Iterable[Message]) -> None:
        """Add messages to the conversation."""
        for message in messages:
            self.messages.append(message)
            self.hash = digest(self.hash, self._numbered(message))

    def _numbered(self, message: Message) -> Message:
        """Return the message with numbers in place of call ids, which a later reply may use again."""
        if "tool_call_id" in message:
            return {**message, "tool_call_id": self._numbers.get(message["tool_call_id"])}
        if calls := message.get("tool_calls"):
            self._numbers = {call["id"]: n for n, call in enumerate(calls)}
            return {**message, "tool_calls": [{**call, "id": n} for n, call in enumerate(calls)]}
        return message


def prefix_hash(prompt: Iterable[Message], tools: Sequence[dict[str, Any]]) -> str:
    """Return the hash of a conversation with the tools shown."""
    prefix = Prefix(tools)
    prefix.add(prompt)
    return prefix.hash


def state_hash(before: str, changed: Iterable[Change]) -> str:
    """Return the hash of a state: of the state before, and the rows changed since. The seed's is empty."""
    for c in changed:
        before = digest(before, c.server, c.table, c.operation, c.key, c.before, c.after)
    return before


def decisions(bundle: EpisodeBundle, *, reasoning: bool = False) -> Iterator[Decision]:
    """Yield every decision of the model that acts in an episode; a planner's or a program's turn is none.

    An episode may hold several conversations, one after the other, in one sandbox: a prompt never reaches
    beyond its own.
    """
    episode, tools, state = bundle.episode, bundle.tools(), ""
    roles = roles_of(episode)
    starts, prefix = starts_of(episode, roles), Prefix(tools)
    for number, (turn, role) in enumerate(zip(episode.turns, roles, strict=True)):
        if number in starts:
            prefix = Prefix(tools)
            prefix.add(_opening(bundle, turn))
        elif turn.nudge is not None:
            prefix.add([{"role": "user", "content": turn.nudge}])
        reply = reply_message(turn, reasoning)
        as_made = prefix.as_made and is_read(turn)
        if role == ACTS:
            yield Decision(episode, number, prefix.hash, state, tuple(prefix.messages), reply, as_made)
        prefix.as_made = as_made
        prefix.add([reply, *map(result_message, turn.tool_calls)])
        state = state_hash(state, turn_changes(turn))


def shown_as_made(found: Iterable[Decision], counts: Counter[str]) -> Iterator[Decision]:
    """Yield the decisions whose prompt and reply show every call as it was made, and count the others."""
    for decision in found:
        if decision.as_made:
            yield decision
        else:
            counts[UNREAD_DECISIONS] += 1


def _opening(bundle: EpisodeBundle, first: Turn) -> list[Message]:
    """Return the messages that open a conversation: the policy, if any, and the request as it was put."""
    policy = bundle.system_prompt
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    return [*system, *opening(bundle.episode, first)]


def turn_changes(turn: Turn) -> tuple[Change, ...]:
    """Return the rows that a turn changed, in order."""
    return tuple(change for call in turn.tool_calls for change in call.changes)
