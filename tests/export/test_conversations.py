"""An episode of several conversations: each in which somebody acts stands alone, as it took place."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.conversations import AS_ONE, acting, is_one
from eops_traj.export.run import Export
from eops_traj.messages import calls
from eops_traj.schema import Turn
from tests.collectors.group_tasks import PLAN, TASK
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of
from tests.selected import lines, store_of

PERSON = scripted_turn("Who it is.", find_user={"name": "Conrad Vogt"})
JOIN = scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8})
DONE, PLANNED = scripted_turn("Done."), scripted_turn(PLAN)
SPLIT = scripted_turn("1. Find Conrad Vogt.\n2. Take him into the group.")
SUBTASKS = (SPLIT, JOIN, scripted_turn("He is in."), PERSON, DONE)


def attempt(*turns: Turn, orchestrator: str = "react") -> EpisodeBundle:
    return episode_of(TASK, orchestrator, turns)


def rows(tmp_path: Path, made: EpisodeBundle, format: str = "sft") -> tuple[list[dict[str, Any]], Any]:
    """Export an episode; return its rows, and what the certificate counts."""
    store = store_of(tmp_path, [made.episode], toolsets=[made.toolset])
    certificate = Export(format, str(store), "chosen", tmp_path / format).run()
    return lines(tmp_path / format), certificate.counts


@pytest.mark.parametrize(
    ("orchestrator", "turns", "lengths"),
    [
        ("react", (PERSON, JOIN, DONE), [3]),
        ("planner_react", (PLANNED, PERSON, JOIN, DONE), [3]),
        ("decomposing", SUBTASKS, [2, 2]),
        ("plan", (PLANNED,), [6]),
        ("plan", (scripted_turn("I may not do that."),), [1]),
    ],
)
def test_there_is_one_for_each_in_which_somebody_acts(
    orchestrator: str, turns: tuple[Turn, ...], lengths: list[int]
) -> None:
    made = attempt(*turns, orchestrator=orchestrator)
    parts = acting(made)
    assert [len(part.episode.turns) for part in parts] == lengths
    assert [turn for part in parts for turn in part.episode.turns] == [*made.episode.turns[-sum(lengths) :]]
    assert is_one(made.episode) == (parts == [made])


def test_what_follows_a_plan_begins_with_the_request_that_was_put_to_it(tmp_path: Path) -> None:
    made = attempt(PLANNED, PERSON, JOIN, DONE, orchestrator="planner_react")
    [row], counts = rows(tmp_path, made)
    _, asked, *replies = row["messages"]
    assert asked == {"role": "user", "content": made.episode.turns[1].nudge} and PLAN in asked["content"]
    assert [m["role"] for m in replies] == ["assistant", "tool"] * 2 + ["assistant"] and counts == {}


def test_every_subtask_is_a_row_with_its_own_calls(tmp_path: Path) -> None:
    made = attempt(*SUBTASKS, orchestrator="decomposing")
    found, counts = rows(tmp_path, made)
    assert [row["messages"][1]["content"] for row in found] == [made.episode.turns[n].nudge for n in (1, 3)]
    assert [[name for name, _ in calls(row["messages"])] for row in found] == [
        ["add_new_group_member"],
        ["find_user"],
    ]
    assert {row["episode_id"] for row in found} == {made.episode.episode_id}
    assert counts == {"episodes with a row for each of several conversations": 1}


@pytest.mark.parametrize("format", ["openai", "sharegpt"])
def test_a_format_that_keeps_an_episode_whole_says_how_many_rows_are_several(
    format: str, tmp_path: Path
) -> None:
    found, counts = rows(tmp_path, attempt(PLANNED, PERSON, DONE, orchestrator="planner_react"), format)
    assert len(found) == 1 and counts[AS_ONE] == 1
    _, counts = rows(tmp_path / "one", attempt(PERSON, DONE), format)
    assert AS_ONE not in counts
