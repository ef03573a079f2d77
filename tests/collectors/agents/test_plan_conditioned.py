import json
from dataclasses import replace

import pytest

from eops_traj.collect.orchestrator import configure
from eops_traj.errors import ConfigError, InputError, StoreError
from eops_traj.schema import Json
from eops_traj.store.store import Store
from tests.collectors.group_tasks import PLAN, TASK
from tests.collectors.scripted_context import ScriptedContext, scripted_turn
from tests.episodes import PROMPT, TOOLS, episode


def planned(key, plan, attempt=1, run="r1"):
    details = Json(json.dumps({"plan": plan} if plan else {}))
    return replace(
        episode(key, details=details, attempt=attempt, run_id=run), task_hash=TASK.task_hash, episode_id=key
    )


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "store", create=True) as opened:
        found = [
            planned("a", "2nd", 2),
            planned("b", "1st"),
            planned("c", "other", run="r2"),
            planned("d", None),
        ]
        opened.append(found, prompts=[PROMPT], toolsets=[TOOLS])
    return str(tmp_path / "store")


def told(options, task=TASK):
    context = ScriptedContext(task, [scripted_turn("Done.")])
    context.work(configure("conditioned", options).orchestrator)
    return context.requests[0][0][1]["content"]


def test_the_gold_plan_is_put_before_the_executor():
    context = ScriptedContext(TASK, [scripted_turn("Done.")])
    context.work(configure("conditioned").orchestrator)
    content = context.requests[0][0][1]["content"]
    assert PLAN.strip() in content and content == context.turns[0].nudge and context.notes["plan"] == PLAN


def test_it_says_the_same_words_as_planner_react():
    context = ScriptedContext(TASK, [scripted_turn(PLAN.strip()), scripted_turn("Done.")])
    context.work(configure("planner_react").orchestrator)
    assert context.requests[1][0][1]["content"] == told({}, replace(TASK, plan=PLAN.strip()))


def test_plans_of_a_stored_run(store):
    assert "1st" in told({"plans": store, "run": "r1"}) and "other" in told({"plans": store, "run": "r2"})


def test_settings_name_the_plans_by_content(store):
    settings = [configure("conditioned", {"plans": store, "run": run}).settings for run in ("r1", "r1", "r2")]
    assert settings[0] == settings[1] != settings[2] and store not in json.dumps(settings)


def test_no_plan_is_said_plainly(store, tmp_path):
    with pytest.raises(ConfigError, match="join_group: there is no plan"):
        told({}, replace(TASK, plan=None))
    with pytest.raises(InputError, match=r"no episode of .* run r9 has a plan"):
        configure("conditioned", {"plans": store, "run": "r9"})
    with pytest.raises(StoreError):
        configure("conditioned", {"plans": str(tmp_path / "none")})
