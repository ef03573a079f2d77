"""A run that cannot go well on this machine ends in one line, before any weight is loaded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from eops_traj.config import checked
from eops_traj.errors import InputError
from eops_traj.instances import load_module
from eops_traj.train.config import TrainingConfig
from eops_traj.train.load_model import load_training_model
from eops_traj.train.machine import check_machine
from tests.planner_data import planner_sft

SETTINGS: dict[str, Any] = {"data": "d", "output": "o", "max_length": 9, "learning_rate": 0.1}


def config(recipe: str = "sft", **settings: Any) -> TrainingConfig:
    values = {"model": "nowhere", **SETTINGS, "recipe": recipe, **settings}
    made: TrainingConfig = checked(load_module("recipe", recipe).Config, values, "c")
    return made


def given(monkeypatch: pytest.MonkeyPatch, gpus: int = 0, **environment: str) -> None:
    """Set the number of visible GPUs, and what a launcher puts into the environment."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpus > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    for name in ("LOCAL_RANK", "WORLD_SIZE", "ACCELERATE_USE_CPU", "ACCELERATE_USE_FSDP"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("launcher", [{}, {"WORLD_SIZE": "1"}])
def test_several_gpus_without_a_launcher_are_refused(
    launcher: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, gpus=4, **launcher)
    with pytest.raises(InputError, match=r"4 GPUs .* `accelerate launch --num_processes 4 recipes/dpo.py"):
        check_machine(config("dpo"))


@pytest.mark.parametrize(
    ("gpus", "launcher"),
    [
        (0, {}),
        (1, {}),
        (4, {"LOCAL_RANK": "0"}),
        (4, {"WORLD_SIZE": "4"}),
        (4, {"ACCELERATE_USE_CPU": "True"}),
    ],
)
def test_one_gpu_and_a_launcher_are_taken(
    gpus: int, launcher: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, gpus, **launcher)
    check_machine(config())


def test_the_command_says_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    given(monkeypatch, gpus=2)
    data = planner_sft(tmp_path)
    ran = cli("train", "train_lora", "model=nowhere", f"data={data}", f"output={tmp_path / 'out'}")
    assert ran.code == 2 and ran.err.count("\n") == 1 and "2 GPUs are visible" in ran.err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def whole(tmp_path: Path) -> str:
    """A folder that would be a model, had it any weights."""
    (tmp_path / "config.json").write_text("{}")
    return str(tmp_path)


def test_bfloat16_weights_without_adapters_are_refused(whole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, gpus=1)
    for check in (check_machine, load_training_model):
        with pytest.raises(
            InputError, match=r"bfloat16 without lora: .* weights=float32 .* lora=\{rank: 16\}"
        ):
            check(config(model=whole, weights="bfloat16"))
    with pytest.raises(InputError, match="bfloat16 without lora"):
        load_training_model(config(model="of/the-hub", weights="bfloat16"))
    check_machine(config(model=whole, weights="bfloat16", lora={"rank": 2}))
    check_machine(config(model=whole))


def test_bfloat16_weights_under_adapters_or_shards_are_taken(
    whole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, gpus=8, LOCAL_RANK="0", ACCELERATE_USE_FSDP="true")
    check_machine(config(model=whole, weights="bfloat16"))
    with pytest.raises(InputError, match="bfloat16 without lora"):
        check_machine(config(model=whole, weights="bfloat16", bf16=False))
    given(monkeypatch, gpus=1)
    (Path(whole) / "adapter_config.json").write_text("{}")
    check_machine(config(model=whole, weights="bfloat16"))


def test_fsdp_that_saves_no_model_or_leaves_the_reference_empty_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fsdp = {"LOCAL_RANK": "0", "ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2"}
    given(monkeypatch, 8, **fsdp)
    with pytest.raises(InputError, match="SHARDED_STATE_DICT saves no model"):
        check_machine(config())
    given(
        monkeypatch, 8, **fsdp, FSDP_STATE_DICT_TYPE="FULL_STATE_DICT", FSDP_CPU_RAM_EFFICIENT_LOADING="true"
    )
    check_machine(config("sft"))
    with pytest.raises(InputError, match=r"leaves the reference empty .* kto"):
        check_machine(config("kto"))


def test_small_steps_are_lost_in_bfloat16_and_not_in_float32() -> None:
    """The reason of the refusal: AdamW at the learning rate of ``train_full``, a hundred steps one way."""
    moved = {}
    for dtype in (torch.float32, torch.bfloat16):
        weight = torch.nn.Parameter(torch.linspace(0.05, 1.0, 1000).to(dtype))
        start, optimizer = weight.detach().clone(), torch.optim.AdamW([weight], lr=1e-5, weight_decay=0.0)
        for _ in range(100):
            weight.grad = torch.ones_like(weight)
            optimizer.step()
        moved[dtype] = (weight != start).float().mean().item()
    assert moved == {torch.float32: 1.0, torch.bfloat16: 0.0}
