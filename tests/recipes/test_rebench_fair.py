"""Both sides of a rebench are asked alike, whatever the client; samples differ; plans are handed on."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from eops_traj.config import checked
from eops_traj.errors import ConfigError, InputError
from eops_traj.llm.vllm_process import PYTHON
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.recipes import rebench
from eops_traj.schema import Episode
from eops_traj.store.store import Store
from eops_traj.train.measured_client import NEUTRAL
from tests.adapters import tiny_adapter
from tests.collectors.group_tasks import PLAN, TASK
from tests.conftest import Ran
from tests.endpoint import Answer, completion, endpoint
from tests.planner_data import SHORT, task_files
from tests.recipes.runs import SIZES, planner

TEST = [replace(TASK, split="test"), replace(TASK, split="test", task_id="join_group_again")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, a base, and a run that trained an adapter over it."""
    folder = tmp_path_factory.mktemp("rebench")
    task_files(folder / "tasks", TEST)
    tiny_adapter(folder / "run" / "model", planner(folder / "base"))
    return folder


def settings(made: Path, **changes: Any) -> dict[str, Any]:
    return {
        "recipe": "rebench",
        "model": str(made / "run" / "model"),
        "tasks": {"source": str(made / "tasks"), "splits": ["test"]},
        "shown": SHORT.model_dump(),
        "max_new_tokens": 6,
        "store": "store",
        **changes,
    }


def config(made: Path, **changes: Any) -> rebench.Config:
    return checked(rebench.Config, settings(made, **changes), "c")


def behaviours(store: Path) -> dict[str, dict[str, Any]]:
    """The settings of the planners in a store, by their checkpoints."""
    with Store.open(store) as opened:
        agents = {episode.settings for episode in opened.episodes()}
    planners = [json.loads(agent)["models"]["planner"] for agent in agents]
    return {planner.pop("checkpoint"): planner for planner in planners}


def test_a_lora_run_is_measured_with_its_base_by_one_command(
    made: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(settings(made, store=str(tmp_path / "store"))))
    ran = cli("rebench", tmp_path / "c.yaml", f"before={made / 'base'}", "--json")
    told = json.loads(ran.out)
    assert told["comparison"]["tasks"] == 2 and told["comparison"]["warnings"] == []
    assert told["comparison"]["new"]["runs"] == [told["run"]] != told["comparison"]["base"]["runs"]
    found = behaviours(tmp_path / "store")
    base = checkpoint_hash(made / "base")
    assert found.keys() == {base, checkpoint_hash(made / "run" / "model")}
    before, after = found.pop(base), found.popitem()[1]
    assert after.pop("base") == base and after.pop("model") and before.pop("model") and before == after
    assert before["sampling"] == {**NEUTRAL, "temperature": 0.0, "max_tokens": 6}
    table = cli("rebench", tmp_path / "c.yaml", f"before={made / 'base'}").out
    assert "replies: 2, " in table and "warning: not asked alike" not in table


def test_a_base_that_was_asked_otherwise_is_warned_of_before_and_after(
    made: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = str(tmp_path / "store")
    first = rebench.run(config(made, model=str(made / "base"), store=store, max_new_tokens=4))
    result = rebench.run(config(made, store=store, base=first["run"]))
    [unlike] = result["comparison"].warnings
    assert (unlike.about, unlike.setting, unlike.base, unlike.new) == (
        "cap", "models.planner.sampling.max_tokens", "4", "6",
    )  # fmt: skip
    assert "was not asked as this measurement asks, cap: " in caplog.text
    assert rebench.as_json(result)["comparison"]["warnings"][0]["about"] == "cap"


def test_samples_differ_by_seeds_of_their_own(made: Path, tmp_path: Path) -> None:
    hot = {"temperature": 1.0}
    result = rebench.run(config(made, store=str(tmp_path / "store"), attempts=3, sampling=hot))
    assert (result["replies"].samples, result["replies"].tasks_with_different_samples) == (3, 2)
    with Store.open(tmp_path / "store") as opened:
        texts = {(e.task_id, e.attempt): e.turns[0].token_ids for e in opened.episodes()}
    assert len(texts) == 6 and len(set(texts.values())) == 6
    rebench.run(config(made, store=str(tmp_path / "again"), attempts=3, sampling=hot))
    with Store.open(tmp_path / "again") as opened:
        assert {(e.task_id, e.attempt): e.turns[0].token_ids for e in opened.episodes()} == texts


def test_every_request_of_an_endpoint_carries_the_same_sampling_and_its_own_seed(
    made: Path, tmp_path: Path
) -> None:
    with endpoint(Answer(completion(PLAN))) as served:
        client = {"kind": "openai_api", "base_url": served.url}
        same = {"client": client, "attempts": 2, "sampling": {"temperature": 0.6, "top_p": 0.9}}
        result = rebench.run(
            config(made, store=str(tmp_path / "store"), model="new", before="old", max_new_tokens=99, **same)
        )
        bodies = [request.body for request in served.requests if "Say yes." not in str(request.body)]
    assert {body["model"] for body in bodies} == {"old", "new"} and len(bodies) == 8
    assert {(b["temperature"], b["top_p"], b["max_tokens"]) for b in bodies} == {(0.6, 0.9, 99)}
    seeds = {name: {body["seed"] for body in bodies if body["model"] == name} for name in ("old", "new")}
    assert seeds["old"] == seeds["new"] and len(seeds["new"]) == 4
    assert result["replies"].all_alike  # the endpoint has one reply for all seeds


def test_plans_are_handed_to_an_executor(made: Path, tmp_path: Path) -> None:
    client = {"kind": "scripted", "model": "by heart", "replies": [PLAN]}
    executor = {"kind": "scripted", "model": "hands", "replies": ["I did nothing."]}
    changes = {"orchestrator": "planner_react", "client": client, "executor": executor}
    result = rebench.run(config(made, store=str(tmp_path / "store"), **changes))
    assert result["scores"][-1]["success_strict"] == 0.0
    with Store.open(tmp_path / "store") as opened:
        episodes: list[Episode] = list(opened.episodes())
    assert {episode.orchestrator for episode in episodes} == {"planner_react"}
    for episode in episodes:
        plan, reply = episode.turns
        assert plan.text == PLAN and PLAN.strip() in str(reply.nudge) and reply.text == "I did nothing."
        models = json.loads(episode.settings)["models"]
        assert (models["planner"]["model"], models["executor"]["model"]) == ("by heart", "hands")


def test_the_executor_is_sampled_as_the_planner_unless_it_says_otherwise(made: Path) -> None:
    executor = {"kind": "openai_api", "model": "e", "base_url": "http://localhost:1/v1"}
    changes = {"orchestrator": "planner_react", "executor": executor, "sampling": {"temperature": 0.5}}
    clients = rebench.setup(config(made, **changes)).clients
    assert clients["executor"].sampling.given() == {"temperature": 0.5, "max_tokens": 6, "seed": 0}
    own = {**changes, "executor": {**executor, "sampling": {"temperature": 0.0}}}
    assert rebench.setup(config(made, **own)).clients["executor"].sampling.given() == {"temperature": 0.0}


@pytest.mark.vllm
@pytest.mark.skipif(PYTHON not in os.environ, reason=f"{PYTHON} names no Python that has vLLM")
def test_vllm_serves_both_sides_and_says_what_this_process_says(
    made: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    base = planner(tmp_path / "base", SIZES.model_copy(update={"hidden": 64}), positions=1024)  # heads of 32
    adapter = tiny_adapter(tmp_path / "run" / "model", base)
    flags = ["--enforce-eager", "--dtype=float32", "--max-model-len=1024", "--kv-cache-memory-bytes=256M"]
    env = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    client = {"kind": "vllm_server", "args": flags, "env": env, "tool_parser": "hermes"}
    replies = {}
    for name, served in (("there", client), ("here", {"kind": "transformers_local", "dtype": "float32"})):
        store = tmp_path / name
        given = settings(made, model=str(adapter), before=str(base), store=str(store), client=served)
        (tmp_path / "c.yaml").write_text(yaml.safe_dump(given))
        ran = cli("rebench", tmp_path / "c.yaml", "--json")
        told = json.loads(ran.out)
        assert told["comparison"]["tasks"] == 2 and told["comparison"]["warnings"] == []
        with Store.open(store) as opened:
            replies[name] = {(e.task_id, e.model): e.turns[0].token_ids for e in opened.episodes()}
    assert replies["there"] == replies["here"] and len(replies["here"]) == 4
    for task in TEST:
        assert replies["here"][task.task_id, str(base)] != replies["here"][task.task_id, str(adapter)]
    print("\n" + "\n".join(f"{Path(model).name}: {ids}" for (_, model), ids in replies["there"].items()))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"attempts": 3}, "3 samples at temperature 0 are one; give sampling.temperature"),
        ({"sampling": {"top_p": 0.9}}, "sampling: give the temperature"),
        ({"sampling": {"temperature": 0, "max_tokens": 9}}, "the cap of a reply is max_new_tokens"),
        (
            {"client": {"kind": "vllm_server", "sampling": {"temperature": 1}}},
            "client.sampling: sampling is the",
        ),
        ({"client": {"kind": "pool", "members": [{"sampling": {}}]}}, "client.sampling: sampling is"),
        (
            {"client": {"kind": "vllm_server", "chat_template": "x"}},
            "client.chat_template: chat_template is the",
        ),
        (
            {"client": {"kind": "openai_api"}, "chat_template": "t"},
            "with openai_api the endpoint's own is used",
        ),
        (
            {"client": {"kind": "openai_api", "extra_body": {"temperature": 1}}},
            "give temperature as sampling",
        ),
        ({"base": "a", "before": "b"}, "give base or before, one of them"),
        (
            {"client": {"kind": "vllm_server", "path": "x"}, "before": "b"},
            "client.path: with before, model and",
        ),
        ({"orchestrator": "planner_react"}, "executor: planner_react needs one"),
        ({"executor": {"kind": "scripted"}}, "executor: planner_react needs one, and plan has none"),
    ],
)
def test_what_would_not_be_fair_is_refused(made: Path, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        config(made, **changes)


def test_a_template_of_the_measurement_is_both_sides(made: Path, tmp_path: Path) -> None:
    template = tmp_path / "t.jinja"
    template.write_text("{% for m in messages %}{{ m.content }}{% endfor %}")
    one = config(made, chat_template=str(template), before=str(made / "base"))
    told = [
        rebench.setup(side).clients["planner"].behaviour()["chat_template"] for side in rebench.sides(one)
    ]
    assert told[0] == told[1] and len(told) == 2


def test_an_adapter_for_another_base_is_refused_with_nothing_written(made: Path, tmp_path: Path) -> None:
    client = {"kind": "transformers_local", "path": str(planner(tmp_path / "other")), "model": "mine"}
    client["lora"] = str(made / "run")
    (tmp_path / "other" / "model.safetensors").write_bytes(
        (tmp_path / "other" / "model.safetensors").read_bytes()[:-1] + b"\x07"
    )
    with pytest.raises(InputError, match="is an adapter for another base"):
        rebench.run(config(made, store=str(tmp_path / "store"), client=client))
    assert not (tmp_path / "store").exists()
