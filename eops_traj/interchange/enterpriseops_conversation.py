"""The conversation of an EnterpriseOps-Gym result file, as turns, and back again.

The harness writes one flat list: system and user messages, replies (``ai_message``) and results
(``tool_result``). Calls carry no id there; results come in the order of the calls. Orchestrators that others
added to it leave the messages out, make calls without a reply, or several replies before their results.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.hashing import canonical_json
from eops_traj.interchange.enterpriseops_calls import arguments_of, read_call, result_of, with_result
from eops_traj.schema import Json, Turn

FLOW = "conversation_flow_as_written"
"""The detail of an episode that holds a conversation which its turns alone would not give back."""
SAME = "="
"""The mark in ``Turn.provider`` where the provider repeated what the turn's own field says."""

_USAGE = ("response_metadata", "token_usage")
_REPEATED = {
    ("usage_metadata", "input_tokens"): "input_tokens",
    ("usage_metadata", "output_tokens"): "output_tokens",
    ("usage_metadata", "total_tokens"): "total_tokens",
    ("usage_metadata", "input_token_details", "cache_read"): "cached_tokens",
    ("usage_metadata", "output_token_details", "reasoning"): "reasoning_tokens",
    ("response_metadata", "finish_reason"): "finish_reason",
    (*_USAGE, "prompt_tokens"): "input_tokens",
    (*_USAGE, "completion_tokens"): "output_tokens",
    (*_USAGE, "total_tokens"): "total_tokens",
    (*_USAGE, "prompt_tokens_details", "cached_tokens"): "cached_tokens",
    (*_USAGE, "completion_tokens_details", "reasoning_tokens"): "reasoning_tokens",
    (*_USAGE, "latency_checkpoint", "total_duration_ms"): "latency_ms",
}
"""Where LangChain's metadata repeat what a turn's field says: a third of the store, were it kept."""


@dataclass
class HarnessConversation:
    """A conversation while it is read. ``aside`` holds, with its index, what a turn has no field for."""

    system_prompt: str = ""
    turns: list[Turn] = field(default_factory=list)
    aside: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    """The texts of the user since the last reply."""

    @classmethod
    def read(cls, flow: list[dict[str, Any]], request: str) -> "HarnessConversation":
        """Read a ``conversation_flow``. Raises ValueError for a result that answers no call."""
        conversation = cls()
        for index, entry in enumerate(flow):
            match entry["type"]:
                case "ai_message":
                    conversation._reply(entry, request)
                case "tool_result":
                    conversation._result(entry)
                case kind:
                    conversation._message(index, entry, kind, request)
        return conversation

    def _message(self, index: int, entry: dict[str, Any], kind: str, request: str) -> None:
        """Read a system or user message; keep one that is not the plain prompt or request aside whole."""
        text = text_of(entry.get("content"))[0]
        if kind == "system_message" and index == 0:
            self.system_prompt = text
            plain = entry == {"type": kind, "content": text}
        else:
            plain = entry == {"type": "user_message", "content": request} and index == 1
            if kind == "user_message" and text:
                self.said.append(text)
        if not plain:
            self.aside.append((index, entry))

    def _nudge(self, request: str) -> str | None:
        """Return what stands for the user's texts before a reply; None where they are the request alone.

        A nudge of the first turn was sent in the request's place: the request is in it where it was sent too.
        """
        said, self.said = self.said, []
        return "\n\n".join(said) if set(said) - {request} else None

    def _reply(self, entry: dict[str, Any], request: str) -> None:
        text, reasoning = text_of(entry["content"])
        usage = entry.get("usage_metadata") or {}
        metadata = entry.get("response_metadata") or {}
        number = len(self.turns)
        turn = Turn(
            text=text,
            reasoning=reasoning,
            tool_calls=tuple(
                read_call(f"call_{number}_{i}", c) for i, c in enumerate(entry.get("tool_calls") or ())
            ),
            nudge=self._nudge(request),
            finish_reason=metadata.get("finish_reason"),
            input_tokens=usage.get("input_tokens"),
            cached_tokens=(usage.get("input_token_details") or {}).get("cache_read"),
            output_tokens=usage.get("output_tokens"),
            reasoning_tokens=(usage.get("output_token_details") or {}).get("reasoning"),
            latency_ms=_latency(metadata),
        )
        self.turns.append(replace(turn, provider=_provider(entry, turn)))

    def _result(self, entry: dict[str, Any]) -> None:
        """Give a result to the open call that it answers."""
        where = self._answered(entry)
        if where is None:
            raise ValueError(f"a tool_result of {entry['tool_name']!r} answers no call")
        turn, i = where
        calls = list(self.turns[turn].tool_calls)
        calls[i] = with_result(calls[i], entry["result"], entry.get("gym_server"))
        self.turns[turn] = replace(self.turns[turn], tool_calls=tuple(calls))

    def _answered(self, entry: dict[str, Any]) -> tuple[int, int] | None:
        """Find the open call of a result's tool: in the last reply first, then from the beginning.

        An agent that writes each call as a reply of its own has several replies open; its results repeat the
        arguments, which tell the calls apart.
        """
        last = len(self.turns) - 1
        open_calls = [
            (turn, i)
            for turn in (last, *range(last))
            if turn >= 0
            for i, call in enumerate(self.turns[turn].tool_calls)
            if call.envelope is None and call.name == entry["tool_name"]
        ]
        told = entry.get("arguments")
        same = [(t, i) for t, i in open_calls if arguments_of(self.turns[t].tool_calls[i]) == told]
        return min(same) if same else next(iter(open_calls), None)


def replayed_flow(flow: list[dict[str, Any]], results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the flow of an agent that replays calls, each result preceded by a reply that makes the call.

    No model replied there: the calls stand in ``tool_results`` alone. Any other flow is returned as it is.
    Raises ValueError where the two lists are not of the same calls.
    """
    replayed = [entry for entry in flow if entry["type"] == "tool_result"]
    if not replayed or any(entry["type"] == "ai_message" for entry in flow):
        return flow
    if [entry["tool_name"] for entry in replayed] != [result["tool_name"] for result in results]:
        raise ValueError("tool_results are not the results of the conversation")
    arguments = iter([result.get("arguments") or {} for result in results])
    written = []
    for entry in flow:
        if entry["type"] == "tool_result":
            call = {"name": entry["tool_name"], "args": next(arguments)}
            written.append({"type": "ai_message", "content": "", "tool_calls": [call]})
        written.append(entry)
    return written


def write_flow(
    turns: tuple[Turn, ...], system_prompt: str, request: str, aside: list[Any]
) -> list[dict[str, Any]]:
    """Write the ``conversation_flow`` that :meth:`HarnessConversation.read` reads."""
    plain = [
        {"type": "system_message", "content": system_prompt},
        {"type": "user_message", "content": request},
    ]
    kept = dict(aside)
    entries = iter(
        [*(() if 0 in kept else plain[:1]), *(() if 1 in kept else plain[1:]), *write_turns(turns)]
    )
    flow: list[dict[str, Any]] = []
    for entry in entries:
        while len(flow) in kept:
            flow.append(kept[len(flow)])
        flow.append(entry)
    while len(flow) in kept:
        flow.append(kept[len(flow)])
    return flow


def write_turns(turns: Iterable[Turn]) -> Iterator[dict[str, Any]]:
    """Write the entries of replies and results."""
    for turn in turns:
        calls = [{"name": c.name, "args": arguments_of(c)} for c in turn.tool_calls]
        yield {"type": "ai_message", "content": turn.text, **_metadata(turn), "tool_calls": calls}
        for call in turn.tool_calls:
            if call.envelope is not None:
                server = {} if call.server is None else {"gym_server": call.server}
                yield {"type": "tool_result", "tool_name": call.name, "result": result_of(call), **server}


def text_of(content: Any) -> tuple[str, str | None]:
    """Return text and reasoning of a reply whose content is a text, or a list of blocks."""
    if isinstance(content, str):
        return content, None
    blocks = [b if isinstance(b, dict) else {"type": "text", "text": str(b)} for b in content or ()]
    text = "".join(b.get("text") or "" for b in blocks if b.get("type") == "text")
    reasoning = "".join(str(b.get("thinking") or b.get("reasoning") or "") for b in blocks)
    return text, reasoning or None


def _latency(metadata: dict[str, Any]) -> float | None:
    """Return the endpoint's own time for the reply, where it gives one."""
    usage = metadata.get("token_usage") or {}
    return (usage.get("latency_checkpoint") or {}).get("total_duration_ms")


def _provider(entry: dict[str, Any], turn: Turn) -> Json:
    """Return what the reply's entry has beyond the turn's fields; repeated values are marked :data:`SAME`."""
    kept = json.loads(
        json.dumps({k: v for k, v in entry.items() if k not in ("type", "content", "tool_calls")})
    )
    for *parents, last in _REPEATED:
        place = _descend(kept, parents)
        if (
            last in place
            and place[last] is not None
            and place[last] == _repeated_value(turn, _REPEATED[*parents, last])
        ):
            place[last] = SAME
    if not isinstance(entry["content"], str):
        kept["content"] = entry["content"]
    return Json(canonical_json(kept))


def _metadata(turn: Turn) -> dict[str, Any]:
    """Return the entry's metadata: :func:`_provider` undone."""
    kept: dict[str, Any] = json.loads(turn.provider)
    for *parents, last in _REPEATED:
        place = _descend(kept, parents)
        if place.get(last) == SAME:
            value = _repeated_value(turn, _REPEATED[*parents, last])
            place[last] = int(value) if isinstance(value, float) and value.is_integer() else value
    return kept


def _repeated_value(turn: Turn, name: str) -> Any:
    if name == "total_tokens":
        return None if turn.input_tokens is None else turn.input_tokens + (turn.output_tokens or 0)
    return getattr(turn, name)


def _descend(value: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """Return the object at a path; an empty one where there is none."""
    for key in path:
        inner = value.get(key)
        value = inner if isinstance(inner, dict) else {}
    return value
