"""Policies made short: a page by its name and hash, or only those sentences of it that bind.

Both are mechanical, so that a planner trained on the short form is shown exactly that form when it is asked.
The last paragraph of a system prompt, which says who asks and what day it is, always stays as it is.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Literal

from eops_traj.gym import registry
from eops_traj.hashing import digest

Form = Literal["whole", "digest", "reference"]

_BINDS = re.compile(
    r"\b(?:must|never|always|only|not|no|nobody|none|nothing|neither|nor|cannot|at most|at least|before"
    r"|unless|without|refuse[sd]?|declined?|forbid(?:s|den)?|required?|requires|mandatory|prohibited)\b|n't\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(*])")
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_TITLE = re.compile(r"[^\s|].{0,60}[^\s.,;:!?|]")


@lru_cache(maxsize=64)
def shortened(policy: str, form: Form) -> str:
    """A system prompt in one of the three forms."""
    return _FORMS[form](policy.strip())


def _reference(policy: str) -> str:
    """Each page as ``[policy csm 1a2b3c4d]``; one that no server of ours has goes by its hash alone."""
    for name in registry.SERVERS:
        page = registry.server(name).policy.strip()
        policy = policy.replace(page, f"[policy {name} {digest(page)[:8]}]")
    *pages, last = policy.split("\n\n")
    found = list[str]()
    for known, group in groupby(pages, lambda page: page.startswith("[policy ")):
        parts = list(group)
        found += parts if known else [f"[policy {digest(parts)[:8]}]"]
    return "\n\n".join([*found, last])


def _digest(policy: str) -> str:
    """Headings, tables, and the sentences that say what must be, may only be, or must not be."""
    *pages, last = policy.split("\n\n")
    found, headings = list[str](), list[str]()
    for block in _blocks("\n\n".join(pages)):
        if _is_heading(block):
            headings = [h for h in headings if _depth(h) < _depth(block)] + [block]
        elif said := _binding(block):
            found += [*headings, said]
            headings = []
    return "\n".join([*found, "", last] if found else [last])


def _blocks(text: str) -> Iterator[str]:
    """Headings, list items, tables and paragraphs, each but a table in one line."""
    for part in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for line in part.splitlines():
            if lines and (_ITEM.match(line) or line.startswith(("#", "|")) or lines[-1].startswith("#")):
                yield " ".join(lines)
                lines = []
            lines.append(line.strip())
        if lines:
            yield " ".join(lines)


def _is_heading(block: str) -> bool:
    """A Markdown heading, or a few words that end as no sentence does."""
    return block.startswith("#") or (not _ITEM.match(block) and _TITLE.fullmatch(block) is not None)


def _depth(heading: str) -> int:
    """How deep a heading is; one without signs is the deepest."""
    return len(heading) - len(heading.lstrip("#")) or 9


def _binding(block: str) -> str:
    """What a block says that binds: a row of a table whole, else its binding sentences."""
    if block.startswith("|"):
        return block
    mark = _ITEM.match(block)
    sentences = _SENTENCE.split(block[mark.end() :] if mark else block)
    said = " ".join(sentence for sentence in sentences if _BINDS.search(sentence))
    return f"{mark.group()}{said}" if mark and said else said


_FORMS: dict[Form, Callable[[str], str]] = {
    "whole": lambda policy: policy,
    "digest": _digest,
    "reference": _reference,
}
