import gc
import time
import weakref
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.gym.engine import clock, foreign_sql
from eops_traj.gym.engine.current_call import seeded_ids
from eops_traj.gym.engine.database import _MAX_CHANGESETS, Database, QueryError
from eops_traj.gym.registry import server

TITLE = "UPDATE user_group SET name = ?, active = 0 WHERE group_id = 1"


def rename(database: Database, name: str) -> None:
    database.connection.execute(TITLE, (name,))


def test_a_copy_is_of_its_own(csm):
    one, two = csm.template().open(), csm.template().open()
    one.record(lambda: rename(one, "Second Line"))
    assert two.run_sql("SELECT name FROM user_group WHERE group_id = 1").rows == (("Service Desk",),)


def test_one_that_is_dropped_is_freed_like_one_that_is_closed(csm):
    """SQLite holds its functions where Python's collector does not look."""
    template, gone = csm.template(), []
    for work in (
        lambda one: one.record(lambda: rename(one, "A")),
        lambda one: one.run_sql("SELECT new_hex(), date()"),
    ):
        opened = template.open()
        work(opened)
        gone.append(weakref.ref(opened.connection))
        del opened
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_record_names_the_row_and_only_the_columns_that_changed(database):
    _, (change,) = database.record(lambda: rename(database, "Second Line"))
    assert (change.table, change.key, change.operation) == ("user_group", (1,), "update")
    assert change.before == {"name": "Service Desk", "active": 1}
    assert change.after == {"name": "Second Line", "active": 0}


def test_a_write_that_raises_leaves_nothing(database):
    def fail() -> None:
        rename(database, "Second Line")
        raise RuntimeError

    before = database.image()
    with pytest.raises(RuntimeError):
        database.record(fail)
    assert database.image() == before and not database.changes()


def test_a_write_that_is_interrupted_is_there_and_recorded_or_neither(csm):
    def rename_until(database: Database, steps: int) -> None:
        """Have SQLite stop once, so many of its instructions after the write."""
        rename(database, "Second Line")
        left = iter([False] * steps + [True])
        database.connection.set_progress_handler(lambda: next(left, False), 1)

    outcomes = set()
    for steps in range(0, 200, 5):
        database = csm.template().open()
        with suppress(apsw.InterruptError):
            database.record(partial(rename_until, database, steps))
        database.connection.set_progress_handler(None)
        ((name,),) = database.run_sql("SELECT name FROM user_group WHERE group_id = 1").rows
        assert bool(database.changes()) == (name == "Second Line"), f"interrupted after {steps} instructions"
        outcomes.add(name)
    assert outcomes == {"Service Desk", "Second Line"}


def test_the_changeset_applied_to_the_seed_gives_the_final_database(csm, database):
    for name in ("A", "B"):
        database.record(lambda name=name: rename(database, name))
    database.record(lambda: database.connection.execute("DELETE FROM user_group_member WHERE member_id = 1"))
    again = csm.template().open()
    apsw.Changeset.apply(database.changeset(), again.connection)
    dump = "SELECT * FROM user_group, (SELECT count(*) FROM user_group_member)"
    assert again.run_sql(dump).rows == database.run_sql(dump).rows
    assert [c.operation for c in database.changes()] == ["update", "delete"]


def test_a_fork_goes_its_own_way(database):
    database.record(lambda: rename(database, "A"))
    fork = database.fork()
    fork.record(lambda: rename(fork, "B"))
    assert database.run_sql("SELECT name FROM user_group WHERE group_id = 1").rows == (("A",),)
    assert fork.changes()[0].after == {"name": "B", "active": 0}


def test_foreign_keys_hold_for_writes(database):
    with pytest.raises(apsw.ConstraintError):
        database.record(lambda: database.connection.execute("DELETE FROM account"))


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM user",
        "PRAGMA table_info(user)",
        "ATTACH ':memory:' AS other",
        "SELECT load_extension('x')",
        "SELECT * FROM pragma_table_info('user')",
        "WITH a AS (SELECT 1) DELETE FROM user",
        "SELECT 1; SELECT 2",
        "SELECT * FROM nowhere",
        "SELECT hex(zeroblob(100000000))",
        "",
    ],
)
def test_run_sql_does_nothing_but_read(database, query):
    before = database.image()
    with pytest.raises(QueryError):
        database.run_sql(query)
    assert database.image() == before


def test_run_sql_ends_in_time(database):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(QueryError, match="longer than"):
        database.run_sql(endless, seconds=0.05)
    assert database.run_sql("SELECT 1").rows == ((1,),)


def test_run_sql_waits_for_what_the_machine_does_besides_and_not_for_ever(database, monkeypatch):
    machine: Any = SimpleNamespace(now=0.0, monotonic=lambda: machine.now, thread_time=time.thread_time)
    monkeypatch.setattr(foreign_sql, "time", machine)

    def nap(seconds):
        machine.now += seconds
        return 1

    database.connection.create_scalar_function("nap", nap)
    query = (
        "WITH RECURSIVE n(i) AS(SELECT nap({}) UNION ALL SELECT i+1 FROM n LIMIT 3000) SELECT max(i) FROM n"
    )
    assert database.run_sql(query.format(1.9), seconds=0.2).rows == ((3000,),)
    with pytest.raises(QueryError, match=r"query ran longer than 0\.2 s"):
        database.run_sql(query.format(2.1), seconds=0.2)


def test_run_sql_keeps_the_habits_of_real_verifiers(database):
    query = """SELECT COUNT(*) AS n FROM "user" u WHERE ROLE = "agent" -- a note
        AND EXISTS (SELECT 1 FROM json_each('[6]') WHERE value = u.user_id);"""
    assert database.run_sql(query).payload()["data"] == [{"n": 1}]


@pytest.mark.parametrize(
    ("query", "ran"), [("SELECT 1;", "SELECT 1 LIMIT 100"), ("SELECT 1 limit 5", "SELECT 1 limit 5")]
)
def test_run_sql_limits_what_has_no_limit(database, query, ran):
    assert database.run_sql(query).query == ran


def test_the_time_is_the_clocks_everywhere(csm):
    database = csm.template().open(clock.steady(datetime(2030, 1, 1, tzinfo=UTC)))
    query = "SELECT datetime('now', '-1 day'), date(), strftime('%Y'), CURRENT_TIMESTAMP, date('2001-02-03')"
    expected = ("2029-12-31 00:00:00", "2030-01-01", "2030", "2030-01-01 00:00:00", "2001-02-03")
    assert database.run_sql(query).rows == (expected,)


def test_ids_depend_on_the_call_alone(csm):
    one = csm.template().open(ids=seeded_ids(3))
    one.begin()
    fork = one.fork()
    query = "SELECT new_uuid(), new_hex()"
    assert one.run_sql(query).rows == fork.run_sql(query).rows
    one.begin()
    assert one.run_sql(query).rows != fork.run_sql(query).rows


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(1001, 1008)), max_size=12)
)
def test_any_writes_are_in_the_changeset(steps):
    database = server("csm").template().open()
    sql = {
        "insert": "INSERT OR IGNORE INTO product VALUES (?, 'x', 'service', 1, 'active', '', '')",
        "update": "UPDATE product SET product_price = product_price + 1 WHERE product_id = ?",
        "delete": "DELETE FROM product WHERE product_id > 1001 AND product_id = ?",
    }
    for step, key in steps:
        database.record(lambda step=step, key=key: database.connection.execute(sql[step], (key,)))
    again = server("csm").template().open()
    apsw.Changeset.apply(database.changeset(), again.connection)
    query = "SELECT * FROM product WHERE product_id > 1000"
    assert again.run_sql(query).rows == database.run_sql(query).rows


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT CAST(x'ff' AS TEXT)", "can't decode"),
        ("SELECT '\ud800'", "can't encode"),
        ("SELECT 1 \0", "null character"),
        (f"SELECT {', '.join(['zeroblob(100000)'] * 10)} FROM customer_case", "larger than 64 MB"),
        (f'SELECT case_id AS "{"a" * 90_000}" FROM customer_case, location LIMIT 1000', "larger than 64 MB"),
        ("SELECT printf('%.*c', 99999, char(1)) FROM customer_case, location LIMIT 200", "larger than 64 MB"),
    ],
)
def test_what_cannot_be_answered_is_a_query_error(database, query, said):
    with pytest.raises(QueryError, match=said):
        database.run_sql(query)
    assert database.run_sql("SELECT 1").rows == ((1,),)


def test_a_long_session_keeps_one_changeset(database):
    for number in range(_MAX_CHANGESETS + 10):
        database.record(lambda number=number: rename(database, f"Name {number}"))
    assert len(database._changesets) < 20
    [change] = database.changes()
    assert change.before["name"] == "Service Desk" and change.after["name"] == f"Name {number}"


def test_a_database_cannot_outgrow_its_bound(database, monkeypatch):
    assert database.size() == len(database.image())
    database.connection.pragma("max_page_count", database.size() // 4096 + 10)
    with pytest.raises(apsw.Error):
        database.record(lambda: rename(database, "A" * 10**6))
    assert database.run_sql("SELECT name FROM user_group WHERE group_id = 1").rows == (("Service Desk",),)
