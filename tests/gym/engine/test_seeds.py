"""Seeds that the schema is too strict for: what is loosened, for whom, and that nothing else is."""

import apsw
import pytest

from eops_traj.errors import FormatError
from eops_traj.gym.engine.database import Database
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.engine.seeds import load_seed
from eops_traj.gym.engine.templates import from_sql
from eops_traj.gym.registry import server
from eops_traj.sandbox.session import stored_changes

LOCATION = (
    "INSERT INTO location (location_id, name, city, country, active, sys_created_on, sys_updated_on) VALUES"
    " (1, 'A', 'london', 'uk', 1, '', '');"
)
NULL_NAME = LOCATION.replace("'A'", "NULL")
OTHER_CITY = LOCATION.replace("'london'", "'oslo'")
GROUPS = (
    "INSERT INTO user_group_member (member_id, group_id, user_id, sys_created_on) VALUES"
    " (1, 7, 8, ''), (2, 7, 8, ''), (3, 7, 9, '');"
)
MORE = LOCATION.replace("(location_id,", "(floor, location_id,").replace("(1,", "('3rd', 1,")
CITIES = ("new_york", "london", "mumbai", "tokyo", "sydney")
MAY_ONLY = "a seed may only insert, change and delete rows"
ALARM = "INSERT INTO alarm (alarm_id, level) VALUES (1, 'red'), (2, 'blue');"

TRIPS = """
CREATE TABLE person (
    name TEXT NOT NULL PRIMARY KEY  -- Name.
);
CREATE TABLE person_kind (
    kind TEXT NOT NULL PRIMARY KEY  -- Kind.
);
CREATE TABLE trip (
    trip_id INTEGER PRIMARY KEY,  -- Id.
    who TEXT REFERENCES person,  -- Who.
    kind TEXT REFERENCES person_kind  -- Kind.
);
"""


def said(csm, sql: str) -> list[str]:
    return [str(one) for one in load_seed(csm.schema, sql).schema.loosened]


def write(database: Database, sql: str) -> None:
    database.record(lambda: database.connection.execute(sql).fetchall())


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        (NULL_NAME, "location.name may be NULL: 1 row"),
        (OTHER_CITY, f"location may have others than city IN {CITIES}: 1 row"),
        (GROUPS, "user_group_member (group_id, user_id) may be there twice: 1 row"),
        (MORE, "location has the unknown floor: 1 row"),
        (LOCATION + ALARM, "the unknown table alarm (alarm_id, level): 2 rows"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_in_and_is_said(csm, sql, line):
    assert said(csm, sql) == [line]


def test_a_seed_that_fits_gives_the_bytes_that_it_always_gave(csm):
    template = load_seed(csm.schema, LOCATION)
    assert template.schema is csm.schema and template.image == from_sql(csm.schema, LOCATION).image


def test_other_rules_of_the_table_stay_and_other_databases_keep_all(csm):
    database = load_seed(csm.schema, NULL_NAME).open()
    write(database, "UPDATE location SET name = NULL, active = 0")
    with pytest.raises(apsw.ConstraintError, match="CHECK"):
        write(database, "UPDATE location SET city = 'oslo'")
    strict = load_seed(csm.schema, LOCATION).open()
    with pytest.raises(apsw.ConstraintError, match="NOT NULL"):
        write(strict, "UPDATE location SET name = NULL")


def test_a_value_of_no_enum_can_be_written_again(csm):
    database = load_seed(csm.schema, OTHER_CITY).open()
    write(database, "UPDATE location SET city = 'oslo', name = 'B'")
    assert database.run_sql("SELECT city, name FROM location").rows == (("oslo", "B"),)


def test_rows_of_one_key_are_changed_one_by_one_and_restored():
    teams = server("teams")
    row = "('o', 'u', 'p', '')"
    sql = f"INSERT INTO user_permissions (org_id, user_id, permission_id, granted_by) VALUES {row}, {row};"
    template = load_seed(teams.schema, sql)
    database = template.open()
    write(database, "UPDATE user_permissions SET granted_by = 'x' WHERE rowid = 2")
    (change,) = stored_changes(teams, database.changes())
    assert (change.key, change.before, change.after) == (
        '{"rowid":2}', '{"granted_by":""}', '{"granted_by":"x"}',
    )  # fmt: skip
    again = template.open()
    again.restore(database.changeset(), 1)
    assert again.run_sql("SELECT granted_by FROM user_permissions").rows == (("",), ("x",))
    write(database, "DELETE FROM user_permissions WHERE rowid = 1")
    assert {(c.key, c.operation) for c in database.changes()} == {((1,), "delete"), ((2,), "update")}


@pytest.mark.parametrize("reference", ["person (name)", "person", '"person" ON DELETE CASCADE'])
def test_rows_may_refer_to_a_key_that_is_given_twice(reference):
    schema = Schema.parse(TRIPS.replace("REFERENCES person,", f"REFERENCES {reference},"))
    database = load_seed(schema, "INSERT INTO person (name) VALUES ('A'), ('A');").open()
    write(database, "INSERT INTO trip (who) VALUES ('A')")
    assert [change.table for change in database.changes()] == ["trip"]
    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        write(database, "INSERT INTO trip (who, kind) VALUES ('A', 'fun')")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("CREATE TRIGGER t AFTER INSERT ON user BEGIN DELETE FROM user; END;", MAY_ONLY),
        ("ATTACH 'x.db' AS y;", MAY_ONLY),
        (f"{LOCATION} INSERT INTO alarm VALUES (1);", "statement 2, line 1: no such table: alarm"),
        (f"{LOCATION} {LOCATION}", "UNIQUE constraint failed: location.location_id"),
        ("-- MCP Server: gym-x\nINSERT INTO alarm (a) VALUES (1);", "another server .it says gym-x.: 1 of"),
        (f"{LOCATION} INSERT INTO location (nope!) VALUES (1);", "statement 2"),
        ("x" * (32 * 2**20 + 1), "larger than 33554432 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_seed_of_this_server_is_one_line(csm, sql, reason):
    with pytest.raises(FormatError, match=reason) as error:
        load_seed(csm.schema, sql)
    assert "\n" not in str(error.value)


def test_many_rules_are_loosened_at_once(csm):
    sql = NULL_NAME + GROUPS + ALARM + MORE.replace("1,", "2,", 1)
    assert {line.partition(":")[0].split(" ")[0] for line in said(csm, sql)} >= {"location.name", "the"}
    assert len(said(csm, sql)) == 4
