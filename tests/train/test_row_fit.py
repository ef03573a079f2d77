"""Rows that do not fit the model, or the exam, are refused with the number that would do."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.errors import InputError
from eops_traj.recipes import sft
from eops_traj.train.config import TrainingConfig
from eops_traj.train.length_filter import RowSize
from eops_traj.train.model_context import model_context
from eops_traj.train.row_fit import fit_rows

SIZES = [RowSize(100, 9, 9), RowSize(300, 40, 40), RowSize(3000, 500, 500), RowSize(5000, 900, 900)]


def model(folder: Path, positions: int) -> str:
    """Write the settings of a model, and no weights."""
    folder.mkdir()
    settings = {"model_type": "llama", "max_position_embeddings": positions}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    return str(folder)


def settings(place: str, max_length: int, cap: int = 900, **changes: Any) -> TrainingConfig:
    needed = {"recipe": "sft", "data": "d", "output": "o", "learning_rate": 1.0, "model": place}
    exam = {"tasks": "suite", "max_new_tokens": cap}
    return checked(sft.Config, {**needed, "max_length": max_length, "evaluate": exam, **changes}, "c")


def fitted(config: TrainingConfig, format: str = "planner_sft") -> tuple[int, int]:
    from datasets import Dataset

    rows, counts = fit_rows(config, Dataset.from_dict({"row": list(range(4))}), SIZES, format)
    return len(rows), counts.longest_reply


def test_rows_longer_than_the_context_are_refused_before_a_weight_is_there(tmp_path: Path) -> None:
    place = model(tmp_path / "m", 2048)
    with pytest.raises(InputError, match=r"m takes 2048 tokens, and of 4 rows .* 2 are longer, up to 5000; "):
        fitted(settings(place, 8192))
    with pytest.raises(InputError, match="of 3 rows within max_length 4096 1 are longer, up to 3000"):
        fitted(settings(place, 4096))
    assert fitted(settings(place, 2048)) == (2, 40)  # the others are dropped, as ever
    assert fitted(settings(model(tmp_path / "long", 5000), 5000)) == (4, 900)


def test_a_context_that_is_not_known_refuses_nothing(tmp_path: Path) -> None:
    assert model_context(str(tmp_path)) is None
    assert fitted(settings(str(tmp_path), 8192)) == (4, 900)


def test_the_context_of_adapters_is_that_of_their_base(tmp_path: Path) -> None:
    base, adapter = model(tmp_path / "base", 640), tmp_path / "adapter"
    adapter.mkdir()
    named = {"peft_type": "LORA", "base_model_name_or_path": base, "r": 2}
    (adapter / "adapter_config.json").write_text(json.dumps(named), encoding="utf-8")
    (adapter / "adapter_model.safetensors").touch()
    assert model_context(str(adapter)) == 640


def test_an_exam_that_would_cut_the_longest_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"max_new_tokens is 899, .* longest plan has 900 tokens: .*=900 or"):
        fitted(settings(str(tmp_path), 8192, 899))
    assert fitted(settings(str(tmp_path), 4096, 500)) == (3, 500)  # of rows that are trained on
    assert fitted(settings(str(tmp_path), 8192, 1), "step_dpo") == (4, 900)  # whose replies are no plans
    assert fitted(settings(str(tmp_path), 8192, evaluate=None)) == (4, 900)


def test_the_rows_that_each_length_keeps_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted(settings(str(tmp_path), 4000))
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()] == [
        "rows: 3 fit into 4000 tokens, 1 dropped",
        "max_length=2048 keeps 2 50.0%",
        "max_length=4000 keeps 3 75.0% <- this run",
        "max_length=4096 keeps 3 75.0%",
        "max_length=8192 keeps 4 100.0%",
        "the longest row has 5000 tokens, the longest reply 500",
    ]
