"""Rows in the shapes of Microsoft Graph: the formatters that ``@as`` names in tools.sql.

The views of schema.sql give the properties their names. Of their columns, ``+x`` is shown where a call
expands x, and ``_x`` never. ``@as collection teams`` makes rows a page with a context and their number, as
``_filter``, ``_top`` and so on want it; ``@as entity chats/$entity FROM graph_chat WHERE id = :id`` reads an
object after it was written.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import re2

from eops_traj.gym.api_styles import odata
from eops_traj.gym.api_styles.odata_ast import Node
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import result_formatter

GRAPH = "https://graph.microsoft.com/v1.0/"
_EXPANSION = re2.compile(r"\s*(?P<name>\w+)(?:\((?P<options>[^()]*(?:\([^()]*\)[^()]*)*)\))?\s*(?:,|$)")
_OPTION = re.compile(r"_(select|top|expand)=([^;]*)")
Expansions = Mapping[str, Mapping[str, str]]


@result_formatter(
    "_filter", "_orderby", "_search", "_select", "_expand", "_top", "_skip", "_skiptoken", "_count"
)
def collection(call: Call, rows: list[Row], context: str) -> Row:
    """Return a page of the rows, with their number; if the tool takes ``_count``, only where that is true."""
    names = {a.name for a in call.tool.arguments}
    return page(call, rows, context, call.arguments.get("_count", "_count" not in names))


@result_formatter("_filter", "_select", "_expand")
def uncounted(call: Call, rows: list[Row], context: str) -> Row:
    """Return a page of the rows, without their number."""
    return page(call, rows, context, False)


@result_formatter("_filter", "_select", "_expand", "passwordProfile")
def entity(call: Call, result: Row, words: str) -> Row:
    """Return one object with its context; after FROM stands where it is read again once it is written."""
    context, _, source = words.partition("FROM ")
    row = (call.row(f"SELECT * FROM {source}", id=result["id"]) if source else result) or result  # noqa: S608
    try:
        matching = _filter_rows([row], list(row), call.arguments)
        shown = _shown(matching, list(row), call.arguments)
    except odata.ODataError as error:
        call.refuse(str(error))
    if not shown:
        call.refuse("No object matches the filter")
    return _context_entry(call, context.strip()) | shown[0]


def page(
    call: Call,
    rows: list[Row],
    context: str,
    counted: bool,
    options: Mapping[str, Any] | None = None,
    view: str = "",
) -> Row:
    """Return the rows that a call selects, as a collection; the options are its arguments, or others.

    The view that the rows are of is needed where no statement of the tool names it.
    """
    options = call.arguments if options is None else options
    columns = list(rows[0]) if rows else _column_names(call, view)
    try:
        kept = _filter_rows(rows, columns, options)
        start = options.get("_skip", 0) + _page_start(call, options.get("_skiptoken"))
        end = start + options.get("_top", len(kept))
        shown = _shown(kept[start:end], columns, options)
    except odata.ODataError as error:
        call.refuse(str(error))
    head = _context_entry(call, context) | ({"@odata.count": len(kept)} if counted else {})
    if end < len(kept) and (link := _next_link(call, context, end)):
        head["@odata.nextLink"] = link
    return head | {"value": shown}


def select_properties(row: Row, chosen: Sequence[str] = (), expanded: Expansions | None = None) -> Row:
    """Return the visible properties of a row, in the order in which they were chosen."""
    expanded = expanded or {}
    known: Row = {}
    for column, value in row.items():
        name = column.removeprefix("+")
        if name != column and name in expanded:
            known[name] = _expanded_value(value, expanded[name])
        elif name == column and not name.startswith("_"):
            known[name] = _format_time(value) if name.endswith("DateTime") or name == "birthday" else value
    if not chosen:
        return known
    names = [*(n for n in known if n.startswith("@")), *chosen, *expanded]
    return {name: known[name] for name in names if name in known}


def parse_expansions(text: str, supported: Sequence[str]) -> Expansions:
    """Parse what ``_expand`` names, each with its own options: ``replies(_top=5),members``."""
    expansions: dict[str, Mapping[str, str]] = {}
    position = 0
    while position < len(text):
        item = _EXPANSION.match(text, position)
        options = item["options"].split(";") if item and item["options"] else []
        matches = [_OPTION.fullmatch(option.strip()) for option in options]
        if item is None or item["name"] not in supported or None in matches:
            names = ", ".join(f"'{name}'" for name in supported)
            raise odata.ODataError(f"Invalid expand parameter value: '{text}'. Supported values: {names}")
        expansions[item["name"]] = {option[1]: option[2] for option in matches if option}
        odata.parse_select(expansions[item["name"]].get("select", ""))
        position = item.end()
    return expansions


def _format_time(value: Any) -> Any:
    """Format a time as the API does; the databases hold blanks and offsets too."""
    return value.replace(" ", "T").replace("+00:00", "Z") if isinstance(value, str) else value


def _expanded_value(value: Any, options: Mapping[str, str]) -> Any:
    chosen = odata.parse_select(options.get("select", ""))
    if isinstance(value, list):
        limit = re.fullmatch(r"\d{1,9}", options.get("top", ""), re.ASCII)
        return [_expanded_value(v, options) for v in value[: int(limit[0]) if limit else None]]
    if not isinstance(value, dict):
        return value
    return select_properties(value, chosen, parse_expansions(options.get("expand", ""), _expandable(value)))


def _shown(rows: list[Row], columns: list[str], options: Mapping[str, Any]) -> list[Row]:
    """Return of rows with these columns the properties that ``_select`` and ``_expand`` show."""
    expanded = parse_expansions(options.get("_expand", ""), _expandable(columns))
    chosen = odata.parse_select(options.get("_select", ""))
    return [select_properties(row, chosen, expanded) for row in rows]


def _filter_rows(rows: list[Row], columns: list[str], options: Mapping[str, Any]) -> list[Row]:
    """Return the rows that ``_filter`` and ``_search`` leave, in the order of ``_orderby``."""
    named_rows = [{k.removeprefix("+"): v for k, v in row.items()} for row in rows]
    known = {name.removeprefix("+") for name in columns}
    kept: list[Any] = list(zip(named_rows, rows, strict=True))
    if text := options.get("_filter", "").strip():
        condition = _parse_filter(text, known)
        kept = [pair for pair in kept if odata.matches(condition, pair[0])]
    if text := options.get("_search", "").strip():
        has = odata.parse_search(text)
        kept = [pair for pair in kept if has(pair[0])]
    if text := options.get("_orderby", "").strip():
        by_identity = {id(named): row for named, row in kept}
        return [by_identity[id(named)] for named in odata.order_rows([named for named, _ in kept], text)]
    return [row for _, row in kept]


def _parse_filter(text: str, known: Set[str]) -> Node:
    try:
        condition = odata.parse(text)
    except odata.ODataError as error:
        raise odata.ODataError(f"Invalid filter clause: {error}") from None
    if unknown := sorted(odata.property_names(condition) - known):
        raise odata.ODataError(f"Invalid filter clause: Could not find a property named '{unknown[0]}'.")
    return condition


def _column_names(call: Call, view: str) -> list[str]:
    """Return the columns of a view, or of the one that the tool's statement names."""
    named = re.search(r"\bFROM (graph_\w+)", call.tool.statement.text if call.tool.statement else "")
    columns = call.rows("SELECT name FROM pragma_table_info(:view)", view=view or (named[1] if named else ""))
    return [column["name"].split(" ")[0] for column in columns]


def _expandable(columns: Iterable[str]) -> list[str]:
    return [name[1:] for name in columns if name.startswith("+")]


def _context_entry(call: Call, context: str) -> Row:
    if not context:
        return {}
    where = context if context.startswith("$metadata") else f"{GRAPH}$metadata#{context}"
    return {"@odata.context": where.format_map(call.arguments)}


def _next_link(call: Call, context: str, start: int) -> str:
    """Return the link to the page that starts here, if the tool can follow it."""
    names = {a.name for a in call.tool.arguments}
    if "_skiptoken" in names:
        return f"{GRAPH}{context}?$skiptoken={base64.urlsafe_b64encode(str(start).encode()).decode()}"
    return f"{GRAPH}{context}?$skip={start}" if "_skip" in names else ""


def _page_start(call: Call, token: str | None) -> int:
    """Return where the page of a token starts."""
    if not token:
        return 0
    try:
        text = base64.urlsafe_b64decode(token.rpartition("skiptoken=")[2].encode()).decode()
    except (binascii.Error, ValueError):
        text = ""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        call.refuse(f"Invalid skiptoken: '{token}'")
    return int(text)
