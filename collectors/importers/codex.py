"""Episodes from rollouts of Codex CLI (``sessions/YYYY/MM/DD/rollout-*.jsonl`` in its home), versions 0.

A line is a time, a type and a payload. The first is the session's head; ``response_item`` lines are the
conversation as the model has it, ``event_msg`` lines tell the tokens. What a known version writes beside that
goes to the details.
"""

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.conversation import Conversation, call_of, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Record
from eops_traj.interchange.session_files import SessionReader, take_result
from eops_traj.schema import ToolCall, Turn

HEAD = "session_meta"
CONTEXT = ("<environment_context>", "<user_instructions>", "<turn_context>", "# AGENTS.md instructions")
"""How messages begin that stand under the user's name and are the program's."""
TOKENS = {
    "input_tokens": "input_tokens",
    "cached_tokens": "cached_input_tokens",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "reasoning_output_tokens",
}
"""The fields of a turn, and those of a count of tokens."""


class CodexReader(SessionReader):
    """Reads rollouts, one a file."""

    name = "codex"

    def recognises(self, record: Record) -> bool:
        """Check whether the record looks like the head of a rollout."""
        return record.get("type") == HEAD and isinstance(record.get("payload"), dict)

    def session(self, lines: list[Record]) -> EpisodeBundle:
        """Return the episode of a rollout."""
        head = lines[0].get("payload", {})
        version = check_version(lines[0])
        rollout = _Rollout()
        if instructions := _instructions(head):
            rollout.conversation.instruct(instructions)
        for line in lines[1:]:
            rollout.take(str(line.get("type")), line.get("payload") or {})
        rollout.close()
        if not rollout.conversation.turns:
            raise FormatError("a session without a reply")
        record = ForeignRecord(
            format=self.name,
            content=lines,
            model=rollout.model or UNKNOWN,
            orchestrator=self.name,
            settings={"version": version} | ({"effort": rollout.effort} if rollout.effort else {}),
            details={"session_id": head.get("id")},
            started_at=lines[0].get("timestamp"),
        )
        return foreign_episode(rollout.conversation, record)


def check_version(head: Record) -> str:
    """Return the version that wrote a rollout. Raises FormatError for none, or one that is not known."""
    version = str((head.get("payload") or {}).get("cli_version") or "")
    if head.get("type") != HEAD or not version:
        raise FormatError(f"the first line is no {HEAD} with a cli_version, as Codex 0.40 and later write it")
    if not re.fullmatch(r"0\.\d+\.\d+.{0,40}", version):
        raise FormatError(f"written by Codex {version[:40]}; this eops-traj reads versions 0")
    return version


def _instructions(head: Record) -> str:
    base = head.get("base_instructions")
    return str((base.get("text") if isinstance(base, dict) else base) or head.get("instructions") or "")


@dataclass
class _Rollout:
    """A rollout while it is read: the conversation so far, and the reply under way."""

    conversation: Conversation = field(default_factory=Conversation)
    model: str | None = None
    effort: str | None = None
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)

    def take(self, kind: str, payload: Record) -> None:
        """Take a line."""
        if kind == "response_item":
            self._item(payload)
        elif kind == "turn_context":
            self.model, self.effort = payload.get("model") or self.model, payload.get("effort") or self.effort
        elif kind == "event_msg" and payload.get("type") == "token_count":
            self._count((payload.get("info") or {}).get("last_token_usage") or {})
        elif kind == "compacted":
            self.close()
            self.conversation.put_aside(compacted=payload.get("message"))

    def close(self) -> None:
        """End the reply under way."""
        if self.texts or self.thoughts or self.calls:
            reasoning = "\n".join(self.thoughts) or None
            turn = Turn(text="\n".join(self.texts), reasoning=reasoning, tool_calls=tuple(self.calls))
            self.conversation.reply(turn)
        self.texts, self.thoughts, self.calls = [], [], []

    def _item(self, item: Record) -> None:
        match item.get("type"):
            case "message" if item.get("role") == "assistant":
                self.texts.append(text_of(item.get("content")))
            case "message":
                self.close()
                self._hear(str(item.get("role")), text_of(item.get("content")))
            case "reasoning":
                self.thoughts += [part["text"] for part in item.get("summary") or () if part.get("text")]
            case "function_call":
                name = f"{item.get('namespace') or ''}{item['name']}"
                self.calls.append(call_of(str(item["call_id"]), name, item.get("arguments")))
            case "custom_tool_call":
                arguments = {"input": item.get("input")}
                self.calls.append(call_of(str(item["call_id"]), str(item["name"]), arguments))
            case "local_shell_call":
                self.calls.append(call_of(str(item.get("call_id")), "local_shell", item.get("action")))
            case "function_call_output" | "custom_tool_call_output":
                self.close()
                take_result(self.conversation, *_output(item))
            case other:
                self.conversation.put_aside(item=other)

    def _hear(self, role: str, text: str) -> None:
        if role in ("system", "developer"):
            self.conversation.instruct(text)
        elif text.lstrip().startswith(CONTEXT):
            self.conversation.put_aside(program=text)
        else:
            self.conversation.ask(text)

    def _count(self, usage: Record) -> None:
        """Give the reply its tokens; a count that comes again is of no other."""
        self.close()
        turns = self.conversation.turns
        if usage and turns and turns[-1].output_tokens is None:
            tokens: dict[str, Any] = {name: usage.get(theirs) for name, theirs in TOKENS.items()}
            turns[-1] = replace(turns[-1], **tokens)


def _output(item: Record) -> tuple[str, str, bool]:
    """Return the text of a result, the call's id, and whether it is an error, as far as that is told."""
    output = item.get("output")
    failed = isinstance(output, dict) and output.get("success") is False
    content = output.get("content") if isinstance(output, dict) else output
    text = text_of(content) if isinstance(content, str | list) else json.dumps(content, ensure_ascii=False)
    return text, str(item["call_id"]), failed
