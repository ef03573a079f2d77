"""``train_full`` trains every weight as float32, computes in bfloat16 if it can, and saves a whole model."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import find_config, read_settings
from eops_traj.recipes import sft
from eops_traj.train import run_trainer
from eops_traj.train.run import train
from tests.planner_data import planner_sft
from tests.recipes.runs import metrics, planner


@pytest.mark.parametrize("able", [True, False])
def test_masters_are_float32_and_arithmetic_is_what_the_device_computes_in(
    able: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from safetensors.torch import load_file

    model, computed = planner(tmp_path / "planner"), set()
    make_model = sft.make_model

    def watched(*arguments: Any) -> Any:
        made: Any = make_model(*arguments)
        made.model.layers[0].mlp.register_forward_hook(lambda _, __, out: computed.add(out.dtype))
        return made

    monkeypatch.setattr(sft, "make_model", watched)
    monkeypatch.setattr(run_trainer, "computes_in_bfloat16", lambda: able)
    small = ["max_steps=2", "max_length=400", "evaluate=null", "learning_rate=0.01"]
    train(
        "train_full",
        [f"model={model}", f"data={planner_sft(tmp_path)}", f"output={tmp_path / 'out'}", *small],
    )
    results = metrics(tmp_path / "out")
    assert results["trained_parameters"] == results["parameters"] and results["steps"] == 2
    before, after = (
        load_file(folder / "model.safetensors") for folder in (model, tmp_path / "out" / "model")
    )
    kind = torch.bfloat16 if able else torch.float32
    assert computed == {kind} and {weight.dtype for weight in after.values()} == {torch.float32}
    assert all(not torch.equal(before[name], weight) for name, weight in after.items())


def test_its_settings_are_those_of_the_planner_but_for_what_full_tuning_asks() -> None:
    full, lora = (read_settings(find_config("train", name)) for name in ("train_full", "train_planner"))
    assert "lora" not in full and full["weights"] == "float32" and full["bf16"] is True
    assert full["learning_rate"] == pytest.approx(lora["learning_rate"] / 20)
    rows_a_step = [each["batch_size"] * each["accumulate"] for each in (full, lora)]
    assert rows_a_step == [16, 16] and full["max_length"] == lora["max_length"]
