"""The refusals and errors of tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.errors import ToolError


@dataclass(frozen=True)
class Problem:
    """One invalid argument, described as pydantic would describe it."""

    type: str
    loc: tuple[str | int, ...]
    msg: str
    input: Any
    ctx: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ErrorResult:
    """A result sent as an error although its writes stay: a bug of a real server, repeated."""

    text: str


class Refusal(ToolError):
    """A tool's refusal: the message, the server's error code if it has one, and the arguments' problems."""

    def __init__(self, message: str, code: str = "", problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.message, self.code, self.problems = message, code, tuple(problems)
