from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.engine.connection import ulid
from eops_traj.gym.servers.drive.seed import seed


@pytest.mark.parametrize("number", range(8))
def test_any_number_makes_a_whole_company(drive, number):
    database = drive.template(number).open()
    assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    for table in database.schema.tables:
        assert database.connection.execute(f'SELECT count(*) FROM "{table}"').get, table


def test_a_number_is_a_seed():
    def seeded(number):
        return [(table, list(rows)) for table, rows in seed(Random(number))]

    assert seeded(3) == seeded(3) != seeded(4)


def test_the_people_and_groups_are_those_of_the_company(drive):
    corvane, database = company(Random(0)), drive.template().open()
    people = database.run_sql("SELECT display_name, email FROM users ORDER BY rowid", limit=None).rows
    assert people == tuple((p.name + " (left)" * (not p.active), p.email) for p in corvane.people)
    groups = database.run_sql(
        """SELECT g.email, count(*) FROM groups g JOIN group_memberships m ON m.group_id = g.id
        GROUP BY g.id ORDER BY g.rowid LIMIT 12"""
    ).rows
    assert groups == tuple((g.email, len(g.members)) for g in corvane.groups)


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("files of people who left", """SELECT 1 FROM files f JOIN users u ON u.id = f.created_by
            WHERE u.email IN ({leavers}) AND f.drive_id IS NULL"""),
        ("one title in two places", """SELECT 1 FROM files a JOIN files b ON a.name = b.name AND a.id < b.id
            AND a.parent_id <> b.parent_id AND NOT a.is_shortcut AND NOT b.is_shortcut"""),
        ("shares that have ended", "SELECT 1 FROM permissions WHERE expiration_time < '2026-01-05'"),
        ("shares that reach outside",
         "SELECT 1 FROM permissions WHERE type = 'user' AND user_id IS NULL AND email_address IS NOT NULL"),
        ("links for everyone", "SELECT 1 FROM permissions WHERE type = 'anyone'"),
        ("things in the trash", "SELECT 1 FROM files WHERE trashed"),
        ("shortcuts", "SELECT 1 FROM files WHERE is_shortcut"),
        ("copies", "SELECT 1 FROM files WHERE name LIKE 'Copy of %'"),
        ("requests that wait", "SELECT 1 FROM access_proposals WHERE status = 'pending'"),
        ("hidden drives", "SELECT 1 FROM drives WHERE hidden"),
        ("deleted comments", "SELECT 1 FROM comments WHERE deleted"),
        ("several changes", "SELECT 1 FROM changes GROUP BY drive_id HAVING count(*) > 3"),
    ],
)  # fmt: skip
def test_there_is_what_makes_the_work_hard(drive, what, query):
    for number in range(4):
        left = ", ".join(f"'{p.email}'" for p in company(Random(number)).people if not p.active)
        assert drive.template(number).open().run_sql(query.replace("{leavers}", left)).rows, (what, number)


@pytest.mark.parametrize(
    ("nothing", "query"),
    [
        ("a change before the file", "SELECT 1 FROM files WHERE modified_time < created_time"),
        ("anything after today", """SELECT 1 FROM (SELECT modified_time AS t FROM files
            UNION ALL SELECT change_time FROM changes UNION ALL SELECT modified_time FROM comments
            UNION ALL SELECT trashed_time FROM files) WHERE t > '2026-01-05 09:00:00'"""),
        ("changes out of order", """SELECT 1 FROM changes a JOIN changes b
            ON a.rowid < b.rowid AND a.change_time > b.change_time"""),
        ("a file of My Drive without an owner", """SELECT 1 FROM files f
            WHERE drive_id IS NULL AND NOT EXISTS (SELECT 1 FROM permissions p
                WHERE p.file_id = f.id AND role = 'owner' AND user_id = created_by)"""),
        ("a drive without an organizer", """SELECT 1 FROM drives d WHERE NOT EXISTS (
            SELECT 1 FROM drive_memberships m WHERE m.drive_id = d.id AND role = 'organizer')"""),
        ("a member twice", """SELECT 1 FROM drive_memberships
            GROUP BY drive_id, coalesce(user_id, group_id) HAVING count(*) > 1"""),
        ("somebody with two permissions on one file", """SELECT 1 FROM permissions WHERE type = 'user'
            GROUP BY file_id, email_address HAVING count(*) > 1"""),
        ("a head that is no revision of the file", """SELECT 1 FROM files f JOIN revisions r
            ON r.id = head_revision_id WHERE r.file_id <> f.id"""),
        ("a folder of another drive", """SELECT 1 FROM files f JOIN files p ON p.id = f.parent_id
            WHERE p.drive_id IS NOT f.drive_id"""),
        ("a request to somebody who does not decide", """SELECT 1 FROM access_proposals a
            JOIN files f ON f.id = a.file_id JOIN users u ON u.email = a.recipient_email WHERE NOT EXISTS (
            SELECT 1 FROM drive_memberships m WHERE m.drive_id = f.drive_id AND m.user_id = u.id
                AND m.role = 'organizer') AND (f.drive_id IS NOT NULL OR f.created_by <> u.id)"""),
        ("a request to oneself where another decides", """SELECT 1 FROM access_proposals a
            JOIN files f ON f.id = a.file_id WHERE requester_email = recipient_email AND 1 < (
            SELECT count(DISTINCT user_id) FROM drive_memberships m
            WHERE m.drive_id = f.drive_id AND m.role = 'organizer')"""),
        ("a path that is none", """SELECT 1 FROM path_closure c JOIN files f ON f.id = descendant_id
            WHERE depth = 1 AND ancestor_id <> parent_id"""),
    ],
)  # fmt: skip
def test_there_is_nothing_that_cannot_be(drive, nothing, query):
    assert not any(drive.template(number).open().run_sql(query).rows for number in range(4)), nothing


def test_ids_sort_by_time():
    when = datetime.fromtimestamp(1469918176.385, UTC)  # the example of the specification
    assert ulid(when, 0) == "01ARYZ6S410000000000000000"
    assert ulid(when, 2**80 - 1) < ulid(when + timedelta(seconds=1), 0)
