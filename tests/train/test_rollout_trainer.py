"""The trainer shows tools whole, and tries things without learning from them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.config import checked
from eops_traj.gym import registry
from eops_traj.planner.prompt import PlannerView
from eops_traj.recipes import grpo
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Json, Server, Task
from eops_traj.train.rollout_config import ROLLOUT_TOKENS
from eops_traj.train.rollout_env import acting_row, environment_name, make_environments
from eops_traj.train.rollout_trainer import attempt_all
from tests.planner_data import planner_prompt, task_text
from tests.recipes.forced import TO_DO, actor
from tests.recipes.runs import TINY

SERVERS = ("csm", "itsm", "hr", "teams", "drive", "email", "calendar")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An actor with random weights."""
    return actor(tmp_path_factory.mktemp("rollouts") / "actor")


def make_trainer(model: Path, tasks: list[Task], **changes: Any) -> Any:
    """Make the recipe's trainer of a model that acts at these tasks."""
    from datasets import Dataset
    from transformers import AutoTokenizer

    settings = {
        **{**TINY, "recipe": "grpo", "act": "tools", "data": "none", "output": str(model.parent / "out")},
        **{"model": str(model), "batch_size": 2, "generations": 2, "max_new_tokens": 24, **changes},
    }
    rows = [acting_row(planner_prompt(TO_DO), task_text(task)) for task in tasks]
    tokenizer = AutoTokenizer.from_pretrained(model)
    config = checked(grpo.Config, settings, "test")
    return grpo.make_trainer(
        config, tokenizer, Dataset.from_list(rows), make_environments(tasks), PlannerView()
    )


def every_tool_of(server: str) -> Task:
    """Return a task that shows all tools of a server."""
    gym = Server(name=registry.server(server).name, seed="", context=Json("{}"), details=Json("{}"))
    return replace(TO_DO, servers=(gym,), tools=(), verifiers=(), plan=None)


@pytest.mark.slow
def test_the_template_shows_every_tool_of_the_gym_as_its_contract_has_it(model: Path) -> None:
    tasks = [every_tool_of(server) for server in SERVERS]
    trainer, shown = make_trainer(model, tasks), 0
    trainer._batch_environments = [environment_name(task) for task in tasks]
    prompts, _, _ = trainer._tokenize_prompts([[{"role": "user", "content": "x"}]] * len(tasks))
    for server, ids in zip(SERVERS, prompts, strict=True):
        text = trainer.processing_class.decode(ids).partition("<tools>\n")[2].partition("\n</tools>")[0]
        tools = {tool["name"]: tool for tool in map(json.loads, text.split("\n"))}
        with open_session({registry.server(server).name: 0}) as session:
            contract = {tool["name"]: tool for tool in session.list_tools()}
        assert {name: tool["parameters"] for name, tool in tools.items()} == {
            name: tool["inputSchema"] for name, tool in contract.items()
        }
        assert all(tools[name]["description"] == tool["description"] for name, tool in contract.items())
        shown += len(tools)
    assert shown == 512


def test_prompts_come_by_seed_and_epoch(model: Path) -> None:
    trainer = make_trainer(model, [replace(TO_DO, task_id=f"{n}") for n in range(6)])
    loader = trainer.get_train_dataloader()
    assert loader.batch_sampler.sampler is trainer.order
    orders = []
    for epoch in (0, 1, 0):
        trainer.order.set_epoch(epoch)
        orders.append(list(trainer.order))
    assert orders[0] == orders[2] != orders[1] and len(orders[0]) == len(trainer.order) == 12


@pytest.mark.slow
def test_tries_aside_are_sampled_or_the_likeliest_and_leave_nothing(model: Path) -> None:
    trainer = make_trainer(model, [TO_DO], temperature=5.0, max_length=4096)
    row, said = trainer.train_dataset[0], list[Any]()
    judged = trainer.judge.rollouts
    trainer.reward_funcs = [lambda completion_ids, **given: said.extend(completion_ids) or judged(
        completion_ids=completion_ids, **given
    )]  # fmt: skip
    sampled, likeliest = trainer.attempt([row] * 3), trainer.attempt([row] * 3, greedy=True)
    assert len({tuple(ids) for ids in said[:3]}) == 3 and len({tuple(ids) for ids in said[3:]}) == 1
    assert [(each.passed, each.cut) for each in (*sampled, *likeliest)] == [(False, True)] * 6
    assert said[3] == most_likely(trainer, row, len(said[3]))
    assert (trainer.judge.tries, trainer.state.num_input_tokens_seen) == (0, 0)
    assert (
        not trainer._logs["prompt"] and not trainer._metrics["eval"] and trainer.generation_config.do_sample
    )


def most_likely(trainer: Any, row: dict[str, Any], length: int) -> list[int]:
    """Return the likeliest tokens after a prompt, each found by a forward pass of its own."""
    import torch

    trainer._batch_environments = [row["environment"]]
    (ids,), _, _ = trainer._tokenize_prompts([row["prompt"]])
    start = len(ids)
    with torch.no_grad():
        for _ in range(length):
            ids = [*ids, int(trainer.model(torch.tensor([ids])).logits[0, -1].argmax())]
    return ids[start:]


class Engine:
    """An engine in vLLM's place, as TRL calls one: each reply is one token that ends it."""

    def __init__(self, end: int) -> None:
        """Note the weights that come and the temperatures at which replies are asked for."""
        self.temperature, self._end, self.asked = 0.7, end, list[float]()
        self.synced = 0

    def sync_weights(self) -> None:
        """Take the weights."""
        self.synced += 1

    def generate(self, prompts: list[list[int]], **_: Any) -> tuple[Any, ...]:
        """Return prompts, replies, the logarithms of their probabilities, and nothing."""
        self.asked.append(self.temperature)
        return prompts, [[self._end]] * len(prompts), [[[-0.1]]] * len(prompts), None


@pytest.mark.slow
def test_an_engine_beside_the_model_tries_at_its_temperature_or_at_none(model: Path) -> None:
    trainer = make_trainer(model, [TO_DO], max_length=4096)
    engine = Engine(trainer.eos_token_ids[0])
    trainer.use_vllm, trainer.vllm_generation, trainer._last_loaded_step = True, engine, -1
    row = trainer.train_dataset[0]
    tried = [trainer.attempt([row] * 2, greedy=greedy) for greedy in (False, True)]
    assert engine.asked == [0.7, 0.0] and engine.temperature == 0.7 and engine.synced == 1
    assert [each.cut for tries in tried for each in tries] == [False] * 4


class Rank:
    """One of several processes whose tries are the rows that they were given, in the order of ranks."""

    def __init__(self, index: int, count: int, batch_size: int, rows: list[int]) -> None:
        """Note the place, and what all processes are given in each batch."""
        self.num_processes, self.process_index, self.given = count, index, list[list[int]]()
        self.accelerator, self._rows, self._batch = self, rows, batch_size * count

    def attempt(self, rows: list[int], greedy: bool) -> list[int]:
        """Note this process's rows; return those of all, of which the last stands in where one is missing."""
        start = self._batch * len(self.given)
        batch = self._rows[start : start + self._batch]
        self.given.append(rows)
        return batch + [batch[-1]] * (-len(batch) % self.num_processes)


def test_tries_are_shared_evenly_and_come_in_order() -> None:
    rows = list(range(11))
    ranks = [Rank(index, 3, 2, rows) for index in range(3)]
    for rank in ranks:
        assert list(attempt_all(rank, rows, 2)) == rows  # type: ignore[arg-type, comparison-overlap]
    assert [rank.given for rank in ranks] == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 10]]]


@pytest.mark.slow
def test_what_the_template_is_told_is_told_in_training_and_measured(model: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    unthinking = "{% if enable_thinking is false %}<think></think>{% endif %}"
    tokenizer.chat_template += unthinking
    row = acting_row(planner_prompt(TO_DO), task_text(TO_DO))
    settings = {
        "data": "none",
        "output": "none",
        "model": str(model),
        **TINY,
        "recipe": "grpo",
        "act": "tools",
    }
    told, untold = (
        checked(grpo.Config, {**settings, "generations": 2, "chat_template_kwargs": kwargs}, "test")
        for kwargs in ({"enable_thinking": False}, {})
    )
    environments = make_environments([TO_DO])
    sizes = [next(grpo.row_sizes([row], tokenizer, each, environments)) for each in (told, untold)]
    added = len(tokenizer("<think></think>", add_special_tokens=False)["input_ids"])
    assert sizes[0].length == sizes[1].length + added and added > 0
    assert grpo.trl_config(told).chat_template_kwargs == {"enable_thinking": False}
    assert sizes[1].length > told.max_new_tokens == ROLLOUT_TOKENS
