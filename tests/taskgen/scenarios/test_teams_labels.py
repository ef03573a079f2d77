"""Labels of Teams: what is refused may not be done, and the request does not tell two of one name apart."""

from collections.abc import Iterator

import pytest

from eops_traj.taskgen.draft import Draft, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.refusals import named
from eops_traj.verify.named_reasons import unnamed
from tests.taskgen.scenarios.played import drafts

_IN_TEAM = """SELECT t.display_name, COUNT(*) FROM teams t, json_each(t.members) m WHERE m.value ->> 'userId'
    IN ({bearers}) AND m.value ->> 'displayName' = :name GROUP BY 1 ORDER BY 2 DESC"""
_LEAVING = """SELECT department, COUNT(*) FROM teams_users WHERE user_id IN ({bearers}) AND account_enabled
    AND employee_type = 'Contractor' GROUP BY 1"""
_HOSTS = """SELECT 'a call', COUNT(DISTINCT organizer ->> '$.user.id') FROM call_records WHERE type =
    'groupCall' AND organizer ->> '$.user.displayName' = :name AND organizer ->> '$.user.id' IN ({bearers})"""
_POSTED = """SELECT c.display_name, COUNT(DISTINCT from_json ->> '$.user.id') FROM channel_messages m JOIN
    channels c USING (channel_id) WHERE from_json ->> '$.user.displayName' = :name GROUP BY channel_id ORDER
    BY 2 DESC"""
_SIGNED = """SELECT c.topic, COUNT(DISTINCT from_json ->> '$.user.id') FROM chat_messages m JOIN chats c USING
    (chat_id) WHERE from_json ->> '$.user.displayName' = :name AND reactions_json LIKE '%' || :me || '%'
    GROUP BY chat_id ORDER BY 2 DESC"""


@pytest.mark.parametrize(
    ("family", "sql"),
    [
        ("hand_over", _IN_TEAM),
        ("end_contracts", _LEAVING),
        ("after_call", _HOSTS),
        ("retract_posts", _POSTED),
        ("other_sign", _SIGNED),
    ],
)
def test_what_the_request_says_of_somebody_holds_for_the_namesake_too(family: str, sql: str) -> None:
    found = {twin.request: next(_told(twin, sql), 0) for twin in drafts("teams", family, "two_namesakes")}
    assert found and set(found.values()) == {2}


def test_who_is_not_in_the_team_so_far_is_neither_of_two_namesakes() -> None:
    for twin in drafts("teams", "change_owner", "two_namesakes", 6):
        inside = "not in the team" not in twin.request
        assert next(_told(twin, _IN_TEAM), 0) == 2 * inside


def _told(twin: Draft, sql: str) -> Iterator[int]:
    """Yield how many bearers of the doubled name something holds for, where the request speaks of it."""
    name = next(change.after for _, change in twin.scene.perturbed_rows if change.table == "teams_users")
    bearers = f"SELECT user_id FROM teams_users WHERE display_name = '{name and name['display_name']}'"
    values = {"name": name and name["display_name"], "me": twin.scene.caller["user_id"]}
    with twin.scene.start_state().open() as session:
        rows = session.database("teams").connection.execute(sql.format(bearers=bearers), values).fetchall()
    yield from (int(number) for what, number in rows if what == "a call" or what in twin.request)


@pytest.mark.parametrize("family", ["tell_everyone", "point_to_files"])
def test_who_is_in_a_team_may_write_there_whether_they_own_it_or_not(family: str) -> None:
    twins = drafts("teams", family, "no_right", 4)
    for twin in twins:
        ((_, change),) = twin.scene.perturbed_rows
        assert change.after and f'"{twin.scene.caller["user_id"]}"' not in str(change.after["members"])
        assert twin.declined and "does not belong" in twin.declined.reason
    assert len(twins) > 2


def test_only_that_the_one_who_asks_is_not_in_the_team_is_why_they_may_not_write_there() -> None:
    (twin,) = drafts("teams", "tell_everyone", "no_right", 1)
    assert twin.declined and twin.scene.caller["name"] in twin.declined.reason
    groups = named(twin.scene, twin.declined, twin.request)
    others = ("What you asked for is not done: Kenzo Pereira is not a member", "It is not for outsiders")
    own = ("You are not a member of that team", "Its list does not include you", "Only its members may post")
    told = [unnamed(groups, why, twin.request) == [] for why in (*others, *own)]
    assert told == [False, False, True, True, True]


def test_the_next_town_hall_has_begun_where_no_other_draft_lies_ahead() -> None:
    sql = """SELECT COUNT(*) FROM virtual_event_townhalls WHERE status = 'draft' AND start_date_time >
        '2026-01-05'"""
    for twin in drafts("teams", "call_off_town_hall", "policy_forbids", 4):
        with twin.scene.start_state().open() as session:
            assert session.database("teams").connection.execute(sql).get == 0


def test_who_comes_into_a_team_at_once_begins_there_today() -> None:
    played = drafts("teams", "staff_up", None, 6)
    for draft in played:
        told = [draft.scene.reply(n) for n in range(1, len(draft.scene.steps) + 1)]
        assert any("New in this team from today on" in reply for reply in told)
    assert len(played) > 3


@pytest.mark.parametrize(
    ("family", "kind", "draw"), [("change_owner", "no_right", 30), ("after_call", "two_namesakes", 16)]
)
def test_a_twin_is_asked_for_in_the_words_of_its_task(family: str, kind: str, draw: int) -> None:
    """Who might be a namesake or be named besides is looked up before anything is perturbed."""
    (known,) = (one for one in families(["teams"]) if one.name == family)
    usual, twin = (play((known,), 5000, f"{family}:{draw}", which) for which in (None, kind))
    assert usual.request == twin.request
