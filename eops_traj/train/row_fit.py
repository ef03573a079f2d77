"""Do the rows of a run fit: into its ``max_length``, the model's context, and the replies of its exam?

All of it is told before any weight is loaded.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.train.config import TrainingConfig
from eops_traj.train.length_filter import RowCounts, RowSize, drop_long_rows
from eops_traj.train.model_context import model_context
from eops_traj.train.ranks import speaks

if TYPE_CHECKING:
    from datasets import Dataset

PLAN_FORMATS = ("planner_sft", "planner_dpo", "kto")
"""The formats whose replies are plans, which is what an exam asks for."""


def fit_rows(
    config: TrainingConfig, rows: "Dataset", row_sizes: Iterable[RowSize], format: str
) -> "tuple[Dataset, RowCounts]":
    """Return the rows of data of a format that fit, and print how many there are, on one rank.

    Raises InputError where no row fits, where rows are longer than the model's context, and where the exam
    would cut a plan that is as long as the data's longest.
    """
    sizes = list(row_sizes)
    fitting, counts = drop_long_rows(rows, sizes, config.max_length)
    if speaks():
        print(counts, flush=True)
    check_context(config, sizes)
    if format in PLAN_FORMATS:
        check_exam(config, counts)
    return fitting, counts


def check_context(config: TrainingConfig, sizes: Iterable[RowSize]) -> None:
    """Check that every row that is trained on fits into the model. Raises InputError otherwise."""
    context = model_context(config.model) if config.model else None
    if context is None:
        return
    lengths = [size.length for size in sizes if size.length <= config.max_length]
    if longer := [length for length in lengths if length > context]:
        raise InputError(
            f"{config.model} takes {context} tokens, and of {len(lengths)} rows within max_length"
            f" {config.max_length} {len(longer)} are longer, up to {max(longer)}; give max_length={context}"
            " to drop them, or another model"
        )


def check_exam(config: TrainingConfig, counts: RowCounts) -> None:
    """Check that a model that learnt the longest plan may write it. Raises InputError otherwise."""
    if config.evaluate and config.evaluate.max_new_tokens < counts.longest_reply:
        raise InputError(
            f"evaluate.max_new_tokens is {config.evaluate.max_new_tokens}, and the data's longest plan has"
            f" {counts.longest_reply} tokens: the exam would cut it; give evaluate.max_new_tokens="
            f"{counts.longest_reply} or more"
        )
