"""Episodes from session files of Claude Code, versions 1 and 2: ``projects/*/SESSION.jsonl`` in its folder.

The format has no public description; this is what the files of these versions show. A reply comes in several
lines, one for each part of it, under one message id. A request that was taken back leaves its branch in the
file, next to the one in its place: that branch is no part of the episode, and neither are the conversations
of subagents; both are counted among the details.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.interchange.conversation import Conversation, call_of, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Record
from eops_traj.interchange.session_files import SessionReader, take_result
from eops_traj.schema import Json, Turn

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
        gone = _taken_back(main)
        kept = [line for line in main if line.get("uuid") not in gone]
        conversation, models = _conversation(kept)
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


def _conversation(lines: list[Record]) -> tuple[Conversation, list[str]]:
    """Return the conversation of lines, and the models that had a part in it, each once."""
    conversation, models = Conversation(), dict[str, None]()
    for group in _replies(lines):
        message = group[0]["message"]
        if group[0]["type"] == "user":
            _hear(conversation, group[0])
        elif message.get("model") == SYNTHETIC or group[0].get("isApiErrorMessage"):
            conversation.put_aside(program=text_of(message.get("content")))
        else:
            models[str(message.get("model") or UNKNOWN)] = None
            conversation.reply(_turn(group))
    return conversation, list(models)


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


def _taken_back(main: list[Record]) -> set[Any]:
    """Return the lines of branches in whose place the user later made another request."""
    requests, children = defaultdict(list), defaultdict(list)
    for line in main:
        children[line.get("parentUuid")].append(line.get("uuid"))
        if line["type"] == "user" and not _results(line) and not line.get("isMeta"):
            requests[line.get("parentUuid")].append(line.get("uuid"))
    gone = [uuid for parent, asked in requests.items() if parent is not None for uuid in asked[:-1]]
    seen = set(gone)
    for uuid in gone:  # grows as it goes
        fresh = [child for child in children[uuid] if child not in seen]
        gone += fresh
        seen.update(fresh)
    return seen


def _replies(lines: list[Record]) -> Iterator[list[Record]]:
    """Yield the lines in groups: a line of the user alone, those of one reply together."""
    groups: dict[Any, list[Record]] = {}
    for number, line in enumerate(lines):
        reply = line["type"] == "assistant" and line["message"].get("id")
        groups.setdefault(reply or number, []).append(line)
    yield from groups.values()


def _results(line: Record) -> list[Mapping[str, Any]]:
    content = line["message"].get("content")
    return (
        [part for part in content if part.get("type") == "tool_result"] if isinstance(content, list) else []
    )


def _hear(conversation: Conversation, line: Record) -> None:
    """Add a line of the user: results of calls, a request, or what the program put in."""
    results, content = _results(line), line["message"].get("content")
    for result in results:
        text = text_of(result.get("content"))
        take_result(conversation, text, str(result["tool_use_id"]), bool(result.get("is_error")))
    rest = [part for part in content if part not in results] if isinstance(content, list) else content
    if not rest:
        return
    if line.get("isMeta"):
        conversation.put_aside(program=text_of(rest))
    else:
        conversation.ask(text_of(rest))


def _turn(lines: list[Record]) -> Turn:
    """Return the reply of several lines; their usage is that of the whole, and final in the last."""
    parts = [part for line in lines for part in _parts(line["message"].get("content"))]
    calls = [
        call_of(str(p["id"]), str(p["name"]), p.get("input")) for p in parts if p.get("type") == "tool_use"
    ]
    message = lines[-1]["message"]
    usage = message.get("usage") or {}
    cached = usage.get("cache_read_input_tokens")
    read = [usage.get(f"{kind}input_tokens") for kind in ("", "cache_read_", "cache_creation_")]
    costs = [line["costUSD"] for line in lines if isinstance(line.get("costUSD"), int | float)]
    return Turn(
        text="\n".join(part["text"] for part in parts if part.get("type") == "text"),
        reasoning="\n".join(p["thinking"] for p in parts if p.get("type") == "thinking" and p["thinking"])
        or None,
        tool_calls=tuple(calls),
        finish_reason=message.get("stop_reason"),
        input_tokens=sum(n or 0 for n in read) if usage.get("input_tokens") is not None else None,
        cached_tokens=cached,
        output_tokens=usage.get("output_tokens"),
        cost=float(costs[-1]) if costs else None,
        provider=Json(canonical_json({"model": message["model"]} if message.get("model") else {})),
    )


def _parts(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())
