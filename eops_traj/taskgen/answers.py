"""What the answer of a feasible task has to say: what the request asks for, and what the policy demands.

A value that does not depend on the work is stated as it is. One that the work brings about (the number of a
new case) is read from the final state, by a query for the row that has it: another order of the same work
gives other numbers. Of every new or changed row of a table in `ServerRules.named` the answer has to say one
column.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.engine.schema import Table
from eops_traj.hashing import canonical_json
from eops_traj.plan import Ref, Unresolved, decode, resolve
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Json, Verifier, json_of
from eops_traj.taskgen.errors import ScenarioError
from eops_traj.taskgen.gold_answer import field_name
from eops_traj.taskgen.gold_evidence import Evidence
from eops_traj.taskgen.gold_run import GoldRun
from eops_traj.taskgen.row_conditions import (
    key_conditions,
    quote_name,
    row_conditions,
    sql_literal,
    where_clause,
)
from eops_traj.taskgen.scene import AskedFact
from eops_traj.taskgen.server_rules import rules_of
from eops_traj.tool_effects import is_write
from eops_traj.verify.value_forms import Text

Requirement = dict[str, Any]


def derive_answer_verifier(
    asked: Sequence[AskedFact], gold: GoldRun, other: GoldRun, evidence: Mapping[str, Evidence]
) -> Verifier:
    """Derive the verifier of the answer from the gold run and the same run at another time, in other words.

    Raises ScenarioError for an asked value that depends on the clock or on ids and that no changed row has.
    """
    requirements = [_asked(fact, gold, other, evidence) for fact in asked]
    for name, changes in evidence.items():
        requirements += [r for r in _named(name, changes, gold) if r not in requirements]
    config = {"requirements": requirements, "today": clock.START.date().isoformat()}
    told = "; ".join(requirement["what"] for requirement in requirements)
    return Verifier(
        name="answer", kind="answer", config=Json(canonical_json(config)), category="task_completion",
        description=f"The answer reports the work as done{' and tells ' * bool(told)}{told}.",
    )  # fmt: skip


# What the request asks


def _asked(fact: AskedFact, gold: GoldRun, other: GoldRun, evidence: Mapping[str, Evidence]) -> Requirement:
    """Build the requirement of one asked fact: its values, or the query for a value that the work makes."""
    here, there = _values(fact, gold), _values(fact, other)
    for value in fact.values:
        if isinstance(value, Ref) and _is_made(value, gold):
            found = _row_with(value, resolve(value, _results(gold)), evidence, gold.session)
            if found:
                return {"what": fact.what, **found}
    if here != there:
        raise ScenarioError(f"{fact.what}: {here} depends on the clock or on ids, and no changed row has it")
    return {"what": fact.what, "values": here}


def _values(fact: AskedFact, gold: GoldRun) -> list[Any]:
    try:
        values = resolve(list(fact.values), _results(gold))
    except Unresolved as error:
        raise ScenarioError(f"{fact.what}: {error}") from error
    if not values or any(isinstance(value, dict | list) or value in (None, "") for value in values):
        raise ScenarioError(f"{fact.what}: {values} are no single values that an answer could say")
    return list(values)


def _results(gold: GoldRun) -> dict[int, Any]:
    return {call.number: decode(reply.text) for call, reply in gold.calls if not reply.is_error}


def _is_made(ref: Ref, gold: GoldRun) -> bool:
    """Check whether a value was read when something had been written: the work may have made it."""
    writes = [call.number for call, _ in gold.calls if is_write(call.tool)]
    return bool(writes) and max(ref.steps, default=0) >= writes[0]


def _row_with(
    ref: Ref, value: Any, evidence: Mapping[str, Evidence], session: EmbeddedSession
) -> Requirement | None:
    """Query the changed row that has the value: new rows first, and columns named like the field."""
    field = next((part for part in reversed(ref.path) if isinstance(part, str)), "")
    places = [
        (change.operation != "insert", _letters(column) != _letters(field), number, server, change, column)
        for number, (server, changes) in enumerate(evidence.items())
        for change in changes.changes
        for column, cell in (change.after or {}).items()
        if cell is not None and str(cell) == str(value)
    ]
    if not places:
        return None
    *_, server, change, column = min(places, key=lambda place: place[:3])
    return _query(server, change, [column], evidence[server], session)


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


# What the policy demands


def _named(server: str, evidence: Evidence, gold: GoldRun) -> Iterator[Requirement]:
    """Yield a requirement for every new or changed row of a table whose rows an answer has to name.

    A row that the server made by itself, and that the call which brought it about does not show, is spared.
    """
    named = rules_of(server).named
    for change in evidence.changes:
        for entry in named.get(change.table, ()) if change.operation != "delete" else ():
            columns, kind = entry.split("|"), {"insert": "new", "update": "changed"}[change.operation]
            what = f"the {field_name(columns[0])} of the {kind} {change.table.replace('_', ' ')}"
            if _is_shown(server, change, columns, evidence, gold):
                yield {"what": what, **_query(server, change, columns, evidence, gold.session)}


def _is_shown(
    server: str, change: RowChange, columns: Sequence[str], evidence: Evidence, gold: GoldRun
) -> bool:
    """Check whether the calls that changed a row show one of these columns, in arguments or reply."""
    table = evidence.table(change)
    key = dict(zip(table.key, change.key, strict=True))
    calls = [
        f"{json_of(call.arguments)} {reply.text}"
        for call, reply in gold.calls
        if any((c.table, json.loads(c.key)) == (change.table, key) for c in reply.changes)
    ]
    values = gold.session.run_sql(server, _select(columns, table, key_conditions(change, table))).rows
    return any(map(Text("\n".join(calls)).says, values[0]))


def _query(
    server: str, change: RowChange, columns: Sequence[str], evidence: Evidence, session: EmbeddedSession
) -> Requirement:
    """Query columns of a changed row by its content, without rows of the seed that have the same content."""
    table = evidence.table(change)
    where = (
        row_conditions(change, evidence) if change.operation == "insert" else key_conditions(change, table)
    )
    if change.operation == "insert":
        where += _not_seeded(server, change, where, evidence, session)
    return {"server": registry.server(server).gym_name, "query": _select(columns, table, where)}


def _select(columns: Iterable[str], table: Table, where: Iterable[str]) -> str:
    """Query columns of a table, or what a server's rules make of them in SQL."""
    asked = ", ".join(quote_name(column) if column in table.columns else column for column in columns)
    return f"SELECT {asked} FROM {quote_name(table.name)}{where_clause(where)}"


def _not_seeded(
    server: str, change: RowChange, where: Sequence[str], evidence: Evidence, session: EmbeddedSession
) -> list[str]:
    table = evidence.table(change)
    new = {c.key for c in evidence.changes if c.table == table.name and c.operation == "insert"}
    seeded = [row for row in session.run_sql(server, _select(table.key, table, where)).rows if row not in new]
    if not seeded:
        return []
    rows = ", ".join(f"({', '.join(map(sql_literal, row))})" for row in seeded)
    return [f"({', '.join(map(quote_name, table.key))}) NOT IN (VALUES {rows})"]
