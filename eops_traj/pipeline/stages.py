"""The stages of the loop: each is a few commands of this program, and could be typed by hand."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from eops_traj.errors import UnknownName

BASE, SFT, DPO = "untrained", "sft", "dpo"
"""The planners that are measured: random weights, tuned on verified plans, and on pairs of plans besides."""

REPORT = "report.html"
"""The page of figures, in the loop's folder."""


@dataclass(frozen=True)
class LoopSize:
    """How much a loop makes of what, and how its planner sees a task.

    ``suite`` is what tasks are made of, with options of ``tasks make``; ``config`` trains; ``shown`` is the
    view, in which the policy is named and no more, for a planner is small; ``slips`` is the rate at which the
    expert errs; ``own`` is how many training tasks the planner tries itself, to learn from its mistakes;
    ``longest`` is in tokens of a pair; ``alike`` are the leaks that are allowed, and counted in its card.
    """

    suite: tuple[str, ...]
    config: str
    shown: tuple[str, ...]
    slips: float
    own: int
    longest: int
    alike: str

    @property
    def view(self) -> tuple[str, ...]:
        """The view as options of exporters."""
        return ("policy=reference", "prompt=plan_short", *self.shown)

    @property
    def planning(self) -> tuple[str, ...]:
        """The view as settings of collections."""
        return tuple(f"orchestrator.shown.{each}" for each in self.shown)


SIZES = {
    "quick": LoopSize(
        ("planner",), "train_scratch", ("tools=none",), slips=0.01, own=120, longest=768, alike="prompt"
    ),
    "full": LoopSize(
        ("planner_all", "--tasks", "12000"), "train_scratch_all", ("tools=names", "values=marked"),
        slips=0, own=600, longest=1280, alike="prompt,plan",
    ),
}  # fmt: skip
"""Three families in a quarter of an hour, and all families of all domains in hours, on two cores.

Requests of one family are alike: a few of training are 0.8 like a held-out one of other records, and without
names so are plans.
"""


@dataclass(frozen=True)
class Stage:
    """A part of the loop: its commands, and their output in the loop's folder."""

    name: str
    purpose: str
    commands: tuple[tuple[str, ...], ...]
    writes: tuple[str, ...] = ()
    """Folders that the stage must find free; the store is not among them, for it only ever grows."""

    def lines(self) -> list[str]:
        """Render the commands as they would be typed."""
        return [shlex.join(("eops-traj", *command)) for command in self.commands]


def stages(work: Path, seed: int, size: str = "quick") -> list[Stage]:
    """List the stages in their order, in the folder ``work``. Raises UnknownName for a size we have not."""
    if size not in SIZES:
        raise UnknownName("size", size, SIZES)
    of, tasks, store = SIZES[size], str(work / "tasks"), str(work / "store")
    return [
        Stage(
            "tasks",
            "make tasks, each proven by execution",
            (("tasks", "make", "--suite", *of.suite, "--seed", str(seed), "--no-seeds", "--out", tasks),),
            ("tasks",),
        ),
        Stage(
            "collect",
            f"collect episodes of {'a fallible' if of.slips else 'an'} expert",
            (_collect("collect_expert", store, tasks, f"orchestrator.rate={of.slips}", "attempts=1"),),
        ),
        Stage(
            "sft",
            "train a planner on the plans of good episodes",
            _sft(work, seed, of),
            ("sft-data", SFT, BASE),
        ),
        Stage(
            "dpo", "train it on pairs, its own mistakes among them", _dpo(work, seed, of), ("dpo-data", DPO)
        ),
        Stage(
            "bench",
            "measure on tasks and families that nobody trained on",
            tuple(_bench(work, name, of) for name in (BASE, SFT, DPO)),
        ),
        Stage("report", "draw what was found", (_report(work),)),
    ]


def _collect(config: str, store: str, tasks: str, *overrides: str) -> tuple[str, ...]:
    chosen = (f"tasks.source={tasks}", "tasks.splits=[train]")
    return ("collect", config, "--store", store, "--resume", *chosen, *overrides)


def _filter(store: str, name: str) -> tuple[str, ...]:
    return ("filter", "filter_planner", "--store", store, "--name", name)


def _export(format: str, work: Path, selection: str, out: str, of: LoopSize) -> tuple[str, ...]:
    settings = [part for option in (*of.view, "reasons=false") for part in ("--option", option)]
    where = ("--store", str(work / "store"), "--selection", selection, "--out", str(work / out))
    return ("export", format, *where, *settings)


def _train(
    config: str, work: Path, data: str, output: str, seed: int, of: LoopSize, *overrides: str
) -> tuple[str, ...]:
    known = (f"held_out.tasks={work / 'tasks'}", f"held_out.allow=[{of.alike}]")
    settings = (f"data={work / data}", f"output={work / output}", f"seed={seed}", *known)
    return ("train", config, *settings, *overrides)


def _sft(work: Path, seed: int, of: LoopSize) -> tuple[tuple[str, ...], ...]:
    untrained = ("max_steps=1", "learning_rate=1.0e-12", "scratch.copying=0", "scratch.renaming=0")
    return (
        _filter(str(work / "store"), "plans"),
        _export("planner_sft", work, "plans", "sft-data", of),
        _train(of.config, work, "sft-data", BASE, seed, of, *untrained),
        _train(of.config, work, "sft-data", SFT, seed, of),
    )


def _dpo(work: Path, seed: int, of: LoopSize) -> tuple[tuple[str, ...], ...]:
    store, tasks = str(work / "store"), str(work / "tasks")
    own = (f"tasks.limit={of.own}", *of.planning, *_client(work, SFT))
    pairs = (f"model={work / SFT / 'model'}", f"max_length={of.longest}")
    return (
        _collect("collect_planner", store, tasks, *own),
        _filter(store, "pairs"),
        _export("planner_dpo", work, "pairs", "dpo-data", of),
        _train("train_scratch_dpo", work, "dpo-data", DPO, seed, of, *pairs),
    )


def _client(work: Path, name: str) -> tuple[str, str]:
    return f"models.planner.model={name}", f"models.planner.path={work / name / 'model'}"


def _bench(work: Path, name: str, of: LoopSize) -> tuple[str, ...]:
    """Build the collection that measures a planner; it goes by its name, wherever its folder lies."""
    config = ("collect", "collect_planner", "--store", str(work / "store"), "--resume")
    chosen = (f"tasks.source={work / 'tasks'}", "tasks.splits=[test,test_ood]")
    return (*config, *chosen, *of.planning, *_client(work, name))


def _report(work: Path) -> tuple[str, ...]:
    pairs = (f"{BASE},{SFT}", f"{SFT},{DPO}", f"{BASE},{DPO}")
    options = [part for pair in pairs for part in ("--pair", pair)]
    return ("report", "--store", str(work / "store"), "--out", str(work / REPORT), *options)
