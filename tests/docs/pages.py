"""The pages of the documentation, and the fenced blocks on them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))

FENCE = re.compile(r"```(\w*)\s*$")
MARK = re.compile(r"<!-- (not run|slow|file)(?:: (.+?))? -->")


@dataclass(frozen=True)
class Block:
    """A fenced block. ``shown`` is the output printed under it; ``mark`` stands in a comment above it.

    Marks: ``not run: why`` (its commands are only checked), ``slow``, ``file: PATH`` (it is written there).
    """

    page: str
    line: int
    language: str
    text: str
    mark: str | None = None
    said: str = ""
    shown: str | None = None

    @property
    def where(self) -> str:
        """Where it stands, as editors take it."""
        return f"{self.page}:{self.line}"


def blocks(page: str, text: str | None = None) -> list[Block]:
    """The blocks of a page, in order; a ``text`` block right under another is what that one prints."""
    lines = (text if text is not None else (ROOT / page).read_text(encoding="utf-8")).split("\n")
    found: list[Block] = []
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    assert len(fences) % 2 == 0, f"{page}: a fence is not closed"
    for start, end in zip(fences[::2], fences[1::2], strict=True):
        language = FENCE.match(lines[start])
        assert language, f"{page}:{start + 1}: {lines[start]}"
        mark = MARK.fullmatch(lines[start - 1]) if start else None
        body = "\n".join(lines[start + 1 : end])
        if language[1] == "text" and found and _follows(lines, found[-1], start):
            last = found.pop()
            found.append(Block(last.page, last.line, last.language, last.text, last.mark, last.said, body))
            continue
        kind, said = (mark[1], mark[2] or "") if mark else (None, "")
        found.append(Block(page, start + 1, language[1], body, kind, said))
    return found


def _follows(lines: list[str], block: Block, start: int) -> bool:
    """Whether nothing but empty lines stands between a block and the line ``start``."""
    end = block.line + block.text.count("\n") + 2
    return block.shown is None and not "".join(lines[end:start]).strip()


def commands(block: Block) -> list[str]:
    """The commands of a shell block: its lines, those that end in a backslash joined with the next."""
    joined = re.sub(r"\\\n\s*", "", block.text)
    return [line for line in joined.split("\n") if line.strip() and not line.startswith("#")]
