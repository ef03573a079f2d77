"""What a query surely gives, whatever the database holds: a count, a number or text.

The type of an aggregate is sure where nothing makes text of it afterwards, as ``COUNT(*) || ' rows'`` does;
that of a column where its values in the seed are all of one type.
"""

import re

from eops_traj.gym.engine.database import Database, QueryError

_PARTS = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\w+|\s+|.", re.DOTALL
)
_BEGINS_AS_NUMBER = re.compile(
    r"\s*select\s+(?:all\s+)?(?:(?:count|sum|total|exists|length|round|abs)\s*\(|case\b)", re.IGNORECASE
)
_JUST_COUNT = re.compile(r"\s*select\s+count\s*\(\)\s*(?:as\s+\w+\s*)?(?:\bfrom\b|\Z)", re.IGNORECASE)
_COLUMN = re.compile(
    r"\s*select\s+(?:distinct\s+)?(?:(?P<of>\w+)\.)?(?P<column>\w+)\s+from\s+[\"`]?(?P<table>\w+)[\"`]?"
    r"(?:\s+(?:as\s+)?(?P<alias>\w+))?",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"\s*select\b(.*?)(?:\bfrom\b|\Z)", re.IGNORECASE | re.DOTALL)
_MAY_BE_TEXT = re.compile(r"\|\||->|\b(?:then|else)\b(?!\s*[-+]?\d)", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:union|intersect|except)\b", re.IGNORECASE)
_NOT_ONE_ROW = re.compile(r"\b(?:group|having|limit|offset)\b", re.IGNORECASE)
_NUMBERS = {"integer", "real"}


def answer_kind(query: str, database: Database) -> str | None:
    """Return what a query surely gives: count, number or text; None where that is not sure.

    A count is one row, whatever there is; a number or a text may be a row each, or none.
    """
    outside = _outside_brackets(query)
    if _SEVERAL.search(outside):
        return None
    if _JUST_COUNT.match(outside):
        return "number" if _NOT_ONE_ROW.search(outside) else "count"
    if _BEGINS_AS_NUMBER.match(outside):
        answer = _ANSWER.match(outside)
        sure = answer and not _MAY_BE_TEXT.search(answer[1]) and _columns(query, database) == 1
        return "number" if sure else None
    if (match := _COLUMN.match(query)) and _is_of_first(match):
        types = _types(database, match["table"], match["column"])
        return "number" if types and types <= _NUMBERS else "text" if types == {"text"} else None
    return None


def _is_of_first(match: re.Match[str]) -> bool:
    """Check whether a column is of the first table: with another's name before it, its types are others."""
    of = (match["of"] or match["table"]).lower()
    return of in (match["table"].lower(), (match["alias"] or "").lower())


def _outside_brackets(query: str) -> str:
    """Return a query without comments, and with nothing left in its brackets, texts and quoted names."""
    depth, kept = 0, list[str]()
    for part in _PARTS.findall(query):
        depth -= part == ")"
        if depth <= 0 and not part.startswith(("--", "/*")):
            kept.append(part[0] * 2 if part[0] in "'\"`" else part)
        depth += part == "("
    return "".join(kept)


def _columns(query: str, database: Database) -> int:
    try:
        return len(database.run_sql(query).columns)
    except QueryError:
        return 0


def _types(database: Database, table: str, column: str) -> set[str]:
    """Return the types of the values that a column holds now; empty where the table has no such column."""
    name = f'"{table}"."{column}"'  # in quotes alone a name that is not there would be a text
    sql = f'SELECT DISTINCT typeof({name}) FROM "{table}" WHERE {name} IS NOT NULL'  # noqa: S608
    try:
        return {str(row[0]) for row in database.run_sql(sql).rows}
    except QueryError:
        return set()
