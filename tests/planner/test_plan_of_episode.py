from dataclasses import replace

import pytest

from eops_traj.planner.plan_of_episode import followed
from eops_traj.schema import Json
from tests.collectors.asked import PLAN, TASK
from tests.collectors.desks import says
from tests.episodes import EPISODE
from tests.planner.made import episode_of


@pytest.mark.parametrize("text", [PLAN.strip(), "REFUSE: no", "I would rather not plan.", ""])
@pytest.mark.parametrize("orchestrator", ["plan", "planner_react"])
def test_what_a_planner_wrote_is_its_plan_to_the_letter(orchestrator, text):
    made = episode_of(TASK, orchestrator, [says(text), says("Done.")]).episode
    found = followed(made)
    assert (found.text, found.origin) == (text, "written")


@pytest.mark.parametrize("orchestrator", ["conditioned", "expert"])
def test_what_was_given_is_the_plan(orchestrator):
    found = followed(episode_of(TASK, orchestrator, [says("Done.")]).episode)
    assert (found.text, found.origin) == (PLAN, "given")


def test_else_it_is_read_off_the_episode():
    made = episode_of(TASK, "react", [says(find_user={"name": "Conrad Vogt"}), says("He is there.")]).episode
    found = followed(made)
    assert (found.text, found.origin) == ('1. find_user(name="Conrad Vogt")', "inferred")


def test_an_episode_without_calls_followed_none():
    assert followed(episode_of(TASK, "react", [says("All is well.")]).episode) is None
    assert followed(replace(EPISODE, details=Json('{"plan":7}'), turns=())) is None
