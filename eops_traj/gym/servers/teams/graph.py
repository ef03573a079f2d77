"""Rows in the shapes of Microsoft Graph: what ``@as`` names in tools.sql.

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

from eops_traj.gym.api_styles import odata
from eops_traj.gym.api_styles.odata_ast import Node
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import answer

GRAPH = "https://graph.microsoft.com/v1.0/"
_EXPANSION = re.compile(r"\s*(?P<name>\w+)(?:\((?P<options>[^()]*(?:\([^()]*\)[^()]*)*)\))?\s*(?:,|$)")
_OPTION = re.compile(r"_(select|top|expand)=([^;]*)")
Expansions = Mapping[str, Mapping[str, str]]


@answer("_filter", "_orderby", "_search", "_select", "_expand", "_top", "_skip", "_skiptoken", "_count")
def collection(call: Call, found: list[Row], context: str) -> Row:
    """A page of the rows, with their number; if the tool takes ``_count``, only where that is wanted."""
    takes = {a.name for a in call.tool.arguments}
    return page(call, found, context, call.arguments.get("_count", "_count" not in takes))


@answer("_filter", "_select", "_expand")
def uncounted(call: Call, found: list[Row], context: str) -> Row:
    """The same without their number."""
    return page(call, found, context, False)


@answer("_filter", "_select", "_expand", "passwordProfile")
def entity(call: Call, found: Row, words: str) -> Row:
    """One object with its context; after FROM stands where it is read again once it is written."""
    context, _, source = words.partition("FROM ")
    row = (call.row(f"SELECT * FROM {source}", id=found["id"]) if source else found) or found  # noqa: S608
    try:
        matching = _chosen(call, [row], call.arguments)
        expanded = expansions(call.arguments.get("_expand", ""), _expandable(row))
        chosen = odata.selected(call.arguments.get("_select", ""))
    except odata.ODataError as error:
        call.refuse(str(error))
    if not matching:
        call.refuse("No object matches the filter")
    return _head(call, context.strip()) | shown(row, chosen, expanded)


def page(
    call: Call, rows: list[Row], context: str, counted: bool, options: Mapping[str, Any] | None = None
) -> Row:
    """The rows that a call wants to see, in an envelope; the options are its arguments, or others."""
    given = call.arguments if options is None else options
    try:
        found = _chosen(call, rows, given)
        expanded = expansions(given.get("_expand", ""), _expandable(_columns(call, rows)))
        chosen = odata.selected(given.get("_select", ""))
    except odata.ODataError as error:
        call.refuse(str(error))
    start = given.get("_skip", 0) + _start(call, given.get("_skiptoken"))
    end = start + given.get("_top", len(found))
    head = _head(call, context) | ({"@odata.count": len(found)} if counted else {})
    if end < len(found) and (link := _next(call, context, end)):
        head["@odata.nextLink"] = link
    return head | {"value": [shown(row, chosen, expanded) for row in found[start:end]]}


def shown(row: Row, chosen: Sequence[str] = (), expanded: Expansions | None = None) -> Row:
    """The properties of a row that are to be seen, in the order in which they were chosen."""
    expanded = expanded or {}
    known: Row = {}
    for column, value in row.items():
        name = column.removeprefix("+")
        if name != column and name in expanded:
            known[name] = _nested(value, expanded[name])
        elif name == column and not name.startswith("_"):
            known[name] = _time(value) if name.endswith("DateTime") or name == "birthday" else value
    if not chosen:
        return known
    names = [*(n for n in known if n.startswith("@")), *chosen, *expanded]
    return {name: known[name] for name in names if name in known}


def expansions(text: str, supported: Sequence[str]) -> Expansions:
    """What ``_expand`` names, each with its own options: ``replies(_top=5),members``."""
    found: dict[str, Mapping[str, str]] = {}
    place = 0
    while place < len(text):
        item = _EXPANSION.match(text, place)
        options = re.split(r"\s*;\s*", item["options"]) if item and item["options"] else []
        read = [_OPTION.fullmatch(option.strip()) for option in options]
        if item is None or item["name"] not in supported or None in read:
            wanted = ", ".join(f"'{name}'" for name in supported)
            raise odata.ODataError(f"Invalid expand parameter value: '{text}'. Supported values: {wanted}")
        found[item["name"]] = {option[1]: option[2] for option in read if option}
        place = item.end()
    return found


def _time(value: Any) -> Any:
    """A time as the API shows it; the databases hold blanks and offsets too."""
    return value.replace(" ", "T").replace("+00:00", "Z") if isinstance(value, str) else value


def _nested(value: Any, options: Mapping[str, str]) -> Any:
    chosen = odata.selected(options.get("select", ""))
    if isinstance(value, list):
        limit = options.get("top", "")
        return [_nested(v, options) for v in value[: int(limit) if limit.isdecimal() else None]]
    if not isinstance(value, dict):
        return value
    return shown(value, chosen, expansions(options.get("expand", ""), _expandable(value)))


def _chosen(call: Call, rows: list[Row], given: Mapping[str, Any]) -> list[Row]:
    """The rows that ``_filter`` and ``_search`` leave, in the order of ``_orderby``."""
    found = [{k.removeprefix("+"): v for k, v in row.items()} for row in rows]
    known = {name.removeprefix("+") for name in _columns(call, rows)}
    kept: list[Any] = list(zip(found, rows, strict=True))
    if text := given.get("_filter", "").strip():
        condition = _condition(text, known)
        kept = [pair for pair in kept if odata.matches(condition, pair[0])]
    if text := given.get("_search", "").strip():
        has = odata.searched(text)
        kept = [pair for pair in kept if has(pair[0])]
    if text := given.get("_orderby", "").strip():
        places = {id(named): row for named, row in kept}
        return [places[id(named)] for named in odata.ordered([named for named, _ in kept], text)]
    return [row for _, row in kept]


def _condition(text: str, known: Set[str]) -> Node:
    try:
        condition = odata.parse(text)
    except odata.ODataError as error:
        raise odata.ODataError(f"Invalid filter clause: {error}") from None
    if unknown := sorted(odata.properties(condition) - known):
        raise odata.ODataError(f"Invalid filter clause: Could not find a property named '{unknown[0]}'.")
    return condition


def _columns(call: Call, rows: list[Row]) -> list[str]:
    """The columns of the rows, even if there are none."""
    view = re.search(r"\bFROM (graph_\w+)", call.tool.statement.text if call.tool.statement else "")
    if rows or not view:
        return list(rows[0]) if rows else []
    found = call.rows("SELECT name FROM pragma_table_info(:view)", view=view[1])
    return [row["name"].split(" ")[0] for row in found]


def _expandable(columns: Iterable[str]) -> list[str]:
    return [name[1:] for name in columns if name.startswith("+")]


def _head(call: Call, context: str) -> Row:
    if not context:
        return {}
    where = context if context.startswith("$metadata") else f"{GRAPH}$metadata#{context}"
    return {"@odata.context": where.format_map(call.arguments)}


def _next(call: Call, context: str, start: int) -> str:
    """The link to the page that starts here, if the tool can follow it."""
    takes = {a.name for a in call.tool.arguments}
    if "_skiptoken" in takes:
        return f"{GRAPH}{context}?$skiptoken={base64.urlsafe_b64encode(str(start).encode()).decode()}"
    return f"{GRAPH}{context}?$skip={start}" if "_skip" in takes else ""


def _start(call: Call, token: str | None) -> int:
    """Where the page of a token starts."""
    if not token:
        return 0
    try:
        text = base64.urlsafe_b64decode(token.rpartition("skiptoken=")[2].encode()).decode()
    except (binascii.Error, ValueError):
        text = ""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        call.refuse(f"Invalid skiptoken: '{token}'")
    return int(text)
