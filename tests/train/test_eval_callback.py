"""An exam leaves training as it was, and the first rank decides which model is the best."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.recipes import sft
from eops_traj.train.best_checkpoint import BestCheckpoint
from eops_traj.train.config import Evaluate
from eops_traj.train.eval_callback import EvalRunner, add_eval_callback, checkpointing_kept
from eops_traj.train.plan_eval import Rates
from eops_traj.train.ranks import Ranks
from eops_traj.train.run_folder import open_data
from eops_traj.train.scratch_model import ScratchConfig
from tests.planner_data import planner_sft
from tests.recipes.runs import TINY, planner

TWO_LAYERS = ScratchConfig(vocabulary=320, hidden=32, layers=2, heads=2, intermediate=32)
OWN = {"use_reentrant": True}


class Answers:
    """An exam whose results are known, which notes how it finds the model."""

    def __init__(self, *verified: float) -> None:
        """Take the share that passes, for each time."""
        self._verified, self.found = list(verified), []

    def rates(self, model: Any, tokenizer: Any, ranks: Ranks) -> Rates:
        """Return the next result."""
        self.found.append((model.training, switches(model), ranks.count))
        return Rates(2, self._verified.pop(0), None, None, None)


def switches(model: Any) -> list[Any]:
    """Return how each layer is checkpointed: not at all, or with which arguments."""
    return [
        layer._gradient_checkpointing_func.keywords if layer.gradient_checkpointing else None
        for layer in model.model.layers
    ]


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A trainer whose model has one layer checkpointed, in a way of its own, and its config."""
    folder = tmp_path_factory.mktemp("exam")
    model = planner(folder / "planner", TWO_LAYERS)
    settings = {
        **TINY,
        "recipe": "sft",
        "data": planner_sft(folder),
        "model": str(model),
        "output": folder / "o",
    }
    config = checked(sft.Config, settings, "c")
    with open_data(config, sft.FORMATS, resume=False) as data:
        trainer = sft.make_trainer(config, load_tokenizer(str(model)), data.rows)
    trainer.model.activation_checkpointing_enable(dict(OWN), every_n_layers=2)
    trainer.model.train()
    config.output.mkdir(exist_ok=True)
    return trainer, config.model_copy(update={"evaluate": Evaluate(tasks="known", steps=2)})


def test_an_exam_generates_without_checkpointing_and_leaves_it_as_it_was(trainer: Any) -> None:
    made, config = trainer
    exam = Answers(0.5)
    EvalRunner(made, config, exam).evaluate(1)
    assert exam.found == [(False, [None, None], 1)]
    assert made.model.training and switches(made.model) == [OWN, None]


def test_an_exam_before_the_first_step_is_logged_and_its_model_not_kept(trainer: Any, tmp_path: Path) -> None:
    made, config = trainer
    config = config.model_copy(update={"output": tmp_path})
    runner = EvalRunner(made, config, Answers(0.9, 0.1))
    runner.evaluate(0)
    assert BestCheckpoint(tmp_path).folder() is None
    runner.evaluate(2)
    assert BestCheckpoint(tmp_path).folder() == tmp_path / "best-000002"
    lines = map(json.loads, (tmp_path / "evaluations.jsonl").read_text().splitlines())
    assert [(line["step"], line["verified"]) for line in lines] == [(0, 0.9), (2, 0.1)]


@pytest.mark.parametrize("due", [True, False])
def test_an_exam_leaves_the_loss_of_its_step_to_be_logged(due: bool, trainer: Any, tmp_path: Path) -> None:
    made, config = trainer
    made.control.should_log = due
    EvalRunner(made, config.model_copy(update={"output": tmp_path}), Answers(0.5)).evaluate(2)
    assert made.control.should_log is due
    assert made.state.log_history[-1]["plans/verified"] == 0.5


@pytest.mark.parametrize(("step", "examined"), [(0, True), (4, False)])  # one that is resumed has begun
def test_a_run_begins_with_an_exam_where_the_config_says_so(trainer: Any, step: int, examined: bool) -> None:
    made, config = trainer
    exam = Evaluate(tasks="known", steps=2, first=True)
    answers = Answers(0.5)
    add_eval_callback(made, config.model_copy(update={"evaluate": exam}), answers)
    callback = made.callback_handler.callbacks[-1]
    made.remove_callback(callback)
    callback.on_train_begin(made.args, SimpleNamespace(global_step=step), None)
    assert len(answers.found) == examined


def test_checkpointing_is_as_it_was_after_an_error_too(trainer: Any) -> None:
    model = trainer[0].model
    with pytest.raises(ValueError, match="broken"), checkpointing_kept(model):
        model.activation_checkpointing_disable()
        model.activation_checkpointing_enable()
        assert switches(model) == [{"use_reentrant": False}] * 2
        raise ValueError("broken")
    assert switches(model) == [OWN, None]


@pytest.mark.parametrize("decided", [True, False])
def test_another_rank_keeps_what_the_first_decides_whatever_it_sees(
    decided: bool, trainer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, config = trainer
    runner = EvalRunner(made, config.model_copy(update={"output": tmp_path}), Answers(0.5))
    runner._ranks, saved = Ranks(1, 2), []
    monkeypatch.setattr(Ranks, "_broadcast", lambda *_: (decided, (None, ("threads", 0))))
    monkeypatch.setattr(BestCheckpoint, "beaten_by", lambda *_: pytest.fail("the first rank looks"))
    monkeypatch.setattr(made, "save_model", saved.append)
    runner.evaluate(3)
    assert saved == ([str(tmp_path / "best.tmp")] if decided else []) and not list(tmp_path.iterdir())
