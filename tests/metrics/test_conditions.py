"""What two sides of a comparison do not have in common is found, and told to people and machines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import build_run
from eops_traj.hashing import canonical_json
from eops_traj.metrics.conditions import UnlikeSetting, agent_conditions, unlike_settings
from eops_traj.schema import Episode, Json
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode

MODEL = {
    "model": "a", "checkpoint": "1" * 64, "sampling": {"temperature": 0.0, "max_tokens": 2048, "seed": 1},
    "chat_template": "t1",
}  # fmt: skip
SETTINGS: dict[str, Any] = {
    "orchestrator": {"shown": {"tools": "none"}, "prompt_hash": "p1"},
    "limits": {"turns": 50},
    "models": {"planner": MODEL},
}
KIND = {"planner": "vllm_server"}
WARM = {"sampling": {"temperature": 0.7, "max_tokens": 2048}}


def conditions(
    change: dict[str, Any], orchestrator: str = "plan", kind: dict[str, str] = KIND
) -> dict[str, Any]:
    """The conditions of an agent with some settings of its planner changed."""
    settings = {**SETTINGS, "models": {"planner": {**MODEL, **change}}}
    return agent_conditions(canonical_json(settings), orchestrator, kind)


def unlike(base: Any, new: Any) -> list[tuple[str, str, str, str]]:
    return [(u.about, u.setting, u.base, u.new) for u in unlike_settings([base], [new])]


@pytest.mark.parametrize(
    ("change", "about", "setting", "now"),
    [
        ({"sampling": {"temperature": 0.7, "max_tokens": 2048}}, "sampling", "sampling.temperature", "0.7"),
        ({"sampling": {"temperature": 0.0, "max_tokens": 512}}, "cap", "sampling.max_tokens", "512"),
        ({"sampling": {"max_tokens": 2048}}, "sampling", "sampling.temperature", "not given"),
        ({"extra_body": {"top_n": 3}}, "sampling", "extra_body.top_n", "3"),
        ({"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}}, "prompt",
         "extra_body.chat_template_kwargs.enable_thinking", "false"),
        ({"chat_template": "t2"}, "prompt", "chat_template", '"t2"'),
        ({"max_model_len": 4096}, "cap", "max_model_len", "4096"),
        ({"dtype": "bfloat16"}, "engine", "dtype", '"bfloat16"'),
    ],
)  # fmt: skip
def test_each_kind_of_setting_is_named(change: dict[str, Any], about: str, setting: str, now: str) -> None:
    [found] = unlike(conditions({}), conditions(change))
    assert (found[0], found[1], found[3]) == (about, f"models.planner.{setting}", now)


@pytest.mark.parametrize(
    "change",
    [{"model": "b", "checkpoint": "2" * 64, "base": "3" * 64}, {"sampling": {**MODEL["sampling"], "seed": 2}},
     {"sampling": {"temperature": 0.0, "max_completion_tokens": 2048}}],
)  # fmt: skip
def test_another_model_or_seed_is_no_other_condition(change: dict[str, Any]) -> None:
    assert unlike(conditions({}), conditions(change)) == []


def test_the_engine_is_the_kind_of_client_where_it_is_known() -> None:
    here, there = conditions({}, kind={"planner": "transformers_local"}), conditions({})
    assert [found[:2] for found in unlike(here, there)] == [("engine", "models.planner.kind")]
    assert unlike(conditions({}, kind={}), there) == []
    without = {name: value for name, value in MODEL.items() if name != "chat_template"}
    old = agent_conditions(canonical_json({**SETTINGS, "models": {"planner": without}}), "plan", KIND)
    assert unlike(old, there) == []  # of an endpoint, or from before templates were noted


def test_orchestrators_limits_and_executors_count() -> None:
    assert ("prompt", "agent", '"plan"', '"planner_react"') in unlike(
        conditions({}), conditions({}, "planner_react")
    )
    sides = []
    for n in (20, 50):
        models = {"planner": MODEL, "executor": {"model": f"e{n}"}}
        settings = canonical_json({**SETTINGS, "limits": {"turns": n}, "models": models})
        sides.append(agent_conditions(settings, "planner_react", {}))
    assert unlike(*sides) == [
        ("cap", "limits.turns", "20", "50"), ("executor", "models.executor.model", '"e20"', '"e50"'),
    ]  # fmt: skip


def test_the_members_of_a_pool_and_agents_of_a_side_are_all_looked_at() -> None:
    pool = {"members": [{"sampling": {"temperature": t}, "checkpoint": f"{t}"} for t in (0.0, 0.5)]}
    one = {"members": [{"sampling": {"temperature": 0.0}, "checkpoint": "x"}]}
    assert unlike(conditions(pool), conditions(one)) == [
        ("sampling", "models.planner.members.sampling.temperature", "0.0 or 0.5", "0.0")
    ]
    warm = conditions({"sampling": {"temperature": 1.0, "max_tokens": 2048}})
    [both] = unlike_settings([conditions({}), warm], [conditions({})])
    assert str(both) == (
        "sampling: models.planner.sampling.temperature is 0.0 or 1.0 on one side, 0.0 on the other"
    )


def test_a_setting_that_some_agents_of_a_side_lack_is_among_its_values() -> None:
    warm, without = conditions(WARM), conditions({"sampling": {"max_tokens": 2048}})
    [found] = unlike_settings([warm], [warm, without])
    assert (found.about, found.base, found.new) == ("sampling", "0.7", "0.7 or not given")
    assert unlike_settings([without, warm], [warm, without]) == ()
    old = {name: value for name, value in MODEL.items() if name != "chat_template"}
    before = agent_conditions(canonical_json({**SETTINGS, "models": {"planner": old}}), "plan", {})
    assert unlike_settings([conditions({})], [conditions({}), before]) == ()  # it may have been the same


@pytest.mark.parametrize("settings", ["", "[]", "{", '{"models": 3}', '{"models": {"planner": "x"}}'])
def test_settings_of_other_programs_are_no_trouble(settings: str) -> None:
    assert isinstance(unlike_settings([agent_conditions(settings, "react", {})], [conditions({})]), tuple)


def attempts(run: str, change: dict[str, Any], **fields: Any) -> list[Episode]:
    settings = Json(canonical_json({**SETTINGS, "models": {"planner": {**MODEL, **change}}}))
    return [
        episode(f"{run}-{t}", task_hash=f"t{t}", run_id=run, settings=settings, orchestrator="plan", **fields)
        for t in range(3)
    ]


def test_the_command_warns_a_person_and_a_machine(cli: Callable[..., Ran], tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.append(
            [*attempts("aaa1", {}), *attempts("bbb2", WARM), *attempts("ccc3", {"checkpoint": "4" * 64})],
            runs=[
                build_run("collect", {"models": {"planner": {"kind": kind}}}, run_id=run)
                for run, kind in (("aaa1", "vllm_server"), ("bbb2", "openai_api"), ("ccc3", "vllm_server"))
            ],
        )
    said = cli("compare", "aaa1", "bbb2", "--store", tmp_path / "store").out
    assert (
        "warning: not asked alike, sampling: models.planner.sampling.temperature is 0.0 on one side" in said
    )
    told = json.loads(cli("compare", "aaa1", "bbb2", "--store", tmp_path / "store", "--json").out)["warnings"]
    assert [UnlikeSetting(**each) for each in told] == [
        UnlikeSetting("engine", "models.planner.kind", '"vllm_server"', '"openai_api"'),
        UnlikeSetting("sampling", "models.planner.sampling.temperature", "0.0", "0.7"),
    ]
    fair = cli("compare", "aaa1", "ccc3", "--store", tmp_path / "store")
    assert "warning" not in fair.out and fair.code == 0


def test_episodes_that_erred_say_nothing_of_a_side(cli: Callable[..., Ran], tmp_path: Path) -> None:
    erred = [e for e in attempts("aaa1", WARM, outcome="error", success_strict=None) if e.task_hash == "t0"]
    with Store.open(tmp_path / "store", create=True) as store:
        sound = [e for e in attempts("aaa1", {}) if e.task_hash != "t0"]
        store.append([*erred, *sound, *attempts("bbb2", {})])
    told = json.loads(cli("compare", "aaa1", "bbb2", "--store", tmp_path / "store", "--json").out)
    assert told["warnings"] == [] and told["tasks"] == 2
