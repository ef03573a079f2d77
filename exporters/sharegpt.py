"""ShareGPT conversations with the roles for tools that LLaMA-Factory reads (its ``sharegpt`` formatting).

LLaMA-Factory takes turns strictly: ``human`` or ``observation``, then ``gpt`` or ``function_call``, and
passes over a conversation that does otherwise. How many do (a nudge after a result, say) is counted. The
format has no place for what a reply says beside its calls, for call ids, for arguments that could not be
read (such an episode is left out), or for anything about the episode.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.checks import Row
from eops_traj.export.conversations import AS_ONE, is_one
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeLines
from eops_traj.messages import Message, was_asked
from eops_traj.schema import Turn

ASKS = ("human", "observation")


class ShareGpt(ExchangeLines):
    """One line an episode: conversations, system, and tools as JSON text."""

    name = "sharegpt"
    title = "ShareGPT conversations"
    room = False
    keeps_reasoning = False
    features = (
        {
            "name": "conversations",
            "list": [{"name": "from", "dtype": "string"}, {"name": "value", "dtype": "string"}],
        },
        {"name": "system", "dtype": "string"},
        {"name": "tools", "dtype": "string"},
    )

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write ``data/train.jsonl``, and the report of what it does not hold: whole episodes, too."""
        return super().write(map(self._noted, bundles), folder)

    def _noted(self, bundle: EpisodeBundle) -> EpisodeBundle:
        """Return an episode, with a note in the report where no row holds it."""
        if not self.parts(bundle):
            self.losses.add_absent()
        return bundle

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the line of an episode."""
        episode = bundle.episode
        if not is_one(episode):
            self.counts[AS_ONE] += 1
        messages = [("human", episode.user_prompt)] if was_asked(episode) else []
        messages += [message for turn in episode.turns for message in _messages(turn)]
        if not _takes_turns([speaker for speaker, _ in messages]):
            self.counts["conversations out of turn, which LLaMA-Factory passes over"] += 1
        return {
            "conversations": [{"from": speaker, "value": text} for speaker, text in messages],
            "system": bundle.system_prompt,
            "tools": json.dumps([tool["function"] for tool in bundle.tools()], ensure_ascii=False),
        }

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds, its conversation as chat messages."""
        chat = [_chat(m["from"], m["value"], n) for n, m in enumerate(record["conversations"])]
        tools = [{"type": "function", "function": tool} for tool in json.loads(record["tools"])]
        first: list[Message] = [{"role": "system", "content": record["system"]}] if record["system"] else []
        return Row(place, record, first + chat, tools)


def _messages(turn: Turn) -> Iterator[tuple[str, str]]:
    """Yield speaker and text of a turn's messages: a nudge, the reply, the results."""
    if turn.nudge is not None:
        yield "human", turn.nudge
    if not turn.tool_calls:
        yield "gpt", turn.text
        return
    calls = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in turn.tool_calls]
    yield "function_call", json.dumps(calls if len(calls) > 1 else calls[0], ensure_ascii=False)
    if any(not (call.result is call.error is None) for call in turn.tool_calls):
        results = [call.result if call.result is not None else call.error or "" for call in turn.tool_calls]
        yield "observation", json.dumps(results, ensure_ascii=False) if len(results) > 1 else results[0]


def _takes_turns(speakers: Sequence[str]) -> bool:
    """Check whether asking and answering alternate, as LLaMA-Factory wants it."""
    return all((speaker in ASKS) == (place % 2 == 0) for place, speaker in enumerate(speakers))


def _chat(speaker: str, value: str, place: int) -> Message:
    """Return a message as chat templates want it."""
    if speaker == "function_call":
        calls = json.loads(value)
        functions = calls if isinstance(calls, list) else [calls]
        wrapped = [
            {"id": f"call_{place}_{n}", "type": "function", "function": f} for n, f in enumerate(functions)
        ]
        return {"role": "assistant", "content": "", "tool_calls": wrapped}
    role = {"human": "user", "gpt": "assistant", "observation": "tool"}[speaker]
    return {"role": role, "content": value}
