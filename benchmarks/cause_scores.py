"""Injected causes against those that were found: precision and recall of each, as a table in Markdown."""

import re
from collections import Counter
from math import sqrt
from pathlib import Path

from eops_traj.causes.find import causes_of
from eops_traj.schema import Episode

_Z = 1.959964
"""Standard deviations of a 95% interval."""


class Score:
    """Injected causes against those that were found."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.injected, self.named, self.found, self.right = (Counter[str]() for _ in range(4))
        self.wrong: list[tuple[str, str, str]] = []

    def add(self, true: frozenset[str], what: str, episode: Episode, policy: str = "") -> None:
        """Add a failed episode with the causes of which one is true."""
        causes = causes_of(episode, policy)
        every, roots = {c.kind for c in causes}, {c.kind for c in causes if not c.consequence}
        label = min(every & true or true)
        self.injected[label] += 1
        self.named[label] += bool(every & true)
        self.found.update(roots)
        self.right.update(roots & true)
        if not every & true or roots - true:
            told = "; ".join(f"{c.kind}{'*' * c.consequence}: {c.sentence}" for c in causes) or "nothing"
            self.wrong.append((f"{episode.task_id} {label}", what, told))

    def table(self) -> str:
        """Return recall and precision of each cause, and of all, as a table."""
        lines = ["| cause | recall | precision |", "|---|---|---|"]
        for kind in [*sorted({*self.injected, *self.found}), "all"]:
            counts = (self.injected, self.named, self.found, self.right)
            n, named, found, right = (c.total() if kind == "all" else c[kind] for c in counts)
            name = kind if kind == "all" else f"`{kind}`"
            lines.append(f"| {name} | {share(named, n)} | {share(right, found)} |")
        return "\n".join(lines)


def share(part: int, whole: int) -> str:
    """Return a share with the counts that it is of, and its 95% interval; a dash for one of nothing."""
    if not whole:
        return "-"
    low, high = wilson(part, whole)
    return f"{part / whole:.3f} ({low:.2f} to {high:.2f}; {part} of {whole})"


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Return the 95% interval of a share, by Wilson's score: it holds near 0 and 1 and for few cases."""
    p, z2 = part / whole, _Z * _Z / whole
    middle, half = p + z2 / 2, _Z * sqrt((p * (1 - p) + z2 / 4) / whole)
    return max(0.0, (middle - half) / (1 + z2)), min(1.0, (middle + half) / (1 + z2))


def put_table(page: Path, name: str, table: str) -> None:
    """Put a table into a page, between the comments that name it. Raises ValueError where none do."""
    text = page.read_text(encoding="utf-8")
    block = re.compile(rf"(<!-- measured: {re.escape(name)} -->\n).*?(<!-- /measured -->)", re.DOTALL)
    if not block.search(text):
        raise ValueError(f"{page} has no place for a table of {name!r}")
    page.write_text(block.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text), encoding="utf-8")
