"""Links and mentions of commands in the documentation lead somewhere."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from eops_traj.cli.main import program
from eops_traj.schema import OUTCOMES
from tests.docs.pages import PAGES, ROOT

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```\s*$", re.DOTALL | re.MULTILINE)


def prose(page: str) -> str:
    """Read a page without its fenced blocks."""
    return FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@cache
def anchors(path: Path) -> set[str]:
    """Return the anchors of a page."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_within_the_project_leads_somewhere(page: str) -> None:
    wrong = []
    for target in LINK.findall(prose(page)):
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        if "://" not in target and not (path.exists() and (not anchor or anchor in anchors(path))):
            wrong.append(target)
    assert wrong == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_that_a_page_mentions_exists(page: str) -> None:
    for call in re.findall(r"`eops-traj ([^`]+)`", prose(page)):
        words = call.split()
        command: Any = program()
        while hasattr(command, "commands") and words and not words[0].startswith("-"):
            assert words[0] in command.commands, f"eops-traj {call}"
            command = command.commands[words.pop(0)]
        known = {
            option for parameter in command.get_params(typer.Context(command)) for option in parameter.opts
        }
        assert {word for word in words if re.match(r"--?\w", word)} <= known, f"eops-traj {call}"


def test_every_page_is_on_the_map_of_the_readme() -> None:
    linked = set(LINK.findall(prose("README.md")))
    assert [page for page in PAGES[1:] if page not in linked] == []


def test_every_page_leads_to_the_glossary() -> None:
    assert [page for page in PAGES if "glossary.md" not in prose(page) and page != "docs/glossary.md"] == []


def test_the_glossary_has_every_outcome_and_every_word_of_the_progress_line() -> None:
    words = (
        *OUTCOMES,
        "owed",
        "requirement",
        "settled",
        "given up",
        "horizon",
        "mode",
        "oracle",
        "family",
        "slip",
        "parity",
        "strict",
    )
    text = prose("docs/glossary.md")
    assert [word for word in words if f"**{word}**" not in text and f"`{word}`" not in text] == []
