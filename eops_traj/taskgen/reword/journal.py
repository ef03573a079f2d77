"""The journal of a rewording: every reply and every verdict, a line each, on disk before all else.

The first line says what is reworded, by which model and with which prompt; a journal of something else is not
gone on with. A line that was cut off by a crash is dropped.
"""

import json
import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.taskgen.reword.judge import Fault


@dataclass
class Attempt:
    """One reply of the model, and the verdict on it; ``judged`` is False where there is none yet."""

    text: str
    judged: bool = False
    fault: Fault | None = None


@dataclass
class Journal:
    """The attempts so far, by the key of their case."""

    path: Path
    attempts: dict[str, list[Attempt]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def open(cls, path: Path, about: dict[str, Any]) -> Self:
        """Open a journal, or begin one. Raises FormatError for one about something else, or that is none."""
        journal = cls(path)
        lines = _whole_lines(path)
        if not lines:
            journal._write(about, new=True)
            return journal
        if (found := lines.pop(0)) != about:
            different = [name for name in about if found.get(name) != about[name]]
            raise FormatError(
                f"{path} is the journal of another rewording ({', '.join(different)} differ):"
                " give another --out, or delete it to begin anew"
            )
        for line in lines:
            journal._read(line)
        return journal

    def replied(self, key: str, text: str) -> Attempt:
        """Keep a reply."""
        self._write({"case": key, "text": text})
        attempt = Attempt(text)
        self.attempts[key].append(attempt)
        return attempt

    def settle(self, key: str, attempt: Attempt, fault: Fault | None) -> None:
        """Keep the verdict on the last reply of a case."""
        self._write({"case": key, "fault": fault})
        attempt.judged, attempt.fault = True, fault

    def accepted(self, key: str) -> str | None:
        """Return the wording of a case that was found good; None where there is none."""
        return next((one.text for one in self.attempts[key] if one.judged and one.fault is None), None)

    def _read(self, line: dict[str, Any]) -> None:
        try:
            own = self.attempts[line["case"]]
            if "text" in line:
                own.append(Attempt(str(line["text"])))
            else:
                own[-1].judged, own[-1].fault = True, Fault(*line["fault"]) if line["fault"] else None
        except (KeyError, IndexError, TypeError) as error:
            raise FormatError(f"{self.path} is no journal of a rewording: {line}") from error

    def _write(self, line: dict[str, Any], new: bool = False) -> None:
        with self.path.open("w" if new else "a", encoding="utf-8") as file:
            file.write(canonical_json(line) + "\n")
            file.flush()
            os.fsync(file.fileno())


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a journal, and cut off a last one that a crash left in halves."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    try:
        lines = [json.loads(line) for line in whole.splitlines()]  # of bytes: U+2028 ends no line of theirs
    except ValueError as error:
        raise FormatError(f"{path} is no journal of a rewording: {error}") from None
    return [line if isinstance(line, dict) else {} for line in lines]
