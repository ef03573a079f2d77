import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import apsw
import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.database import Database, QueryError
from eops_traj.gym.engine.foreign_sql import MAX_VALUE_BYTES, QUERY, SEED, bounded

LONG = f"printf('%.*c', {MAX_VALUE_BYTES - 9}, 'a')"
ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) "
ROWS = f"{ENDLESS} INSERT INTO location SELECT i, 'A', 0, 0, 'london', 'uk', 1, '', '' FROM n"
NEVER = f"{ROWS} WHERE i < 0"  # it ends for no reason of its own: neither time nor memory


@pytest.mark.parametrize("bounds", [QUERY, SEED])
def test_a_connection_is_as_before_after_foreign_sql(database, bounds):
    limits = [getattr(apsw, name) for name in dir(apsw) if name.startswith("SQLITE_LIMIT_")]
    before, heap = [database.connection.limit(limit) for limit in limits], apsw.hard_heap_limit(-1)
    with pytest.raises(apsw.AuthError), bounded(database.connection, bounds, 1):
        database.connection.execute("PRAGMA user_version = 3")
    assert [database.connection.limit(limit) for limit in limits] == before
    assert apsw.hard_heap_limit(-1) == heap
    database.connection.execute("PRAGMA user_version = 3")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT json_patch('{}', '{}')", "function json_patch is not allowed"),
        ("SELECT geopoly_area('x')", "function geopoly_area is not allowed"),
        (f"SELECT {' OR '.join(['name LIKE 1'] * 40)} FROM location", "too many functions"),
        (f"SELECT {' + '.join(['y'] * 40)} FROM (SELECT instr(name, 1) y FROM location)", "too many"),
        (f"SELECT {LONG} || 'aaaaaaaaaa'", "too big"),
        (f"SELECT 1 IN ({'x,' * 9_000} 1) FROM (SELECT name || 1 AS x FROM location)", "too large"),
        (f"SELECT trim('x', {LONG})", "at most 100 characters"),
        ("SELECT 1; SELECT 2", "one statement"),
        (f"{ENDLESS} SELECT json_group_array({LONG}) FROM n", "over 64 MB of memory"),
    ],
)  # fmt: skip
def test_a_query_over_its_bounds_says_which(database, query, said):
    for run in (database.run_sql, database.check_query)[: 1 if "WITH" in query or LONG in query else 2]:
        with pytest.raises(QueryError, match=said):
            run(query)
    assert database.run_sql("SELECT 1").rows == ((1,),)


def test_what_tasks_really_ask_is_within_the_bounds(database):
    conditions = " OR ".join(f"lower(name) LIKE '%{'x' * 190}{number}%'" for number in range(30))
    assert database.run_sql(f"SELECT count(*) FROM location WHERE {conditions}").rows == ((0,),)
    assert database.run_sql("SELECT trim('xxaxx', 'x'), unhex('61 62', ' '), trim(12, 1)").rows == (
        ("a", b"ab", "2"),
    )


def test_a_seed_may_write_many_rows_and_look_some_up(csm):
    row = "({}, 'select', 0, (SELECT count(*) FROM user), 'london', 'uk', 1, datetime('now'), 'like')"
    for count, rows in ((4_000, row.replace("(SELECT count(*) FROM user)", "0")), (400, row)):
        text = f"INSERT INTO location VALUES {', '.join(rows.format(number) for number in range(count))}"
        database = templates.from_sql(csm.schema, text).open()
        assert database.run_sql("SELECT count(*) FROM location").rows == ((count,),)


def test_a_patch_ends_in_time_and_keeps_its_size(csm, monkeypatch):
    monkeypatch.setattr(templates, "PATCH_SECONDS", 0.2)
    with pytest.raises(FormatError, match="seed patch statement 2, line 2: seed ran longer"):
        templates.patched(csm.template(), f"DELETE FROM location;\n{ROWS};")
    with pytest.raises(FormatError, match="seed patch: a transaction is left open"):
        templates.patched(csm.template(), "BEGIN")


def test_a_seed_is_stopped_from_another_thread(csm):
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    start = time.monotonic()
    with pytest.raises(FormatError, match="seed was interrupted"):
        templates.from_sql(csm.schema, NEVER, 60, stop=stop)
    assert time.monotonic() - start < 50  # and not the sixty seconds that it may take


def test_a_sort_writes_no_file(database, tmp_path, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    opened = {entry.name for entry in tmp_path.iterdir()}
    query = f"{ENDLESS} SELECT hex(randomblob(1000)) AS x FROM n ORDER BY x"
    with pytest.raises(QueryError, match="memory"):
        database.run_sql(query, None)
    assert {entry.name for entry in tmp_path.iterdir()} == opened


def test_queries_in_many_threads_keep_their_own_bounds(csm):
    def count(number: int) -> tuple[tuple[int, ...], ...]:
        database: Database = csm.template().open()  # never closed: what it takes is not the others' doing
        return database.run_sql(
            f"SELECT count(*) * 0 + {number} FROM customer_case WHERE state LIKE '%'"
        ).rows

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, range(300))) == [((number,),) for number in range(300)]
    assert apsw.hard_heap_limit(-1) == 0


@pytest.mark.parametrize(
    "statement",
    [
        f"database.run_sql({f'{ENDLESS} SELECT count(instr({LONG} || i, {LONG})) FROM n'!r}, seconds=60)",
        f"templates.from_sql(csm.schema, {NEVER!r}, 60)",
    ],
)
def test_a_signal_ends_foreign_sql_at_once(statement):
    program = (
        "from eops_traj.gym import registry; from eops_traj.gym.engine import templates\n"
        "csm = registry.server('csm'); database = csm.template().open()\n"
        f"print('ready', flush=True); {statement}"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT and time.monotonic() - start < 50
