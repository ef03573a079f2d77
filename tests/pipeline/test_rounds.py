"""Rounds of improvement: each begins with the planner of the one before, and measures on what is held out."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.config import find_config, overridden, read_settings
from eops_traj.errors import InputError, UnknownName
from eops_traj.pipeline.rounds import METHODS, Improvement, compared, controls, planner, rounds
from eops_traj.pipeline.runner import STATE, begin, run, working
from tests.collectors.group_tasks import TASK
from tests.conftest import Ran
from tests.pipeline.test_stages import parse_commands
from tests.planner_data import task_files

HOW = Improvement(
    Path("first/model"), "more", "apart", ("test", "test_ood"), "dpo", None,
    shown=("tools=none", "values=numbered"), samples=3, limit=50, allow="prompt", seed=7,
    settings=("beta=0.3",),
)  # fmt: skip
WORK = Path("work")
LEAKS = {"held_out.leave_out=[wording,plan]", "held_out.allow=[prompt]"}


def command(name: str, how: Improvement = HOW) -> list[tuple[str, ...]]:
    """Return the commands of a stage of two rounds."""
    return list(next(stage for stage in rounds(WORK, how, 2) if stage.name == name).commands)


@pytest.mark.parametrize("method", METHODS)
def test_every_command_parses_and_names_a_config(method: str) -> None:
    for stage in rounds(WORK, replace(HOW, method=method), 1):
        parse_commands(stage)
        for kind, config, *_ in stage.commands:
            if kind in ("collect", "filter", "train"):
                assert find_config(kind, config).is_file()


def test_a_round_begins_with_the_planner_of_the_one_before() -> None:
    names = [stage.name for stage in rounds(WORK, HOW, 2)]
    assert names == ["measure-0", *(f"{what}-{n}" for n in (1, 2) for what in ("sample", "learn", "measure"))]
    later = "work/round-1/planner/model"
    assert [str(planner(WORK, HOW, n)) for n in (0, 1)] == ["first/model", later]
    for number, model in ((1, "first/model"), (2, later)):
        assert f"models.planner.path={model}" in command(f"sample-{number}")[0]
        assert f"model={model}" in command(f"learn-{number}")[1]
        assert f"models.planner.path={model}" in command(f"measure-{number - 1}")[0]


def test_it_learns_from_one_folder_and_is_measured_on_the_other() -> None:
    sample, (export, train), measure = command("sample-2")[0], command("learn-2"), command("measure-2")[0]
    assert {"tasks.source=more", "tasks.splits=[train]", "attempts=3", "tasks.limit=50"} <= set(sample)
    assert {"models.planner.sampling.temperature=1.0", "tasks.seed=9"} <= set(sample)
    assert {"tasks.source=apart", "tasks.splits=[test,test_ood]"} <= set(measure)
    assert not any("temperature" in part or "limit" in part for part in measure)
    assert {"held_out.tasks=apart", *LEAKS, "seed=7", "beta=0.3"} <= set(train)
    assert {"negatives=written", "balance=false"} <= {*export}
    assert "negatives=written" not in command("learn-2", replace(HOW, method="kto"))[0]
    view = HOW.shown_in_data()
    assert view.items() <= overridden({}, export[export.index("--option") + 1 :: 2], "").items()
    for asked in (sample, measure):
        told = overridden(
            read_settings(find_config("collect", "collect_planner")),
            (part for part in asked if part.startswith("orchestrator.")),
            "",
        )
        assert told["orchestrator"]["shown"] == view


def test_the_view_of_the_data_is_the_loops_where_nothing_is_said_of_it() -> None:
    parts = {"policy": "reference", "prompt": "plan_short", "tools": "names", "values": "marked"}
    assert HOW.shown_in_data() == {**parts, "tools": "none", "values": "numbered"}
    assert replace(HOW, shown=()).shown_in_data() == parts
    told = replace(HOW, shown=("policy=whole", "results=false")).shown_in_data()
    assert told == {**parts, "policy": "whole", "results": "false"}


def test_another_config_and_no_limit_can_be_asked_for() -> None:
    how = replace(HOW, config="train_scratch_dpo", limit=None)
    assert command("learn-1", how)[1][1] == "train_scratch_dpo" and command("learn-1")[1][1] == "train_dpo"
    assert not any("tasks.limit" in part for part in command("sample-1", how)[0])


def test_more_rounds_go_on_and_other_settings_do_not(tmp_path: Path) -> None:
    ran: list[str] = []
    for count in (1, 2):
        stages = rounds(tmp_path, HOW, count)
        state = begin(tmp_path, HOW.record(), stages, None)
        run(tmp_path, state, stages, lambda command: ran.append(command[0]), lambda line: None)
    assert (tmp_path / STATE).is_file() and ran.count("train") == 2 and ran.count("collect") == 5
    with pytest.raises(InputError, match="was begun with samples 3, not 4; choose another --work"):
        begin(tmp_path, replace(HOW, samples=4).record(), rounds(tmp_path, HOW, 2), None)


AIDED = replace(HOW, gold=True, control="train_scratch_more", temperature=0.4)
SPENT = {"sample-1": 90.5, "learn-1": 30.0, "measure-1": 7.0, "sample-2": 1.0, "learn-2": 4.0}


def test_gold_plans_are_of_the_same_tasks_and_none_where_they_are_not_asked_for() -> None:
    gold, sample, _ = command("sample-2", AIDED)
    assert (gold[1], sample[1]) == ("collect_expert", "collect_planner")
    same = {"--store", "work/round-2/store", "tasks.source=more", "tasks.splits=[train]", "tasks.limit=50"}
    assert {*same, "tasks.seed=9", "orchestrator.rate=0", "attempts=1"} <= {*gold} and same <= {*sample}
    assert [each[0] for each in command("sample-2")] == ["collect", "filter"]
    assert "models.planner.sampling.temperature=0.4" in sample and "temperature" not in " ".join(gold)


def test_a_control_goes_on_from_itself_for_the_seconds_of_each_round() -> None:
    assert controls(WORK, HOW, 2, SPENT) == [] and compared(HOW, 1) == ["round-0", "round-1"]
    stages = {stage.name: stage.commands for stage in controls(WORK, AIDED, 2, SPENT)}
    assert [*stages] == ["control-1", "measure-control-1", "control-2", "measure-control-2"]
    came_from = {1: "first/model", 2: "work/control-1/planner/model"}
    for number, seconds in ((1, 120.5), (2, 5.0)):
        export, train = stages[f"control-{number}"]
        assert export[1] == "planner_sft" and f"work/round-{number}/store" in export
        assert train[1] == "train_scratch_more" and f"data=work/control-{number}/data" in train
        assert {f"seconds={seconds}", f"model={came_from[number]}", *LEAKS} <= {*train}
        (plan,) = stages[f"measure-control-{number}"]
        assert f"models.planner.path=work/control-{number}/planner/model" in plan
        assert plan[4] == command(f"measure-{number}")[0][4] and "tasks.source=apart" in plan


def ran(work: Path, count: int, first: str | None = None, killed_at: str = "") -> list[str]:
    """Run rounds with a control, up to a stage if one is named, and return the stages that were run."""
    seen: list[str] = []
    asked = [*rounds(work, AIDED, count), *controls(work, AIDED, count, {})]

    def report(line: str) -> None:
        if line[0].isdigit() and "before" not in line:
            seen.append(line.split()[1].removesuffix(":"))

    def command(_: Sequence[str]) -> None:
        if seen[-1] == killed_at:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt), working(work):
        run(work, begin(work, AIDED.record(), asked, first), asked, command, report)
    return seen


def test_a_round_whose_beginning_is_made_again_is_made_again_however_many_were_asked_for(
    tmp_path: Path,
) -> None:
    """What it grew from is another planner now."""
    both = ran(tmp_path, 2)
    (tmp_path / "round-2" / "store").mkdir(parents=True)
    assert ran(tmp_path, 1, "learn-1") == ["learn-1", "measure-1", "control-1", "measure-control-1"]
    assert ran(tmp_path, 2) == [name for name in both if name.endswith("-2")]
    assert not (tmp_path / "round-2" / "store").exists()


@pytest.mark.parametrize("killed_at", ["", "sample-2"])
@pytest.mark.parametrize(
    ("first", "came_of_it"),
    [
        # the control of its round is made again with it
        ("measure-1", ["control-2", "measure-control-2"]),
        ("control-1", ["control-2", "measure-control-2"]),
        ("measure-control-1", []),
    ],
)
def test_a_later_round_that_did_not_come_of_what_is_made_again_stays(
    killed_at: str, first: str, came_of_it: list[str], tmp_path: Path
) -> None:
    ran(tmp_path, 1)
    second = ran(tmp_path, 2, killed_at=killed_at)
    (tmp_path / "round-2" / "store").mkdir(parents=True)
    assert ran(tmp_path, 1, first)[0] == first
    rest = ["sample-2", "learn-2", "measure-2", "control-2", "measure-control-2"] if killed_at else came_of_it
    assert second[0] == "sample-2" and ran(tmp_path, 2) == rest
    assert (tmp_path / "round-2" / "store").exists()


def test_each_round_is_compared_with_its_control() -> None:
    assert compared(AIDED, 2) == ["round-0", "control-1", "round-1", "control-2", "round-2"]
    for stage in controls(WORK, AIDED, 1, SPENT):
        parse_commands(stage)


def test_what_there_is_none_of_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown method 'ppo'"):
        replace(HOW, method="ppo")
    for wrong in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InputError, match=f"0 or more, and not {wrong}"):
            replace(HOW, temperature=wrong)


@pytest.mark.parametrize("wrong", ["tools=some", "toools=none", "tools"])
def test_a_view_that_there_is_none_of_is_refused_before_anything_runs(
    wrong: str, cli: Callable[..., Ran], tmp_path: Path
) -> None:
    ran = cli("improve", "m", "--tasks", "t", "--held-out", "h", "--work", tmp_path / "w", "--shown", wrong)
    assert ran.code == 2 and "--shown" in ran.err and not (tmp_path / "w").exists()


@pytest.mark.parametrize(
    ("tasks", "held_out", "splits", "said"),
    [
        ("gone", "apart", "test", "gone"),
        ("more", "gone", "test", "gone"),
        ("apart", "apart", "test", "unknown split 'train'"),
        ("more", "more", "test", "unknown split 'test'"),
        ("more", "apart", "test,test_ood", "unknown split 'test_ood'"),
    ],
)
def test_tasks_that_are_not_there_are_told_before_anything_runs(
    tasks: str, held_out: str, splits: str, said: str, cli: Callable[..., Ran], tmp_path: Path
) -> None:
    for name, split in (("more", "train"), ("apart", "test")):
        task_files(tmp_path / name, [replace(TASK, split=split)])
    where = ("--tasks", tmp_path / tasks, "--held-out", tmp_path / held_out, "--splits", splits)
    ran = cli("improve", "m", *where, "--work", tmp_path / "w")
    assert ran.code == 2 and said in ran.err and not (tmp_path / "w").exists()


ACTING = ("--method", "grpo", "--config", "train_grpo_acting")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--config", "train_gone"), "unknown train config 'train_gone'"),
        (
            ("--config", "train_scratch_more"),
            "train_scratch_more is a config of the recipe sft; needed is one of dpo",
        ),
        (("--control", "train_gone"), "unknown train config 'train_gone'"),
        (("--control", "train_scratch_dpo"), "recipe dpo; needed is one of sft"),
        (("--control", "train_scratch_all"), "give model or scratch"),
        (("--control", "short.yaml"), "give seconds or max_steps"),
        (("betta=0.3",), "betta"),
        ((), "no tasks for the exam: suite does not exist"),
        (("evaluate.tasks=more",), "no tasks for the exam: unknown split 'dev'"),
        (("evaluate=null", "--control", "train_planner"), "no tasks for the exam: suite does not exist"),
        (
            ("evaluate=null", *ACTING, "--shown", "policy=whole", "--shown", "values=marked"),
            "shows values=marked, which",
        ),
        (
            ("evaluate=null", *ACTING),
            "shows policy=reference, values=marked, which is for planners; act=tools needs prompts exported",
        ),
    ],
)
def test_a_config_that_would_stop_a_training_is_told_before_anything_runs(
    asked: tuple[str, ...], said: str, cli: Callable[..., Ran], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    more = find_config("train", "train_scratch_more").read_text(encoding="utf-8")
    Path("short.yaml").write_text(f"{more}\nmax_steps: 2\n", encoding="utf-8")
    for name, split in (("more", "train"), ("apart", "test")):
        task_files(tmp_path / name, [replace(TASK, split=split)])
    where = ("--tasks", tmp_path / "more", "--held-out", tmp_path / "apart", "--work", tmp_path / "w")
    ran = cli("improve", "m", *where, *asked)
    assert ran.code == 2 and said in ran.err and not (tmp_path / "w").exists()
