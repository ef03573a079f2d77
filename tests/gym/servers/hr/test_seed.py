from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.registry import server
from eops_traj.gym.servers.hr.seed import seed


@pytest.mark.parametrize("number", range(8))
def test_any_number_makes_a_whole_company(number):
    database = server("hr").template(number).open()
    assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    for table in database.schema.tables:
        assert database.connection.execute(f'SELECT count(*) FROM "{table}"').get, table


def test_a_number_is_a_seed():
    def tables(number):
        return [(table, list(rows)) for table, rows in seed(Random(number))]

    assert tables(3) == tables(3) != tables(4)
    assert 900 < sum(len(rows) for _, rows in tables(3)) < 1400


def test_the_people_are_those_of_the_company(rows):
    kept = [
        (p.number, p.first_name, p.last_name, p.email, p.phone, p.role, p.active)
        for p in company(Random(0)).people
    ]
    assert kept == [
        *rows("SELECT user_id, first_name, last_name, email, phone, role, active FROM user ORDER BY 1")
    ]
    groups = [(g.name, len(g.members)) for g in company(Random(0)).groups]
    assert groups == [*rows("""SELECT name, count(*) FROM user_group JOIN user_group_member USING (group_id)
        GROUP BY group_id ORDER BY group_id LIMIT 12""")]  # fmt: skip


def test_ids_of_people_and_of_profiles_differ(rows):
    assert rows("SELECT count(*) FROM hr_profile WHERE user_id = hr_profile_id")[0][0] < 10
    bosses = rows(
        """SELECT DISTINCT u.role FROM hr_profile p JOIN hr_profile b ON b.hr_profile_id = p.manager
        JOIN user u ON u.user_id = b.user_id"""
    )
    assert {role for (role,) in bosses} == {"manager", "admin"}


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("who left", "SELECT 1 FROM user WHERE NOT active"),
        ("an ended contract of someone still active", """SELECT 1 FROM hr_profile p JOIN user USING (user_id)
            WHERE active AND type = 'contractor' AND employment_end_date < '2026-01-05'"""),
        ("people without a profile",
         "SELECT 1 FROM user WHERE user_id NOT IN (SELECT user_id FROM hr_profile)"),
        ("an open task of a closed case", """SELECT 1 FROM hr_case_task t
            JOIN hr_case c ON hr_case_id = parent_case
            WHERE c.status = 'closed_complete' AND t.status = 'ready' AND active"""),
        ("services of nearly the same name", """SELECT 1 FROM hr_service a JOIN hr_service b
            ON b.service_name LIKE a.service_name || ' %' WHERE a.active AND NOT b.active"""),
        ("approvals that wait",
         "SELECT 1 FROM hr_case WHERE request_status = 'requested' AND status = 'awaiting_approval'"),
        ("an article that was retired", "SELECT 1 FROM knowledge WHERE state = 'retired'"),
    ],
)  # fmt: skip
def test_there_is_what_makes_the_work_hard(hr, what, query):
    assert all(hr.template(number).open().run_sql(query).rows for number in range(4)), what


@pytest.mark.parametrize(
    ("nothing", "query"),
    [
        ("work in progress that nobody does", """SELECT 1 FROM hr_case
            WHERE status = 'work_in_progress' AND assigned_to IS NULL"""),
        ("work of somebody outside the group", """SELECT 1 FROM hr_case c WHERE assigned_to NOT IN (
            SELECT user_id FROM user_group_member m WHERE m.group_id = c.assignment_group)"""),
        ("an approval that waits for nobody",
         "SELECT 1 FROM hr_case WHERE request_status = 'requested' AND approver IS NULL"),
        ("a case that changed before it was opened", """SELECT 1 FROM hr_case
            WHERE updated_at < created_at OR updated_at > '2026-01-05 09:00:00'"""),
        ("an approval of one's own case", """SELECT 1 FROM hr_case
            WHERE approver = opened_for AND status = 'awaiting_approval'"""),
        ("an end before the start",
         "SELECT 1 FROM hr_profile WHERE employment_end_date < employment_start_date"),
    ],
)  # fmt: skip
def test_there_is_nothing_that_cannot_be(hr, nothing, query):
    assert not any(hr.template(number).open().run_sql(query).rows for number in range(4)), nothing
