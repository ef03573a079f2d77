"""The sft recipe on plans: loss on the plan alone, evaluations on the way, the best model kept."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.provenance.lineage_file import read_lineage
from eops_traj.recipes import sft
from eops_traj.train.length_filter import drop_long_rows
from eops_traj.train.run import train
from eops_traj.train.run_folder import open_data
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.planner_data import plan, planner_sft, task_files, taught_by_heart
from tests.recipes.runs import TINY, config, killed, metrics, planner, weights

SETTINGS: dict[str, Any] = {**TINY, "recipe": "sft"}
DEV = [replace(task, split="dev") for task in (TASK, TWIN)]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings with data, a planner with random weights, and tasks to plan on the way."""
    folder = tmp_path_factory.mktemp("planner_sft")
    tasks = task_files(folder / "tasks", DEV)
    return {
        **{**SETTINGS, "data": str(planner_sft(folder)), "model": str(planner(folder / "planner"))},
        "evaluate": {"tasks": str(tasks), "steps": 2, "max_new_tokens": 64},
    }


def test_loss_is_on_the_plan_alone(settings: dict[str, Any], tmp_path: Path) -> None:
    run_config = checked(sft.Config, {**settings, "output": tmp_path / "out"}, "c")
    tokenizer = load_tokenizer(str(run_config.model))
    with open_data(run_config, sft.FORMATS, resume=False) as data:
        rows, counts = drop_long_rows(
            data.rows, sft.row_sizes(data.rows, tokenizer, run_config), run_config.max_length
        )
        trainer = sft.make_trainer(run_config, tokenizer, rows)
        batch = trainer.data_collator([trainer.train_dataset[0]])
    trained = batch["input_ids"][batch["labels"] != -100]
    assert tokenizer.decode(trained) == plan("Odile")[0]["content"] + "<|im_end|>"
    assert counts.tokens_with_loss == sum((row["labels"] != -100) for row in _rows(trainer))


def test_rows_of_about_one_length_come_by_seed_and_epoch(settings: dict[str, Any], tmp_path: Path) -> None:
    changes = {"output": tmp_path / "out", "group_by_length": True}
    run_config = checked(sft.Config, {**settings, **changes}, "c")
    tokenizer = load_tokenizer(str(run_config.model))
    with open_data(run_config, sft.FORMATS, resume=False) as data:
        trainer: Any = sft.make_trainer(run_config, tokenizer, data.rows)
    assert trainer.get_train_dataloader().batch_sampler.sampler is trainer.order


def _rows(trainer: Any) -> Any:
    """Every token of the rows, with its label."""
    return ({"labels": label} for row in trainer.train_dataset for label in row["labels"])


def test_a_model_says_where_it_comes_from(settings: dict[str, Any], tmp_path: Path) -> None:
    train(config(tmp_path / "out", settings))
    model, results = tmp_path / "out" / "model", metrics(tmp_path / "out")
    lineage = read_lineage(model)
    assert lineage.data is not None and lineage.data.content_hash == results["data"]["content_hash"]
    assert lineage.recipe == "sft" and lineage.parent_folder(model) == Path(settings["model"])
    card = (model / "README.md").read_text(encoding="utf-8")
    facts = (
        lineage.checkpoint,
        lineage.parent,
        lineage.data.content_hash,
        "planner_sft",
        "plans that passed",
        "0.0%",
        "replies that their limit cut | 100.0%",
        f"{results['throughput']['tokens_per_second']} tokens a second",
    )
    assert [fact for fact in facts if str(fact) not in card] == []


def test_what_does_not_fit_is_told_before_a_weight_is_loaded(
    settings: dict[str, Any], tmp_path: Path, cli: Callable
) -> None:
    """From a model without weights: only its settings and its tokenizer are there."""
    model = shutil.copytree(settings["model"], tmp_path / "m", ignore=shutil.ignore_patterns("*.safetensors"))
    path = config(tmp_path / "out", {**settings, "model": str(model)})
    dry = cli("train", path, "--dry-run")
    assert dry.code == 0 and "rows: 8 fit into 400 tokens, 0 dropped" in dry.err
    assert "dry run" in dry.out
    counts = json.loads(cli("train", path, "--dry-run", "--json").out)
    longest = counts["longest_reply"]
    assert (counts["kept"], counts["by_length"]["400"]) == (8, 8) and longest < counts["longest"]
    short = cli("train", path, "--dry-run", f"evaluate.max_new_tokens={longest - 1}")
    assert short.code == 2 and f"longest plan has {longest} tokens" in short.err
    assert cli("train", path, "--dry-run", f"evaluate.max_new_tokens={longest}").code == 0
    (model / "config.json").write_text(json.dumps({"model_type": "llama", "max_position_embeddings": 9}))
    far = cli("train", path)
    assert far.code == 2 and "takes 9 tokens, and of 8 rows within max_length 400 8 are longer" in far.err
    assert not (tmp_path / "out").exists()


def test_every_evaluation_is_logged_and_the_first_of_equals_kept(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    train(config(tmp_path / "out", settings))
    log = (tmp_path / "out" / "evaluations.jsonl").read_text(encoding="utf-8")
    noted = [json.loads(line) for line in log.splitlines()]
    assert [(each["step"], each["tasks"], each["cut"]) for each in noted] == [(2, 2, 1.0), (4, 2, 1.0)]
    assert metrics(tmp_path / "out")["best"] == noted[0]
    assert weights(tmp_path / "out" / "model") == weights(tmp_path / "out" / "checkpoint-2")
    assert not list((tmp_path / "out").glob("best-*"))


@pytest.mark.slow
def test_a_resumed_run_is_evaluated_as_a_whole_one(settings: dict[str, Any], tmp_path: Path) -> None:
    train(config(tmp_path / "whole", settings))
    cut = killed(tmp_path / "whole", tmp_path / "cut")
    train(config(cut, settings), resume=True)
    assert weights(cut / "checkpoint-4") == weights(tmp_path / "whole" / "checkpoint-4")
    assert metrics(cut)["best"]["step"] == 4  # the evaluation of step 2 went with its model


@pytest.mark.slow
def test_the_model_whose_plans_pass_is_kept(tmp_path: Path) -> None:
    scratch = {"vocabulary": 400, "hidden": 128, "layers": 2, "heads": 4, "intermediate": 256}
    tasks = task_files(tmp_path / "tasks", DEV)
    settings = {
        **{**SETTINGS, "scratch": scratch, "data": str(taught_by_heart(tmp_path, [TASK, TWIN], PLAN))},
        **{"max_length": 1024, "max_steps": 120, "save_steps": 60, "learning_rate": 0.003},
        "evaluate": {"tasks": str(tasks), "steps": 40},
        "held_out": {"allow": ["prompt", "database", "plan"]},
    }
    train(config(tmp_path / "out", settings))
    best = metrics(tmp_path / "out")["best"]
    assert (best["verified"], best["safe_refusal"], best["over_refusal"]) == (1.0, 1.0, 0.0)
