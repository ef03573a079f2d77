"""Every stage is commands of this program, and names configs, options and folders that there are."""

from pathlib import Path

import pytest

from eops_traj.cli.main import program
from eops_traj.config import find_config, read_settings
from eops_traj.errors import UnknownName
from eops_traj.pipeline.stages import SIZES, Stage, stages
from eops_traj.taskgen.suites import find_suite

LOOPS = {size: stages(Path("work"), 7, size) for size in SIZES}
EVERY = [(size, stage) for size, loop in LOOPS.items() for stage in loop]


@pytest.mark.parametrize(("size", "stage"), EVERY, ids=[f"{size}-{stage.name}" for size, stage in EVERY])
def test_its_commands_parse(size: str, stage: Stage) -> None:
    parse_commands(stage)


def parse_commands(stage: Stage) -> None:
    """Read the commands of a stage as the program would."""

    group = program()
    for command in stage.commands:
        with group.make_context("eops-traj", list(command), resilient_parsing=False) as context:
            name, subcommand, rest = group.resolve_command(context, list(command))  # type: ignore[attr-defined]
            if name == "tasks":
                name, subcommand, rest = subcommand.resolve_command(context, rest)
            subcommand.make_context(name, rest, parent=context).close()


def test_configs_are_committed_and_the_suite_is_known() -> None:
    for _, stage in EVERY:
        for kind, config, *_ in stage.commands:
            if kind in ("collect", "filter", "train"):
                assert find_config(kind, config).is_file()
    assert [find_suite(size.suite[0]).name for size in SIZES.values()] == ["planner", "planner_all"]


def test_lines_can_be_typed() -> None:
    assert [loop[0].lines() for loop in LOOPS.values()] == [
        ["eops-traj tasks make --suite planner --seed 7 --no-seeds --out work/tasks"],
        ["eops-traj tasks make --suite planner_all --tasks 12000 --seed 7 --no-seeds --out work/tasks"],
    ]


def test_a_planner_is_measured_as_its_data_was_shown() -> None:
    asked = read_settings(find_config("collect", "collect_planner"))["orchestrator"]["shown"]
    view = {f"{name}={value}" for name, value in asked.items()}
    for loop in LOOPS.values():
        commands = [command for stage in loop for command in stage.commands]
        assert all(view <= {*command} for command in commands if command[0] == "export")
        assert not any("orchestrator.shown" in part for command in commands for part in command)


@pytest.mark.parametrize(
    ("size", "drawn", "learnt"),
    [("quick", "attempts=1", {"max_length=768"}),
     ("full", "attempts=2", {"learning_rate=3.0e-5", "beta=0.1", "max_length=1280"})],
)  # fmt: skip
def test_a_planner_learns_from_mistakes_in_companies_that_it_never_saw(
    size: str, drawn: str, learnt: set[str]
) -> None:
    """Pairs hold nothing else; what it planned is kept."""
    loop = {stage.name: stage for stage in LOOPS[size]}
    make, gold, plan, _ = loop["prefs"].commands
    assert make[make.index("--seed") + 1] == "10007" and make[-1] == "work/prefs"
    assert all("tasks.source=work/prefs" in each and "work/prefs-store" in each for each in (gold, plan))
    export, train = loop["dpo"].commands
    assert export[export.index("--store") + 1] == "work/prefs-store" and "negatives=written" in export
    assert {drawn, "models.planner.sampling.temperature=0.7"} < set(plan)
    assert learnt < set(train)
    assert "held_out.tasks=work/tasks" in train and loop["prefs"].grows == ("prefs-store",)


def test_another_size_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="full, quick"):
        stages(Path("work"), 7, "huge")
