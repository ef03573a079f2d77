"""Rounds of improvement: a planner plans tasks several times, and learns from what the verifiers say of it.

Nothing but verifiers is needed, no gold plan: what passed is imitated (``sft``), preferred to what failed
(``dpo``), told good from bad (``kto``), or the tasks are tried again in training (``grpo``). A control
shows what the same time would have come to without: beside each round another planner goes on learning from
plans that pass.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.pipeline.commands import (
    VIEW,
    Command,
    collect_gold,
    collect_with_planner,
    export_plans,
    select_plans,
    train_on,
)
from eops_traj.pipeline.stages import Stage
from eops_traj.tasks.catalog import choose, load

METHODS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "sft": ("planner_sft", "train_full", ()),
    "dpo": ("planner_dpo", "train_dpo", ("negatives=written", "balance=false")),
    "kto": ("kto", "train_kto", ()),
    "grpo": ("prompts", "train_grpo", ()),
}
"""What a round trains on, the config that it trains by unless another is named, and the export's options.

Of pairs the rejected plan is the planner's own, the closest to one that passes: what it gets wrong by itself
is what it can unlearn.
"""

LEARNT_FROM = "train"
"""The split of tasks that rounds learn from."""

STORE = "measured"
"""The store of what every round's planner did on held-out tasks, in the rounds' folder."""


@dataclass(frozen=True)
class Improvement:
    """What is improved, and how.

    ``tasks`` are learnt from, and ``splits`` of ``held_out`` measure, each a folder of tasks; ``shown`` is
    what is said of the planner's view; ``samples`` are the plans for each task, of ``limit`` tasks, drawn at
    ``temperature``; with ``gold`` the tasks' gold plans are learnt from, too; ``allow`` are leaks that do not
    stop a training; ``settings`` go to the method's, and ``control`` is the config by which the control arm
    goes on, where there is one.
    """

    model: Path
    tasks: str
    held_out: str
    splits: tuple[str, ...]
    method: str
    config: str | None
    shown: tuple[str, ...]
    samples: int
    limit: int | None
    allow: str
    seed: int
    settings: tuple[str, ...]
    gold: bool = False
    control: str | None = None
    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Raise UnknownName for a method there is none of, InputError for a temperature that is none."""
        if self.method not in METHODS:
            raise UnknownName("method", self.method, METHODS)
        if not 0 <= self.temperature < math.inf:
            raise InputError(f"a temperature is 0 or more, and not {self.temperature}")

    def shown_in_data(self) -> dict[str, str]:
        """Return the parts of the planner's view in the data: what is said of it, and else the loop's."""
        return dict(part.split("=", 1) for part in (*VIEW, *self.shown))

    def check_tasks(self) -> None:
        """Raise the error of tasks that are not there, hours before a round would ask for them.

        What is in them is checked when they are collected: that takes five times as long.
        """
        for where, splits in ((self.tasks, (LEARNT_FROM,)), (self.held_out, self.splits)):
            choose(load(where), splits=splits, limit=1)

    def trainings(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """List the trainings: the config of each, the recipe that it has to be of, and its settings."""
        given = (f"model={self.model}", f"data={self.tasks}", f"output={self.tasks}")
        own = (self.config or METHODS[self.method][1], self.method, (*given, *self.settings))
        return [own, *([(self.control, "sft", (*given, "seconds=1"))] if self.control else [])]

    def record(self) -> dict[str, Any]:
        """Return what rounds are begun with; a folder goes on with the same alone."""
        values = {**asdict(self), "model": str(self.model)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def planner_name(number: int) -> str:
    """Return what the planner of a round is called; the one to begin with is of round 0."""
    return f"round-{number}"


def rounds(work: Path, how: Improvement, count: int) -> list[Stage]:
    """List the stages of some rounds, in the folder ``work``."""
    stages = [_measure(work, how, 0)]
    for number in range(1, count + 1):
        stages += [_sample(work, how, number), _learn(work, how, number), _measure(work, how, number)]
    return stages


def control_name(number: int) -> str:
    """Return what the planner of the control arm is called after a round."""
    return f"control-{number}"


def compared(how: Improvement, count: int) -> list[str]:
    """List the planners in the order in which each is compared with the one before."""
    names = [planner_name(0)]
    for number in range(1, count + 1):
        names += [control_name(number)] * bool(how.control) + [planner_name(number)]
    return names


def planner(work: Path, how: Improvement, number: int) -> Path:
    """Return the folder of a round's planner."""
    return _folder(work, how, number, planner_name)


def _folder(work: Path, how: Improvement, number: int, name: Callable[[int], str]) -> Path:
    return work / name(number) / "planner" / "model" if number else how.model


def controls(work: Path, how: Improvement, count: int, spent: Mapping[str, float]) -> list[Stage]:
    """List the stages of the control arm: of each round's tasks, for the seconds that its stages took.

    ``spent`` are those by stage. What they went into, sampling too, the control has for learning.
    """
    stages = []
    for number in range(1, count + 1) if how.control else ():
        seconds = seconds_of_round(spent, number)
        stages += [_control(work, how, number, seconds), _measure_control(work, how, number)]
    return stages


def seconds_of_round(spent: Mapping[str, float], number: int) -> float:
    """Sum what a round's planner cost, of the seconds by stage; measuring it is not among that."""
    return sum(spent.get(f"{stage}-{number}", 0.0) for stage in ("sample", "learn"))


def came_of(later: str, stages: Iterable[str]) -> bool:
    """Check whether a stage of a later round came of any of these, by their names.

    Nothing comes of a measurement, and of the control arm that arm alone.
    """
    roots = [name for name in stages if not name.startswith("measure-")]
    return any("control-" in later or "control-" not in name for name in roots)


def _sample(work: Path, how: Improvement, number: int) -> Stage:
    folder, before = work / planner_name(number), planner_name(number - 1)
    seed = how.seed + number  # other tasks in each round, where there are more than the limit
    drawn = (f"attempts={how.samples}", f"models.planner.sampling.temperature={how.temperature}")
    chosen = (f"tasks.seed={seed}", *(() if how.limit is None else (f"tasks.limit={how.limit}",)))
    planned = collect_with_planner(
        before,
        planner(work, how, number - 1),
        how.tasks,
        LEARNT_FROM,
        folder / "store",
        *drawn,
        f"models.planner.sampling.seed={seed}",
        *chosen,
        shown=how.shown,
    )
    gold = (collect_gold(how.tasks, LEARNT_FROM, folder / "store", *chosen),) if how.gold else ()
    return Stage(
        f"sample-{number}",
        "plan each task several times",
        (*gold, planned, select_plans(folder / "store", "plans")),
        grows=(f"{folder.name}/store",),
    )  # fmt: skip


def _learn(work: Path, how: Improvement, number: int) -> Stage:
    folder, (format, config, options) = work / planner_name(number), METHODS[how.method]
    settings = (f"model={planner(work, how, number - 1)}", *how.settings)
    return Stage(
        f"learn-{number}",
        f"learn from them: {how.method}",
        (
            export_plans(format, folder / "store", "plans", folder / "data", *how.shown, *options),
            _train(how, how.config or config, folder, settings),
        ),
        (f"{folder.name}/data", f"{folder.name}/planner"),
    )  # fmt: skip


def _control(work: Path, how: Improvement, number: int, seconds: float) -> Stage:
    """Have the control arm's planner go on learning, for so many seconds, from what passed in a round."""
    assert how.control
    store, folder = work / planner_name(number) / "store", work / control_name(number)
    before = _folder(work, how, number - 1, control_name)
    learn = _train(how, how.control, folder, (f"model={before}", f"seconds={seconds}"))
    return Stage(
        control_name(number),
        "learn from what passed, for as long as the round took",
        (export_plans(METHODS["sft"][0], store, "plans", folder / "data", *how.shown), learn),
        (f"{folder.name}/data", f"{folder.name}/planner"),
    )


def _train(how: Improvement, config: str, folder: Path, settings: tuple[str, ...]) -> Command:
    data, output = folder / "data", folder / "planner"
    return train_on(config, data, output, how.seed, how.held_out, settings, how.allow)


def _measure(work: Path, how: Improvement, number: int) -> Stage:
    return _measured(work, how, f"measure-{number}", planner_name(number), planner(work, how, number))


def _measure_control(work: Path, how: Improvement, number: int) -> Stage:
    model = _folder(work, how, number, control_name)
    return _measured(work, how, f"measure-control-{number}", control_name(number), model)


def _measured(work: Path, how: Improvement, stage: str, name: str, model: Path) -> Stage:
    splits = ",".join(how.splits)
    plan = collect_with_planner(name, model, how.held_out, splits, work / STORE, shown=how.shown)
    return Stage(stage, "measure on tasks that nobody trained on", (plan,))
