"""The options of a program that works tasks, and what of them makes the agent that it is."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, field_validator, model_validator

from eops_traj.config import Settings
from eops_traj.errors import UnknownName
from eops_traj.hashing import digest
from eops_traj.instances import choices
from eops_traj.privacy.redact import is_secret_name
from eops_traj.privacy.secret_scan import secret_kinds

STDOUT = "stdout"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _within(path: str) -> str:
    """Check that a path stays in the program's folder. Raises ValueError."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or path.startswith("~") or not parts.parts:
        raise ValueError(f"{path!r} is not in the program's own folder, which is where it has to be")
    return path


class TranscriptOptions(Settings):
    """Where a program leaves the record of its session, and in which format."""

    format: str = Field(description="A source of `import`: claude_code, codex, atif ...")
    files: str = Field(description="Where in the program's folder; a glob.")

    @field_validator("format")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in choices("source"):
            raise ValueError(str(UnknownName("source", name, choices("source"))))
        return name

    _inside = field_validator("files")(_within)


class CommandOptions(Settings):
    """How a program is started, what it is given, and how much it may take."""

    run: tuple[str, ...] = Field(min_length=1, description="The program and its arguments; never a secret.")
    model: str | None = Field(None, description="The model in it, for reports; else the program's name.")
    connect: Literal["http", "stdio"] = Field("http", description="How mcp.json has it reach the tools.")
    answer: str = Field(STDOUT, description="Where its final answer is: stdout, or a file of its folder.")
    transcript: TranscriptOptions | None = None
    environment: tuple[str, ...] = Field(("PATH",), description="Variables of ours that it gets.")
    variables: dict[str, str] = Field({}, description="Variables that it gets beside; never a secret.")
    seconds: PositiveFloat = Field(900.0, description="How long it may run, by the clock.")
    output_bytes: PositiveInt = Field(10_000_000, description="The most that it may print, or answer.")
    processes: PositiveInt = Field(256, description="The most processes that it may run at a time.")

    _inside = field_validator("answer")(_within)

    @field_validator("environment")
    @classmethod
    def _names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no variable's name; values go under `variables`")
        return names

    @field_validator("variables")
    @classmethod
    def _variable_names(cls, variables: dict[str, str]) -> dict[str, str]:
        for name in variables:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no variable's name")
        return variables

    @model_validator(mode="after")
    def _no_secrets(self) -> Self:
        """Refuse secrets, since all this is stored; a field's own check would print what it refuses."""
        for name, value in self.variables.items():
            _refuse(f"variables: {name}", secret_kinds({name: value}), "name it in `environment`")
        advice = "have the program read it from a variable, and name that in `environment`"
        _refuse("run: an argument", _argument_kinds(self.run), advice)
        return self

    def command(self) -> list[str]:
        """Return the program and its arguments; files are named from the folder that we are in."""
        return [self.run[0], *(str(path.absolute()) if (path := _file(a)) else a for a in self.run[1:])]

    def identity(self) -> dict[str, Any]:
        """Return what shapes the agent: files go by their content, and not by where they are."""
        arguments = [f"{path.name}@{digest(_text(path))}" if (path := _file(a)) else a for a in self.run[1:]]
        return self.model_dump(mode="json") | {"run": [Path(self.run[0]).name, *arguments]}


def _refuse(what: str, kinds: Sequence[str], advice: str) -> None:
    """Refuse what has secrets of these kinds, if any. Raises ValueError."""
    if kinds:
        raise ValueError(f"{what} has the shape of a secret ({', '.join(kinds)}); {advice}")


def _argument_kinds(run: Sequence[str]) -> list[str]:
    """Return the kinds of secrets among arguments; what an option named as a secret has may be a key."""
    keys = [{"api_key": value} for name, value in _options(run) if is_secret_name(name)]
    return sorted({*secret_kinds(list(run)), *secret_kinds(keys)})


def _options(run: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the options among arguments, with the values that they may have: ``--a b``, ``--a=b``."""
    for option, following in zip(run, [*run[1:], ""], strict=True):
        if option.startswith("-"):
            name, equals, value = option.partition("=")
            yield name, value if equals else following


def _file(argument: str) -> Path | None:
    """Return the file that an argument names, if it does."""
    try:
        return Path(argument) if Path(argument).is_file() else None
    except (OSError, ValueError):
        return None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
