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

from eops_traj.train.config import CheckpointConfig
from eops_traj.train.length_filter import RowSize, count_tokens, drop_long_rows
from eops_traj.train.load_model import load_training_model, load_training_tokenizer, peft_config
from eops_traj.train.rollout_env import (
    Environment,
    acting_prompt,
    environment_name,
    make_environments,
    parse_task,
    plan_reward,
    verified,
)
from eops_traj.train.run_folder import open_data
from eops_traj.train.run_trainer import run_trainer, trainer_errors, trl_arguments
from eops_traj.train.scratch_model import chat_template

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
    """Of a plan; or of all replies in a rollout and all answers of tools."""
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
    with open_data(config, FORMATS, resume) as data:
        tokenizer = load_training_tokenizer(config, data.checkpoint)
        rows, environments = data.rows, None
        if config.act == "tools":
            environments = make_environments(map(parse_task, rows["task"]), config.seeds)
            rows = rows.map(_acting_row)
        sizes = row_sizes(rows, tokenizer, config, environments)
        rows, counts = drop_long_rows(rows, sizes, config.max_length)
        return run_trainer(config, data, make_trainer(config, tokenizer, rows, environments), counts)


def _acting_row(row: dict[str, Any]) -> dict[str, Any]:
    """Turn a row into one for a model that acts: its prompt, and the name of its environment."""
    task = parse_task(row["task"])
    return {"prompt": acting_prompt(row["prompt"], task), "environment": environment_name(task)}


def row_sizes(
    rows: "Dataset", tokenizer: "PreTrainedTokenizerBase", config: Config, environments: Environments | None
) -> Iterator[RowSize]:
    """Measure each prompt, with the room that a try may take."""
    for row in rows:
        tools = _tools(environments[row["environment"]]) if environments else []
        prompt = count_tokens(tokenizer, row["prompt"], tools, add_generation_prompt=True)
        yield RowSize(prompt + config.max_new_tokens, 0)


def _tools(environment: type[Environment]) -> list[Any]:
    """Return the methods that TRL offers as tools."""
    instance = environment()
    return [getattr(instance, name) for name in vars(environment) if not name.startswith("_")]


def make_trainer(
    config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset", environments: Environments | None
) -> "GRPOTrainer":
    """Make TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    from trl.chat_template_utils import qwen3_template
    from trl.trainer.grpo_trainer import GRPOTrainer

    columns = ["prompt", "task", *(["environment"] if environments else [])]
    factories: Any = dict(environments) if environments else None
    # calls of our own template are written as Qwen's are; TRL knows the templates of others
    if environments and tokenizer.chat_template == chat_template():
        tokenizer.response_template = qwen3_template
    with trainer_errors():
        return GRPOTrainer(
            model=load_training_model(config),
            reward_funcs=verified if environments else plan_reward(config.seeds),
            args=trl_config(config),
            train_dataset=rows.select_columns(columns),
            processing_class=tokenizer,
            environment_factory=factories,
            peft_config=peft_config(config.lora),
        )


def trl_config(config: Config) -> "GRPOConfig":
    """Return the settings in TRL's terms."""
    from trl.trainer.grpo_config import GRPOConfig

    return GRPOConfig(
        **trl_arguments(config),
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
