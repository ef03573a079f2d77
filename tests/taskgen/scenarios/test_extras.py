"""What requests about Teams, calendars and Drive ask for besides: each is asked for, and has to be done."""

from typing import Any

import pytest

from eops_traj.taskgen.attacks.attempt import in_pieces
from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from tests.taskgen.server_rules.playing import arena_of

_DRAWS, _COMPANIES = 64, 2
EXTRA_TOOLS = {
    ("teams", "correct_post"): {
        "list_team_members", "list_channels", "list_teamwork_tags", "list_users", "list_teams_apps",
        "set_user_status_message",
    },
    ("calendar", "reset_look"): {
        "list_events", "get_settings", "list_acl_rules", "get_calendar", "create_event",
    },
    ("drive", "replace_channel"): {"list_drives", "list_permission", "list_revisions", "create_comments"},
}  # fmt: skip
"""A family that may have each extra of its domain, and the tools by which they are told apart."""


def plans(domain: str, name: str) -> list[tuple[str, ...]]:
    """Return the tools of the plans of a family's tasks, in several companies."""
    family = next(family for family in families([domain]) if family.name == name)
    found = []
    for number in range(_DRAWS):
        try:
            plan = play((family,), 1 + number % _COMPANIES, f"extras:{number}").scene.plan()
            found.append(tuple(call.tool for _, call in plan.calls()))
        except NoMatch:
            continue
    return found


@pytest.mark.parametrize("family", EXTRA_TOOLS, ids="-".join)
def test_every_extra_is_asked_for_somewhere_and_none_in_some_tasks(family: tuple[str, str]) -> None:
    found = plans(*family)
    assert EXTRA_TOOLS[family] <= {tool for plan in found for tool in plan}
    shortest = min(map(len, found))
    assert len(set(found)) >= 6 and 0.1 < [len(plan) for plan in found].count(shortest) / len(found) < 0.6


@pytest.mark.parametrize(
    ("domain", "name", "tool"),
    [("teams", "correct_post", "set_user_status_message"), ("drive", "replace_channel", "create_comments")],
)
def test_what_was_asked_for_besides_has_to_be_done(domain: str, name: str, tool: str) -> None:
    for number in range(12):
        with arena_of(domain, name, number) as arena:
            call = next((call for call in arena.writes if call.tool == tool), None)
            if call is not None:
                made = arena.play(in_pieces(call.number, left_out))
                assert not arena.passes(made) and arena.passes(arena.gold)
                return
    pytest.fail(f"no task of {name} asks for {tool}")


def left_out(call: Any, perform: Any) -> Any:
    """Look up something instead of writing."""
    return perform("list_drives" if call.tool == "create_comments" else "list_teams", {})
