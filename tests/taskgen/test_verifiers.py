"""The queries of a task count what was asked for, name it, and see whatever else came, went or changed."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import apsw
import pytest

from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Verifier
from eops_traj.taskgen.gold_evidence import Evidence
from eops_traj.taskgen.row_conditions import quote_name
from eops_traj.taskgen.scene import Rule
from eops_traj.taskgen.server_rules.rules import ServerRules
from eops_traj.taskgen.verifiers import (
    _reference_verifiers,
    _rule_verifier,
    _unique,
    derive_infeasible_verifiers,
    goal_verifiers,
    side_effect_verifiers,
)
from tests.collect.case_tasks import task

NOTICE = "INSERT INTO notification VALUES ({}, 5, {}, '{}', 'alert', 'success', '2026-01-05 09:00:00')"


@pytest.fixture
def session() -> Iterator[EmbeddedSession]:
    opened = open_task(task())
    yield opened
    opened.close()


def wrote(session: EmbeddedSession, *statements: str) -> tuple[RowChange, ...]:
    """Write into the service desk; return all rows that were changed until now, by their ids."""
    database = session.database("csm")
    for statement in statements:
        database.record(partial(database.connection.execute, statement))
    return tuple(sorted(database.changes(), key=lambda change: change.key))


def evidence(changes: Iterable[RowChange], *passed: Any, **rules: Any) -> Evidence:
    """Return what a run shows that made these changes with these arguments, at any time."""
    made, schema = tuple(changes), registry.server("csm").schema
    return Evidence(schema, made, made, ({"values": list(passed)},), rules=ServerRules(**rules))


def told(verifier: Verifier) -> tuple[str, str | None, Any]:
    return verifier.name, verifier.description, json.loads(verifier.config)["expected_value"]


def passes(session: EmbeddedSession, verifier: Verifier) -> bool:
    config = json.loads(verifier.config)
    return bool(session.run_sql("csm", config["query"]).rows[0][0] == config["expected_value"])


def test_rows_that_are_alike_are_counted_together_with_those_of_the_seed(session: EmbeddedSession) -> None:
    wrote(session, NOTICE.format(901, "NULL", "a@x.example"))  # as if the seed had it
    new = [(902, "a"), (903, "a"), (904, "b")]
    _, *changes = wrote(session, *(NOTICE.format(n, "NULL", f"{name}@x.example") for n, name in new))
    first, second = goal_verifiers("csm", evidence(changes, "a@x.example", "b@x.example"), session)
    as_asked = "with its case id, email, type, status as asked."
    assert told(first) == ("notification_created", f"2 new notification records {as_asked}", 3)
    assert told(second) == ("notification_created", f"1 new notification record {as_asked}", 1)
    assert (first.kind, first.category, first.server) == (
        "database_state", "task_completion", "sn-csm-server",
    )  # fmt: skip
    wrote(session, "DELETE FROM notification WHERE notification_id = 903")
    assert not passes(session, first) and passes(session, second)


def test_a_changed_row_is_the_one_of_its_key_and_a_removed_one_is_gone(session: EmbeddedSession) -> None:
    changes = wrote(
        session, "UPDATE customer_case SET priority = 'low', escalation = 1 - escalation WHERE case_id = 5",
        "DELETE FROM notification WHERE notification_id = 1",
    )  # fmt: skip
    gone, case = goal_verifiers("csm", evidence(changes, "low"), session)
    as_asked = "The customer case record is as asked: case id, priority, escalation."
    assert told(case) == ("customer_case_updated", as_asked, 1)
    assert told(gone) == ("notification_removed", "The notification record is gone.", 0)
    wrote(session, "UPDATE customer_case SET priority = 'high' WHERE case_id = 5")
    assert not passes(session, case) and passes(session, gone)


def test_of_a_row_in_which_all_is_free_it_is_asked_that_one_thing_changed(session: EmbeddedSession) -> None:
    [change] = wrote(
        session, "UPDATE notification SET email = 'x@x.example', type = 'other' WHERE notification_id = 1"
    )
    free = {"notification": {"email": "any", "type": "any"}}
    [verifier] = goal_verifiers("csm", evidence([change], own=free), session)
    assert passes(session, verifier) and change.before is not None
    wrote(session, f"UPDATE notification SET type = '{change.before['type']}' WHERE notification_id = 1")
    assert passes(session, verifier)
    wrote(session, f"UPDATE notification SET email = '{change.before['email']}' WHERE notification_id = 1")
    assert not passes(session, verifier)
    typed = {"notification": {"type": "any"}}
    [decided] = goal_verifiers("csm", evidence([change], "x@x.example", own=typed), session)
    assert "IS NOT" in verifier.config and "IS NOT" not in decided.config


def test_what_a_server_keeps_by_itself_is_no_goal(session: EmbeddedSession) -> None:
    changes = wrote(session, NOTICE.format(901, 1, "a@x.example"))
    kept = evidence(changes, bookkeeping={"notification": "it is a log"})
    assert goal_verifiers("csm", kept, session) == []
    [total] = side_effect_verifiers("csm", session, kept, ["notification"])
    wrote(session, NOTICE.format(902, 1, "a@x.example"))
    assert total.name == "no_other_rows" and passes(session, total)


def test_what_a_new_row_refers_to_has_to_be_there(session: EmbeddedSession) -> None:
    session.database("csm").connection.pragma("foreign_keys", False)
    for number, article, table, target in ((901, "1", "knowledge", 1), (902, "NULL", "customer_case", 5)):
        *_, change = wrote(session, NOTICE.format(number, article, f"{number}@x.example"))
        [verifier] = _reference_verifiers("csm", evidence([change], f"{number}@x.example"))
        told_of = "Nothing that the new notification record refers to is missing."
        assert told(verifier) == ("notification_references", told_of, 0)
        assert ("knowledge_id NOT IN" in verifier.config) == (article == "1")
        assert passes(session, verifier) and verifier.category == "integrity"
        wrote(session, f"DELETE FROM {table} WHERE {table.replace('customer_', '')}_id = {target}")
        assert not passes(session, verifier)


def test_rows_that_refer_to_nothing_or_are_not_new_have_no_such_query(session: EmbeddedSession) -> None:
    place = "INSERT INTO location VALUES (99901, 'Hall', NULL, NULL, 'london', 'uk', 1, '2026', '2026')"
    changes = wrote(session, place, "UPDATE notification SET status = 'failed' WHERE notification_id = 1")
    assert _reference_verifiers("csm", evidence(changes, "Hall")) == []
    [*both] = wrote(session, NOTICE.format(902, 1, "a@x.example"))
    member = "INSERT INTO user_group_member VALUES (99901, 1, 1, '2026-01-05 09:00:00')"
    assert len(_reference_verifiers("csm", evidence([*both, *wrote(session, member)]))) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE notification SET email = email || 'x' WHERE notification_id = 3",
        "UPDATE notification SET email = 'z' || substr(email, 2) WHERE notification_id = 3",
        "UPDATE notification SET email = substr(email, 1, length(email)-1) || 'z' WHERE notification_id = 3",
        "UPDATE notification SET case_id = case_id + 1 WHERE notification_id = 3",
        "UPDATE notification SET knowledge_id = 1 WHERE notification_id = 3",
        "DELETE FROM notification WHERE notification_id = 3",
        NOTICE.format(999, 1, "c@x.example"),
    ],
)
def test_any_other_change_of_a_table_that_was_touched_is_seen(
    session: EmbeddedSession, statement: str
) -> None:
    changes = wrote(
        session, NOTICE.format(901, "NULL", "a@x.example"),
        "UPDATE notification SET type = 'other' WHERE notification_id = 1",
        "DELETE FROM notification WHERE notification_id = 2",
    )  # fmt: skip
    _, others = side_effect_verifiers("csm", session, evidence(changes, "a@x.example"), ["notification"] * 2)
    text = "The other notification records are as they were."
    assert (others.name, others.description, others.category) == (
        "other_notification_unchanged",
        text,
        "integrity",
    )
    wrote(session, "UPDATE notification SET email = 'b@x.example' WHERE notification_id = 1")
    assert passes(session, others)
    wrote(session, statement)
    assert not passes(session, others)


def test_no_other_row_comes_or_goes_in_any_table_and_three_tables_are_summed_up(
    session: EmbeddedSession,
) -> None:
    tables = ["notification", "location", "user", "interaction"]
    total, *sums = side_effect_verifiers("csm", session, evidence(()), tables)
    assert told(total)[:2] == ("no_other_rows", "No row beyond those asked for was added or removed.")
    assert [one.name for one in sums] == [f"other_{name}_unchanged" for name in tables[:3]]
    wrote(session, "DELETE FROM notification WHERE notification_id = 3")
    assert [passes(session, one) for one in (total, *sums)] == [False, False, True, True]


def test_columns_that_a_tool_fills_by_itself_are_in_no_sum(session: EmbeddedSession) -> None:
    own = {"notification": {"status": "the server tells"}}
    _, others = side_effect_verifiers("csm", session, evidence((), own=own), ["notification"])
    wrote(session, "UPDATE notification SET status = 'failed' WHERE notification_id = 1")
    assert passes(session, others)


def test_a_task_to_decline_asks_that_all_is_as_it_was(session: EmbeddedSession) -> None:
    changes = wrote(session, "UPDATE user SET active = 0 WHERE user_id = 3")
    with open_task(task()) as untouched:
        made = derive_infeasible_verifiers(untouched, {"csm": changes})
        kinds = [(one.name, one.kind) for one in made]
        assert kinds == [
            ("no_other_rows", "database_state"), ("other_user_unchanged", "database_state"),
            ("only_these_rows", "row_changes"), ("declines", "declines"),
        ]  # fmt: skip
        assert [passes(untouched, one) for one in made[:2]] == [True, True]
    assert [passes(session, one) for one in made[:2]] == [True, False]
    assert made[3].category == "permission_and_process" and made[2].category == "integrity"


def test_names_are_numbered_from_the_second_on(session: EmbeddedSession) -> None:
    rule = Rule("One two, three: four five six seven eight nine", "csm", "SELECT 1", 1, "integrity")
    one, other = _rule_verifier(rule), _rule_verifier(replace(rule, name="Another"))
    assert told(one) == ("one_two_three_four_five_six_seven_eight", f"{rule.name}.", 1)
    assert [v.name for v in _unique([one, other, one, one])] == [
        one.name,
        "another",
        f"{one.name}_2",
        f"{one.name}_3",
    ]


ODD = ("Limit", "first name", 'a"b', "2nd", "größe")


@pytest.mark.parametrize("name", [*sorted(map(str.lower, apsw.keywords)), *ODD])
def test_a_table_and_a_column_may_have_any_name(name: str) -> None:
    """A column of the name of a keyword is to be read, and not what the keyword stands for."""
    connection, quoted = apsw.Connection(":memory:"), quote_name(name)
    in_full = '"' + name.replace('"', '""') + '"'
    connection.execute(f"CREATE TABLE {in_full} ({in_full} TEXT); INSERT INTO {in_full} VALUES ('a'), ('b')")
    conditions = f"{quoted} = 'a' AND LENGTH(TRIM({quoted})) > 0 AND ({quoted}) NOT IN (VALUES ('b'))"
    assert connection.execute(f"SELECT {quoted} FROM {quoted} WHERE {conditions}").get == "a"


def test_of_our_names_only_those_are_quoted_that_have_to_be() -> None:
    """The text of a verifier is what its task's digest is of."""
    tables = [table for name in registry.OURS for table in registry.server(name).schema.tables.values()]
    names = {table.name for table in tables} | {column for table in tables for column in table.columns}
    quoted = {name for name in names if quote_name(name) != name}
    assert quoted == {"constraint", "key", "user"}
