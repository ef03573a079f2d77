"""Every config of the repository runs from a fresh working folder, with a stub where it asks for a model."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.cli.main import main
from eops_traj.collect.config import load_setup
from eops_traj.config import CONFIGS, read_settings
from tests.conftest import Ran
from tests.endpoint import Endpoint

OTHER_PROGRAMS = ("accelerate",)
ANOTHER_PROGRAM = "collect_command"
"""The agent is a program that has to be there; tests/collect has one."""
EXECUTOR = "models.executor={kind: openai_api, model: m, base_url: %s}"
COLLECT: dict[str, tuple[str, ...]] = {
    "collect_anthropic": ("models.executor.base_url=%s", "models.executor.prices={input: 1, output: 2}"),
    "collect_benchmark": ("models.executor.base_url=%s", "attempts=1"),
    "collect_expert": ("attempts=1",),
    "collect_fleet": ("models.executor.base_url=%s", "sandbox={kind: embedded}"),
    "collect_leaderboard": (
        "tasks={source: suite, splits: [test]}",
        "models.executor.base_url=%s",
        "attempts=1",
    ),
    "collect_openai": ("models.executor.base_url=%s",),
    "collect_planner": ("models.planner={kind: openai_api, model: m, base_url: %s}",),
    "collect_pool": (EXECUTOR, "models.planner={kind: openai_api, model: p, base_url: %s}", "attempts=1"),
    "collect_ray": ("models.executor.base_url=%s", "engine=asyncio", "attempts=1"),
    "collect_vllm": (EXECUTOR, "attempts=1"),
}
"""What each needs where there is no Docker, cluster, vLLM, hub or provider: the stub in the model's place."""
DATA = {
    "train_dpo": "planner_dpo", "train_full": "planner_sft", "train_grpo": "prompts",
    "train_grpo_acting": "prompts", "train_kto": "kto",
    "train_lora": "sft", "train_planner": "planner_sft", "train_scratch": "planner_sft",
    "train_scratch_all": "planner_sft", "train_scratch_more": "planner_sft",
    "train_scratch_dpo": "planner_dpo", "train_smollm": "planner_sft", "train_smollm_full": "planner_sft",
    "train_tiny": "sft",
}  # fmt: skip
"""The format of the data that each is trained on."""
ELSEWHERE = {
    "collect_leaderboard": "the benchmark's own tasks, from the hub",
    "rebench_smollm": "short plans of at most 640 tokens: docs/recipes.md makes them",
    "train_smollm": "the same",
    "train_smollm_full": "the same",
}
"""The configs whose tasks are others than those of a working folder, and why."""
IMPORTS_LONG = "collect_anthropic"
"""litellm, which it calls, takes five seconds of processor to import."""
FILTERS = ("filter_all", "filter_imported", "filter_partial", "filter_planner", "filter_sft")
SIZES = ("max_length=32768", "weights=float32")


def test_the_tables_name_every_config() -> None:
    named = {*COLLECT, *DATA, *FILTERS, "publish_default", ANOTHER_PROGRAM}
    others = {path.stem for path in CONFIGS.glob("*.yaml")} - named
    assert {name.partition("_")[0] for name in others} == {*OTHER_PROGRAMS, "rebench"}


def test_every_other_config_is_about_the_tasks_of_a_working_folder() -> None:
    named = {}
    for path in CONFIGS.glob("[!p]*.yaml"):
        settings = read_settings(path)
        sections = (settings, settings.get("evaluate") or {}, settings.get("held_out") or {})
        named[path.stem] = {source(section["tasks"]) for section in sections if "tasks" in section}
    assert {name for name, sources in named.items() if sources - {"suite"}} == set(ELSEWHERE)
    assert sum(sources == {"suite"} for sources in named.values()) >= 15


def source(tasks: Any) -> Any:
    return tasks["source"] if isinstance(tasks, dict) else tasks


def test_the_config_of_anthropic_names_the_client_that_is_tried_for_it(work: Path) -> None:
    """Its own run is slow; tests/collectors/clients/test_litellm_api.py has that client ask Anthropic."""
    [executor] = load_setup(IMPORTS_LONG).config.models.values()
    assert (executor["kind"], executor["model"].partition("/")[0]) == ("litellm_api", "anthropic")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == IMPORTS_LONG else n for n in COLLECT]
)
def test_a_collection_keeps_an_episode(
    name: str, cli: Callable[..., Ran], work: Path, stub: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == IMPORTS_LONG:
        pytest.importorskip("litellm")
    overrides = [text.replace("%s", stub.url) for text in COLLECT[name]]
    ran = cli("collect", name, "--store", "store", "--limit", "1", "--json", *overrides)
    assert ran.code == 0, ran.err
    outcomes = json.loads(ran.out)["outcomes"]
    assert sum(row["episodes"] for row in outcomes) >= 1 and "error" not in {r["outcome"] for r in outcomes}
    assert bool(stub.requests) == (name != "collect_expert")


@pytest.fixture(scope="module")
def collected(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with episodes, selections, exports of every format, and a model of a few steps."""
    folder = tmp_path_factory.mktemp("collected") / "work"
    shutil.copytree(made, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run("collect", "collect_expert", "--store", "store", "attempts=4", "orchestrator.rate=0.15")
        for name in FILTERS:
            run("filter", name, "--store", "store", "--name", name)
        for name in sorted(set(DATA.values())):
            selection = "filter_sft" if name == "sft" else "filter_planner"
            run("export", name, "--store", "store", "--selection", selection, "--out", f"data/{name}")
        run("train", "train_tiny", "max_steps=1", "max_length=32768", "scratch.hidden=48", "scratch.layers=1")
    return folder


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert not stop.value.code, arguments


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_a_training_run_finds_its_data_and_its_rows_fit(
    name: str, collected: Path, cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(collected)
    model = [] if name in ("train_tiny", "train_scratch", "train_scratch_all") else ["model=runs/tiny/model"]
    overrides = [*model, f"data=data/{DATA[name]}", f"output=out/{name}", *SIZES]
    if "smollm" in name:
        overrides += ["held_out.tasks=suite", "evaluate.tasks=suite", "evaluate.max_new_tokens=3072"]
    ran = cli("train", name, "--dry-run", "--json", *overrides)
    assert ran.code == 0, ran.err
