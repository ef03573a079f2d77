"""Text for terminals: characters that move the cursor, colour, hide or turn words around are made visible.

Everything that the command line prints goes through here: labels and texts of a store, of task files and
replies are others' words, and a terminal obeys what it reads (ECMA-48). The order of letters can be turned
around as well (Unicode's bidirectional controls), and a word can hold letters that nobody sees.
"""

import logging
import re
import unicodedata

LINES = "\n\t"
"""What is kept of a text that has several lines by design."""

_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks without a glyph, which Unicode counts as neither controls nor formats."""


_UNPLAIN = re.compile(r"[^ -~]")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def visible(text: str, keep: str = "") -> str:
    r"""Return a text that a terminal only shows: what could act stands as its escape (``\x1b``, ``\u202e``).

    ``keep`` are the characters that stay: nothing for one line, `LINES` for several. Controls, formats,
    lone surrogates, unassigned characters and the separators of lines and paragraphs can act; spaces cannot.
    """

    def shown(found: re.Match[str]) -> str:
        character = found[0]
        return character if character in keep or _only_shows(character) else _escape(character)

    return _UNPLAIN.sub(shown, text)


def plain(text: str) -> str:
    """Return a library's coloured tree of causes as one line: without its colours, each arrow a colon."""
    return ": ".join(" ".join(part.split()) for part in _COLOUR.sub("", text).split("\u21b3"))


def _only_shows(character: str) -> bool:
    if character in _INVISIBLE_LETTERS or "\U000e0100" <= character <= "\U000e01ef":  # hidden variants
        return False
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


class VisibleLogs(logging.Filter):
    """A filter for loggers and handlers: messages and tracebacks that a terminal only shows."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; none is held back."""
        record.msg, record.args = visible(record.getMessage(), LINES), ()
        if record.exc_info:
            text = record.exc_text or logging.Formatter().formatException(record.exc_info)
            record.exc_text = visible(text, LINES)
        return True
