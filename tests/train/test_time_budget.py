"""A run by the clock ends when its time is over, and its learning rate falls with the time."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="no torch: pip install 'eops-traj[train]'")

from eops_traj.errors import ConfigError  # noqa: E402
from eops_traj.recipes.sft import Config  # noqa: E402
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer  # noqa: E402
from eops_traj.train.time_budget import ENDLESS, keep_time  # noqa: E402
from tests.planner_data import NAMES, planner_sft  # noqa: E402
from tests.recipes.runs import TINY as RUN  # noqa: E402
from tests.recipes.runs import config, metrics, planner  # noqa: E402

WORDS = {"messages": [{"role": "user", "content": "Close case 7, then case 11."}], "tools": None}
TINY = ScratchConfig(vocabulary=300, hidden=16, layers=1, heads=2, intermediate=16, architecture="lfm2")
RATE = 0.01


def clock(pace: float = 1.0) -> Callable[[], float]:
    """Return a clock that goes on by so many seconds each time that it is read, from any hour."""
    ticks = itertools.count(7000, pace)
    return lambda: next(ticks)


def trainer(folder: Path, **options: Any) -> Any:
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    told = {"warmup_steps": 0.25, "lr_scheduler_type": "linear", "learning_rate": RATE, **options}
    settings = SFTConfig(
        output_dir=str(folder), use_cpu=True, bf16=False, report_to="none", max_steps=ENDLESS,
        per_device_train_batch_size=1, logging_steps=1, **told,
    )  # fmt: skip
    tokenizer = train_tokenizer([WORDS] * 3, 300)
    rows = Dataset.from_dict({"input_ids": [[5, 6], [7, 8]], "labels": [[-100, 6], [-100, 8]]})
    model = make_scratch_model(TINY, tokenizer, 64)
    return SFTTrainer(model=model, args=settings, train_dataset=rows, processing_class=tokenizer)


def rates(trained: Any) -> list[float]:
    """Return the learning rate of each step as a share of the highest."""
    return [entry["learning_rate"] / RATE for entry in trained.state.log_history if "loss" in entry]


def test_it_ends_after_the_seconds_and_the_rate_goes_by_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    it = trainer(tmp_path)
    keep_time(it, 8, clock())
    it.train()
    assert str(ENDLESS) not in capfd.readouterr().err
    assert it.state.global_step == 8 and it.state.max_steps == 10
    assert rates(it) == pytest.approx([0, 0.5, 1, *(n / 6 for n in (5, 4, 3, 2, 1))], abs=1e-4)


def test_slower_steps_are_fewer_and_end_at_the_same_rate(tmp_path: Path) -> None:
    it = trainer(tmp_path, lr_scheduler_type="constant_with_warmup")
    keep_time(it, 8, clock(3.0))
    it.train()
    assert it.state.global_step == 3 and rates(it) == pytest.approx([0, 1, 1])


def test_a_resumed_run_has_the_seconds_that_were_left(tmp_path: Path) -> None:
    first = trainer(tmp_path, save_steps=5)
    keep_time(first, 8, clock())
    first.train()
    again = trainer(tmp_path, save_steps=100)
    keep_time(again, 8, clock())
    again.train(resume_from_checkpoint=str(tmp_path / "checkpoint-5"))
    assert again.state.global_step == 8 and rates(again)[5:] == pytest.approx(rates(first)[5:])


def test_a_config_says_how_long_it_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eops_traj.train import run_trainer
    from eops_traj.train.run import train

    monkeypatch.setattr(run_trainer, "keep_time", partial(keep_time, clock=clock()))

    data, model = planner_sft(tmp_path / "data", NAMES[:4]), planner(tmp_path / "planner")
    settings = {**RUN, "recipe": "sft", "max_steps": None, "save_steps": 1000}
    train(config(tmp_path / "out", settings, data=data, model=model, seconds=8, epochs=1))
    assert metrics(tmp_path / "out")["steps"] == 8


def test_steps_and_seconds_are_not_both_given() -> None:
    from eops_traj.config import checked

    given = {"recipe": "sft", "data": "d", "output": "o", "model": "m", "max_length": 9, "learning_rate": 1}
    with pytest.raises(ConfigError, match="give seconds or max_steps, one of them"):
        checked(Config, {**given, "seconds": 1, "max_steps": 2}, "c")
