"""Sessions whose failures, whatever they are, are told from everyone else's."""

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from eops_traj.errors import EopsError, SandboxError
from eops_traj.sandbox.session import Session

P = ParamSpec("P")
T = TypeVar("T")


def guarded(session: Session) -> Session:
    """The session; what goes wrong in it, unless it is an error of ours already, is a SandboxError."""
    return cast(Session, _Guarded(session))


def sandboxed(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What the work returns. Raises SandboxError in the place of any error that is not of our tree."""
    try:
        return work(*arguments, **named)
    except EopsError:
        raise
    except Exception as error:
        raise SandboxError(f"{type(error).__name__}: {error}") from error


class _Guarded:
    def __init__(self, session: Session) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return partial(sandboxed, getattr(self._session, name))
