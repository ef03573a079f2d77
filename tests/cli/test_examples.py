"""Every command's help ends with two examples, each of which the command takes."""

from collections.abc import Callable

import pytest

from eops_traj.cli.examples import EXAMPLES
from tests.cli.test_main import COMMANDS
from tests.docs.checking import parse


def test_every_command_has_two_examples_and_no_other_has_any() -> None:
    assert set(EXAMPLES) == {" ".join(path) for path in COMMANDS}
    assert [name for name, lines in EXAMPLES.items() if len(set(lines)) < 2] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_of_their_command_and_parse(name: str) -> None:
    for line in EXAMPLES[name]:
        words = line.partition(" > ")[0].split()[1:]
        assert " ".join(words).startswith(name)
        assert parse(words)[0] == name


def test_help_shows_them_as_they_are_whatever_the_width(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for name in ("collect", "tasks reword", "config show"):
        out = cli(*name.split(), "--help").out
        assert all(line in out for line in EXAMPLES[name]) and "Examples:" in out
