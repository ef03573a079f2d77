"""The errors of eops-traj, one tree.

::

    EopsError                    anything this package raises on purpose
    ├── InputError               bad input or usage: the command line exits 2, nothing was written
    │   ├── ConfigError          a config or selection that does not hold; carries every problem at once
    │   ├── StoreError           a store that is missing, unreadable or of a newer schema
    │   │   └── DamagedStore     a store that lacks what was written to it
    │   ├── FormatError          a file that is malformed or of another format
    │   └── UnknownName          a name that is not one of the choices
    ├── WorkError                the work ran and found failures: the command line exits 1
    ├── SandboxError             the sandbox failed: the episode's outcome is ``error``, never a failure
    └── ToolError                a tool refused the call; its message is what the agent sees
"""

from collections.abc import Iterable, Sequence
from typing import Any


class EopsError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message as it was made, not what it was made of: so errors of other processes come."""
        return _made_again, (type(self), *self.args), self.__dict__


def _made_again(kind: type[EopsError], *args: object) -> EopsError:
    return kind.__new__(kind, *args)


class InputError(EopsError):
    """What the caller gave cannot be used; nothing was written."""

    exit_code = 2


class ConfigError(InputError):
    """A config with problems, all of them reported at once."""

    def __init__(self, where: str, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        super().__init__(f"{where}: " + "; ".join(self.problems))


class StoreError(InputError):
    """A store that is missing, unreadable, or written by a newer version."""


class DamagedStore(StoreError):
    """A store that lacks what was written to it, or holds something else."""

    def __init__(self, url: str, what: str) -> None:
        super().__init__(f"{url} is damaged: {what}; `eops-traj check {url}` lists it all")


class FormatError(InputError):
    """A file that is malformed, truncated, or of another format."""


class UnknownName(InputError):
    """A name that is not among the choices, which the message lists."""

    def __init__(self, kind: str, name: object, choices: Iterable[str]) -> None:
        super().__init__(f"unknown {kind} {cut(repr(name))}; {_choice(str(name), sorted(choices))}")


MOST_CHARS = 2_000
"""Characters that a message has of a name or a problem that came from outside."""


def cut(text: str) -> str:
    """Return a text without its middle where it is long: a value of megabytes is not printed again."""
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[: MOST_CHARS // 2]} ... {text[-MOST_CHARS // 2 :]}"


MOST_NAMED = 3
"""Problems that a message names where every file, or every task, can have one."""


def first_of(problems: Sequence[str]) -> str:
    """Join the first of many problems, and say how many more there are."""
    more = [f"and {len(problems) - MOST_NAMED} more"] if len(problems) > MOST_NAMED else []
    return "; ".join([*problems[:MOST_NAMED], *more])


MOST_CHOICES = 60
"""Choices that a message lists; of more it names those like the name that was given."""


def _choice(name: str, choices: list[str]) -> str:
    if len(choices) <= MOST_CHOICES:
        return f"choose from {', '.join(choices) or '(none)'}"
    from difflib import get_close_matches

    near = get_close_matches(name, choices, 5) or [*choices[:5], "..."]
    return f"did you mean {', '.join(near)}? There are {len(choices)}"


class WorkError(EopsError):
    """The work ran to its end and found failures."""


class SandboxError(EopsError):
    """The sandbox failed, through no fault of the model."""


class ToolError(EopsError):
    """A tool refused the call. Its message is the result that the agent sees."""


class StoreWarning(UserWarning):
    """A store answered, but not with everything: the command line prints it and exits 1."""
