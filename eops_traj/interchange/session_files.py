"""The base class of readers of session files: an agent's own record of one session, a line an event."""

import contextlib
from abc import abstractmethod
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.conversation import Conversation
from eops_traj.interchange.reader import Reader, Record
from eops_traj.privacy.redact import scrub
from eops_traj.untrusted.json_text import parse_json

LINES = "lines"
"""The key under which the lines of a file are one record."""


class SessionReader(Reader):
    """Reads one session a file; there is no way back, so no key of ours is in it."""

    def read(self, path: Path) -> list[EpisodeBundle]:
        """Return the episode of a session. Raises FormatError naming place and problem."""
        return [scrub(self.at(str(path), {LINES: session_lines(path)}))]

    def extension(self, record: Record) -> tuple[Record, Any]:
        """Return the record: nothing in it is ours."""
        return record, None

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a session's lines."""
        return self.session(record[LINES])

    @abstractmethod
    def session(self, lines: list[Record]) -> EpisodeBundle:
        """Return the episode of the events of a session."""


def session_lines(path: Path) -> list[Record]:
    """Return the events of a session file; a last line that was cut, as of an agent that was killed, is none.

    Raises FormatError for a file that cannot be read, or any other line that is no JSON object.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text ({error.reason})") from error
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from error
    *whole, last = text.split("\n")
    lines = [_event(f"{path}:{n}", line) for n, line in enumerate(whole, 1) if line.strip()]
    with contextlib.suppress(FormatError):
        lines += [_event("last line", last)] if last.strip() else []
    if not lines:
        raise FormatError(f"{path} holds no session")
    return lines


def _event(place: str, line: str) -> Record:
    try:
        value = parse_json(line)
    except FormatError as error:
        raise FormatError(f"{place}: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"{place}: not an object")
    return value


def take_result(conversation: Conversation, text: str, call_id: str, is_error: bool = False) -> None:
    """Add a result; one that no call waits for, as in sessions that were cut and resumed, goes aside."""
    try:
        conversation.answer(text, call_id, is_error)
    except ValueError:
        conversation.put_aside(result=text, call_id=call_id)
