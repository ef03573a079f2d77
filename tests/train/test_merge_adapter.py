"""An adapter and its base become one model that says what both said; a bad pair is refused unread."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.provenance.lineage import lineage
from eops_traj.train.config import TrainingConfig
from eops_traj.train.load_model import load_training_model
from eops_traj.train.merge_adapter import merge
from tests.adapters import resettled, tiny_adapter, tiny_base
from tests.conftest import Ran


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base, and a run that trained an adapter over it."""
    folder = tmp_path_factory.mktemp("made")
    tiny_adapter(folder / "run" / "model", tiny_base(folder / "base"))
    (folder / "run" / "model" / "chat_template.jinja").write_text("{{ messages }} the run's own")
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "run", tmp_path / "run")


def logits(model: object) -> object:
    import torch

    with torch.inference_mode():
        return model(input_ids=torch.arange(5, 40)[None]).logits  # type: ignore[operator]


def test_the_merged_model_says_what_the_adapter_says(made: Path, run: Path, cli: Callable[..., Ran]) -> None:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    ran = cli("merge", run, "--json")
    told = json.loads(ran.out)
    folder = run / "merged"
    assert told["folder"] == str(folder) and told["moved"] > 100 * told["rounded"]
    merged = logits(AutoModelForCausalLM.from_pretrained(folder))
    base = AutoModelForCausalLM.from_pretrained(made / "base")
    bare = logits(base)
    apart = logits(PeftModel.from_pretrained(base, str(run / "model")))
    assert torch.allclose(merged, apart, atol=1e-4) and not torch.allclose(merged, bare, atol=0.1)
    assert AutoTokenizer.from_pretrained(folder).chat_template == "{{ messages }} the run's own"
    assert not (folder / "adapter_config.json").exists() and sorted(run.iterdir()) == [folder, run / "model"]


def test_its_lineage_goes_on_to_the_adapter(made: Path, run: Path, tmp_path: Path) -> None:
    merged = merge(run, tmp_path / "whole")
    file = json.loads((tmp_path / "whole" / "lineage.json").read_text())
    assert file["parent"] == merged.adapter == checkpoint_hash(run / "model") and file["recipe"] == "merge"
    origin = lineage(tmp_path / "whole")
    assert origin.checkpoint == merged.checkpoint == checkpoint_hash(tmp_path / "whole")
    assert origin.parent and origin.parent.checkpoint == merged.adapter and not list(origin.every_problem())
    card = (tmp_path / "whole" / "README.md").read_text()
    assert merged.checkpoint in card and merged.adapter in card and checkpoint_hash(made / "base") in card


def test_the_folder_that_one_is_in_may_be_the_model(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    merged = merge(run, Path())
    assert checkpoint_hash(Path.cwd()) == merged.checkpoint and "# mine" in Path("README.md").read_text()


def test_what_cannot_be_merged_is_refused_before_a_weight_is_loaded(
    made: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.llm.local_model.load_weights", None)
    with pytest.raises(InputError, match=r"is no adapter: it has no adapter_config\.json"):
        merge(made / "base")
    with pytest.raises(InputError, match="is no checkpoint"):
        merge(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"'org/gone', the base of .*, is not on this machine"):
        merge(run, base="org/gone")
    with pytest.raises(InputError, match=r"adapter for another base: for '.*base', not for '.*smaller'"):
        merge(run, base=str(tiny_base(tmp_path / "smaller", hidden=16)))
    (run / "merged").mkdir()
    (run / "merged" / "taken").touch()
    with pytest.raises(InputError, match="merged is not an empty folder; choose another place with --out"):
        merge(run)
    assert [path.name for path in run.iterdir() if path.name.startswith(".")] == []


def test_an_adapter_for_another_base_is_one_line_and_exit_code_two(
    run: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    another = tiny_base(tmp_path / "another", hidden=16)
    cli("--help")  # what making the base printed is no part of it
    ran = cli("merge", run, "--base", another)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1) and "an adapter for another base" in ran.err
    assert not (run / "merged").exists()


def test_quantized_bases_and_one_side_of_tied_embeddings_are_refused(made: Path, tmp_path: Path) -> None:
    base = shutil.copytree(made / "base", tmp_path / "base")
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    heads = tiny_adapter(tmp_path / "heads", made / "base", target_modules=["lm_head", "q_proj"])
    with pytest.raises(InputError, match=r"changes lm_head, one side of embeddings that .* ties"):
        merge(resettled(heads, base_model_name_or_path=str(base)), tmp_path / "m", base=str(base))
    (base / "config.json").write_text(json.dumps({**config, "quantization_config": {"bits": 4}}))
    with pytest.raises(InputError, match="is quantized: merge into the model that it was made from"):
        merge(made / "run", tmp_path / "m", base=str(base))


def test_a_merge_that_fails_leaves_nothing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eops_traj.train.merge_adapter.render_card", None)
    with pytest.raises(TypeError):
        merge(run)
    assert [path.name for path in run.iterdir()] == ["model"]


def test_training_goes_on_over_the_same_base_alone(
    made: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"recipe": "sft", "data": "d", "output": "o", "max_length": 99, "learning_rate": 0.1}
    config = TrainingConfig.model_validate({**settings, "model": str(run / "model")})
    assert load_training_model(config).peft_config["default"].r == 4
    monkeypatch.setattr("peft.AutoPeftModelForCausalLM.from_pretrained", None)
    resettled(run / "model", base_model_name_or_path=str(tiny_base(tmp_path / "smaller", hidden=16)))
    with pytest.raises(InputError, match="is an adapter for another base than"):
        load_training_model(config)


def test_tensors_that_fit_nothing_are_an_error(made: Path, run: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = run / "model" / "adapter_model.safetensors"
    tensors = load_file(path)
    name = next(name for name in tensors if "lora_A" in name and "q_proj" in name)
    save_file({**tensors, name.replace("q_proj", "odd_proj"): tensors[name].clone()}, path)
    with pytest.raises(InputError, match=r"is for another base: 1 of its \d+ tensors fit nothing there"):
        merge(run)
