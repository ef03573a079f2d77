"""The prompt that a planner gets: one text, whether it is asked, trained or measured.

A policy can be made short: each page by its name and hash, or only the sentences of it that bind. Both are
mechanical, so that a planner trained on the short form gets exactly that form when it is asked. The last
paragraph of a system prompt, which says who asks and what day it is, always stays as it is.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from pydantic import Field

from eops_traj.config import Settings, checked
from eops_traj.gym import registry
from eops_traj.gym.result_fields import result_fields
from eops_traj.hashing import digest
from eops_traj.llm.prompts import render, signature
from eops_traj.messages import Message
from eops_traj.plan.listed_values import MARKER
from eops_traj.plan.prefix import PlanBeginnings
from eops_traj.planner.slot_plan import SlotPlans
from eops_traj.planner.slots import Slots


class PlannerView(Settings):
    """How much of policy and tools a planner is shown, and the prompt that asks it."""

    policy: Literal["whole", "digest", "reference"] = Field(
        "whole", description="The policy whole, its binding sentences, or a line that names it by its hash."
    )
    tools: Literal["signatures", "names", "none"] = Field(
        "signatures", description="A line a tool, its name alone, or nothing."
    )
    results: bool = Field(True, description="Whether signatures tell the fields of the tools' results.")
    values: Literal["plain", "numbered", "marked"] = Field(
        "plain",
        description="The request's values as they stand, numbered (`[name 2: Jane Park]`), or by their number"
        " alone (`[name 2]`); where they have numbers, plans name them by these.",
    )
    prompt: str = Field("plan", description="The prompt that asks for the plan.")

    @classmethod
    def from_record(cls, values: Mapping[str, Any], where: str) -> "PlannerView":
        """Read a view from a record at ``where``; one from before results were told tells none.

        Raises ConfigError for values that are no view.
        """
        return checked(cls, {"results": False, **values} if values else {}, where)

    def write_plan(self, text: str, system_prompt: str, request: str) -> str:
        """Return a plan as this view's planner writes it."""
        return text if self.values == "plain" else SlotPlans(Slots.of(system_prompt, request)).by_slots(text)

    def read_plan(self, text: str, system_prompt: str, request: str) -> str:
        """Return the plan that this view's planner means by a text: with the request's values in it."""
        if self.values == "plain" or not MARKER.search(text):
            return text
        return SlotPlans(Slots.of(system_prompt, request)).by_values(text)

    def language(
        self, system_prompt: str, request: str, tools: Sequence[Mapping[str, Any]]
    ) -> PlanBeginnings:
        """Return the language of plans for a request: of these tools, and of the values that it has."""
        plain = self.values == "plain"
        return PlanBeginnings(tools, None if plain else Slots.of(system_prompt, request).by_marker)


def planner_messages(
    system_prompt: str, request: str, tools: Sequence[Mapping[str, Any]], view: PlannerView
) -> list[Message]:
    """Return the conversation that a planner answers with a plan: the policy, if any, and the request.

    ``tools`` are those of the task, in the function format. Raises UnknownName for a prompt there is none of.
    """
    policy = shorten_policy(system_prompt, view.policy)
    asked = request
    if view.values != "plain":
        slots, (pages, gap, last) = Slots.of(system_prompt, request), policy.rpartition("\n\n")
        policy, asked = pages + gap + slots.show(last, view.values), slots.show(request, view.values)
    question = render(view.prompt, request=asked, tools=_tool_lines(tools, view), values=view.values)
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    return [*system, {"role": "user", "content": question}]


def _tool_lines(tools: Sequence[Mapping[str, Any]], view: PlannerView) -> list[str]:
    """Return the tools as lines of the prompt."""
    if view.tools == "none":
        return []
    if view.tools == "names":
        return [str(tool["function"]["name"]) for tool in tools]
    return [signature(tool, result_fields(tool) if view.results else "") for tool in tools]


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
def shorten_policy(policy: str, form: Form) -> str:
    """Shorten a system prompt to one of the three forms."""
    return _FORMS[form](policy.strip())


def _reference(policy: str) -> str:
    """Replace each page by ``[policy csm 1a2b3c4d]``; one that no server of ours has by its hash alone."""
    for name in registry.SERVERS:
        page = registry.server(name).policy.strip()
        policy = policy.replace(page, f"[policy {name} {digest(page)[:8]}]")
    *pages, last = policy.split("\n\n")
    shortened = list[str]()
    for known, group in groupby(pages, lambda page: page.startswith("[policy ")):
        parts = list(group)
        shortened += parts if known else [f"[policy {digest(parts)[:8]}]"]
    return "\n\n".join([*shortened, last])


def _digest(policy: str) -> str:
    """Return headings, tables, and the sentences that say what must be, may only be, or must not be."""
    *pages, last = policy.split("\n\n")
    lines, headings = list[str](), list[str]()
    for block in _blocks("\n\n".join(pages)):
        if _is_heading(block):
            headings = [h for h in headings if _depth(h) < _depth(block)] + [block]
        elif rule := _binding(block):
            lines += [*headings, rule]
            headings = []
    return "\n".join([*lines, "", last] if lines else [last])


def _blocks(text: str) -> Iterator[str]:
    """Yield headings, list items, tables and paragraphs, each but a table in one line."""
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
    """Check whether a block is a Markdown heading, or a few words that end as no sentence does."""
    return block.startswith("#") or (not _ITEM.match(block) and _TITLE.fullmatch(block) is not None)


def _depth(heading: str) -> int:
    """Return how deep a heading is; one without signs is the deepest."""
    return len(heading) - len(heading.lstrip("#")) or 9


def _binding(block: str) -> str:
    """Return what binds in a block: a row of a table whole, else its binding sentences."""
    if block.startswith("|"):
        return block
    mark = _ITEM.match(block)
    sentences = _SENTENCE.split(block[mark.end() :] if mark else block)
    rules = " ".join(sentence for sentence in sentences if _BINDS.search(sentence))
    return f"{mark.group()}{rules}" if mark and rules else rules


_FORMS: dict[Form, Callable[[str], str]] = {
    "whole": lambda policy: policy,
    "digest": _digest,
    "reference": _reference,
}
