"""Runs of several processes: accelerate's configs, equal weights on every rank, one line, one checkpoint."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from eops_traj.config import CONFIGS
from eops_traj.train.config import Leak
from tests import planner_data
from tests.collectors.group_tasks import TASK, TWIN
from tests.recipes.forced import TO_DO, actor
from tests.recipes.runs import TINY, config, killed, metrics, planner, weights
from tests.recipes.test_twenty_steps import DONE, REFUSED
from tests.recipes.torn import torn_planner

ROOT = Path(__file__).parents[2]
ALLOWED = {"allow": [*get_args(Leak)]}
DEV = [replace(task, task_id=f"dev{n}", split="dev") for n, task in enumerate((TASK, TWIN, TASK))]
AGAIN = replace(TO_DO, task_id="again")
TRIES: dict[str, Any] = {"generations": 4, "batch_size": 4, "learning_rate": 0.001, "first_look": None}


def offline(make_data: Callable[[Path], Path], **own: Any) -> Callable[[Path], dict[str, Any]]:
    """Return how a recipe's settings are made, from data and a planner with random weights."""

    def settings(folder: Path) -> dict[str, Any]:
        return {
            "data": str(make_data(folder)),
            "model": str(planner(folder / "planner", positions=4096)),
            **own,
        }

    return settings


def planning(folder: Path) -> dict[str, Any]:
    """Make the settings of a planner that passes with some tries and not with others."""
    model = torn_planner(
        folder / "planner", planner_data.planner_prompt(TO_DO, planner_data.SHORT), (DONE, REFUSED)
    )
    data = planner_data.prompts(folder, [TO_DO, AGAIN], planner_data.SHORT)
    return {
        **TRIES,
        "act": "plan",
        "max_new_tokens": 120,
        "max_length": 1024,
        "data": str(data),
        "model": str(model),
    }


def acting(folder: Path) -> dict[str, Any]:
    """Make the settings of a model that acts, and passes with every other try where it is forced."""
    data, model = planner_data.prompts(folder, [TO_DO, AGAIN]), actor(folder / "planner")
    return {
        **TRIES,
        "act": "tools",
        "max_new_tokens": 900,
        "max_length": 2048,
        "data": str(data),
        "model": str(model),
    }


RECIPES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "sft": offline(planner_data.planner_sft),
    "dpo": offline(planner_data.planner_dpo, learning_rate=0.001),
    "kto": offline(planner_data.kto, learning_rate=0.001),
    "grpo": planning,
    "grpo tools": acting,
}
"""By recipe how its settings are made in a folder, and what they name there."""


@pytest.mark.parametrize(
    ("name", "kind"), [("ddp", "MULTI_GPU"), ("fsdp", "FSDP"), ("deepspeed", "DEEPSPEED")]
)
def test_a_committed_config_holds_and_starts_with_its_command(name: str, kind: str) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    path = CONFIGS / f"accelerate_{name}.yaml"
    assert path.read_text().startswith(
        f"# accelerate launch --config_file configs/{path.name} recipes/sft.py "
    )
    settings = load_config_from_file(str(path))
    assert settings.distributed_type == kind and settings.num_processes == 8


def test_the_fsdp_settings_are_ones_that_accelerate_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml
    from accelerate import FullyShardedDataParallelPlugin

    fsdp = yaml.safe_load((CONFIGS / "accelerate_fsdp.yaml").read_text())["fsdp_config"]
    for name, value in fsdp.items():
        monkeypatch.setenv(name.upper(), str(value))  # as `accelerate launch` hands them on
    plugin = FullyShardedDataParallelPlugin()
    assert plugin.fsdp_version == 2 and plugin.reshard_after_forward is True
    assert plugin.state_dict_type.name == "FULL_STATE_DICT"


def settings_of(recipe: str, folder: Path) -> dict[str, Any]:
    """Return the settings of four steps with exams after two and four, with data, tasks and a model."""
    own, tasks = RECIPES[recipe](folder), planner_data.task_files(folder / "tasks", DEV)
    exam = {"tasks": str(tasks), "steps": 2, **({} if "tools" in recipe else {"max_new_tokens": 120})}
    return {**TINY, "recipe": recipe.split()[0], "evaluate": exam, "held_out": ALLOWED, **own}


def launch(
    folder: Path, path: Path, *arguments: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a config in two processes on the CPU, with temporary files in ``folder/tmp``."""
    (folder / "tmp").mkdir(exist_ok=True)
    accelerate = ["accelerate.commands.launch", "--config_file", str(CONFIGS / "accelerate_ddp.yaml")]
    options = ["--num_processes", "2", "--mixed_precision", "no", "--main_process_port", "0"]
    own = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    script = [str(ROOT / "tests" / "recipes" / "hashed_run.py"), str(folder), "train", str(path), "--json"]
    return subprocess.run(
        [sys.executable, "-m", *accelerate, *options, *script, *arguments],
        capture_output=True, text=True, check=False, timeout=500, cwd=ROOT,
        env={**os.environ, **own, **environment},
    )  # fmt: skip


def hashes(folder: Path) -> list[str]:
    """Read the hashes of the ranks' weights, and take them away."""
    files = sorted(folder.glob("rank-*"))
    read = [file.read_text() for file in files]
    for file in files:
        file.unlink()
    return read


def no_cache(folder: Path) -> bool:
    """Check that the rows' cache is gone; the launcher leaves an empty folder of its own."""
    return not list((folder / "tmp").glob("eops-*"))


RESUMED = ("sft", "grpo tools")
"""Those of the recipes that are resumed too: all go on by one piece of code."""


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
def test_two_processes_train_one_model_and_go_on(recipe: str, tmp_path: Path) -> None:
    path = config(tmp_path / "out", settings_of(recipe, tmp_path))
    played = {"FORCED": "1"} if "tools" in recipe else {}
    ran = launch(tmp_path, path, **played)
    assert ran.returncode == 0, ran.stderr[-9000:]
    results, (first, second) = json.loads(ran.stdout), hashes(tmp_path)
    assert results == metrics(tmp_path / "out") and (results["processes"], results["steps"]) == (2, 4)
    print(f"{recipe}: rank 0 {first}, rank 1 {second}")
    assert first == second
    log = (tmp_path / "out" / "evaluations.jsonl").read_text().splitlines()
    assert [(json.loads(line)["step"], json.loads(line)["tasks"]) for line in log] == [(2, 3), (4, 3)]
    assert (tmp_path / "out" / "model" / "README.md").is_file() and no_cache(tmp_path)
    saved = sorted(path.parent.name for path in (tmp_path / "out").glob("*/model.safetensors"))
    assert saved == ["checkpoint-2", "checkpoint-4", "last", "model"]
    assert weights(tmp_path / "out" / "last") != weights(tmp_path / "planner")
    if recipe in RESUMED:
        resumes(tmp_path, path, first, **played)


def resumes(tmp_path: Path, path: Path, first: str, **played: str) -> None:
    """Check that a run that was killed while it wrote its last checkpoint comes to the same weights."""
    cut = killed(tmp_path / "out", tmp_path / "cut")
    again = launch(tmp_path, path, f"output={cut}", "--resume", **played)
    assert again.returncode == 0, again.stderr[-9000:]
    assert hashes(tmp_path) == [first, first] and metrics(cut)["steps"] == 4
    assert weights(cut / "checkpoint-4") == weights(tmp_path / "out" / "checkpoint-4")
    counted = [metrics(run)["throughput"]["tokens"] for run in (cut, tmp_path / "out")]
    assert counted[0] == counted[1] > 0


@pytest.mark.slow
def test_two_processes_train_one_adapter(tmp_path: Path) -> None:
    """Adapters on bfloat16 weights, with activations computed again and an exam in between."""
    lora = {"lora": {"rank": 2, "alpha": 4}, "weights": "bfloat16", "bf16": True, "recompute": True}
    ran = launch(tmp_path, config(tmp_path / "out", {**settings_of("sft", tmp_path), **lora}))
    assert ran.returncode == 0, ran.stderr[-9000:]
    first, second = hashes(tmp_path)
    print(f"sft with adapters: rank 0 {first}, rank 1 {second}")
    saved = {path.parent.name for path in (tmp_path / "out").glob("*/adapter_model.safetensors")}
    assert first == second and saved == {"checkpoint-2", "checkpoint-4", "last", "model"}


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config that would run."""
    folder = tmp_path_factory.mktemp("refusing")
    config(folder / "out", settings_of("dpo", folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("lerning_rate=1", "unknown key 'lerning_rate'"),  # each process reads the config
        (f"certificate={'f' * 64}", "certificate.json has the SHA-256"),  # the first reads the data
    ],
)
def test_a_refusal_is_one_line_and_ends_both_processes(change: str, line: str, refusing: Path) -> None:
    ran = launch(refusing, refusing / "out.yaml", change)
    said = [each for each in ran.stderr.splitlines() if each.startswith("eops-traj:")]
    assert ran.returncode != 0 and len(said) == 1 and line in said[0], ran.stderr[-9000:]
    assert not ran.stdout and not (refusing / "out").exists() and no_cache(refusing)
