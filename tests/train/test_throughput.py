"""The pace of a run: tokens and padding as the batches have them, FLOPs by what is trained, and the peak."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from eops_traj.train.peak_flops import peak_flops
from eops_traj.train.precision import computes_in_bfloat16
from eops_traj.train.run import train
from eops_traj.train.throughput import TokenMeter, flops_per_token
from tests.planner_data import NAMES, planner_sft
from tests.recipes.runs import SIZES, TINY, config, metrics, planner


def test_places_without_a_token_are_padding() -> None:
    meter = TokenMeter()
    meter.add({"input_ids": torch.ones(2, 4), "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 0, 0, 0]])})
    assert (int(meter.tokens), meter.places) == (5, 8)
    meter.add({"prompt_mask": torch.tensor([[0, 1]]), "completion_mask": torch.tensor([[1, 1, 0]])})
    assert (int(meter.tokens), meter.places) == (8, 13)
    meter.add({"input_ids": torch.ones(1, 7)})  # packed, with no mask
    assert (int(meter.tokens), meter.places) == (15, 20)


@pytest.mark.parametrize(
    ("name", "teraflops"),
    [
        ("NVIDIA H100 80GB HBM3", 989),
        ("NVIDIA H100 PCIe", 756),
        ("NVIDIA H100 NVL", 835),
        ("NVIDIA H200", 989),
        ("NVIDIA H200 NVL", 836),
        ("NVIDIA H20", 148),
        ("NVIDIA A100-SXM4-80GB", 312),
        ("NVIDIA A100 80GB PCIe", 312),
        ("NVIDIA A10", 125),
        ("NVIDIA L4", 121),
        ("NVIDIA L40S", 362),
        ("NVIDIA L40", 181),
        ("NVIDIA GeForce RTX 4090", 165.2),
        ("AMD Instinct MI300X", 1307),
    ],
)
def test_the_peak_of_a_device_is_that_of_its_name(name: str, teraflops: float) -> None:
    assert peak_flops(name) == teraflops * 1e12


@pytest.mark.parametrize(
    "name",
    ["NVIDIA A10G", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA GeForce RTX 4090 Laptop GPU", "Tesla T4"],
)
def test_a_device_that_is_not_listed_has_no_known_peak(name: str) -> None:
    assert peak_flops(name) is None


def model(*, tied: bool) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    return LlamaForCausalLM(LlamaConfig(vocab_size=50, tie_word_embeddings=tied, **sizes))


def test_a_token_costs_six_for_each_weight_that_is_trained_and_four_for_others() -> None:
    whole = model(tied=True)
    weights = sum(weight.numel() for weight in whole.parameters())
    trainer: Any = SimpleNamespace(model=whole)
    assert flops_per_token(trainer) == 6 * weights
    for weight in whole.parameters():
        weight.requires_grad = False
    whole.lm_head.weight.requires_grad = True
    assert flops_per_token(trainer) == 4 * weights + 2 * 50 * 8
    untied: Any = SimpleNamespace(model=model(tied=False))  # whose input embedding is only looked up
    assert flops_per_token(untied) == 6 * weights


def test_no_figure_is_given_where_the_formula_does_not_hold() -> None:
    experts = model(tied=True)
    experts.config.num_experts = 8
    assert flops_per_token(SimpleNamespace(model=experts)) is None  # type: ignore[arg-type]
    generating: Any = SimpleNamespace(model=model(tied=True), num_generations=8)
    assert flops_per_token(generating) is None


@pytest.mark.parametrize("bf16", [True, False])
def test_a_run_says_how_fast_it_was(bf16: bool, tmp_path: Path) -> None:
    """Eight rows in four batches of two: every token is counted once, and so is all padding."""
    names = [name * (n + 1) for n, name in enumerate(NAMES)]
    settings = {
        **TINY,
        "recipe": "sft",
        "data": str(planner_sft(tmp_path, names)),
        "save_steps": 9,
        "bf16": bf16,
    }
    train(config(tmp_path / "out", settings, model=planner(tmp_path / "planner", SIZES), max_steps=4))
    results = metrics(tmp_path / "out")
    pace = results["throughput"]
    assert pace["tokens"] == results["rows"]["tokens"] and 0 < pace["padding_share"] < 0.5
    assert 0 < pace["seconds_without_exams"] <= results["seconds"] + 0.1
    seconds = pace["tokens"] / pace["tokens_per_second"]
    assert seconds == pytest.approx(pace["seconds_without_exams"], rel=0.02, abs=0.06)  # one decimal each
    assert pace["flops_per_token"] == 6 * results["parameters"]
    assert (pace["peak_flops"], pace["share_of_peak"]) == (None, None)  # no peak of this CPU is listed
    assert pace["computed_in"] == ("bfloat16" if bf16 and computes_in_bfloat16() else "float32")
