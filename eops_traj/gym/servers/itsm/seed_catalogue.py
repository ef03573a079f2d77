"""The tables of ``seed_catalogue.md``: services, devices, complaints, articles, plans."""

from functools import cache
from importlib.resources import files

CatalogueRow = dict[str, str]


def table(title: str) -> list[CatalogueRow]:
    """Return the rows of the table under this heading, by column."""
    return [dict(row) for row in _tables()[title]]


def split_cell(text: str) -> list[str]:
    """Split a cell that holds several values."""
    return text.split(", ")


@cache
def _tables() -> dict[str, list[CatalogueRow]]:
    text = (files(__package__) / "seed_catalogue.md").read_text(encoding="utf-8")
    tables = {}
    for part in text.split("\n## ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("| ")]
        head, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        tables[part.partition("\n")[0]] = [dict(zip(head, row, strict=True)) for row in rows]
    return tables
