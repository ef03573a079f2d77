"""What a query surely gives is told of the column that it asks for, and of no other of that name."""

import pytest

from eops_traj.audit.answer_kinds import answer_kind
from eops_traj.gym import registry


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT channels.migration_mode FROM teams JOIN channels ON channels.team_id = teams.team_id", None),
        ("SELECT tags.id FROM channel_members m JOIN teamwork_tags tags ON tags.team_id = m.id", None),
        ("SELECT M.id FROM channel_members AS m JOIN teamwork_tags tags ON tags.team_id = m.id", "number"),
        ("SELECT channel_members.id FROM channel_members WHERE id = 1", "number"),
        ("SELECT t.id FROM channel_members t WHERE t.id = 1", "number"),
        ("SELECT id FROM teamwork_tags", "text"),
    ],
)
def test_a_column_of_a_joined_table_is_not_taken_for_that_of_the_first(query: str, kind: str | None) -> None:
    database = registry.server("teams").template(3).open()
    assert answer_kind(query, database) == kind
    database.close()
