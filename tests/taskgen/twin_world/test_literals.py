"""Literals have to be told; what only results say has to be referred to."""

import pytest

from eops_traj.plan import parse
from eops_traj.taskgen.twin_world.literals import Sources

TOLD = """Ana Ruiz goes through four cases on Friday 9 January 2026 at 9:30 for an hour and a half, beginning
with CS-0001094. The tag ends in nine-six-five-nine. Low cases are priority 3. People are
first.last@corvane.example, and (left) stands behind who is gone. It may also take two and a half hours."""
RESULTS = """{"number": "CS-0001100", "owner": "Elke Jensen", "email": "elke.jensen@corvane.example",
"count": 7, "city": "Riga", "start": "2026-01-14T16:45:00", "state": "open", "tag": "9659",
"ids": [4, 90, 3, 77], "note": "It is not done yet.",
"names": ["Ana Ruiz (left)", "Ana Ruiz (gone)"]}"""


def wrong(line: str) -> list[str]:
    """Return what is wrong with the literals of a line."""
    schema = frozenset({"high", "summary", "100"})
    return list(Sources(TOLD, schema, RESULTS).untold(parse(f"1. look()\n2. {line}")))


@pytest.mark.parametrize(
    "line",
    [
        'act(number="CS-0001094", priority=3, count=4, minutes=90, level="high", limit=100, flag=1, on=true)',
        'act(tag="9659", day="2026-01-09", start="2026-01-09T09:30:00", end="2026-01-09T11:00:00")',
        'act(start="2026-01-09T08:00:00", whole="2026-01-09T00:00:00", until="2026-01-09T23:59:59")',
        'act(end="2026-01-09T12:00:00")',
        'require($1.calendars["ana.ruiz@corvane.example"].busy == []) -- Ana Ruiz is taken',
        'act(filter="displayName eq \'Ana Ruiz\'", select="city,summary", email="ana.ruiz@corvane.example")',
        'act(id=$1.people[name="Ana Ruiz (left)"].id)',
        'act(note="It is not done yet.", id=$1.notes[text="beginning with CS-0001094"].id)',
        'act(note="All that is open has been looked through by Ana Ruiz.", mime="application/pdf")',
        'act(id=$1.cases[*state="open"].id, owner=$1.owner, length=12)',
        'require($1.state == "open") -- it is not open',
    ],
)
def test_what_is_told_may_stand_in_a_plan(line: str) -> None:
    assert wrong(line) == []


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("act(id=77)", "77"),
        ("act(count=7)", "7"),
        ('act(email="elke.jensen@corvane.example")', "elke.jensen@corvane.example"),
        ('act(number="CS-0001100")', "CS-0001100"),
        ('act(number=$1[owner="Elke Jensen"].number)', "Elke Jensen"),
        ('act(id=$1.notes[text="it is not done yet"].id)', "it is not done yet"),
        ('act(id=$1.people[name="Ana Ruiz (gone)"].id)', "Ana Ruiz (gone)"),
        ('require($1.note == "it is not done yet") -- it is', "it is not done yet"),
        ("act(filter=\"displayName eq 'Elke Jensen'\")", "Elke Jensen"),
        ('act(note="This was handed over to Elke Jensen on the phone.")', "Elke Jensen"),
        ('act(start="2026-01-14T16:45:00")', "2026-01-14T16:45:00"),
        ('act(start="2026-01-09T14:30:00Z")', "the hour of '2026-01-09T14:30:00Z'"),
        ('act(start="2026-01-09 11:30")', "2026-01-09 11:30"),
        ('require($1.number == "CS-0001100") -- another', "CS-0001100"),
        ('require($1.calendars["elke.jensen@corvane.example"].busy == []) -- taken', "elke.jensen"),
        ('for $1[*city="Riga 2"]: act(place="Riga")', "Riga"),
    ],
)
def test_what_only_results_say_is_found(line: str, value: str) -> None:
    assert any(value in problem for problem in wrong(line))
