"""A first look at the prompts of online training: those whose tries all pass or all fail are left out.

A model learns from a group of tries by how they differ, so a group of equals teaches nothing and costs as
much as any. What was seen is added to ``OUTPUT/first_look.jsonl``, one line a prompt; a run that was stopped
meanwhile goes on from there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.errors import InputError, WorkError
from eops_traj.train.config import TrainingConfig
from eops_traj.train.ranks import switched_on
from eops_traj.train.rollout_config import FirstLook
from eops_traj.train.rollout_trainer import attempt_all
from eops_traj.train.run_folder import FIRST_LOOK


@dataclass(frozen=True)
class Look:
    """What the tries at one prompt came to. ``row`` is its number among the rows that fit."""

    row: int
    task_id: str
    passed: int
    tries: int

    @property
    def mixed(self) -> bool:
        """Check whether some tries passed and others failed."""
        return 0 < self.passed < self.tries


def mixed_rows(looks: Sequence[Look]) -> list[int]:
    """Return the numbers of the rows to learn from, in order."""
    return sorted(look.row for look in looks if look.mixed)


def summary(rows: int, looks: Sequence[Look]) -> dict[str, int]:
    """Count the prompts: kept, all of whose tries passed or failed, and not looked at."""
    return {
        "kept": len(mixed_rows(looks)),
        "all_passed": sum(look.passed == look.tries for look in looks),
        "none_passed": sum(look.passed == 0 for look in looks),
        "not_looked_at": rows - len(looks),
        "tries": sum(look.tries for look in looks),
    }


def check_whole_model(settings: FirstLook | None) -> None:
    """Check that each device has the whole model before training. Raises InputError where it has a part."""
    sharded = [kind for kind in ("FSDP", "DEEPSPEED") if switched_on(f"ACCELERATE_USE_{kind}")]
    if settings and sharded:
        raise InputError(
            f"first_look: with {sharded[0]} there is no whole model to try with before training;"
            " give first_look=null"
        )


def take_first_look(trainer: Any, config: TrainingConfig, settings: FirstLook, needed: int) -> None:
    """Leave only those prompts to the trainer that are worth learning from; ``needed`` of them make a step.

    Raises WorkError where fewer are left.
    """
    from accelerate.utils import set_seed

    rows = trainer.train_dataset
    looks = look_first(trainer, config.output, settings, config.seed, config.batch_size * config.accumulate)
    trainer.first_look = summary(len(rows), looks)
    if trainer.is_world_process_zero():
        print("first look:", ", ".join(f"{name} {n}" for name, n in trainer.first_look.items()), flush=True)
    check_enough(looks, len(rows), needed)
    trainer.train_dataset = rows.select(mixed_rows(looks))
    set_seed(config.seed, device_specific=True)  # a run that looks again trains as one that had looked before


def look_first(trainer: Any, output: Path, settings: FirstLook, seed: int, batch_size: int) -> list[Look]:
    """Look at the trainer's prompts, in an order drawn by the seed, until all or enough of them are known.

    Goes on from what the output's record holds. Each of the processes of a run comes here.
    """
    rows, path = trainer.train_dataset, output / FIRST_LOOK
    if trainer.is_world_process_zero():
        _drop_half_line(path)
    trainer.accelerator.wait_for_everyone()
    looks = read_looks(path)
    trainer.accelerator.wait_for_everyone()  # all have read before the first line is added
    seen = {look.row for look in looks}
    order = [n for n in Random(seed).sample(range(len(rows)), len(rows)) if n not in seen]
    unseen = _looks(trainer, rows, order, settings, batch_size)
    while not _enough(looks, settings) and (look := next(unseen, None)):
        looks.append(look)
        if trainer.is_world_process_zero():
            _add(path, look)
    return looks


def _enough(looks: Sequence[Look], settings: FirstLook) -> bool:
    return settings.enough is not None and len(mixed_rows(looks)) >= settings.enough


def _looks(
    trainer: Any, rows: Any, order: Sequence[int], settings: FirstLook, batch_size: int
) -> Iterator[Look]:
    """Yield what the tries at each of these rows came to; they are made as the looks are taken."""
    repeated = [n for n in order for _ in range(settings.tries)]
    tried = attempt_all(trainer, _Repeated(rows, repeated), batch_size)
    for n in order:
        passed = sum(each.passed for each in islice(tried, settings.tries))
        yield Look(n, _task_id(rows[n]), passed, settings.tries)


class _Repeated(Sequence[Mapping[str, Any]]):
    """Rows of a data set by number, read when they are needed."""

    def __init__(self, rows: Any, numbers: Sequence[int]) -> None:
        self._rows, self._numbers = rows, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, key: Any) -> Any:
        chosen = self._numbers[key]
        return [self._rows[n] for n in chosen] if isinstance(key, slice) else self._rows[chosen]


def _task_id(row: Mapping[str, Any]) -> str:
    return str(json.loads(row["task"])["task_id"])


def _add(path: Path, look: Look) -> None:
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(look)) + "\n")


def read_looks(path: Path) -> list[Look]:
    """Read the record of a first look; nothing where there is none."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Look(**json.loads(line)) for line in lines]


def _drop_half_line(path: Path) -> None:
    """Take out a last line that a run was stopped in the middle of."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if not text.endswith("\n") and text:
        whole = path.with_suffix(".tmp")
        whole.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")
        whole.replace(path)


def check_enough(looks: Sequence[Look], rows: int, needed: int) -> None:
    """Check that the prompts that are left fill a step. Raises WorkError where they do not."""
    counts = summary(rows, looks)
    if counts["kept"] < needed:
        raise WorkError(
            f"the first look left {counts['kept']} prompts, and a step takes {needed}: all tries failed at"
            f" {counts['none_passed']} of {len(looks)}, and passed at {counts['all_passed']};"
            " first_look=null takes them all"
        )
