"""The stages of the loop: each is a few commands of this program, and could be typed by hand."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from eops_traj.errors import UnknownName
from eops_traj.pipeline.commands import (
    Command,
    collect_gold,
    collect_with_planner,
    export_plans,
    select_plans,
    train_on,
)

BASE, SFT, DPO = "untrained", "sft", "dpo"
"""The planners that are measured: random weights, tuned on verified plans, and on pairs of plans besides."""

PREFS, PREFS_STORE = "prefs", "prefs-store"
"""Tasks that preferences are learnt from alone, and what was done with them, in the loop's folder."""
FRESH = 10_000
"""Added to a loop's seed for tasks of other companies."""

REPORT = "report.html"
"""The page of figures, in the loop's folder."""


@dataclass(frozen=True)
class LoopSize:
    """How much a loop makes of what.

    ``suite`` is what tasks are made of, with options of ``tasks make``; ``config`` trains; ``slips`` is the
    rate at which the expert errs. ``fresh`` makes tasks of companies that the planner never saw: it tries
    ``own`` of them, ``drawn`` times each, to learn from its mistakes, and ``preferring`` are settings of
    that. ``longest`` is in tokens of a pair.
    """

    suite: tuple[str, ...]
    config: str
    slips: float
    fresh: tuple[str, ...]
    own: int
    drawn: int
    longest: int
    preferring: tuple[str, ...] = ()


SIZES = {
    "quick": LoopSize(
        ("planner",), "train_scratch", slips=0.01,
        fresh=("planner", "--tasks", "240"), own=200, drawn=1, longest=768,
    ),
    "full": LoopSize(
        ("planner_all", "--tasks", "12000"), "train_scratch_all", slips=0,
        fresh=("planner_all", "--tasks", "700"), own=600, drawn=2, longest=1280,
        preferring=("learning_rate=3.0e-5", "beta=0.1"),
    ),
}  # fmt: skip
"""Four families in a quarter of an hour, and all families of all domains in hours, on two cores."""


@dataclass(frozen=True)
class Stage:
    """A part of the loop: its commands, and their output in the loop's folder."""

    name: str
    purpose: str
    commands: tuple[Command, ...]
    writes: tuple[str, ...] = ()
    """Folders that the stage must find free; the store is not among them, for it only ever grows."""
    grows: tuple[str, ...] = ()
    """Folders that it goes on with where it was left, and begins anew where it is done again."""

    def lines(self) -> list[str]:
        """Render the commands as they would be typed."""
        return [shlex.join(("eops-traj", *command)) for command in self.commands]


def stages(work: Path, seed: int, size: str = "quick") -> list[Stage]:
    """List the stages in their order, in the folder ``work``. Raises UnknownName for a size we have not."""
    if size not in SIZES:
        raise UnknownName("size", size, SIZES)
    of, tasks, store = SIZES[size], str(work / "tasks"), str(work / "store")
    asked = (f"tasks.source={tasks}", "tasks.splits=[train]", f"orchestrator.rate={of.slips}")
    return [
        Stage(
            "tasks",
            "make tasks; those that measure are proven by execution",
            (("tasks", "make", "--suite", *of.suite, "--seed", str(seed), "--no-seeds", "--out", tasks),),
            ("tasks",),
        ),
        Stage(
            "collect",
            f"collect episodes of {'a fallible' if of.slips else 'an'} expert",
            (("collect", "collect_expert", "--store", store, "--resume", *asked, "attempts=1"),),
        ),
        Stage(
            "sft",
            "train a planner on the plans of good episodes",
            _sft(work, seed, of),
            ("sft-data", SFT, BASE),
        ),
        Stage(
            "prefs",
            "have it plan tasks of companies that it never saw",
            _prefs(work, seed, of),
            (PREFS,),
            grows=(PREFS_STORE,),
        ),
        Stage(
            "dpo",
            "train it on pairs of plans: its own mistakes are rejected",
            _dpo(work, seed, of),
            ("dpo-data", DPO),
        ),
        Stage(
            "bench",
            "measure on tasks and families that nobody trained on",
            tuple(_plan(work, name, "test,test_ood") for name in (BASE, SFT, DPO)),
        ),
        Stage("report", "draw what was found", (_report(work),)),
    ]


def _sft(work: Path, seed: int, of: LoopSize) -> tuple[Command, ...]:
    untrained = ("max_steps=1", "learning_rate=1.0e-12", "scratch.copying=0", "scratch.renaming=0")
    store, data, tasks = work / "store", work / "sft-data", str(work / "tasks")
    return (
        select_plans(store, "plans"),
        export_plans("planner_sft", store, "plans", data),
        train_on(of.config, data, work / BASE, seed, tasks, untrained),
        train_on(of.config, data, work / SFT, seed, tasks),
    )


def _prefs(work: Path, seed: int, of: LoopSize) -> tuple[Command, ...]:
    """List the commands by which the planner tries fresh tasks: what it learnt from it knows by heart."""
    tasks, store, limit = str(work / PREFS), work / PREFS_STORE, f"tasks.limit={of.own}"
    make = ("tasks", "make", "--suite", *of.fresh, "--seed", str(FRESH + seed), "--no-seeds", "--out", tasks)
    drawn = (f"attempts={of.drawn}", "models.planner.sampling.temperature=0.7")
    plan = collect_with_planner(SFT, work / SFT / "model", tasks, "train", store, limit, *drawn)
    return make, collect_gold(tasks, "train", store, limit), plan, select_plans(store, "pairs")


def _dpo(work: Path, seed: int, of: LoopSize) -> tuple[Command, ...]:
    data, tasks = work / "dpo-data", str(work / "tasks")
    settings = (f"model={work / SFT / 'model'}", f"max_length={of.longest}", *of.preferring)
    written = ("negatives=written", "balance=false")
    return (
        export_plans("planner_dpo", work / PREFS_STORE, "pairs", data, *written),
        train_on("train_scratch_dpo", data, work / DPO, seed, tasks, settings),
    )


def _plan(work: Path, name: str, splits: str) -> Command:
    model, tasks = work / name / "model", str(work / "tasks")
    return collect_with_planner(name, model, tasks, splits, work / "store")


def _report(work: Path) -> Command:
    pairs = (f"{BASE},{SFT}", f"{SFT},{DPO}", f"{BASE},{DPO}")
    options = [part for pair in pairs for part in ("--pair", pair)]
    return ("report", "--store", str(work / "store"), "--out", str(work / REPORT), *options)
