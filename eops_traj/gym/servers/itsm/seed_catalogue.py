"""The words of the seed, as ``seed_catalogue.md`` has them: services, devices, complaints, articles, plans."""

from functools import cache
from importlib.resources import files

Words = dict[str, str]


def table(title: str) -> list[Words]:
    """The rows of the table under this heading, by column."""
    return [dict(row) for row in _tables()[title]]


def several(text: str) -> list[str]:
    """The parts of a cell that holds several."""
    return text.split(", ")


@cache
def _tables() -> dict[str, list[Words]]:
    text = (files(__package__) / "seed_catalogue.md").read_text(encoding="utf-8")
    return {part.partition("\n")[0]: _rows(part) for part in text.split("\n## ")[1:]}


def _rows(part: str) -> list[Words]:
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    head, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(head, row, strict=True)) for row in rows]
