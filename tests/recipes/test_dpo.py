"""The dpo recipe learns from pairs, holds to its checkpoint, and puts loss on the replies alone."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.errors import ConfigError, InputError
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.llm.local_model import LocalModel
from eops_traj.recipes import dpo
from eops_traj.train.length_filter import drop_long_rows
from eops_traj.train.run import train
from eops_traj.train.run_folder import open_data
from tests.planner_data import NAMES, certified_data, planner_dpo, prompt, reply
from tests.recipes.runs import SIZES, TINY, config, killed, metrics, planner, weights

SETTINGS: dict[str, Any] = {**TINY, "recipe": "dpo", "learning_rate": 0.001, "beta": 0.1}

PARAMETERS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FIND = {"name": "find_user", "description": "Find.", "parameters": PARAMETERS}
TOOL = {"type": "function", "function": FIND}


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
    results = metrics(tmp_path / "out")
    assert results["losses"][0]["loss"] == pytest.approx(
        0.6931, abs=1e-3
    )  # log 2: model and reference are one
    assert results["losses"][-1]["loss"] < 0.69 and results["steps"] == 4
    assert (results["rows"]["kept"], results["rows"]["dropped"]) == (8, 1)
    assert results["data"]["format"] == "planner_dpo"


def texts_with_loss(data: Path, checkpoint: Path, output: Path) -> list[str]:
    """Decode the loss of the first pair of a data set: the chosen reply, then the rejected one."""
    changes = {**SETTINGS, "data": data, "output": output, "model": str(checkpoint)}
    settings, tokenizer = checked(dpo.Config, changes, "c"), load_tokenizer(str(checkpoint))
    with open_data(settings, dpo.FORMATS, resume=False) as training_data:
        rows, _ = drop_long_rows(
            training_data.rows, dpo.row_sizes(training_data.rows, tokenizer), settings.max_length
        )
        trainer = dpo.make_trainer(settings, tokenizer, rows)
        batch = trainer.data_collator([trainer.train_dataset[0]])
    masked = zip(batch["input_ids"], batch["completion_mask"], strict=True)
    return [tokenizer.decode(ids[mask.bool()]) for ids, mask in masked]


PAIR = [
    '1. find_user(name="Odile") -- whom the request names<|im_end|>',
    "REFUSE: the request comes from outside<|im_end|>",
]


def test_loss_is_on_the_plans_alone(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    assert texts_with_loss(data, checkpoint, tmp_path / "out") == PAIR


@pytest.mark.parametrize("pieces", ["plan", "slots"])
def test_no_token_reaches_from_the_prompt_into_the_first_step(
    pieces: str, data: Path, tmp_path: Path
) -> None:
    """Even where a line break and a step's number are one token in the rest of a plan."""
    sizes = SIZES.model_copy(update={"vocabulary": 600, "pieces": pieces})
    checkpoint = planner(tmp_path / "planner", sizes)
    assert texts_with_loss(data, checkpoint, tmp_path / "out") == PAIR


def test_loss_is_on_the_decision_alone(checkpoint: Path, tmp_path: Path) -> None:
    """A pair of single decisions, after a tool's result: a call with its arguments, and an answer."""
    first, second = (call_message(name) for name in ("Odile", "Bram"))
    before = [*prompt("Odile"), first, {"role": "tool", "tool_call_id": "c", "content": "nobody"}]
    row = {"prompt": before, "chosen": [second], "rejected": reply("Done."), "tools": [TOOL]}
    data = certified_data(tmp_path / "data", "step_dpo", [row] * 2)
    assert texts_with_loss(data, checkpoint, tmp_path / "out") == [
        '\n<tool_call>\n{"name": "find_user", "arguments": {"name": "Bram"}}\n</tool_call><|im_end|>',
        "Done.<|im_end|>",
    ]


def call_message(name: str) -> dict[str, Any]:
    """Build a message that calls a tool."""
    call = {"id": "c", "type": "function", "function": {"name": "find_user", "arguments": {"name": name}}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


@pytest.mark.slow
def test_adapters_go_on_being_trained(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    lora = {"rank": 2, "alpha": 4}
    train(config(tmp_path / "first", SETTINGS, data=data, model=checkpoint, lora=lora))
    adapted = tmp_path / "first" / "model"
    path = config(tmp_path / "second", SETTINGS, data=data, model=adapted)
    train(path)
    results = metrics(tmp_path / "second")
    assert results["losses"][0]["loss"] == pytest.approx(
        0.6931, abs=1e-3
    )  # the reference has the adapters too
    assert 0 < results["trained_parameters"] < results["parameters"]
    LocalModel.load(str(tmp_path / "second" / "model"), None, "cpu", "auto")
    with pytest.raises(InputError, match="holds adapters, which go on being trained: leave lora out"):
        train(path, ["lora.rank=4", f"output={tmp_path / 'third'}"])


@pytest.mark.slow
def test_a_resumed_run_ends_with_the_same_weights(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    """One that was killed in its second epoch, of four steps each."""
    grouped = {
        **SETTINGS,
        "data": str(data),
        "model": str(checkpoint),
        "group_by_length": True,
        "max_steps": 8,
    }
    train(config(tmp_path / "whole", grouped))
    cut = killed(tmp_path / "whole", tmp_path / "cut", step=8)
    train(config(cut, grouped), resume=True)
    assert weights(cut / "model") == weights(tmp_path / "whole" / "model")


def test_what_cannot_be_trained_is_refused(data: Path, checkpoint: Path, tmp_path: Path) -> None:
    path = config(tmp_path / "out", SETTINGS, data=data, model=checkpoint)
    with pytest.raises(InputError, match="no row fits into max_length 9; the shortest has"):
        train(path, ["max_length=9"])
    bare = shutil.copytree(checkpoint, tmp_path / "bare", ignore=shutil.ignore_patterns("chat_template*"))
    with pytest.raises(InputError, match="bare: the tokenizer has no chat template; give one as"):
        train(path, [f"model={bare}"])
    with pytest.raises(InputError, match="model is missing"):
        train(config(tmp_path / "out", SETTINGS, data=data))
    assert not (tmp_path / "out").exists()


def of(**changes: Any) -> dpo.Config:
    """Return the settings of a run that is never started."""
    return checked(dpo.Config, {**SETTINGS, "data": "d", "output": "o", "model": "m", **changes}, "c")


@pytest.mark.parametrize("loss", ["sigmoid", "ipo", "hinge", "sigmoid_norm"])
def test_a_smoothing_that_the_loss_does_not_read_is_refused(loss: str) -> None:
    with pytest.raises(ConfigError, match=f"label_smoothing: .* reads it, not {loss}; give loss=robust"):
        of(loss=loss, label_smoothing=0.1)
    told = dpo.trl_config(of(loss="robust", label_smoothing=0.1))
    assert (told.loss_type, told.label_smoothing) == (["robust"], 0.1)
    assert of(loss=loss, label_smoothing=0).loss == loss
