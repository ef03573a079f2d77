"""The loop goes on where it was left, and does a stage again on request."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from eops_traj.cli import pipeline as commands
from eops_traj.errors import InputError, UnknownName, WorkError
from eops_traj.pipeline import release, results, rounds, runner
from eops_traj.pipeline.runner import STATE, begin, run, working
from eops_traj.pipeline.stages import Stage
from tests.conftest import Ran

STAGES = [
    Stage("one", "first", (("a",), ("b",)), ("made",), grows=("grown",)),
    Stage("two", "second", (("c",),)),
]

TOLD = {"seed": 0, "size": "quick"}


def ran(work: Path, first: str | None = None, broken: str = "") -> list[str]:
    """Run the loop, and return its commands."""
    seen: list[str] = []

    def command(arguments: Sequence[str]) -> None:
        seen.append(arguments[0])
        if arguments[0] == broken:
            raise WorkError("broken")

    with working(work):
        run(work, begin(work, TOLD, STAGES, first), STAGES, command, lambda line: None)
    return seen


def test_each_stage_is_done_once(tmp_path: Path) -> None:
    assert ran(tmp_path / "w") == ["a", "b", "c"]
    assert ran(tmp_path / "w") == []
    assert set(json.loads((tmp_path / "w" / STATE).read_text())["done"]) == {"one", "two"}


def test_a_stage_that_failed_is_done_again_from_its_first_command(tmp_path: Path) -> None:
    with pytest.raises(WorkError):
        ran(tmp_path, broken="b")
    (tmp_path / "made").mkdir()
    assert ran(tmp_path) == ["a", "b", "c"]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("writes", "seconds"), [((), 7.5), (("made",), 2.5)])
def test_seconds_of_what_was_left_count_where_it_is_gone_on_with(
    writes: tuple[str, ...], seconds: float, tmp_path: Path
) -> None:
    """Where it is begun anew, those that were spent before are spent for nothing."""
    stages = [Stage("one", "first", (("a",),), writes)]
    (tmp_path / STATE).write_text(json.dumps({**TOLD, "done": {}, "left": {"one": 5.0, "two": 1.0}}))
    clock = iter((100.0, 102.5))
    run(tmp_path, begin(tmp_path, TOLD, stages, None), stages, lambda _: None, lambda _: None, clock.__next__)
    kept = json.loads((tmp_path / STATE).read_text())
    assert (kept["done"], kept["left"]) == ({"one": seconds}, {"two": 1.0})


def test_a_stage_that_is_broken_off_says_after_how_long(tmp_path: Path) -> None:
    with pytest.raises(WorkError):
        ran(tmp_path, broken="c")
    kept = json.loads((tmp_path / STATE).read_text())
    assert kept["done"].keys() == {"one"} and kept["left"].keys() == {"two"}
    assert begin(tmp_path, TOLD, STAGES, None)["left"] and not begin(tmp_path, TOLD, STAGES, "two")["left"]


def test_a_loop_from_before_there_were_sizes_is_a_quick_one(tmp_path: Path) -> None:
    (tmp_path / STATE).write_text('{"seed": 0, "done": {"one": 1.0}}')
    assert ran(tmp_path) == ["c"]
    with pytest.raises(InputError, match="begun with size quick, not full"):
        begin(tmp_path, {**TOLD, "size": "full"}, STAGES, None)


def test_from_a_stage_on_what_was_made_is_made_again(tmp_path: Path) -> None:
    ran(tmp_path)
    (tmp_path / "made").mkdir()
    assert ran(tmp_path, first="two") == ["c"]
    assert (tmp_path / "made").exists()


def test_what_grows_is_gone_on_with_and_begun_anew_where_its_stage_is_done_again(tmp_path: Path) -> None:
    with pytest.raises(WorkError):
        ran(tmp_path, broken="b")
    (tmp_path / "grown").mkdir()
    ran(tmp_path)
    ran(tmp_path, first="two")
    assert (tmp_path / "grown").exists()
    ran(tmp_path, first="one")
    assert not (tmp_path / "grown").exists()


def test_what_grew_in_a_stage_that_an_older_program_did_not_record_is_gone_on_with(tmp_path: Path) -> None:
    """It recorded a stage at its end alone; a kill left no word of it."""
    (tmp_path / STATE).write_text(json.dumps({**TOLD, "done": {}}))
    for name in ("made", "grown"):
        (tmp_path / name).mkdir()
    assert ran(tmp_path) == ["a", "b", "c"]
    assert (tmp_path / "grown").exists() and not (tmp_path / "made").exists()


def test_killed_while_stages_are_undone_it_does_not_take_them_for_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of their folders goes at the next start, what grows, too."""
    ran(tmp_path)
    for name in ("made", "grown"):
        (tmp_path / name).mkdir()
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(shutil, "rmtree", broken_off)
        begin(tmp_path, TOLD, STAGES, "one")
    assert (tmp_path / "made").exists() and ran(tmp_path) == ["a", "b", "c"]
    assert not (tmp_path / "made").exists() and not (tmp_path / "grown").exists()


def broken_off(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_stage_is_recorded_before_its_first_command(tmp_path: Path) -> None:
    """After a kill nothing else could say that it had begun, and that what grew is to go on with."""
    seen: list[dict[str, float]] = []

    def command(arguments: Sequence[str]) -> None:
        seen.append(json.loads((tmp_path / STATE).read_text())["left"])

    run(tmp_path, begin(tmp_path, TOLD, STAGES, None), STAGES, command, lambda line: None)
    assert seen == [{"one": 0.0}, {"one": 0.0}, {"two": 0.0}]


def test_while_one_works_in_a_folder_another_is_refused(tmp_path: Path) -> None:
    """It would remove what the first is writing."""
    with working(tmp_path), pytest.raises(InputError, match="another process works in"):
        ran(tmp_path)
    ran(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [STATE]


@pytest.mark.parametrize(
    ("arguments", "ends"),
    [
        (("loop",), ["results", "pack"]),
        (("improve", "model", "--tasks", "more", "--held-out", "apart"), ["run", "results"]),
    ],
    ids=["loop", "improve"],
)
def test_a_command_holds_its_folder_until_it_has_read_it(
    arguments: tuple[str, ...], ends: list[str], cli: Callable[..., Ran], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Let go in between, it would measure and pack what another one has begun anew."""
    did = []

    @contextmanager
    def held(work: Path) -> Iterator[None]:
        did.append("held")
        work.mkdir()
        yield
        did.append("let go")

    monkeypatch.setattr(runner, "working", held)
    monkeypatch.setattr(rounds.Improvement, "check_tasks", lambda how: None)
    monkeypatch.setattr(commands, "_check_trainings", lambda how: None)
    for module, name in ((runner, "begin"), (runner, "run"), (results, "results"), (release, "pack")):
        made: object = {"done": {}} if name == "begin" else []
        monkeypatch.setattr(module, name, lambda *_, name=name, made=made: did.append(name) or made)
    assert cli(*arguments, "--work", tmp_path / "work", "--json").code == 0
    assert did == ["held", "begin", "run", *ends, "let go"]


def test_wrong_input_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="one, two"):
        begin(tmp_path / "w", TOLD, STAGES, "three")
    assert not (tmp_path / "w").exists()
    with pytest.raises(InputError, match="stage one is not done yet"):
        ran(tmp_path / "w", first="two")
    ran(tmp_path / "v")
    with pytest.raises(InputError, match="begun with seed 0, not 1"):
        begin(tmp_path / "v", {**TOLD, "seed": 1}, STAGES, None)
    with pytest.raises(InputError, match="begun with size quick, not full"):
        begin(tmp_path / "v", {**TOLD, "size": "full"}, STAGES, None)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").touch()
    with pytest.raises(InputError, match="no folder of a loop"):
        begin(tmp_path / "own", TOLD, STAGES, None)


@pytest.mark.parametrize("content", ["", '{"seed": 0, "do', "[]", "{}", '{"seed": 0, "done": []}', "\xff"])
def test_a_record_that_is_broken_is_refused_and_stays(content: str, tmp_path: Path) -> None:
    (tmp_path / STATE).write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=STATE):
        begin(tmp_path, TOLD, STAGES, None)
    assert (tmp_path / STATE).read_text(encoding="latin-1") == content
