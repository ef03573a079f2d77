"""Read and write JSON files whole, make folders whole, hold them alone, find files, and hash them."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from eops_traj.errors import FormatError, InputError
from eops_traj.untrusted.json_text import parse_json
from eops_traj.untrusted.text_file import read_text

LOCKLESS = {errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOLCK}
"""What a file system that has no locks answers."""


def read_json(path: Path) -> Any:
    """Read the JSON of a file. Raises FormatError where it is not there, too large, not text, or not JSON."""
    text = read_text(path).removeprefix("\ufeff")  # editors put it first, and it is no part of JSON
    try:
        return parse_json(text)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from error


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, under a temporary name that is renamed: a reader sees it whole or not at all."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.tmp")  # which no other writer has
    try:
        temporary.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def folders_made(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; those of them that hold nothing in the end go again.

    Raises InputError where it cannot be made.
    """
    new = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            for place in new:
                place.rmdir()


@contextmanager
def alone(lock: Path, refusal: str) -> Iterator[None]:
    """Hold a lock alone, a file that is there meanwhile; the end of a process lets go of what it holds.

    A file system without locks refuses nobody. Raises InputError, with the refusal, where another has it, and
    where it cannot be made.
    """
    with folders_made(lock.parent), ExitStack() as opened:
        while not _locked(opened.enter_context(_open(lock)), lock, refusal):
            pass  # who held it removed it after it was opened here: the next file of that name is the lock
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _open(lock: Path) -> BinaryIO:
    """Open a lock's file. Raises InputError where it cannot be made."""
    try:
        return lock.open("ab")
    except OSError as error:
        raise InputError(f"cannot write to {lock}: {error.strerror}") from error


def _locked(file: BinaryIO, lock: Path, refusal: str) -> bool:
    """Lock an open file; return whether it is still the one there. Raises InputError where another has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(refusal) from None
    except OSError as error:
        if error.errno not in LOCKLESS:
            raise
    try:
        return os.path.samestat(os.fstat(file.fileno()), lock.stat())
    except FileNotFoundError:
        return False


@contextmanager
def work_folder(out: Path) -> Iterator[Path]:
    """Yield a folder beside ``out``, of its name, to work in; what is left of it in the end is removed.

    Where ``out`` is a link, that is beside what it leads to. Raises FormatError where that is itself.
    """
    out = with_a_name(out).absolute()
    with (
        folders_made(out.parent),
        tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as temporary,
    ):
        folder = Path(temporary) / out.name
        folder.mkdir()
        yield folder


def put_in_place(folder: Path, out: Path) -> Path:
    """Make a folder that is whole ``out``, or what that is a link to, and return where it is.

    An empty one that is there is replaced in one step. Where it cannot be, being the caller's own or another
    disk's, it gets what was made, file by file.
    """
    out = with_a_name(out)
    if not out.exists() or not (out.samefile(Path.cwd()) or out.is_mount()):
        return folder.rename(out)
    for path in sorted(folder.iterdir()):
        shutil.move(path, out / path.name)
    return out


def with_a_name(folder: Path) -> Path:
    """Return a path of a folder that ends in its own name, which ``.`` and a link to it do not.

    Raises FormatError for a link that leads to itself.
    """
    if folder.name and not folder.is_symlink():
        return folder
    place = Path(os.path.realpath(folder))
    if place.is_symlink():
        raise FormatError(f"{folder} is a link that leads to itself; name another folder")
    return place


def hash_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return the SHA-256 of files in a folder, in the order given: over their names and bytes."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()} {digest}\n".encode())
    return whole.hexdigest()


def require_no_file(folder: Path) -> None:
    """Check that a folder can be there: neither it nor one above it is a file. Raises FormatError."""
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise FormatError(f"{place} is a file; name a folder that is not there yet")


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the JSON files that paths name, folders searched. Raises FormatError where one is missing."""
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path} does not exist")
        yield from sorted(p for p in path.rglob("*.json") if not p.is_fifo()) if path.is_dir() else [path]
