"""Running the loop: stage by stage, and from where it was left."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.files import alone, read_json, write_json
from eops_traj.pipeline.rounds import came_of
from eops_traj.pipeline.stages import Stage

STATE = "loop.json"
"""In the folder: what it was begun with, the stages that are done, with the seconds that each took, those
after which others were ``left``, and the stages that were ``undone`` and are to begin anew."""
LOCK = "loop.lock"
"""In the folder while a process works there."""

BEFORE: Mapping[str, object] = {"size": "quick", "gold": False, "temperature": 1.0, "allow": ""}
"""What loops and rounds were begun with before they recorded it."""

RunCommand = Callable[[Sequence[str]], None]
"""Runs one command of this program; raises an EopsError, or SystemExit, where it fails, and KeyboardInterrupt
where Ctrl-C stops it."""


def working(work: Path) -> AbstractContextManager[None]:
    """Hold a folder alone, from before it is begun until nothing in it is read any more.

    What another process writes there is not to be taken for what was left, nor is it to remove what this one
    takes for done. Raises InputError where another works in it.
    """
    return alone(work / LOCK, f"another process works in {work}; wait for its end, or choose another --work")


def begin(work: Path, told: Mapping[str, Any], stages: Sequence[Stage], first: str | None) -> dict[str, Any]:
    """Return the state to go on from: the folder's, less the stages from ``first`` on, whose output goes.

    ``told`` is what the folder is begun with, and has to be begun with where it is there already. The folder
    is one that is held (:func:`working`). Raises UnknownName for a stage there is none of, InputError for a
    folder of other settings or of others'.
    """
    names = [stage.name for stage in stages]
    if first is not None and first not in names:
        raise UnknownName("stage", first, names)
    state = {"left": {}, "undone": [], **_read_state(work, told)}
    if first:
        _undo(work, state, [stage.name for stage in stages], first)
    to_do = [stage for stage in stages if stage.name not in state["done"]]
    for stage in to_do:
        if stage.writes:  # what it spent before is lost, too
            state["left"].pop(stage.name, None)
    write_json(work / STATE, state)  # before anything goes: who is killed here must not take it for done
    for stage in to_do:
        _remove(work, (*stage.writes, *(stage.grows if stage.name in state["undone"] else ())))
    return state


def _undo(work: Path, state: dict[str, Any], names: Sequence[str], first: str) -> None:
    """Forget a stage, those behind it in the list, and what came of these in rounds that are not asked for.

    Raises InputError where one before it is not done.
    """
    before, behind = names[: names.index(first)], names[names.index(first) :]
    if missing := [name for name in before if name not in state["done"]]:
        raise InputError(f"{work}: stage {missing[0]} is not done yet, so none after it can be the first")
    later = [name for name in (*state["done"], *state["left"]) if name not in names and came_of(name, behind)]
    state["undone"] = list(dict.fromkeys((*state["undone"], *behind, *later)))
    for key in ("done", "left"):
        state[key] = {name: spent for name, spent in state[key].items() if name not in state["undone"]}


def run(
    work: Path,
    state: dict[str, Any],
    stages: Sequence[Stage],
    command: RunCommand,
    report: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Run the stages that are not done, in a folder that is held, and record each as it is done."""
    for number, stage in enumerate(stages, 1):
        title = f"{number}/{len(stages)} {stage.name}: {stage.purpose}"
        if stage.name in state["done"]:
            report(f"{title}: done before")
            continue
        report(title)
        with _timed(work, state, stage.name, clock):
            for arguments, line in zip(stage.commands, stage.lines(), strict=True):
                report(f"$ {line}")
                command(arguments)
        state["done"][stage.name] = state["left"].pop(stage.name)
        write_json(work / STATE, state)
        report(f"{stage.name} took {state['done'][stage.name]:.0f} s")


@contextmanager
def _timed(work: Path, state: dict[str, Any], stage: str, clock: Callable[[], float]) -> Iterator[None]:
    """Add the seconds of a stage to those after which it was left before, however it ends."""
    left, started = state["left"], clock()
    left.setdefault(stage, 0.0)  # from here on it is one that was left, if the process is killed, too
    state["undone"] = [name for name in state["undone"] if name != stage]
    write_json(work / STATE, state)
    try:
        yield
    finally:
        left[stage] = round(left[stage] + clock() - started, 1)
        write_json(work / STATE, state)


def _read_state(work: Path, told: Mapping[str, Any]) -> dict[str, Any]:
    if not (work / STATE).is_file():
        if any(path.name != LOCK for path in work.iterdir()):
            raise InputError(f"{work} is no folder of a loop; choose another --work")
        state: dict[str, Any] = {**told, "done": {}}
        write_json(work / STATE, state)
        return state
    state = read_json(work / STATE)
    if not isinstance(state, dict) or not isinstance(state.get("done"), dict):
        raise InputError(f"{work / STATE} tells of no loop; choose another --work")
    for name, value in told.items():
        if (its := state.get(name, BEFORE.get(name))) != value:
            raise InputError(f"{work} was begun with {name} {its}, not {value}; choose another --work")
    return state


def _remove(work: Path, names: Sequence[str]) -> None:
    """Remove what a stage wrote before, or left half written."""
    for name in names:
        for folder in (work / name, work / f"{name}.failed"):
            shutil.rmtree(folder, ignore_errors=True)
