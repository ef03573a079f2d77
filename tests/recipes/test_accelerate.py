"""The committed accelerate configs are ones that accelerate takes, and distributed runs write once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from eops_traj.config import CONFIGS
from tests.planner_data import planner_sft
from tests.recipes.runs import TINY, config, metrics, planner

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("name", "kind"), [("fsdp", "FSDP"), ("deepspeed", "DEEPSPEED")])
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


@pytest.mark.slow
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    settings = {**TINY, "recipe": "sft", "max_steps": 2, "save_steps": 1, "batch_size": 1}
    path = config(tmp_path / "out", settings, data=planner_sft(tmp_path), model=planner(tmp_path / "planner"))
    launch = ["accelerate.commands.launch", "--cpu", "--num_processes", "2", "--mixed_precision", "no"]
    command = [sys.executable, "-m", *launch, str(ROOT / "recipes" / "sft.py"), str(path), "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert metrics(tmp_path / "out")["steps"] == 2
    assert (tmp_path / "out" / "model" / "README.md").is_file()
    assert json.loads((tmp_path / "out" / "run.json").read_text())["data"]["format"] == "planner_sft"
