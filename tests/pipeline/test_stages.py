"""Every stage is commands of this program, and names configs, options and folders that there are."""

from pathlib import Path

import pytest

from eops_traj.cli.main import app
from eops_traj.config import find_config
from eops_traj.pipeline.stages import Stage, stages
from eops_traj.taskgen.suites import find_suite

STAGES = stages(Path("work"), 7)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_its_commands_parse(stage: Stage) -> None:
    import typer

    group = typer.main.get_command(app)
    for command in stage.commands:
        with group.make_context("eops-traj", list(command), resilient_parsing=False) as context:
            name, subcommand, rest = group.resolve_command(context, list(command))  # type: ignore[attr-defined]
            if name == "tasks":
                name, subcommand, rest = subcommand.resolve_command(context, rest)
            subcommand.make_context(name, rest, parent=context).close()


def test_configs_are_committed_and_the_suite_is_known() -> None:
    for stage in STAGES:
        for kind, config, *_ in stage.commands:
            if kind in ("collect", "filter", "train"):
                assert find_config(kind, config).is_file()
    assert find_suite("planner").families


def test_lines_can_be_typed() -> None:
    assert STAGES[0].lines() == ["eops-traj tasks make --suite planner --seed 7 --no-seeds --out work/tasks"]
