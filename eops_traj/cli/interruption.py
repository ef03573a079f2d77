"""Ctrl-C in any command: one line that says what is kept and how to go on, and the exit code of shells."""

import contextlib
import functools
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from eops_traj.cli.console import show_lines

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal, as shells have it."""
Parameters = Mapping[str, Any]


def _train(given: Parameters) -> str:
    command = shlex.join(
        ["eops-traj", "train", str(given["config"]), *(given["overrides"] or ()), "--resume"]
    )
    return f"the checkpoints written so far are kept; `{command}` goes on from the last one"


STAGES_KEPT = "the stages that ended are kept; the same command goes on with the one that was left"
KEPT: Mapping[str, str | Callable[[Parameters], str]] = {
    "init": "nothing is kept; the same command begins again, and the same seed makes the same tasks",
    "tasks make": "nothing is kept; the same command begins again, and the same seed makes the same tasks",
    "tasks reword": "the texts that were written are kept; the same command goes on",
    "train": _train,
    "loop": STAGES_KEPT,
    "improve": STAGES_KEPT,
    "rebench": "the attempts that ended are kept; the same command makes the others",
    "import": "the files read so far are in the store; the same command reads the others",
    "view": "",
    "gym serve": "",
    "gym env": "",
}
"""What a command says; nothing where Ctrl-C is the way to stop it."""
DEFAULT = "nothing was left half written; the same command begins again"
_outer: ContextVar[str | None] = ContextVar("outer", default=None)
"""In an inner command, what the outer one has kept."""


def says_what_is_kept(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that tells what is kept where it is interrupted, and then exits with `INTERRUPTED`."""

    @functools.wraps(command)
    def run(*arguments: Any, **given: Any) -> None:
        with interruption(KEPT.get(name, DEFAULT), given):
            command(*arguments, **given)

    return run


@contextlib.contextmanager
def interruption(kept: str | Callable[[Parameters], str], given: Parameters) -> Iterator[None]:
    """Turn Ctrl-C into a line and an exit; in an inner command leave it to the outer one."""
    try:
        yield
    except KeyboardInterrupt:
        if _outer.get() is not None:
            raise
        text = kept if isinstance(kept, str) else kept(given)
        if text:
            show_kept(text)
        sys.exit(INTERRUPTED if text else 0)


@contextlib.contextmanager
def inner_commands(kept: str) -> Iterator[None]:
    """Have commands that another one runs in here say nothing of Ctrl-C: theirs is not its way to go on.

    ``kept`` is what the other one has kept.
    """
    token = _outer.set(kept)
    try:
        yield
    finally:
        _outer.reset(token)


def show_kept(text: str, last: bool = False) -> None:
    """Print what an interrupted command has kept; an inner one prints the outer's.

    It does so only as the ``last`` to say anything.
    """
    outer = _outer.get()
    if last or outer is None:
        show_lines(f"interrupted: {text if outer is None else outer}", err=True)
