"""The families of Drive: what their plans leave to results."""

from random import Random

import pytest

from eops_traj.plan import Step
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.start_state import StartState
from tests.taskgen.scenarios.played import wordings

DRIVE = {family.name: family for family in families(["drive"])}


def play(name: str) -> Scene:
    """Play a family with the first numbers that fit."""
    for number in range(8):
        rng = Random(number)
        scene = Scene(StartState(3, {"drive": ""}), rng)
        scene.begin(rng)
        try:
            DRIVE[name].play(scene)
        except NoMatch:
            continue
        return scene
    raise AssertionError(f"{name} does not fit company 3")


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("answer_all", "create_replies"),
        ("freeze_editing", "update_permission"),
        ("end_project", "update_files"),
        ("sort_team_drives", "delete_teamdrives"),
    ],
)
def test_sets_are_walked_through_row_by_row(name: str, tool: str) -> None:
    steps = [step for step in play(name).steps if isinstance(step, Step) and step.tool == tool]
    assert [step.rows is not None for step in steps] == [True]


@pytest.mark.parametrize("name", ["drop_first_version", "behind_shortcut", "remove_longest"])
def test_indirect_names_stand_neither_in_request_nor_plan(name: str) -> None:
    scene = play(name)
    told = " ".join(scene.parts) + str(scene.plan())
    assert [hidden for hidden in scene.traits["hidden"] if hidden in told] == []


def test_every_fifth_family_is_out_of_distribution() -> None:
    apart = [family for family in DRIVE.values() if family.ood]
    assert 0.15 <= len(apart) / len(DRIVE) <= 0.3


def test_the_folder_of_a_new_drive_is_named_before_the_document_in_it_is_asked_for() -> None:
    asked, _ = wordings(DRIVE["open_project_drive"])
    places = [(wording.index('"Working Papers"'), wording.index("{plan}")) for wording in asked]
    assert [(folder, plan) for folder, plan in places if folder > plan] == []
