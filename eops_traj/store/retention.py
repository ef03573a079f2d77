"""Data files that a vacuum deleted: their names stay, so that what is gone on purpose is told from damage."""

from collections.abc import Iterable
from pathlib import Path

from eops_traj.errors import StoreError
from eops_traj.store.integrity import DataFile
from eops_traj.store.marks import content, write_whole

NAME = "_vacuumed"
"""The list of names in the table's folder, one a line."""


def vacuumed(folder: Path) -> set[str]:
    """Return the data files that a vacuum took and that are not there again."""
    try:
        names = content(folder / NAME).decode().split()
    except FileNotFoundError:
        return set()
    return {name for name in names if not (folder / name).exists()}


def note(folder: Path, names: Iterable[str]) -> None:
    """Note the names of files that are about to be deleted. Raises StoreError where the disk has no room."""
    noted = sorted({*vacuumed(folder), *names})
    if not write_whole(folder / NAME, "".join(f"{name}\n" for name in noted)):
        raise StoreError(f"cannot write {folder / NAME}; nothing was deleted")


def require_kept(folder: Path, version: int, files: Iterable[DataFile]) -> None:
    """Check that a version has all of its files. Raises StoreError where a vacuum took some."""
    gone = vacuumed(folder)
    if any(file.name in gone for file in files):
        raise StoreError(f"{folder} no longer has version {version}: a vacuum deleted some of its data files")
