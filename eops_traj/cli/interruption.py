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


KEPT: Mapping[str, str | Callable[[Parameters], str]] = {
    "init": "nothing is kept; the same command begins again, and the same seed makes the same tasks",
    "tasks make": "nothing is kept; the same command begins again, and the same seed makes the same tasks",
    "tasks reword": "the texts that were written are kept; the same command goes on",
    "train": _train,
    "loop": "the stages that ended are kept; the same command goes on with the one that was left",
    "improve": "the stages that ended are kept; the same command goes on with the one that was left",
    "rebench": "the attempts that ended are kept; the same command makes the others",
    "import": "the files read so far are in the store; the same command reads the others",
    "view": "",
    "gym serve": "",
    "gym env": "",
}
"""What a command says; nothing where Ctrl-C is the way to stop it."""
DEFAULT = "nothing was left half written; the same command begins again"
_inner: ContextVar[bool] = ContextVar("inner", default=False)


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
        if _inner.get():
            raise
        text = kept if isinstance(kept, str) else kept(given)
        if text:
            show_kept(text)
        sys.exit(INTERRUPTED if text else 0)


@contextlib.contextmanager
def inner_commands() -> Iterator[None]:
    """Have commands that another one runs in here say nothing of Ctrl-C: theirs is not its way to go on."""
    token = _inner.set(True)
    try:
        yield
    finally:
        _inner.reset(token)


def show_kept(text: str, last: bool = False) -> None:
    """Print what an interrupted command has kept; an inner one only as the ``last`` to say anything."""
    if last or not _inner.get():
        show_lines(f"interrupted: {text}", err=True)
