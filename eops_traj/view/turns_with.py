"""The turns of an episode in which the words of a search stand."""

import contextlib

import apsw

from eops_traj.schema import Episode, ToolCall, Turn
from eops_traj.tool_effects import succeeded
from eops_traj.view.text_columns import PARTS
from eops_traj.view.text_index import TOKENIZER, match_of

_COLUMNS = ", ".join(PARTS)
_TABLE = f"CREATE VIRTUAL TABLE text USING fts5({_COLUMNS}, content='', {TOKENIZER})"
_ADD = f"INSERT INTO text (rowid, {_COLUMNS}) VALUES (?{', ?' * len(PARTS)})"  # noqa: S608


def turns_with(episode: Episode, text: str, part: str) -> set[int]:
    """Return the numbers, from 1, of the turns with all words of a search; else those with any.

    What a word is, and whether it may go on, is as in the index of all texts.
    """
    with contextlib.closing(apsw.Connection(":memory:")) as index:
        index.execute(_TABLE)
        index.executemany(_ADD, ((n, *_texts(turn)) for n, turn in enumerate(episode.turns, 1)))
        matches = (match_of(text, part, between) for between in (" ", " OR "))
        found = (_found(index, match) for match in matches if match)
        return next((turns for turns in found if turns), set())


def _found(index: apsw.Connection, match: str) -> set[int]:
    return {int(n) for (n,) in index.execute("SELECT rowid FROM text WHERE text MATCH ?", (match,))}


def _texts(turn: Turn) -> list[str]:
    """Return the texts of a turn, one for each of :data:`.text_columns.PARTS`."""
    parts: dict[str, list[str | None]] = {
        "said": [turn.nudge, turn.reasoning, turn.text],
        "calls": [text for call in turn.tool_calls for text in _asked(call)],
        "results": [text for call in turn.tool_calls for text in (call.result, call.error)],
        "failed": [call.name for call in turn.tool_calls if not succeeded(call)],
    }
    return ["\n".join(text for text in parts[part] if text) for part in PARTS]


def _asked(call: ToolCall) -> tuple[str | None, ...]:
    return call.name, call.arguments, call.raw
