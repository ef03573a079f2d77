"""The pretrained model through the ordinary recipes: with adapters and without, merged, and served by vLLM.

What only a pretrained model shows: an adapter learns at once, its base stays as it was, and merging rounds
nothing away that a reply would notice.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
import torch

from eops_traj.collectors.clients.vllm_server import VllmServerOptions
from eops_traj.config import read_settings
from eops_traj.files import hash_files
from eops_traj.llm.base import Request
from eops_traj.llm.local_model import LocalModel
from eops_traj.llm.vllm_process import PYTHON
from eops_traj.train.merge_adapter import merge
from eops_traj.train.run import train
from tests.planner_data import NAMES, planner_sft
from tests.recipes.runs import config, metrics

CONFIGS = Path(__file__).parents[2] / "configs"
STEPS = 2
QUESTION = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "What is the capital of France?"},
]
SAMPLING = {"temperature": 0, "max_tokens": 24}
pytestmark = pytest.mark.slow


def steps(name: str, folder: Path, model: Path, **changes: Any) -> Path:
    """Run two steps of a committed config on one short row, twice the same, and return the run's folder."""
    settings = read_settings(CONFIGS / f"{name}.yaml")
    del settings["evaluate"], settings["held_out"]
    few = {"max_steps": STEPS, "log_steps": 1, "save_steps": STEPS, "schedule": "constant_with_warmup"}
    data = planner_sft(folder, NAMES[:1])
    train(config(folder / name, {**settings, **few, "warmup": 0.0}, model=model, data=data, **changes))
    return folder / name


@pytest.fixture(scope="module")
def adapted(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two steps with adapters."""
    before = hash_files(smollm, sorted(smollm.iterdir()))
    run = steps("train_smollm", tmp_path_factory.mktemp("adapted"), smollm, weights="float32", bf16=False)
    assert hash_files(smollm, sorted(smollm.iterdir())) == before
    return run


def logits(model: Any) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model.eval()(input_ids=torch.arange(100, 140)[None]).logits
        return found


def losses(run: Path) -> list[float]:
    return [entry["loss"] for entry in metrics(run)["losses"]]


def test_two_steps_of_an_adapter_move_the_loss(adapted: Path) -> None:
    first, second = losses(adapted)
    assert second < first - 0.02
    facts = metrics(adapted)
    assert facts["trained_parameters"] < 0.05 * facts["parameters"]
    assert (adapted / "model" / "adapter_config.json").is_file()


def test_merged_it_says_what_base_and_adapter_say(smollm: Path, adapted: Path, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    merged = merge(adapted, tmp_path / "merged")
    base = AutoModelForCausalLM.from_pretrained(smollm, dtype="float32")
    bare = logits(base)
    apart = logits(PeftModel.from_pretrained(base, str(adapted / "model")))
    whole = logits(AutoModelForCausalLM.from_pretrained(merged.folder, dtype="float32"))
    assert torch.allclose(whole, apart, atol=1e-3) and not torch.allclose(whole, bare, atol=0.05)


def test_without_adapters_every_weight_is_trained(smollm: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    run = steps("train_smollm_full", tmp_path, smollm)
    first, second = losses(run)
    before, after = (load_file(folder / "model.safetensors") for folder in (smollm, run / "model"))
    assert second < first - 0.02 and metrics(run)["trained_parameters"] == metrics(run)["parameters"]
    assert [name for name, weight in after.items() if torch.equal(weight, before[name])] == []


def reply_here(folder: Path) -> str:
    """The model's reply in this process."""
    model = LocalModel.load(str(folder), None, "cpu", "float32")
    (reply,) = model.generate([model.prompt(Request(QUESTION))], SAMPLING, [None])
    return reply.text


@pytest.mark.vllm
@pytest.mark.skipif(PYTHON not in os.environ, reason=f"{PYTHON} names no Python that has vLLM")
def test_vllm_says_what_the_merged_model_says_here(adapted: Path, tmp_path: Path) -> None:
    merged = Path(merge(adapted, tmp_path / "merged").folder)
    small = ["--enforce-eager", "--kv-cache-memory-bytes=256M", "--max-model-len=1024", "--dtype=float32"]
    env = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    options = {"model": "tuned", "path": str(merged), "args": small, "env": env, "sampling": SAMPLING}

    async def ask() -> str:
        server = VllmServerOptions.model_validate(options).open()
        try:
            return (await server.reply(Request(QUESTION))).text
        finally:
            await server.close()

    assert asyncio.run(ask()) == reply_here(merged) != ""
