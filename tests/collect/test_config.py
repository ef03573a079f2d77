"""Configs of collections: every problem at once, and the agent told by what shapes it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from eops_traj.collect.config import load_setup
from eops_traj.config import CONFIGS
from eops_traj.errors import ConfigError, InputError, UnknownName

Config = Callable[..., Path]
COMMITTED = sorted(path.name for path in CONFIGS.glob("collect_*.yaml"))
MODEL: dict[str, Any] = {"kind": "openai_api", "model": "m", "base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_config_holds_and_starts_with_its_command(name: str, monkeypatch: pytest.MonkeyPatch):
    path = CONFIGS / name
    assert path.read_text().startswith(f"# eops-traj collect {path.stem} ")
    assert load_setup(path.stem).agent.model


def test_there_are_configs_for_every_way_to_collect():
    text = "".join((CONFIGS / name).read_text() for name in COMMITTED)
    for kind in ("openai_api", "vllm_server", "litellm_api", "expert", "fleet", "ray", "planner_react"):
        assert kind in text


def problems(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_setup(path, overrides)
    return caught.value.problems


def test_every_problem_is_reported_at_once(config: Config):
    path = config(attempts=0, limits={"trns": 3}, sandbox={"kind": "cloud"}, speed=1, pace={"episodes": 0})
    found = problems(path)
    assert len(found) == 5
    assert any("unknown key 'speed'; choose from tasks, orchestrator" in p for p in found)
    assert "unknown key 'limits.trns'; choose from turns, tokens, cost, seconds" in found
    assert any(p.startswith("attempts: ") and p.endswith("not 0") for p in found)
    assert any("'embedded', 'remote', 'fleet'" in p for p in found)


def test_parts_and_roles_are_reported_at_once_too(config: Config):
    models = {"planner": {"kind": "telepathy", "model": "m"}, "critic": MODEL}
    found = problems(config(orchestrator={"name": "reakt"}, models=models))
    assert len(found) == 2 and "reakt" in found[0] and "telepathy" in found[1]
    found = problems(
        config(orchestrator={"name": "planner_react"}, models={"planner": MODEL, "critic": MODEL})
    )
    assert found[0] == "models.executor is missing"
    assert found[1].startswith("models.critic: the orchestrator asks no such role; it asks planner, executor")


def test_a_key_in_the_orchestrator_is_not_for_the_screen(config: Config):
    key = "Kx7-internal-gateway-" + "9f2Lq"
    [found] = problems(config(orchestrator={"name": "command", "run": f"prog --api-key={key}"}, models={}))
    assert found.startswith("orchestrator command: run: ") and "prog --api-key=" in found and key not in found


def test_a_role_without_a_model_is_played_by_the_executors(config: Config):
    setup = load_setup(config(orchestrator={"name": "planner_react"}, models={"executor": MODEL}))
    assert setup.roles["planner"] is setup.roles["executor"]


def test_overrides_go_in(config: Config):
    path = config()
    setup = load_setup(path, ["attempts=3", "limits.turns=7", "models.executor.model=other", "tasks.limit=2"])
    assert setup.config.attempts == 3 and setup.config.limits.turns == 7 and setup.agent.model == "other"


def agent(path: Path, *overrides: str) -> str:
    return load_setup(path, overrides).agent.agent_hash


def test_the_agent_is_what_shapes_its_behaviour(config: Config):
    path = config()
    same = ["pace.episodes=9", "attempts=4", "requests_at_once=2", "engine=ray", "requests.failures=1"]
    assert agent(path) == agent(path, *same)
    assert agent(path) == agent(path, "models.executor.base_url=http://elsewhere:1/v1")
    others = ["models.executor.sampling.temperature=0.5", "limits.turns=5", "orchestrator.name=decomposing"]
    others += ("models.executor.model=n", "sandbox={kind: embedded, strict: true}")
    assert len({agent(path), *(agent(path, other) for other in others)}) == len(others) + 1


def test_seeds_are_those_of_the_roles_that_have_one(config: Config):
    assert load_setup(config(), ["models.executor.sampling.seed=3"]).seeds == {"executor": 3}
    assert load_setup(config()).seeds == {}


def test_an_unknown_config_lists_the_choices():
    with pytest.raises(UnknownName, match="unknown collect config 'collect_nothing'"):
        load_setup("collect_nothing")
    with pytest.raises(InputError, match="no collect config at"):
        load_setup("nowhere/collect.yaml")


def test_what_is_no_config_is_said(tmp_path: Path):
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump([1]))
    assert problems(path) == ["needs keys with values"]
    assert os.linesep not in str(problems(path))
