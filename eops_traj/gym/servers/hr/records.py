"""Records as HR writes them: what they refer to is looked up in the caller's organization, an update has to
make a difference, and the answer is the record as readers see it.

`create` and `update` are the whole of most tools that write. ``named`` tells them which arguments give a
record's name instead of its id.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.call import Call, Row

_NAMES = {
    "user": "person",
    "user_group": "team",
    "hr_criteria": "criteria",
    "hr_service": "service",
    "topic_category": "category",
    "topic_detail": "topic",
}
"""The view that has the names of a table's records, where the table itself has no column ``name``."""

_WITH_VIEW = {
    "user", "topic_category", "topic_detail", "hr_service", "hr_case", "hr_case_task", "escalation_rule",
}  # fmt: skip
"""The tables with a view of their own for readers."""

_ANYWHERE = {("hr_case", "opened_for")}
"""The references that may be of any organization: in real databases one serves the people of all others."""

_LISTS = {"skills": "skill", "based_on_skills": "skill", "users": "user"}
"""The arguments that list ids, and their tables."""


def create(call: Call, named: Collection[str] = (), also: str = "") -> Row:
    """Insert a record of the call's arguments, and return it. ``also`` sets columns as a slot does."""
    table, key = _table(call)
    columns = ", ".join(filter(None, ("org_id = :caller_org_id", also)))
    insert = f'INSERT INTO "{table}" {{values, {columns}}} RETURNING "{key}" AS id'
    (inserted,) = resolve_references(call, named).rows(insert)
    return read_record(call, inserted["id"])


def update(call: Call, named: Collection[str] = (), by: Collection[str] = ()) -> Row:
    """Write the call's arguments to the record that the arguments ``by`` identify, or else the first one.

    The result is the record, with the names of the arguments that made a difference as ``changes_made``.
    """
    by = by or [call.tool.arguments[0].name]
    row_id = find_id(call, by)
    fields = {name: value for name, value in call.arguments.items() if name not in by}
    call = resolve_references(replace(call, arguments=fields), named)
    if not call.arguments:
        call.refuse("At least one field must be provided for update", "NO_FIELDS_PROVIDED")
    changes = _changed_arguments(call, row_id)
    if not changes:
        call.refuse(f"No changes detected for fields: {', '.join(call.arguments)}", "NO_CHANGES_DETECTED")
    table, key = _table(call)
    call.rows(f'UPDATE "{table}" SET {{changes}} WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    return read_record(call, row_id) | {"changes_made": changes}


def find_id(call: Call, by: Collection[str]) -> Any:
    """Return the id of the record that matches all of these arguments that the call gives."""
    table, key = _table(call)
    identifiers = {name: call.arguments[name] for name in by if name in call.arguments}
    query = f'SELECT "{key}" AS id FROM "{table}" WHERE org_id = :caller_org_id AND {{filters}}'  # noqa: S608
    row = replace(call, arguments=identifiers).row(query)
    if row is None:
        raise call.server.responses.missing(call.tool, *next(iter(identifiers.items())))
    return row["id"]


def read_record(call: Call, row_id: Any) -> Row:
    """Return a record of the tool's table as readers see it."""
    table, key = _table(call)
    view = f"{table}_shown" if table in _WITH_VIEW else table
    row = call.row(f'SELECT * FROM "{view}" WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    assert row is not None
    return row


def resolve_references(call: Call, named: Collection[str] = ()) -> Call:
    """Return the call with ids for names, each of a record that exists in the caller's organization."""
    ids: dict[str, Any] = {}
    for argument in call.tool.arguments:
        value = call.arguments.get(argument.name)
        if value is None or argument.column is None:
            continue
        if argument.name in _LISTS:
            ids[argument.name] = _ids(call, argument, value)
        elif argument.column.references:
            look_up = _by_name if argument.name in named else _by_id
            ids[argument.name] = look_up(call, argument, argument.column.references[0], value)
    return replace(call, arguments={**call.arguments, **ids})


def _ids(call: Call, argument: Argument, value: Any) -> list[Any]:
    """Return the ids of a list, or of a text like ``3,14``."""
    listed = [int(word[:18]) for word in re.findall(r"\d+", value)] if isinstance(value, str) else value
    return [_by_id(call, argument, _LISTS[argument.name], each) for each in listed]


def _by_id(call: Call, argument: Argument, table: str, value: Any) -> Any:
    """Return the id if there is such a record where it may be. (Roles belong to no organization.)"""
    target = call.server.schema.tables[table]
    if "org_id" not in target.columns:
        return value
    (key,) = target.key
    query = f'SELECT "{key}" AS id FROM "{table}" WHERE "{key}" = :value AND {_scope(call, argument)}'  # noqa: S608
    row = call.row(query, value=value)
    if row is None:
        raise call.server.responses.reference(call.tool, argument.name, value, table)
    return row["id"]


def _by_name(call: Call, argument: Argument, table: str, value: Any) -> Any:
    """Return the id of the record of this name, the caller's organization first.

    Of namesakes only the active count; an address is unique.
    """
    (key,) = call.server.schema.tables[table].key
    condition = ":value IN (name, email)" if table == "user" else "name = :value"
    rows = call.rows(
        f'SELECT "{key}" AS id, active, org_id IS :caller_org_id AS ours FROM "{_NAMES.get(table, table)}" '  # noqa: S608
        f"WHERE {condition} AND {_scope(call, argument)}",
        value=value,
    )
    rows = [row for row in rows if row["ours"]] or rows
    rows = [row for row in rows if row["active"]] or rows
    if not rows:
        call.refuse(f"{argument.name} '{value}' not found", "INVALID_REFERENCE")
    if len(rows) > 1:
        ids = ", ".join(str(row["id"]) for row in rows)
        call.refuse(
            f"{argument.name} '{value}' is the name of several (ids {ids}): give the e-mail address instead",
            "AMBIGUOUS_NAME",
        )
    return rows[0]["id"]


def _scope(call: Call, argument: Argument) -> str:
    """Return the condition for the records that an argument may refer to."""
    return "1" if (_table(call)[0], argument.target) in _ANYWHERE else "org_id = :caller_org_id"


def _changed_arguments(call: Call, row_id: Any) -> list[str]:
    """Return the names of arguments whose value is not the record's already."""
    table, key = _table(call)
    arguments = [a for a in call.tool.arguments if a.name in call.arguments]
    tests = ", ".join(f'"{a.target}" IS NOT :{a.name} AS "{a.name}"' for a in arguments)
    row = call.row(f'SELECT {tests} FROM "{table}" WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    return [name for name, differs in (row or {}).items() if differs]


def _table(call: Call) -> tuple[str, str]:
    """Return the name of the tool's table and of its key."""
    assert call.tool.table is not None
    (key,) = call.tool.table.key
    return call.tool.table.name, key
