from datetime import datetime, timedelta
from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.engine import templates
from eops_traj.gym.registry import server
from eops_traj.gym.servers.itsm.seed import seed
from eops_traj.gym.servers.itsm.seed_assets import PRIORITIES


@pytest.fixture(params=[0, 1, 2, 3])
def database(request):
    return server("itsm").template(request.param).open()


def test_it_is_about_the_size_of_a_real_one_and_sound(database):
    tables = server("itsm").schema.tables
    counts = {t: database.connection.execute(f'SELECT count(*) FROM "{t}"').get for t in tables}
    assert all(counts.values()) and 850 <= sum(counts.values()) <= 1_050
    assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_the_same_number_gives_the_same_bytes(itsm):
    one, two = (templates.from_rows(itsm.schema, seed(Random(5))) for _ in range(2))
    assert one.image == two.image != itsm.template(6).image


def test_the_people_are_those_of_the_company():
    database, corvane = server("itsm").template(2).open(), company(Random(2))
    rows = database.run_sql("SELECT user_id, email, active FROM users WHERE org_id = 'ORG_001'").rows
    assert rows == tuple((f"USER_{p.number:03d}", p.email, int(p.active)) for p in corvane.people)
    groups = database.run_sql("SELECT name, email FROM user_group WHERE org_id = 'ORG_001'").rows
    assert groups == tuple((group.name, group.email) for group in corvane.groups)


def test_roles_are_permitted_what_the_real_ones_are(database):
    query = (
        "SELECT r.name, p.action, count(*) FROM role_permission JOIN role r USING (role_id)"
        " JOIN permission p USING (perm_id) GROUP BY 1, 2 ORDER BY 1, 2"
    )
    assert database.run_sql(query).rows == (
        ("admin", "crud", 18), ("agent", "crud", 6), ("agent", "read", 12), ("manager", "crud", 18),
        ("reporter", "read", 18),
    )  # fmt: skip


def test_look_ups_are_made_hard(database):
    def count(sql):
        return database.run_sql(f"SELECT count(*) FROM {sql}").rows[0][0]

    assert count("(SELECT 1 FROM users GROUP BY first_name, last_name HAVING count(*) > 1)") >= 4
    assert count("(SELECT 1 FROM sla_definition GROUP BY name HAVING count(*) > 1)") == 2
    assert count("(SELECT 1 FROM incident GROUP BY short_description HAVING count(*) > 2)") >= 10
    assert count("users WHERE NOT active") >= 6 and count("location WHERE NOT active") >= 3
    assert count("configuration_item WHERE status IN ('retired', 'disposed')") >= 2


def test_incidents_hang_together(database):
    result = database.run_sql("SELECT * FROM incident", limit=None)
    result = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    for row in result:
        assert (row["resolved"] is not None) == (row["status"] in ("resolved", "closed")), row["incident_id"]
        assert (row["on_hold_reason"] is not None) == (row["status"] == "on_hold")
        assert row["created_at"] <= (row["resolved"] or row["updated_at"]) <= "2026-01-05 09:00:00"
    right = [row for row in result if PRIORITIES[row["impact"], row["urgency"]] == row["priority"]]
    assert 88 <= len(right) < 100  # some were set by hand


def test_slas_fit_their_incidents(database):
    query = (
        "SELECT s.start_time, s.breach_time, d.target_mins, i.priority = d.applies_to_priority,"
        " i.org_id = d.org_id, d.active FROM incident_sla s"
        " JOIN incident i USING (incident_id) JOIN sla_definition d USING (sla_def_id)"
    )
    for start, breach, minutes, *fits in database.run_sql(query, limit=None).rows:
        taken = datetime.fromisoformat(breach) - datetime.fromisoformat(start)
        assert taken == timedelta(minutes=minutes) and all(fits)
