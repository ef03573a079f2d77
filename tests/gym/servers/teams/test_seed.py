import json
from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.registry import server
from eops_traj.gym.servers.teams.seed import seed


@pytest.fixture(scope="module")
def rows():
    database = server("teams").template().open()
    yield lambda sql: database.run_sql(sql, limit=None).rows
    database.close()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_table_holds_rows_and_every_reference_leads_somewhere(teams, number):
    database = teams.template(number).open()
    empty = [t for t in teams.schema.tables if not database.connection.execute(f'SELECT 1 FROM "{t}"').get]
    assert empty == []
    assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_number_is_a_seed():
    def tables(number):
        return [(table, list(rows)) for table, rows in seed(Random(number))]

    assert tables(3) == tables(3) != tables(4)


def test_the_people_of_the_company_are_its_users(rows):
    known = set(rows("SELECT user_id, display_name, mail, account_enabled FROM teams_users"))
    for person in company(Random(0)).people:
        assert (person.user_name, person.name, person.email, int(person.active)) in known


def test_its_groups_have_teams_of_their_names_and_people(rows):
    staff = company(Random(0))
    for group in staff.groups:
        (members,) = next(iter(rows(f"SELECT members FROM teams WHERE display_name = '{group.name}'")))
        roles = {m["userId"]: m["roles"] for m in json.loads(members)}
        assert roles.keys() == {staff.person(n).user_name for n in group.members}
        assert roles[staff.person(group.manager).user_name] == ["owner"]


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("people who have left and are still in a team", """SELECT 1 FROM teams, json_each(members) m
            JOIN teams_users ON user_id = m.value ->> 'userId' WHERE NOT account_enabled"""),
        ("namesakes",
         "SELECT 1 FROM teams_users WHERE org_id = 'corvane-001' GROUP BY display_name HAVING count(*) > 1"),
        ("deleted teams of nearly a living one's name", """SELECT 1 FROM teams a JOIN teams b ON a.soft_delete
            AND NOT b.soft_delete AND a.display_name LIKE b.display_name || '%'"""),
        ("archived channels", "SELECT 1 FROM channels WHERE is_archived"),
        ("deleted messages", "SELECT 1 FROM channel_messages WHERE deleted_datetime IS NOT NULL"),
        ("channels of other teams", "SELECT 1 FROM shared_with_channel_teams WHERE NOT is_host_team"),
        ("guests in teams", "SELECT 1 FROM teams WHERE members LIKE '%\"guest\"%'"),
        ("people of other organizations", "SELECT 1 FROM teams_users WHERE org_id <> 'corvane-001'"),
    ],
)  # fmt: skip
def test_what_makes_look_ups_hard_is_there(rows, what, query):
    assert rows(query), what


def test_nothing_was_written_in_the_future(rows):
    for table in ("channel_messages", "chat_messages"):
        assert rows(f"SELECT max(created_datetime) FROM {table}")[0][0] < "2026-01-05T09"
    assert rows("SELECT max(CAST(message_id AS INTEGER)) FROM chat_messages")[0][0] < 1_767_603_600_000


def test_the_administrator_stands_in_for_who_does_not_say(teams):
    database = teams.template().open()
    reply = teams.call(database, "list_chats", {"_expand": "members"})
    (director,) = [p.user_name for p in company(Random(0)).people if p.title == "Director of IT"]
    for chat in json.loads(reply.text)["value"]:
        assert director in [m["userId"] for m in chat["members"]]
