"""What a tool answers when it will not do what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.errors import ToolError


@dataclass(frozen=True)
class Problem:
    """One argument that does not hold, described as pydantic would describe it."""

    type: str
    loc: tuple[str | int, ...]
    msg: str
    input: Any
    ctx: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """A result that is told as an error although what was written stays: a bug of a real server, repeated."""

    text: str


class Refusal(ToolError):
    """A tool's refusal: the message, the server's own error code where it has one, and the problems found."""

    def __init__(self, message: str, code: str = "", problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.message, self.code, self.problems = message, code, tuple(problems)
