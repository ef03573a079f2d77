"""Every command: documented, quiet about its insides, and clear about wrong usage."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from eops_traj import __version__
from eops_traj.cli.main import program


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


ROOT = program()
COMMANDS = sorted(commands(ROOT))


def command(path: tuple[str, ...]) -> Any:
    node: Any = ROOT
    for name in path:
        node = node.commands[name]
    return node


def test_the_walk_finds_commands_of_groups_too() -> None:
    assert ("train",) in COMMANDS and ("gym", "serve") in COMMANDS


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_option_is_documented(path: tuple[str, ...]) -> None:
    described = command(path)
    assert described.help and described.help.endswith(".")
    options = [p for p in described.params if p.param_type_name == "option"]
    assert [o.name for o in options if not o.help] == []


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_and_refuses_what_it_does_not_know(
    cli: Callable, path: tuple[str, ...]
) -> None:
    assert cli(*path, "--help").code == 0
    ran = cli(*path, "--no-such-option")
    assert ran.code == 2 and "Traceback" not in ran.err


def test_the_version(cli: Callable) -> None:
    assert cli("--version").out.strip() == f"eops-traj {__version__}"


def test_python_runs_it_as_a_module_with_its_exit_codes() -> None:
    run = partial(subprocess.run, text=True, capture_output=True)
    known = run([sys.executable, "-m", "eops_traj", "--version"])
    unknown = run([sys.executable, "-m", "eops_traj", "colect"])
    assert (known.returncode, known.stdout) == (0, f"eops-traj {__version__}\n")
    assert unknown.returncode == 2 and "colect" in unknown.stderr and "Traceback" not in unknown.stderr


def test_what_the_system_refuses_is_one_line(cli: Callable) -> None:
    ran = cli("tasks", "check", "a" * 10_000)
    assert ran.code == 2 and ran.err.startswith("eops-traj: File name too long: aaa")
    assert len(ran.err.splitlines()) == 1


def test_an_error_repeats_a_hostile_name_as_text(cli: Callable) -> None:
    ran = cli("tasks", "draft", "\x1b[2J\u202e")
    assert ran.code == 2 and "\x1b" not in ran.err and "\u202e" not in ran.err
