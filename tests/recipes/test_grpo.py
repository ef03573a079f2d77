"""The grpo recipe scores tries by verifiers: plans that are run, or work in the sandbox itself."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from datasets import Dataset

from eops_traj.config import checked
from eops_traj.errors import ConfigError, InputError
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.planner.plan_length import PLAN_TOKENS
from eops_traj.recipes import grpo
from eops_traj.train.length_filter import RowSize
from eops_traj.train.rollout_config import ROLLOUT_TOKENS
from eops_traj.train.run import train
from eops_traj.train.scratch_model import chat_template
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.planner_data import SHORT, planner_prompt, prompts, reply, task_files, task_text
from tests.recipes.runs import TINY, config, metrics, planner
from tests.tokenizers import tokenizer
from tests.train.rollouts import do_work, seeded_by_file

SETTINGS: dict[str, Any] = {
    **{**TINY, "max_length": 4096, "max_steps": 2, "save_steps": 1},
    **{"recipe": "grpo", "learning_rate": 0.001, "batch_size": 4, "generations": 2, "max_new_tokens": 8},
    "first_look": None,  # a model of random weights passes nothing
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings with data and a planner with random weights."""
    folder = tmp_path_factory.mktemp("grpo")
    model = planner(folder / "planner", positions=4096)
    return {**SETTINGS, "data": str(prompts(folder, [TASK, TWIN])), "model": str(model)}


@pytest.mark.slow
@pytest.mark.parametrize("act", ["plan", "tools"])
def test_a_run_tries_and_scores(act: str, settings: dict[str, Any], tmp_path: Path) -> None:
    train(config(tmp_path / "out", {**settings, "act": act}))
    results = metrics(tmp_path / "out")
    assert results["steps"] == 2 and [entry["reward"] for entry in results["rewards"]] == [0.0, 0.0]
    assert results["tries"]["made"] == 8 and results["tries"]["cut"] > 0


@pytest.mark.slow
def test_what_the_template_is_told_is_recorded(settings: dict[str, Any], tmp_path: Path) -> None:
    template = tmp_path / "thinking.jinja"
    told = "{% if enable_thinking is false %}Be brief. {% endif %}"  # before all that is rendered
    template.write_text(told + chat_template(), encoding="utf-8")
    changes = {"chat_template": str(template), "chat_template_kwargs": {"enable_thinking": False}}
    train(config(tmp_path / "out", {**settings, **changes}), ["max_steps=1"])
    recorded = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["config"]
    assert recorded["chat_template_kwargs"] == {"enable_thinking": False}


def test_what_cannot_be_trained_is_refused(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(tmp_path / "out", settings)
    with pytest.raises(InputError, match="no row fits into max_length 99; the shortest has"):
        train(path, ["max_length=99"])
    with pytest.raises(InputError, match="is 4, no multiple of the 3 generations"):
        train(path, ["generations=3"])
    with pytest.raises(InputError, match="a step takes 4 prompts, and 2 fit into max_length"):
        train(path, ["accumulate=2"])
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(InputError, match="use_vllm=colocate needs vllm, which is not installed here"):
        train(path, ["use_vllm=colocate"])
    assert not (tmp_path / "out").exists()


def test_a_dry_run_says_what_gold_rollouts_take(
    settings: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(config(tmp_path / "out", settings), ["act=tools"], dry_run=True)
    assert "gold rollouts: 0 of 2 fit into max_new_tokens 8 (median " in capsys.readouterr().out


def test_prompts_that_only_a_planner_understands_are_refused_before_a_model_is_read(tmp_path: Path) -> None:
    marked = SHORT.model_copy(update={"values": "marked"})
    data = prompts(tmp_path, [TASK], marked)
    path = config(tmp_path / "out", {**SETTINGS, "data": str(data), "model": str(tmp_path / "gone")})
    with pytest.raises(InputError, match=r"shows policy=reference, values=marked, .* --option values=plain$"):
        train(path, ["act=tools"])
    with pytest.raises(InputError, match="gone"):
        train(path)
    assert not (tmp_path / "out").exists()


def of(**changes: Any) -> grpo.Config:
    """Return the settings of a run that is never started."""
    return checked(
        grpo.Config,
        {**TINY, "recipe": "grpo", "data": "d", "output": "o", "model": "m", "generations": 2, **changes},
        "test",
    )


def test_a_rollout_has_more_room_than_a_plan_unless_the_config_says_how_much() -> None:
    assert (of().max_new_tokens, of(act="tools").max_new_tokens) == (PLAN_TOKENS, ROLLOUT_TOKENS)
    assert of(act="tools", max_new_tokens=99).max_new_tokens == 99


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["server", "colocate"])
def test_trl_takes_what_it_is_told_of_vllm(mode: str) -> None:
    vllm = {"url": "http://other:9", "memory": 0.5}
    told = grpo.trl_config(of(use_vllm=mode, vllm=vllm))
    assert (told.use_vllm, told.vllm_mode, told.vllm_max_model_length) == (True, mode, TINY["max_length"])
    assert told.vllm_server_base_url == ("http://other:9" if mode == "server" else None)
    assert told.vllm_gpu_memory_utilization == 0.5 and not grpo.trl_config(of()).use_vllm


def test_trl_is_told_every_setting() -> None:
    told = grpo.trl_config(
        of(
            batch_size=12,
            generations=3,
            beta=0.3,
            temperature=0.7,
            loss="grpo",
            max_turns=7,
            max_new_tokens=99,
        )
    )
    assert (told.num_generations, told.num_generations_eval, told.per_device_eval_batch_size) == (3, 1, 12)
    assert (told.beta, told.temperature, told.loss_type, told.disable_dropout) == (0.3, 0.7, "grpo", True)
    assert (told.max_completion_length, told.max_tool_calling_iterations) == (99, 7)
    with pytest.raises(ConfigError, match=r"generations: .*greater than or equal to 2"):
        of(generations=1)
    usual = checked(grpo.Config, {**TINY, "recipe": "grpo", "data": "d", "output": "o", "model": "m",
                                  "batch_size": 8}, "test")  # fmt: skip
    assert (usual.generations, usual.beta, usual.temperature, usual.max_turns) == (8, 0.0, 1.0, 40)


def test_only_a_model_that_acts_and_is_to_be_examined_has_tasks_to_act_on(tmp_path: Path) -> None:
    task_files(tmp_path / "tasks", [replace(TASK, split="dev"), replace(TWIN, split="train")])
    exam = {"tasks": str(tmp_path / "tasks")}
    data: Any = SimpleNamespace(certificate=SimpleNamespace(options={"shown": SHORT.model_dump()}))
    assert grpo.acting_exam(of(evaluate=exam), data) is None
    assert grpo.acting_exam(of(act="tools"), data) is None
    acting = grpo.acting_exam(of(act="tools", evaluate=exam), data)
    assert acting is not None and [task.task_id for task in acting.tasks] == [TASK.task_id]


def test_a_row_is_its_prompt_to_the_reply_with_the_room_of_a_try() -> None:
    words: Any = tokenizer()
    row = {"prompt": [{"role": "user", "content": "Close case 7."}]}
    opened = words.apply_chat_template(row["prompt"], add_generation_prompt=True, return_dict=True)
    size = len(opened["input_ids"]) + 99
    settings = of(max_new_tokens=99)
    assert list(grpo.row_sizes([row], words, settings, None)) == [RowSize(size, 0)]
    exam: Any = SimpleNamespace(rows=[row])
    fits = [grpo.fitting(exam, words, of(max_new_tokens=99, max_length=n), None) for n in (size - 1, size)]
    assert fits == [[False], [True]]


def test_a_model_that_acts_is_examined_with_the_budget_of_training() -> None:
    exam = {"tasks": "suite", "max_new_tokens": 99}
    assert of(evaluate=exam).evaluate and of(act="tools", evaluate={"tasks": "suite"}).evaluate
    with pytest.raises(ConfigError, match=r"leave evaluate\.max_new_tokens out"):
        of(act="tools", evaluate=exam)


def test_a_first_look_is_taken_unless_the_config_says_no() -> None:
    assert of().first_look and of(first_look=None).first_look is None


@pytest.mark.parametrize("act", ["plan", "tools"])
def test_tries_start_from_the_seed_files_of_the_folder(
    act: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    row = {"prompt": planner_prompt(TASK, SHORT), "task": task_text(seeded_by_file(TASK, tmp_path))}
    asked = checked(
        grpo.Config, {**settings, "act": act, "seeds": str(tmp_path), "output": str(tmp_path / "o")}, "test"
    )
    words = load_tokenizer(asked.model)
    rows, environments = grpo.prepare_rows(asked, Dataset.from_list([row]), None)
    trainer = grpo.make_trainer(asked, words, rows, environments, SHORT)
    assert trainer.judge.max_turns == (None if act == "plan" else asked.max_turns)
    [reward], ids = trainer.reward_funcs, [[*words.encode(PLAN), words.eos_token_id]]
    if environments is None:
        assert reward(completions=[reply(PLAN)], completion_ids=ids, task=[row["task"]]) == [1.0]
        return
    environment = environments[rows[0]["environment"]]()
    environment.reset(task=row["task"], prompt=[])
    do_work(environment)
    assert reward(completions=[reply("Done.")], completion_ids=ids, environments=[environment]) == [1.0]
