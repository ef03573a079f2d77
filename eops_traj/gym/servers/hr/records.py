"""Records as HR writes them: what they refer to is looked up in the caller's organization, an update has to
make a difference, and the answer is the record as readers see it.

`create` and `change` are the whole of most tools that write. ``named`` tells them which arguments give a
record's name instead of its id.
"""

import re
from collections.abc import Collection, Mapping
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

_SHOWN = {
    "user", "topic_category", "topic_detail", "hr_service", "hr_case", "hr_case_task", "escalation_rule",
}  # fmt: skip
"""The tables with a view of their own for readers."""

_LISTS = {"skills": "skill", "based_on_skills": "skill", "users": "user"}
"""The arguments that list ids, and of what."""


def create(call: Call, named: Collection[str] = (), also: str = "") -> Row:
    """Make a record of what the call gives, and show it. ``also`` sets further columns, as a slot does."""
    table, key = _table(call)
    columns = ", ".join(filter(None, ("org_id = :caller_org_id", also)))
    insert = f'INSERT INTO "{table}" {{values, {columns}}} RETURNING "{key}" AS id'
    (made,) = refer(call, named).rows(insert)
    return shown(call, made["id"])


def change(call: Call, named: Collection[str] = (), by: Collection[str] = ()) -> Row:
    """Write what the call gives to the record that ``by`` finds: those arguments, or else the first one.

    The answer is the record, with the names of the arguments that made a difference as ``changes_made``.
    """
    by = by or [call.tool.arguments[0].name]
    row_id = find(call, by)
    call = refer(_with(call, {k: v for k, v in call.arguments.items() if k not in by}), named)
    if not call.arguments:
        call.refuse("At least one field must be provided for update", "NO_FIELDS_PROVIDED")
    changes = _differing(call, row_id)
    if not changes:
        call.refuse(f"No changes detected for fields: {', '.join(call.arguments)}", "NO_CHANGES_DETECTED")
    table, key = _table(call)
    call.rows(f'UPDATE "{table}" SET {{changes}} WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    return shown(call, row_id) | {"changes_made": changes}


def find(call: Call, by: Collection[str]) -> Any:
    """The id of the record that matches these arguments, all that are given."""
    table, key = _table(call)
    given = {name: call.arguments[name] for name in by if name in call.arguments}
    query = f'SELECT "{key}" AS id FROM "{table}" WHERE org_id = :caller_org_id AND {{filters}}'  # noqa: S608
    found = _with(call, given).row(query)
    if found is None:
        raise call.server.envelope.missing(call.tool, *next(iter(given.items())))
    return found["id"]


def shown(call: Call, row_id: Any) -> Row:
    """A record of the tool's table as readers see it."""
    table, key = _table(call)
    view = f"{table}_shown" if table in _SHOWN else table
    row = call.row(f'SELECT * FROM "{view}" WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    assert row is not None
    return row


def refer(call: Call, named: Collection[str] = ()) -> Call:
    """The same call with ids in place of names, each of a record that exists where the caller is."""
    found: dict[str, Any] = {}
    for argument in call.tool.arguments:
        value = call.arguments.get(argument.name)
        if value is None or argument.column is None:
            continue
        if argument.name in _LISTS:
            found[argument.name] = _ids(call, argument, value)
        elif argument.column.references:
            look_up = _by_name if argument.name in named else _by_id
            found[argument.name] = look_up(call, argument, argument.column.references[0], value)
    return _with(call, {**call.arguments, **found})


def _ids(call: Call, argument: Argument, value: Any) -> list[Any]:
    """The ids of a list, or of a text like ``3,14``."""
    listed = [int(word) for word in re.findall(r"\d+", value)] if isinstance(value, str) else value
    return [_by_id(call, argument, _LISTS[argument.name], each) for each in listed]


def _by_id(call: Call, argument: Argument, table: str, value: Any) -> Any:
    """The id, if there is such a record in the caller's organization. (Roles belong to none.)"""
    refers = call.server.schema.tables[table]
    if "org_id" not in refers.columns:
        return value
    (key,) = refers.key
    query = f'SELECT "{key}" AS id FROM "{table}" WHERE "{key}" = :wanted AND org_id = :caller_org_id'  # noqa: S608
    found = call.row(query, wanted=value)
    if found is None:
        raise call.server.envelope.reference(call.tool, argument.name, value, table)
    return found["id"]


def _by_name(call: Call, argument: Argument, table: str, value: Any) -> Any:
    """The id of the record of this name. Of namesakes only the active count; an address tells them apart."""
    (key,) = call.server.schema.tables[table].key
    matches = ":wanted IN (name, email)" if table == "user" else "name = :wanted"
    found = call.rows(
        f'SELECT "{key}" AS id, active FROM "{_NAMES.get(table, table)}" '  # noqa: S608
        f"WHERE {matches} AND org_id = :caller_org_id",
        wanted=value,
    )
    found = [row for row in found if row["active"]] or found
    if not found:
        call.refuse(f"{argument.name} '{value}' not found", "INVALID_REFERENCE")
    if len(found) > 1:
        ids = ", ".join(str(row["id"]) for row in found)
        call.refuse(
            f"{argument.name} '{value}' is the name of several (ids {ids}): give the e-mail address instead",
            "AMBIGUOUS_NAME",
        )
    return found[0]["id"]


def _differing(call: Call, row_id: Any) -> list[str]:
    """The arguments whose value is not the record's already."""
    table, key = _table(call)
    given = [a for a in call.tool.arguments if a.name in call.arguments]
    tests = ", ".join(f'"{a.target}" IS NOT :{a.name} AS "{a.name}"' for a in given)
    row = call.row(f'SELECT {tests} FROM "{table}" WHERE "{key}" = :row_id', row_id=row_id)  # noqa: S608
    return [name for name, differs in (row or {}).items() if differs]


def _table(call: Call) -> tuple[str, str]:
    """The tool's table and its key."""
    assert call.tool.table is not None
    (key,) = call.tool.table.key
    return call.tool.table.name, key


def _with(call: Call, arguments: Mapping[str, Any]) -> Call:
    return replace(call, arguments=arguments)
