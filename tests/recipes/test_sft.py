"""The sft recipe trains a tiny model, resumes to the same weights, and refuses what it cannot train."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from eops_traj.config import checked
from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate, load_tokenizer
from eops_traj.recipes import sft
from eops_traj.train.length_filter import drop_long_rows
from eops_traj.train.run import train
from tests.llm.test_chat_template import template
from tests.recipes import runs
from tests.recipes.runs import metrics, weights
from tests.selected import calling, exported

NAMES = ("Odile", "Bram", "Saga", "Ivo", "Mirre", "Tjark")
SCRATCH = {"vocabulary": 320, "hidden": 32, "layers": 1, "heads": 2, "intermediate": 32}
TINY = {**runs.TINY, "recipe": "sft", "scratch": SCRATCH}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of six short episodes and one that is too long."""
    short = [calling(f"e{n}", {"name": name}, answer=f"{name} is user 7.") for n, name in enumerate(NAMES)]
    return exported(tmp_path_factory.mktemp("data"), [*short, calling("long", answer="word " * 400)])


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a whole tiny run, and return its output."""
    output = tmp_path_factory.mktemp("run") / "out"
    train(config(data, output))
    return output


def config(data: Path, output: Path, **changes: Any) -> Path:
    """Write a config file for a tiny run."""
    return runs.config(output, TINY, data=data, **changes)


def tune(data: Path, output: Path, model: Path, **changes: Any) -> Path:
    """Write a config file for a run that starts from a trained model."""
    return config(data, output, model=str(model), scratch=None, **changes)


def test_a_run_learns_and_says_on_what(data: Path, trained: Path) -> None:
    results = metrics(trained)
    assert results["losses"][-1]["loss"] < results["losses"][0]["loss"] and results["steps"] == 4
    assert (results["rows"]["kept"], results["rows"]["dropped"], results["seed"]) == (6, 1, 0)
    certificate = json.loads((data / "certificate.json").read_text())
    assert results["data"]["content_hash"] == certificate["content_hash"]
    assert (results["data"]["store_version"], results["data"]["selection"]) == (1, "chosen")
    assert {"torch", "trl", "transformers", "eops-traj"} <= set(results["packages"])
    assert results["trained_parameters"] == results["parameters"] < 30_000


def test_the_model_loads_with_its_tokenizer_and_template(trained: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(trained / "model")
    tokenizer = load_tokenizer(str(trained / "model"))
    assert model.config.vocab_size == len(tokenizer) == 320
    assert tokenizer.decode(tokenizer("Odile Prät 🌱")["input_ids"]) == "Odile Prät 🌱"
    assert ChatTemplate.of(tokenizer, "it")


def test_a_resumed_run_ends_with_the_same_weights(data: Path, trained: Path, tmp_path: Path) -> None:
    """As if killed while it wrote its second checkpoint."""
    shutil.copytree(trained, tmp_path / "out", ignore=shutil.ignore_patterns("model", "metrics.json"))
    (tmp_path / "out" / "checkpoint-4" / "trainer_state.json").unlink()
    train(config(data, tmp_path / "out"), resume=True)
    assert weights(tmp_path / "out" / "model") == weights(trained / "model")
    assert metrics(tmp_path / "out")["losses"] == metrics(trained)["losses"]


def test_muon_learns_and_resumes_to_the_same_weights(data: Path, trained: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    train(config(data, whole, optimizer="muon"))
    assert metrics(whole)["losses"][-1]["loss"] < metrics(whole)["losses"][0]["loss"]
    train(config(data, runs.killed(whole, cut), optimizer="muon"), resume=True)
    assert weights(cut / "model") == weights(whole / "model") != weights(trained / "model")


def test_muon_takes_the_settings_of_the_config(trained: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    changes = {"optimizer": "muon", "learning_rate": 0.03, "beta2": 0.7, "weight_decay": 0.2}
    given = checked(sft.Config, {**TINY, "data": tmp_path, "output": tmp_path / "out", **changes}, "c")
    factory, options = sft.optimizer_arguments(given) or (None, {})
    assert factory is not None
    muon, adam = factory()(AutoModelForCausalLM.from_pretrained(trained / "model"), **options).param_groups
    assert (muon["lr"], muon["weight_decay"]) == (0.03, 0.2)
    assert (adam["lr"], adam["betas"], adam["weight_decay"]) == (0.03, (0.9, 0.7), 0.0)


def test_loss_is_where_the_certificate_checked_it(data: Path, trained: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    settings = checked(sft.Config, {**TINY, "data": data, "output": tmp_path / "out"}, "c")
    rows = load_dataset(str(data), split="train", cache_dir=str(tmp_path / "cache"))
    tokenizer = load_tokenizer(str(trained / "model"))
    kept, _ = drop_long_rows(rows, sft.row_sizes(rows, tokenizer, settings), settings.max_length)
    prepared = sft.make_trainer(settings, tokenizer, kept).train_dataset
    for row, ready in zip(kept, prepared, strict=True):
        tokens = ChatTemplate.of(tokenizer, "it").encode(row["messages"], row["tools"])
        assert ready["input_ids"] == tokens.ids
        assert [label != -100 for label in ready["labels"]] == [bool(on) for on in tokens.mask]


def test_packed_rows_do_not_see_each_other(data: Path, trained: Path, tmp_path: Path) -> None:
    import torch
    from datasets import load_dataset

    settings = checked(sft.Config, {**TINY, "data": data, "output": tmp_path / "out", "packing": True}, "c")
    tokenizer = load_tokenizer(str(trained / "model"))
    rows = load_dataset(str(data), split="train", cache_dir=str(tmp_path))
    kept, _ = drop_long_rows(rows, sft.row_sizes(rows, tokenizer, settings), settings.max_length)
    trainer = sft.make_trainer(settings, tokenizer, kept)
    first = trainer.train_dataset[0]
    assert len(trainer.train_dataset) < len(kept) and len(first["seq_lengths"]) > 1
    batch = trainer.data_collator([first])
    body, length = trainer.model.model.eval(), first["seq_lengths"][0]
    inputs = {name: batch[name] for name in ("input_ids", "position_ids")}
    second = slice(length, length + first["seq_lengths"][1])
    with torch.no_grad():
        packed = body(**inputs).last_hidden_state[:, second]
        alone = body(**{name: value[:, second] for name, value in inputs.items()}).last_hidden_state
    assert torch.allclose(packed, alone, atol=1e-5)


@pytest.mark.slow
def test_lora_trains_adapters_alone_and_resumes(data: Path, trained: Path, tmp_path: Path) -> None:
    path = tune(data, tmp_path / "out", trained / "model", lora={"rank": 2, "alpha": 4}, max_steps=2)
    train(path)
    results = metrics(tmp_path / "out")
    assert 0 < results["trained_parameters"] < results["parameters"]
    assert (tmp_path / "out" / "model" / "adapter_model.safetensors").is_file()
    assert train(path, ["max_steps=3"], resume=True)["steps"] == 3


def test_rows_kept_are_printed_and_the_end_is_reported(data: Path, tmp_path: Path, cli: Callable) -> None:
    ran = cli("train", config(data, tmp_path / "out"), "max_steps=1", "packing=true", "--json")
    assert ran.code == 0 and json.loads(ran.out) == metrics(tmp_path / "out")
    assert "rows: 6 fit into 400 tokens, 1 dropped" in ran.err


def test_the_recipe_runs_as_it_stands(tmp_path: Path) -> None:
    recipe = Path(__file__).parents[2] / "recipes" / "sft.py"
    path = config(tmp_path, tmp_path / "out", max_lenght=1)
    ran = subprocess.run([sys.executable, recipe, path], capture_output=True, text=True, check=False)
    assert (
        ran.returncode == 2 and "unknown key 'max_lenght'" in ran.stderr and not (tmp_path / "out").exists()
    )


def refused(path: Path, message: str, *overrides: str, resume: bool = False) -> None:
    """Check that a run is refused with a message and leaves its output as it was."""
    output = Path(yaml.safe_load(path.read_text())["output"])
    before = sorted(output.rglob("*"))
    with pytest.raises(InputError, match=message):
        train(path, overrides, resume=resume)
    assert sorted(output.rglob("*")) == before


def test_what_cannot_be_trained_is_refused_and_nothing_is_written(
    data: Path, trained: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    refused(config(data, out), "no row fits into max_length 9; the shortest has", "max_length=9")
    refused(config(tmp_path, out), "is no export")
    refused(tune(data, out, tmp_path / "none"), "no tokenizer at .*nothing is downloaded")
    refused(
        tune(data, out, trained / "model"), "no chat template at", f"chat_template={tmp_path / 'no.jinja'}"
    )
    for given in ("lora.rank=2", "trl.optim=adamw_torch", "trl.adam_beta1=0.8"):
        muon = tune(data, out, trained / "model", optimizer="muon")
        refused(muon, f"leave {given.partition('=')[0].removesuffix('.rank')} out", given)
    refused(
        tune(data, out, trained / "model"), "cannot train this model so: .*nowhere", "lora.modules=[nowhere]"
    )
    assert not out.exists()


def test_a_model_without_a_usable_template_is_refused_before_its_weights_are_read(
    data: Path, trained: Path, tmp_path: Path
) -> None:
    bare = shutil.copytree(
        trained / "model", tmp_path / "bare", ignore=shutil.ignore_patterns("chat_template*", "*.safetensors")
    )
    refused(tune(data, tmp_path / "out", bare), "bare: the tokenizer has no chat template")
    (tmp_path / "plain.jinja").write_text(template(begin=""))
    path = tune(data, tmp_path / "out", bare, chat_template=str(tmp_path / "plain.jinja"))
    refused(path, "bare: the chat template cannot be trained on: nothing begins a reply")


def test_a_model_without_safetensors_is_refused(data: Path, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained / "model", tmp_path / "model", ignore=shutil.ignore_patterns("*.safetensors"))
    refused(tune(data, tmp_path / "out", tmp_path / "model"), "no safetensors of")


def test_data_that_is_not_what_was_certified_is_refused(data: Path, tmp_path: Path) -> None:
    changed = shutil.copytree(data, tmp_path / "data")
    with (changed / "data" / "train.jsonl").open("a") as lines:
        lines.write("\n")
    refused(config(changed, tmp_path / "out"), "is not what certificate.json certifies")
    refused(config(exported(tmp_path / "o", format="openai"), tmp_path / "out"), "holds 'openai' data")


def test_an_output_is_never_overwritten_nor_resumed_as_something_else(
    data: Path, trained: Path, tmp_path: Path
) -> None:
    refused(config(data, trained), "is not an empty folder")
    refused(config(data, trained), "learning_rate was 0.01, is 0.5", "learning_rate=0.5", resume=True)
    refused(config(exported(tmp_path), trained), "the data is not the same", resume=True)
    refused(config(data, tmp_path / "fresh"), "no checkpoint in .* to resume from", resume=True)
