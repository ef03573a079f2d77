"""The pages of the documentation, and the fenced blocks on them."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)

FENCE = re.compile(r"```(\w*)\s*$")
MARK = re.compile(r"<!-- (not run|slow|file|endpoint|publish)(?:: (.+?))? -->")


@dataclass(frozen=True)
class Block:
    """A fenced block. ``output`` is printed under it on the page; ``mark`` stands in a comment above it.

    Marks: ``not run: WHY`` (its commands are only checked), ``slow``, ``file: PATH`` (it is written there),
    ``endpoint`` (it needs a model; tutorials are followed with a stub), ``publish`` (it needs that extra);
    ``note`` is the WHY or the PATH.
    """

    page: str
    line: int
    language: str
    text: str
    mark: str | None = None
    note: str = ""
    output: str | None = None

    @property
    def where(self) -> str:
        """Page and line, as editors take them."""
        return f"{self.page}:{self.line}"


def blocks(page: str, text: str | None = None) -> list[Block]:
    """Return the blocks of a page, in order; a ``text`` block right under another is that one's output."""
    lines = (text if text is not None else (ROOT / page).read_text(encoding="utf-8")).split("\n")
    parsed: list[Block] = []
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    assert len(fences) % 2 == 0, f"{page}: a fence is not closed"
    for start, end in zip(fences[::2], fences[1::2], strict=True):
        language = FENCE.match(lines[start])
        assert language, f"{page}:{start + 1}: {lines[start]}"
        mark = MARK.fullmatch(lines[start - 1]) if start else None
        body = "\n".join(lines[start + 1 : end])
        if language[1] == "text" and parsed and _follows(lines, parsed[-1], start):
            parsed[-1] = replace(parsed[-1], output=body)
            continue
        kind, note = (mark[1], mark[2] or "") if mark else (None, "")
        parsed.append(Block(page, start + 1, language[1], body, kind, note))
    return parsed


def _follows(lines: list[str], block: Block, start: int) -> bool:
    """Check that nothing but empty lines stands between a block and the line ``start``."""
    end = block.line + block.text.count("\n") + 2
    return block.output is None and not "".join(lines[end:start]).strip()


def commands(block: Block) -> list[str]:
    """Return the commands of a shell block: its lines, those that end in a backslash joined with the next."""
    joined = re.sub(r"\\\n\s*", "", block.text)
    return [line for line in joined.split("\n") if line.strip() and not line.startswith("#")]
