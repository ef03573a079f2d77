"""Tokens of their own for slots, tools and earlier steps, which a planner passes on and never spells.

In pieces a rare one is a riddle: a small model that has begun ``[address`` goes on with the pieces of others,
and ``$15.files[0].id`` in one piece says nothing about ``$27.files[0].id``. As one token each is copied as a
word is.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eops_traj.plan.listed_values import MARKER

if TYPE_CHECKING:
    from tokenizers import AddedToken

MOST = 32
"""The slots of a kind that have tokens, at most; of what is numbered higher the pieces are tokens."""
LISTED = re.compile(r"^([\w-]+)(?:\(.*)?$", re.MULTILINE)
"""A tool where a prompt lists it, with or without its arguments."""
STEP = re.compile(r"\$\d{1,3}(?!\d)")
"""A step of a plan where a later one refers to it."""
CALLED = re.compile(r"(?<![\w-])([\w-]+)\(")


class SlotTokens:
    """The markers, the tool names and the steps of conversations, as tokens."""

    def __init__(self, conversations: Iterable[Sequence[dict[str, Any]]]) -> None:
        """Collect them: of each kind all markers up to the highest, the tools and the steps of replies."""
        self._highest: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        called, listed, steps = set[str](), set[str](), set[str]()
        for messages in conversations:
            for message in messages:
                text = str(message["content"])
                self._count(text)
                if message["role"] == "assistant":
                    called.update(CALLED.findall(text))
                    steps.update(STEP.findall(text))
                else:
                    listed.update(LISTED.findall(text))
        self.markers = list(self._every_marker())
        self.tools = sorted(called & listed)
        self.steps = sorted(steps, key=lambda step: -int(step[1:]))

    def between(self, text: str) -> list[str]:
        """Return the parts of a text that are left to be cut into pieces."""
        return self._any.split(text)

    @cached_property
    def _any(self) -> re.Pattern[str]:
        """What any of them is found by; with none of them nothing is."""
        signs, tools = _any_of(self.markers + self.steps), _any_of(self.tools)
        return re.compile(rf"{signs}|(?<!\w)(?:{tools})(?!\w)")

    def added(self) -> "list[AddedToken]":
        """Return the tokens, each to be found before a text is cut into pieces."""
        from tokenizers import AddedToken

        signs = [AddedToken(sign, normalized=False) for sign in self.markers + self.steps]
        return signs + [AddedToken(tool, normalized=False, single_word=True) for tool in self.tools]

    def _count(self, text: str) -> None:
        for found in MARKER.finditer(text):
            highest = self._highest[found["kind"]]
            highest[0] = max(highest[0], int(found["number"]))
            highest[1] = max(highest[1], int(found["word"] or 0))

    def _every_marker(self) -> Iterator[str]:
        for kind, (number, part) in sorted(self._highest.items()):
            for n in range(1, min(number, MOST) + 1):
                yield f"[{kind} {n}]"
                yield from (f"[{kind} {n}.{of}]" for of in range(1, part + 1))


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of any of these words; by how they begin, since few places begin like one."""
    by_start = defaultdict[str, list[str]](list)
    for word in words:
        by_start[word[:2]].append(re.escape(word[2:]))
    return "|".join(f"{re.escape(start)}(?:{'|'.join(ends)})" for start, ends in by_start.items()) or r"(?!)"
