import json

import pytest

from eops_traj.planner.change_outline import change_outline
from eops_traj.schema import Change, Json


def change(operation="insert", key=None, after=None, table="note"):
    def text(value):
        return None if value is None else Json(json.dumps(value))

    return Change(
        server="csm", table=table, operation=operation, key=text(key or {}), before=None, after=text(after)
    )


def made(note, user, at="2026-01-05 09:00:07", text="Hello", owner=None):
    return [
        change(key={"user_id": user}, after={"user_id": user, "name": "Jo"}, table="user"),
        change(
            key={"note_id": note}, after={"note_id": note, "at": at, "text": text, "owner_id": owner or user}
        ),
    ]


def test_ids_that_were_drawn_and_times_of_now_are_alike():
    first = change_outline(made("a1b2c3d4e5", 71))
    assert first == change_outline(made("ffffffff00", 72, at="2026-01-05 09:00:31"))
    assert first == change_outline(reversed(made("a1b2c3d4e5", 71)))


@pytest.mark.parametrize(
    "other",
    [
        made("a1b2c3d4e5", 71, text="Hello!"),
        made("a1b2c3d4e5", 71, owner=8),
        made("a1b2c3d4e5", 71, at="2026-01-06 10:30:00"),
        made("a1b2c3d4e5", 71)[:1],
        [*made("a1b2c3d4e5", 71), *made("b1b2c3d4e5", 81)],
    ],
)
def test_what_a_plan_said_is_not(other):
    assert change_outline(other) != change_outline(made("a1b2c3d4e5", 71))


def test_a_row_that_was_there_is_known_by_its_key():
    first, second = (change("update", {"user_id": n}, {"phone": "1"}, "user") for n in (8, 9))
    assert change_outline([first]) != change_outline([second])
    assert change_outline([first]) != change_outline([change("delete", {"user_id": 8}, None, "user")])


def test_an_id_is_found_inside_of_texts_and_a_number_only_where_ids_stand():
    def linked(key, number):
        after = {"id": key, "link": f"https://x.example/{key}", "count": number}
        return change_outline([change(key={"id": key}, after=after)])

    assert linked("a1b2c3d4e5", 7) == linked("ffffffff00", 7) != linked("ffffffff00", 8)
    assert linked(71, 71) != linked(72, 72)


@pytest.mark.parametrize(
    ("column", "same"), [("made_by", True), ("given_to", True), ("of_id", True), ("rank", False)]
)
def test_a_number_is_an_id_by_the_name_of_its_column(column, same):
    outlines = {change_outline([change(key={"id": n}, after={column: n})]) for n in (71, 72)}
    assert (len(outlines) == 1) == same
