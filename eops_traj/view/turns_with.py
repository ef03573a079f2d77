"""The turns of an episode in which the words of a search stand."""

import unicodedata

from eops_traj.schema import Episode, ToolCall, Turn
from eops_traj.view.text_index import words_of


def turns_with(episode: Episode, text: str, part: str) -> set[int]:
    """Return the numbers, from 1, of the turns with all words of a search; else those with any."""
    words = [_plain(word) for word in words_of(text)]
    if not words:
        return set()
    texts = {n: _plain(_text(turn, part)) for n, turn in enumerate(episode.turns, 1)}
    found = {n for n, said in texts.items() if all(word in said for word in words)}
    return found or {n for n, said in texts.items() if any(word in said for word in words)}


def _plain(text: str) -> str:
    """Return a text without case and accents, by which the index does not tell words apart either."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text.casefold()


def _text(turn: Turn, part: str) -> str:
    """Return the text of a part of a turn, or of all of it; see :data:`.text_columns.PARTS`."""
    failed = [call for call in turn.tool_calls if call.is_error or call.error is not None]
    parts = {
        "said": (turn.nudge, turn.reasoning, turn.text),
        "calls": [text for call in turn.tool_calls for text in _asked(call)],
        "results": [text for call in turn.tool_calls for text in (call.result, call.error)],
        "failed": [call.name for call in failed],
    }
    chosen = [parts[part]] if part else parts.values()
    return "\n".join(text for texts in chosen for text in texts if text)


def _asked(call: ToolCall) -> tuple[str | None, ...]:
    return call.name, call.arguments, call.raw
