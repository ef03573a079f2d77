"""The commands about training: train a model, and measure a checkpoint."""

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from eops_traj.cli.completion import complete_kind
from eops_traj.cli.console import JsonOption, show_end, show_json, show_lines, show_table, show_whole

SHOWN = ("steps", "seconds", "device", "throughput", "rows", "trained_parameters", "best")
"""The metrics that a run prints at its end."""


def train(
    config: Annotated[
        str,
        typer.Argument(help="A training config: a file, or its name.", autocompletion=complete_kind("train")),
    ],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings to change.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check all but the weights, print how many rows fit, and end.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the training recipe that a config names; metrics.json in its output says how it went."""
    from eops_traj.train.ranks import speaks
    from eops_traj.train.run import train

    with contextlib.redirect_stdout(sys.stderr):  # the trainer prints as it goes
        metrics = train(config, overrides or (), resume=resume, dry_run=dry_run)
    if not speaks():
        return
    if as_json:
        show_json(metrics)
        return
    if dry_run:
        show_lines("nothing was loaded or written: this was a dry run")
        show_end("nothing", ["eops-traj", "train", config, *(overrides or ())])
        return
    head = {key: metrics[key] for key in SHOWN}
    show_table({"output": metrics["config"]["output"], **head}, "losses", metrics["losses"], as_json)
    model = Path(metrics["config"]["output"]) / "model"
    show_end(f"the model in {model}", _after_training(metrics, model))


def _after_training(metrics: Mapping[str, Any], model: Path) -> list[object]:
    """Return the command that measures a model, or for an adapter that acts, the one that makes it whole."""
    if metrics["data"]["format"].startswith("planner_"):
        return ["eops-traj", "rebench", "rebench_test", f"model={model}"]
    if metrics["config"].get("lora"):
        return ["eops-traj", "merge", model]
    tested = (f"models.executor.model={model}", "tasks.splits=[test]")
    return ["eops-traj", "collect", "collect_vllm", "--store", "measured", *tested]


def rebench(
    config: Annotated[
        str,
        typer.Argument(
            help="A rebench config: a file, or its name.", autocompletion=complete_kind("rebench")
        ),
    ],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings to change.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Have a planner's checkpoint plan held-out tasks, and compare it with a run before it."""
    from eops_traj.config import checked, find_config, overridden, read_settings
    from eops_traj.metrics.compare_table import comparison_summary, comparison_table
    from eops_traj.metrics.score_table import score_table
    from eops_traj.metrics.uneven import uneven_notes
    from eops_traj.optional import require
    from eops_traj.recipes import rebench

    require("train")
    path = find_config("rebench", config)
    settings = overridden(read_settings(path), overrides or (), str(path))
    with contextlib.redirect_stdout(sys.stderr):  # what loads the model prints as it goes
        result = rebench.run(checked(rebench.Config, settings, str(path)))
    if as_json:
        show_json(rebench.as_json(result))
        return
    show_lines(f"run: {result['run']}", *result["replies"].lines())
    *splits, total = result["scores"]
    show_lines(*uneven_notes(splits, total))
    show_whole(score_table(splits, ["split"], total))
    if comparison := result["comparison"]:
        show_lines(*comparison_summary(comparison))
        show_whole(comparison_table(comparison))
