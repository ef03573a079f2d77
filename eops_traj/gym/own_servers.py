"""Servers of one's own: packages in the folders that an environment variable names.

They count as members of `eops_traj.gym.servers`, so that all that is said of a server holds for them too, and
no installed module is in their way. Nothing of them runs before a server is asked for.
"""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

from eops_traj.errors import EopsError, FormatError
from eops_traj.gym import servers

VARIABLE = "EOPS_TRAJ_SERVERS"
"""The environment variable with the folders, separated as those of PATH are."""
NAME = r"[a-z](?:_?[a-z0-9])*"
"""A server's name; two underscores separate the parts of a task file's, of which it is one."""
_OURS = Path(__file__).parent / "servers"


def own_servers(ours: Collection[str]) -> dict[str, str]:
    """Return the packages of one's own servers by name, and let them be imported.

    Raises FormatError for a folder that is not there or holds no server, and for a name that is taken.
    """
    found: dict[str, str] = {}
    for folder in _folders():
        names = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
        if not names:
            raise FormatError(f"{VARIABLE}: {folder} holds no server: a folder NAME with an __init__.py")
        for name in names:
            _check_name(name, folder, {*ours, *found})
        found |= {name: f"{servers.__name__}.{name}" for name in names}
        if str(folder) not in servers.__path__:
            servers.__path__.append(str(folder))
    return found


@contextmanager
def own_faults(name: str, file: str) -> Iterator[None]:
    """Have what goes wrong in a file of a server of one's own said in a line: raise FormatError for it.

    A fault of one of ours is a bug of this package, and stays what it is.
    """
    try:
        yield
    except Exception as error:  # somebody's own code, whatever it does
        if isinstance(error, EopsError) or (_OURS / name).is_dir():
            raise
        place = _place(error, name) or file
        raise FormatError(f"server {name}: {place}: {type(error).__name__}: {error}") from error


def _place(error: Exception, name: str) -> str:
    """Return the file and line of a server's folder at which an error arose; nothing for one elsewhere."""
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in walk_tb(error.__traceback__)]
    own = [f"{path.name}, line {line}" for path, line in lines if path.parent.name == name]
    return own[-1] if own else ""


def _folders() -> list[Path]:
    folders = [Path(name).resolve() for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    for folder in folders:
        if not folder.is_dir():
            raise FormatError(f"{VARIABLE} names {folder}, which is no folder")
    return folders


def _check_name(name: str, folder: Path, taken: Collection[str]) -> None:
    if not re.fullmatch(NAME, name):
        raise FormatError(f"{VARIABLE}: {folder / name}: a server is named with a-z, digits and single _")
    if name in taken:
        raise FormatError(f"{VARIABLE}: {folder / name}: there is a server {name} already; name it otherwise")
