"""Errors in what is written: left out, with another value, of another record, twice, refused, too early."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from benchmarks.injections.made import Made, nothing
from eops_traj.plan import Call
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import Change
from eops_traj.taskgen.attacks.arena import Arena, refused
from eops_traj.taskgen.attacks.attempt import Attempt, Doing, Perform, in_pieces, with_arguments
from eops_traj.taskgen.attacks.plausible import new_values, other_values
from eops_traj.taskgen.attacks.wrong_work import is_prose
from eops_traj.tool_effects import is_write, says_error

_REFERENCE = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|_(?:by|to)$")


def skipped(arena: Arena) -> Iterator[Made]:
    """Leave out the last write, which no later step needs."""
    for call in arena.writes[-1:]:
        yield Made("missing_write", f"without {call.tool}", arena.play(in_pieces(call.number, nothing)))


def changed(arena: Arena) -> Iterator[Made]:
    """Change one value of a write: of an argument that names a record, the record."""
    for call in arena.writes:
        for name, value in call.arguments.items():
            schema = arena.properties(call.tool).get(name, {})
            if not is_prose(value, arena.told(call.number)):
                for other in islice(other_values(name, value, schema, arena.databases), 1):
                    cause = _changed_cause(arena, call, name, value)
                    yield from _played(arena, cause, call, {**call.arguments, name: other})


def _changed_cause(arena: Arena, call: Call, name: str, value: object) -> str:
    """Return the causes that a changed argument may be.

    A removal leaves no row in which a value could be wrong: another one is removed, or none. A switch decides
    in some tools which rows change, such as the one default of several, so that a row is missing then.
    """
    if "delete" in {change.operation for change in changes_of(arena, call)}:
        return "wrong_record missing_write"
    if _names_record(arena, call, name) or "@" in str(value):
        return "wrong_record"
    return _value(value) if isinstance(value, bool) else "wrong_value"


def _names_record(arena: Arena, call: Call, name: str) -> bool:
    """Check whether an argument names a record: by its name, or as a column that refers to another table.

    Of the tables in which the call changed rows, else of all that its server has.
    """
    places = {(change.server, change.table) for change in changes_of(arena, call)}
    for database, server in zip(arena.databases, arena.servers, strict=True):
        for table in database.schema.tables.values():
            counts = name in table.columns and ((server, table.name) in places or not places)
            if counts and table.columns[name].references:
                return True
    return _REFERENCE.search(name) is not None


def changes_of(arena: Arena, call: Call) -> list[Change]:
    """Return the rows that a step of the gold run changed."""
    gold = arena.gold
    made = [done for (one, _), done in zip(gold.done, gold.calls, strict=True) if one.number == call.number]
    return [change for done in made for change in done.changes]


def _value(value: object) -> str:
    """Return the causes that another value may be.

    That of a list or an object is rows of their own; an object or an address may name a record.
    """
    many, names = isinstance(value, list | dict | bool), isinstance(value, dict) or "@" in str(value)
    return f"wrong_value{' missing_write extra_write' * many}{' wrong_record' * names}"


def left_out(arena: Arena) -> Iterator[Made]:
    """Leave out one argument that a tool does not require."""
    for call in arena.writes:
        required = arena.schema(call.tool).get("required", ())
        for name in call.arguments:
            if name not in required and not _names_record(arena, call, name):
                rest = {key: value for key, value in call.arguments.items() if key != name}
                yield from _played(arena, "wrong_value missing_write", call, rest)


def added(arena: Arena) -> Iterator[Made]:
    """Add an argument that nobody asked for."""
    for call in arena.writes:
        for name, schema in arena.properties(call.tool).items():
            if name not in call.arguments and not _names_record(arena, call, name):
                for value in islice(new_values(name, schema, arena.databases), 1):
                    yield from _played(arena, _value(value), call, {**call.arguments, name: value})


def doubled(arena: Arena) -> Iterator[Made]:
    """Make a record twice."""
    for call in arena.writes:

        def twice(call: Call, perform: Perform) -> ToolResult:
            first = perform(call.tool, call.arguments)
            perform(call.tool, call.arguments)
            return first

        made = arena.play(in_pieces(call.number, twice))
        again = [one for one in made.calls if one.name == call.tool][-1]
        if any(change.operation == "insert" for change in again.changes) and not refused(made):
            yield Made("extra_write missing_effect", f"{call.tool} twice", made)
        else:
            made.session.close()


def unrepaired(arena: Arena) -> Iterator[Made]:
    """Get the last write refused, and go on as if it had come through."""
    for call in arena.writes[-1:]:

        def wrongly(call: Call, perform: Perform) -> ToolResult:
            perform(call.tool, {name: {"value": value} for name, value in call.arguments.items()})
            return nothing(call, perform)

        made = arena.play(in_pieces(call.number, wrongly))
        if refused(made):
            yield Made("unrepaired_call", f"{call.tool} refused", made)
        else:
            made.session.close()


def hasty(arena: Arena) -> Iterator[Made]:
    """Make the first write before anything was looked up, with one value wrong.

    Where a later check sees what the write did, and the plan stops for it, that is part of the same error.
    """
    steps = [call for call, _ in arena.trial.gold[1].calls]
    first = arena.writes[:1] if steps and not is_write(steps[0].tool) else []
    for call in first:
        for name, value in call.arguments.items():
            schema = arena.properties(call.tool).get(name, {})
            for other in islice(other_values(name, value, schema, arena.databases), 1):
                made = arena.play(_first(steps[0].number, call, {**call.arguments, name: other}))
                if not made.calls[0].changes or says_error(made.calls[0].result or ""):
                    made.session.close()
                else:
                    yield Made(
                        _hasty_cause(arena, made, call, name), f"{call.tool} at once, {name}={other}", made
                    )


def _hasty_cause(arena: Arena, made: Attempt, call: Call, name: str) -> str:
    """Return the cause of an early write: with the right rows, what failed is an effect, not the haste."""
    same = arena.state(made) == arena.gold_state and made.ending.kind == arena.gold.ending.kind
    return "missing_effect" if same and name in arena.effects(call.tool) else "premature_step"


def _first(start: int, early: Call, arguments: dict[str, Any]) -> Doing:
    """Return a way of doing in which a later step is made before the first one."""
    kept: list[ToolResult] = []

    def doing(call: Call, perform: Perform) -> ToolResult:
        if call.number == start and not kept:
            kept.append(perform(early.tool, arguments))
        return kept[0] if call.number == early.number else perform(call.tool, call.arguments)

    return doing


def _played(arena: Arena, cause: str, call: Call, arguments: Mapping[str, Any]) -> Iterator[Made]:
    """Yield an attempt with these arguments, if none of its calls is refused."""
    made = arena.play(with_arguments(call.number, dict(arguments)))
    if refused(made):
        made.session.close()
        return
    outside = arena.effects(call.tool)
    changed = {n for n in {*arguments, *call.arguments} if arguments.get(n) != call.arguments.get(n)}
    same = arena.state(made) == arena.gold_state
    what = f"{call.tool} {dict(arguments)}"
    yield Made("missing_effect" if same and changed & set(outside) else cause, what, made)


WRITES = (skipped, changed, left_out, added, doubled, unrepaired, hasty)
