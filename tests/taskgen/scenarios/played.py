"""Families as they are played: drafts of a family, with their twins, and what calls were answered."""

from typing import Any
from unittest.mock import patch

from eops_traj.plan import Step, decode
from eops_traj.taskgen.draft import Draft, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.scene import Scene


def drafts(
    domain: str, name: str, kind: str | None = None, draws: int = 8, company: int = 5000
) -> list[Draft]:
    """Play a family on this company and the next; draws that fit nothing are left out."""
    (family,) = (family for family in families([domain]) if family.name == name)
    found = []
    for n in range(draws):
        try:
            found.append(play((family,), company + n % 2, f"{name}:{n}", kind))
        except NoMatch:
            continue
    return found


def with_twins(domain: str, name: str, kind: str, draws: int = 8) -> list[tuple[Draft, Draft]]:
    """Play a family without and with a perturbation."""
    usual, twins = drafts(domain, name, None, draws), drafts(domain, name, kind, draws)
    return list(zip(usual, twins, strict=True))


def texts(draft: Draft, tool: str) -> list[str]:
    """Return what each step with a tool was answered; nothing where its condition did not hold."""
    steps = enumerate(draft.scene.steps, 1)
    return [draft.scene.reply(n) for n, step in steps if isinstance(step, Step) and step.tool == tool]


def replies(draft: Draft, tool: str) -> list[Any]:
    """Return what the calls of a tool were answered, as data."""
    return [decode(text) for text in texts(draft, tool) if text]


def wordings(family: Family, companies: int = 8) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return all wordings of what a family asks first, and their slots, on the first company that fits."""
    with patch.object(Scene, "ask", autospec=True, side_effect=Scene.ask) as ask:
        for company in range(companies):
            try:
                play((family,), company, "worded")
            except NoMatch:
                continue
            told = ask.call_args_list[-1]
            return tuple(" ".join(wording.split()) for wording in told.args[1:]), dict(told.kwargs)
    raise AssertionError(f"{family.name} fits none of {companies} companies")
