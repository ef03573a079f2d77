"""Episodes from session files of Claude Code, versions 1 and 2: ``projects/*/SESSION.jsonl`` in its folder.

The format has no public description; this is what the files of these versions show. A reply comes in several
lines, one for each part of it, under one message id. A request that was taken back leaves its branch in the
file, next to the one in its place: that branch is no part of the episode, and neither are the conversations
of subagents; both are counted among the details. What the program says under the user's name, of commands
such as ``/clear``, is put aside, but for a command that is itself the prompt of a reply.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.anthropic_blocks import blocks_of, put_others_aside, results_of, turn_of
from eops_traj.interchange.claude_code_lines import is_program, prompt_of, taken_back, words_of
from eops_traj.interchange.conversation import Conversation, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Record
from eops_traj.interchange.session_files import SessionReader, take_result

MAJORS = ("1", "2")
"""The major versions whose files are known."""
TALK = ("user", "assistant")
SYNTHETIC = "<synthetic>"
"""The model of a reply that the program wrote itself: an error of the API, an interruption."""


class ClaudeCodeReader(SessionReader):
    """Reads sessions, one a file."""

    name = "claude_code"

    def recognises(self, record: Record) -> bool:
        """Check whether the record looks like a line of such a file."""
        is_line = isinstance(record.get("sessionId"), str) and isinstance(record.get("type"), str)
        return is_line or (record.get("type") == "summary" and "leafUuid" in record)

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Return the session files of paths; those of subagents, which stand beside them, are none."""
        return [path for path in super().files(paths) if not path.name.startswith("agent-")]

    def session(self, lines: list[Record]) -> EpisodeBundle:
        """Return the episode of a session."""
        version = check_version(lines)
        talk = [line for line in lines if line.get("type") in TALK]
        main = [line for line in talk if not line.get("isSidechain")]
        gone = taken_back([line for line in lines if not line.get("isSidechain")], main)
        kept = [line for line in main if line.get("uuid") not in gone]
        conversation, models = _read(kept)
        if not conversation.turns:
            raise FormatError("a session without a reply")
        details = {
            "session_id": next((line["sessionId"] for line in talk if "sessionId" in line), None),
            "models": models if len(models) > 1 else None,
            "subagent_lines": len(talk) - len(main) or None,
            "taken_back_lines": len(main) - len(kept) or None,
        }
        record = ForeignRecord(
            format=self.name,
            content=kept,
            model=models[-1],
            orchestrator=self.name,
            settings={"version": version},
            details=details,
            started_at=next((line["timestamp"] for line in talk if "timestamp" in line), None),
        )
        return foreign_episode(conversation, record)


def _read(lines: list[Record]) -> tuple[Conversation, list[str]]:
    """Return the conversation of lines, and the models that had a part in it, each once."""
    session = _Session()
    for group in _replies(lines):
        session.take(group)
    session.settle(answered=False)
    return session.conversation, list(session.models)


@dataclass
class _Session:
    """A session so far; ``program`` is what the program said under the user's name since the last reply.

    A reply is ``due`` where a result or a request has come since then.
    """

    conversation: Conversation = field(default_factory=Conversation)
    models: dict[str, None] = field(default_factory=dict)
    program: list[str] = field(default_factory=list)
    due: bool = False

    def take(self, group: list[Record]) -> None:
        """Take a line of the user, or the lines of one reply."""
        message = group[0]["message"]
        if group[0]["type"] == "user":
            self._hear(group[0])
        elif message.get("model") == SYNTHETIC or group[0].get("isApiErrorMessage"):
            self.conversation.put_aside(program=text_of(message.get("content")))
        else:
            self.models[str(message.get("model") or UNKNOWN)] = None
            self.settle(answered=True)
            self._reply(group)

    def settle(self, answered: bool) -> None:
        """Put aside what the program said; where a reply answers nothing else, ask what that answers."""
        asked = prompt_of(self.program) if answered and not self.due else []
        for text in self.program[: len(self.program) - len(asked)]:
            self.conversation.put_aside(program=text)
        if asked:
            self.conversation.ask("\n\n".join(asked))
        self.program, self.due = [], False

    def _hear(self, line: Record) -> None:
        """Take a line of the user: results of calls, a request, or what the program put in."""
        content = line["message"].get("content")
        for result in results_of(content):
            text, call_id = text_of(result.get("content")), str(result["tool_use_id"])
            take_result(self.conversation, text, call_id, bool(result.get("is_error")))
            self.due = True
        if not (words := words_of(line)):
            return
        if is_program(line):
            self.program.append(words)
        else:
            self.conversation.ask(words)
            self.due = True

    def _reply(self, lines: list[Record]) -> None:
        """Take the lines of a reply; their usage is that of the whole, and final in the last."""
        blocks = [block for line in lines for block in blocks_of(line["message"].get("content"))]
        costs = [line["costUSD"] for line in lines if isinstance(line.get("costUSD"), int | float)]
        put_others_aside(self.conversation, blocks)
        turn = turn_of(blocks, lines[-1]["message"])
        self.conversation.reply(replace(turn, cost=float(costs[-1]) if costs else None))


def check_version(lines: list[Record]) -> str:
    """Return the version that wrote a session. Raises FormatError for none, or one that is not known."""
    versions = dict.fromkeys(str(line["version"]) for line in lines if line.get("version"))
    for version in versions:
        if version.partition(".")[0] not in MAJORS or not re.fullmatch(r"\d+\.\d+\.\d+.{0,40}", version):
            known = " and ".join(MAJORS)
            raise FormatError(f"written by Claude Code {version[:40]}; this eops-traj reads versions {known}")
    if not versions:
        raise FormatError("no line names the version of Claude Code that wrote it")
    return list(versions)[-1]


def _replies(lines: list[Record]) -> Iterator[list[Record]]:
    """Yield the lines in groups: a line of the user alone, those of one reply together."""
    groups: dict[Any, list[Record]] = {}
    for number, line in enumerate(lines):
        reply = line["type"] == "assistant" and line["message"].get("id")
        groups.setdefault(reply or number, []).append(line)
    yield from groups.values()
