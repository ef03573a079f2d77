"""``eops-traj loop``, from nothing to a planner that is measured; ``improve``, from it to a better one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eops_traj.cli.console import (
    JsonOption,
    show_end,
    show_facts,
    show_json,
    show_lines,
    show_whole,
    table_of,
)
from eops_traj.cli.interruption import INTERRUPTED, STAGES_KEPT, inner_commands
from eops_traj.errors import InputError, WorkError
from eops_traj.train.seeds import LARGEST_SEED

if TYPE_CHECKING:
    from eops_traj.pipeline.rounds import Improvement
    from eops_traj.pipeline.stages import Stage
    from eops_traj.train.config import RecipeConfig


def loop(
    work: Annotated[Path, typer.Option(help="The loop's folder; one that was left goes on.")] = Path("loop"),
    first: Annotated[
        str | None, typer.Option("--from", metavar="STAGE", help="Do this stage and those after it again.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, max=LARGEST_SEED, help="Another seed makes other tasks and another planner."),
    ] = 0,
    size: Annotated[
        str,
        typer.Option(help="quick: four families, in a quarter of an hour. full: all families, in hours."),
    ] = "quick",
    as_json: JsonOption = False,
) -> None:
    """Make tasks, collect, filter, export, train a small planner, and measure it before and after.

    The stages are tasks, collect, sft, prefs, dpo, bench, report; each prints the commands that it runs.
    """
    from eops_traj.files import write_json
    from eops_traj.optional import require
    from eops_traj.pipeline.release import pack
    from eops_traj.pipeline.results import results
    from eops_traj.pipeline.runner import begin, working
    from eops_traj.pipeline.stages import BASE, DPO, REPORT, SFT, stages

    require("train")
    loop_stages = stages(work, seed, size)
    with working(work):
        state = begin(work, {"seed": seed, "size": size}, loop_stages, first)
        _run(work, state, loop_stages)
        rows = results(work / "store", (BASE, SFT, DPO))
        write_json(work / "results.json", rows)
        release = pack(work)
    head: dict[str, object] = {"planner": str(work / "dpo" / "model"), "store": str(work / "store")}
    head |= {"release": str(release), "report": str(work / REPORT), "seconds": state["done"]}
    _show(head, rows, as_json, work, "store")


def improve(
    model: Annotated[Path, typer.Argument(help="The planner to begin with: a folder.")],
    tasks: Annotated[Path, typer.Option(help="Tasks to learn from, those of the split train.")],
    held_out: Annotated[Path, typer.Option(help="Tasks to measure on.")],
    settings: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings of the training.")
    ] = None,
    splits: Annotated[str, typer.Option(help="The splits of those: test, or test,test_ood.")] = "test",
    method: Annotated[str, typer.Option(help="sft, dpo, kto or grpo.")] = "dpo",
    count: Annotated[int, typer.Option("--rounds", min=1, help="More rounds go on from the last one.")] = 1,
    samples: Annotated[int, typer.Option(min=1, help="The plans for each task.")] = 4,
    temperature: Annotated[float, typer.Option(help="What the plans are drawn at.")] = 1.0,
    limit: Annotated[int | None, typer.Option(min=1, help="The tasks of a round, at most.")] = None,
    shown: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What the planner is shown, as its data was; repeat."),
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="The config of the training, not the method's own.")
    ] = None,
    gold: Annotated[bool, typer.Option("--gold", help="Learn from the tasks' gold plans, too.")] = False,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="Compare with training by this config on what passed, for the same seconds.",
        ),
    ] = None,
    allow: Annotated[str, typer.Option(help="Kinds of leaks that do not stop it, with commas.")] = "",
    work: Annotated[Path, typer.Option(help="The folder of the rounds; one that was left goes on.")] = Path(
        "improve"
    ),
    first: Annotated[
        str | None, typer.Option("--from", metavar="STAGE", help="Do this stage and those after it again.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Of the samples and of the training.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Improve a planner in rounds: it plans tasks several times, verifiers judge, and it learns from that.

    No gold plans are needed. The stages are measure-0, of each round sample, learn and measure, and last
    those of each control, control and measure-control.
    """
    from eops_traj.files import write_json
    from eops_traj.optional import require
    from eops_traj.pipeline import rounds
    from eops_traj.pipeline.results import results
    from eops_traj.pipeline.runner import begin, working

    measured = tuple(split.strip() for split in splits.split(","))
    how = rounds.Improvement(
        model, str(tasks), str(held_out), measured, method, config, _view(shown or ()),
        samples, limit, allow, seed, tuple(settings or ()),
        gold, control, temperature,
    )  # fmt: skip
    require("train")
    how.check_tasks()
    _check_trainings(how)
    stages = rounds.rounds(work, how, count)
    with working(work):
        state = begin(work, how.record(), [*stages, *rounds.controls(work, how, count, {})], first)
        _run(work, state, stages)
        _run(work, state, rounds.controls(work, how, count, state["done"]))  # they go by what rounds took
        rows = results(work / rounds.STORE, rounds.compared(how, count), how.splits)
        write_json(work / "results.json", rows)
    head: dict[str, object] = {"planner": str(rounds.planner(work, how, count)), "seconds": state["done"]}
    _show(head, rows, as_json, work, rounds.STORE)


def _show(head: dict[str, object], rows: list[dict[str, Any]], as_json: bool, work: Path, store: str) -> None:
    """Show what the planners came to, and where everything lies."""
    if as_json:
        show_json({**head, "results": rows})
        return
    show_facts(head)
    show_whole(table_of(rows))
    show_end(f"everything in {work}", ["eops-traj", "view", "--store", work / store])


def _run(work: Path, state: dict[str, Any], stages: "Sequence[Stage]") -> None:
    """Run the stages that are not done, saying on stderr what is run."""
    from eops_traj.pipeline.runner import run

    run(work, state, stages, command, lambda line: show_lines(line, err=True))


def _check_trainings(how: "Improvement") -> None:
    """Raise the error of a config, or of settings of it, hours before a training would stop at it.

    Raises InputError for a config of another recipe than it is to train by, for an exam without tasks, and
    for a view that does not go with what is trained.
    """
    from eops_traj.planner.prompt import PlannerView
    from eops_traj.train.exam_tasks import exam_tasks
    from eops_traj.train.rollout_env import check_acting_view

    for config in [_training_config(*training) for training in how.trainings()]:
        if exam := getattr(config, "evaluate", None):
            exam_tasks(exam)
        if getattr(config, "act", "plan") == "tools":
            view = PlannerView.from_record(how.shown_in_data(), "--shown")
            check_acting_view(view, "improve", "--shown")


def _training_config(name: str, recipe: str, settings: Sequence[str]) -> "RecipeConfig":
    """Read the config of a training. Raises InputError for one of another recipe than it is to be of."""
    from eops_traj.train.run import read_config

    _, config = read_config(name, settings)
    if config.recipe != recipe:
        raise InputError(f"{name} is a config of the recipe {config.recipe}; needed is one of {recipe}")
    return config


def _view(options: Sequence[str]) -> tuple[str, ...]:
    """Check what a planner is shown, ``NAME=VALUE`` as exporters take it. Raises ConfigError for no view."""
    from eops_traj.planner.prompt import PlannerView

    parts = [option.partition("=") for option in options]
    PlannerView.from_record({name: value for name, _, value in parts}, "--shown")
    return tuple(options)


def command(arguments: Sequence[str]) -> None:
    """Run one command of this program in this process, what it prints going to stderr.

    Raises what it raises, WorkError where it ends with an exit code, KeyboardInterrupt with that of Ctrl-C.
    """
    import contextlib
    import sys

    from eops_traj.cli.app import program

    with contextlib.redirect_stdout(sys.stderr), inner_commands(STAGES_KEPT):
        code = program()(list(arguments), standalone_mode=False)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code:
        raise WorkError(f"eops-traj {arguments[0]} ended with exit code {code}")
