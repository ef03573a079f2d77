"""Group-relative policy optimisation: the model tries each task several times, and verifiers score the tries.

Run it with ``eops-traj train CONFIG`` or as it stands, ``python recipes/grpo.py CONFIG``. It takes data of
format ``prompts``. With ``act: plan`` the model writes plans, which are run; with ``act: tools`` it works in
the sandbox itself, turn by turn. A try is worth 1 where every verifier passes, a refusal where that is right
included, and else 0. It starts from a trained checkpoint.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from eops_traj.errors import InputError
from eops_traj.train.config import CheckpointConfig
from eops_traj.train.data import opened
from eops_traj.train.length_filter import Size, fitting, token_count
from eops_traj.train.load_model import adapters, make_model
from eops_traj.train.load_tokenizer import make_tokenizer
from eops_traj.train.rewards import plan_reward, verified
from eops_traj.train.rollout_env import Environment, acting_prompt, environment_name, environments, task_of
from eops_traj.train.run_trainer import trained
from eops_traj.train.scratch_model import chat_template
from eops_traj.train.trl_arguments import arguments

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

FORMATS = ("prompts",)
Environments = Mapping[str, type[Environment]]


class Config(CheckpointConfig):
    """The settings of a run. ``batch_size`` counts tries, not tasks."""

    recipe: Literal["grpo"]
    act: Literal["plan", "tools"] = "plan"
    generations: int = Field(8, ge=2)
    """Tries at a task, which are compared with one another."""
    max_new_tokens: PositiveInt = 512
    """Of a plan; or of all that a model says in a rollout and all that tools answer."""
    max_turns: PositiveInt = 20
    """With ``act: tools``: the most rounds of calls."""
    temperature: PositiveFloat = 1.0
    beta: NonNegativeFloat = 0.0
    """How closely the model is held to where it started: more is closer, 0 is free."""
    loss: Literal["dapo", "grpo", "dr_grpo", "bnpo"] = "dapo"
    seeds: Path | None = None
    """The folder that seed files are named from, where tasks have any."""

    @model_validator(mode="after")
    def _whole_groups(self) -> "Config":
        tries = self.batch_size * self.accumulate
        if tries % self.generations:
            raise ValueError(
                f"batch_size times accumulate is {tries}, no multiple of the {self.generations} generations"
            )
        return self


def run(config: Config, *, resume: bool = False) -> dict[str, Any]:
    """Train as the config says and return the metrics. Raises InputError with nothing written."""
    with opened(config, FORMATS, resume) as data:
        tokenizer = make_tokenizer(config, data.checkpoint)
        rows, known = data.rows, None
        if config.act == "tools":
            known = environments(map(task_of, rows["task"]), config.seeds)
            rows = rows.map(_to_act)
        rows, counts = fitting(rows, sizes(rows, tokenizer, config, known), config.max_length)
        return trained(config, data, make_trainer(config, tokenizer, rows, known), counts)


def _to_act(row: dict[str, Any]) -> dict[str, Any]:
    """A row for a model that acts: its prompt, and the name of its environment."""
    task = task_of(row["task"])
    return {"prompt": acting_prompt(row["prompt"], task), "environment": environment_name(task)}


def sizes(
    rows: "Dataset", tokenizer: "PreTrainedTokenizerBase", config: Config, known: Environments | None
) -> Iterator[Size]:
    """The size of each prompt, with the room that a try may take."""
    for row in rows:
        tools = _tools(known[row["environment"]]) if known else []
        prompt = token_count(tokenizer, row["prompt"], tools, add_generation_prompt=True)
        yield Size(prompt + config.max_new_tokens, 0)


def _tools(environment: type[Environment]) -> list[Any]:
    """The methods that TRL offers as tools."""
    instance = environment()
    return [getattr(instance, name) for name in vars(environment) if not name.startswith("_")]


def make_trainer(
    config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset", known: Environments | None
) -> "GRPOTrainer":
    """TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    from trl.trainer.grpo_trainer import GRPOTrainer

    columns = ["prompt", "task", *(["environment"] if known else [])]
    factories: Any = dict(known) if known else None
    if known:
        _readable_calls(tokenizer)
    try:
        return GRPOTrainer(
            model=make_model(config),
            reward_funcs=verified if known else plan_reward(config.seeds),
            args=settings(config),
            train_dataset=rows.select_columns(columns),
            processing_class=tokenizer,
            environment_factory=factories,
            peft_config=adapters(config.lora),
        )
    except ValueError as error:
        raise InputError(f"cannot train this model so: {error}") from error


def _readable_calls(tokenizer: "PreTrainedTokenizerBase") -> None:
    """Have calls read by our own template, which writes them as Qwen's does; TRL knows those of others."""
    from trl.chat_template_utils import qwen3_template

    if tokenizer.chat_template == chat_template():
        tokenizer.response_template = qwen3_template


def settings(config: Config) -> "GRPOConfig":
    """The settings in TRL's terms."""
    from trl.trainer.grpo_config import GRPOConfig

    return GRPOConfig(
        **arguments(config),
        num_generations=config.generations,
        max_completion_length=config.max_new_tokens,
        max_tool_calling_iterations=config.max_turns,
        temperature=config.temperature,
        beta=config.beta,
        loss_type=config.loss,
    )


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["train", *sys.argv[1:]])
