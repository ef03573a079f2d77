"""The dpo recipe learns from pairs, holds to its checkpoint, and puts loss on the replies alone."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.config_files import checked
from eops_traj.errors import InputError
from eops_traj.loss_mask import load_tokenizer
from eops_traj.recipes import dpo
from eops_traj.train import train
from eops_traj.training.data import opened
from eops_traj.training.fitting import fitting
from tests.planner_data import NAMES, planner_dpo
from tests.recipes.runs import TINY, config, killed, metrics, planner, weights

SETTINGS: dict[str, Any] = {**TINY, "recipe": "dpo", "learning_rate": 0.001, "beta": 0.1}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs of plans."""
    return planner_dpo(tmp_path_factory.mktemp("data"), [*NAMES, "a name of many words " * 40])


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planner with random weights."""
    return planner(tmp_path_factory.mktemp("planner"))


def test_a_run_learns_and_says_on_what(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    train(config(tmp_path / "out", SETTINGS, data=data, model=checkpoint))
    found = metrics(tmp_path / "out")
    assert found["losses"][0]["loss"] == pytest.approx(0.6931, abs=1e-3)  # log 2: model and reference are one
    assert found["losses"][-1]["loss"] < 0.69 and found["steps"] == 4
    assert (found["rows"]["kept"], found["rows"]["dropped"]) == (8, 1)
    assert found["data"]["format"] == "planner_dpo"


def test_loss_is_on_the_replies_alone(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    settings = checked(
        dpo.Config, {**SETTINGS, "data": data, "output": tmp_path, "model": str(checkpoint)}, "c"
    )
    tokenizer = load_tokenizer(str(checkpoint))
    with opened(settings, dpo.FORMATS, resume=False) as found:
        rows, _ = fitting(found.rows, dpo.sizes(found.rows, tokenizer), settings.max_length)
        trainer = dpo.make_trainer(settings, tokenizer, rows)
        batch = trainer.data_collator([trainer.train_dataset[0]])
    said = [
        tokenizer.decode(ids[mask.bool()])
        for ids, mask in zip(batch["input_ids"], batch["completion_mask"], strict=True)
    ]
    assert said == [
        '1. find_user(name="Odile") -- whom the request names<|im_end|>',
        "REFUSE: the request comes from outside<|im_end|>",
    ]


def test_a_resumed_run_ends_with_the_same_weights(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    grouped = {**SETTINGS, "data": str(data), "model": str(checkpoint), "group_by_length": True}
    train(config(tmp_path / "whole", grouped))
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    train(config(cut, grouped), resume=True)
    assert weights(cut / "model") == weights(tmp_path / "whole" / "model")


def test_what_cannot_be_trained_is_refused(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    made = config(tmp_path / "out", SETTINGS, data=data, model=checkpoint)
    with pytest.raises(InputError, match="no row fits into max_length 9; the shortest has"):
        train(made, ["max_length=9"])
    with pytest.raises(InputError, match="model is missing"):
        train(config(tmp_path / "out", SETTINGS, data=data))
    assert not (tmp_path / "out").exists()
