from functools import reduce
from operator import getitem

import pytest

from eops_traj.collect.orchestrator import configure, kind_of
from eops_traj.collectors.agents import ORCHESTRATORS
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.hashing import canonical_json
from eops_traj.llm.prompts import prompt_hash

NEEDED = {"command": {"run": ["true"]}}
"""What has to be said of an orchestrator; the rest has defaults."""


@pytest.mark.parametrize("name", ORCHESTRATORS)
def test_every_one_is_made_with_its_defaults(name):
    made = configure(name, NEEDED.get(name))
    assert made.kind is kind_of(name) and made.orchestrator.work.__doc__
    prompts = [reduce(getitem, field.split("."), made.settings) for field in made.kind.prompts]
    assert made.settings.get("prompt_hash") == (prompt_hash(prompts) if prompts else None)


def test_unknown_names_list_the_choices():
    known = "command, conditioned, decomposing, expert, plan, plan_vote, planner_react, react"
    with pytest.raises(UnknownName, match=known):
        configure("reflexion")
    with pytest.raises(UnknownName, match="unknown prompt 'planning'; choose from benchmark_decompose, "):
        configure("plan", {"shown": {"prompt": "planning"}})


def test_what_a_planner_is_shown_is_part_of_its_settings():
    given = [{}, {"tools": "names"}, {"policy": "digest"}, {"prompt": "plan_short"}]
    for name in ("plan", "planner_react"):
        settings = [configure(name, {"shown": shown}).settings for shown in given]
        assert len({canonical_json(s) for s in settings}) == 4 and settings[0] == configure(name).settings
        assert settings[0]["prompt_hash"] == settings[1]["prompt_hash"] != settings[3]["prompt_hash"]
    with pytest.raises(ConfigError, match=r"shown\.policy: Input should be 'whole', 'digest' or 'reference'"):
        configure("plan", {"shown": {"policy": "half"}})


def test_every_problem_of_the_options_is_named_at_once():
    with pytest.raises(ConfigError) as error:
        configure("decomposing", {"least": 1, "most": "many", "depth": 3})
    starts = ("least: ", "most: ", "unknown key 'depth'; choose from least, most, prompt, subtask")
    assert len(error.value.problems) == 3
    assert all(map(str.startswith, error.value.problems, starts))
    with pytest.raises(ConfigError, match="least is 4, more than most, 3"):
        configure("decomposing", {"least": 4, "most": 3})
