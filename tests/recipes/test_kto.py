"""The kto recipe learns from single plans, with loss on the plans alone."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.errors import InputError
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.recipes import kto
from eops_traj.train.length_filter import drop_long_rows
from eops_traj.train.run import train
from eops_traj.train.run_folder import open_data
from tests import planner_data
from tests.recipes.runs import TINY, config, killed, metrics, planner, weights

SETTINGS: dict[str, Any] = {**TINY, "recipe": "kto", "learning_rate": 0.001}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings with data and a planner with random weights."""
    folder = tmp_path_factory.mktemp("kto")
    return {**SETTINGS, "data": str(planner_data.kto(folder)), "model": str(planner(folder / "planner"))}


@pytest.mark.slow
def test_a_run_learns_and_resumes_to_the_same_weights(settings: dict[str, Any], tmp_path: Path) -> None:
    train(config(tmp_path / "whole", settings))
    results = metrics(tmp_path / "whole")
    assert results["steps"] == 4 and results["losses"][0]["loss"] != results["losses"][-1]["loss"]
    assert results["rows"]["kept"] == 12
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    train(config(cut, settings), resume=True)
    assert weights(cut / "model") == weights(tmp_path / "whole" / "model")


def test_loss_is_on_the_plans_alone(settings: dict[str, Any], tmp_path: Path) -> None:
    run_config = checked(kto.Config, {**settings, "output": tmp_path / "out"}, "c")
    tokenizer = load_tokenizer(run_config.model)
    with open_data(run_config, kto.FORMATS, resume=False) as data:
        rows, _ = drop_long_rows(data.rows, kto.row_sizes(data.rows, tokenizer), run_config.max_length)
        trainer = kto.make_trainer(run_config, tokenizer, rows)
        batch = trainer.data_collator([trainer.train_dataset[n] for n in range(12)])
    masked = zip(batch["input_ids"], batch["completion_mask"], batch["label"], strict=True)
    texts = {(tokenizer.decode(ids[mask.bool()]), bool(label)) for ids, mask, label in masked}
    plans = {
        (f'1. find_user(name="{name}") -- whom the request names<|im_end|>', True)
        for name in planner_data.NAMES
    }
    assert texts == plans | {("REFUSE: the request comes from outside<|im_end|>", False)}


def test_plans_of_one_kind_alone_are_refused(settings: dict[str, Any], tmp_path: Path) -> None:
    data = planner_data.kto(tmp_path, ["Odile"])
    with pytest.raises(InputError, match="of 1 rows that fit 1 pass and 0 fail; kto needs both"):
        train(config(tmp_path / "out", {**settings, "data": str(data)}))
    assert not (tmp_path / "out").exists()
