"""The schema takes what the real seeds hold, as far as it is known."""

import json

import pytest

from eops_traj.gym.engine import templates


@pytest.fixture(scope="module")
def real(shared):
    return json.loads((shared / "eog/schema/teams.json").read_text())


def _literal(value):
    if isinstance(value, str) and not value.startswith("datetime("):
        return "'" + value.replace("'", "''").replace(", ...", "") + "'"  # the samples are shortened
    return "NULL" if value is None else str(value)


def test_every_known_table_and_column_is_there(teams, real):
    for name, table in real.items():
        columns = {c.strip("[]") for c in table["columns"] + table.get("columns_beyond_seed", [])}
        assert columns <= teams.schema.tables[name].columns.keys(), name


def test_rows_of_the_real_seed_load(teams, real):
    inserts = [
        f"INSERT INTO {name} ({', '.join(table['columns'])}) VALUES ({', '.join(map(_literal, row))});"
        for name, table in real.items()
        for row in table["sample"]
    ]
    database = templates.from_sql(teams.schema, "\n".join(inserts)).open()
    assert len(inserts) > 10
    assert not teams.call(database, "list_users", {}, "bob.smith@techcorp.com").is_error


def test_no_check_refuses_a_value_that_a_real_seed_holds(teams, real):
    for name, table in real.items():
        for column, values in table["enums_seen"].items():
            known = teams.schema.tables[name].columns[column].enum
            assert not known or set(values) - {None} <= set(known), (name, column)


def test_live_share_is_a_word_and_not_a_boolean(teams):
    columns = "id, org_id, user_id, start_date_time"
    rows = "INSERT INTO online_meetings ({}) VALUES ({})"
    database = templates.from_sql(
        teams.schema,
        rows.format(columns, "'a', 'o', 'u', 't'")
        + ";"
        + rows.format(f"{columns}, allow_live_share", "'b', 'o', 'u', 't', 'disabled'"),
    ).open()
    assert database.run_sql("SELECT allow_live_share FROM online_meetings ORDER BY id").rows == (
        ("enabled",),
        ("disabled",),
    )
