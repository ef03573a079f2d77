"""Data files that are gone on purpose, told from damage: a vacuum deleted them, or a repair set them aside.

A vacuum notes the names. What a repair takes off a table is known by where it moved it,
``STORE/damaged/TIME/TABLE/NAME``; and what a log names outside its table was never there.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from eops_traj.errors import StoreError
from eops_traj.store.integrity import DataFile, commits, is_outside
from eops_traj.store.marks import content, write_whole

NAME = "_vacuumed"
"""The list of names in the table's folder, one a line."""


def vacuumed(folder: Path) -> set[str]:
    """Return the data files that a vacuum took and that are not there again."""
    try:
        names = content(folder / NAME).decode(errors="replace").split()
    except OSError:  # as of no list: `check` then misses what it named
        return set()
    return set(names) - {path.name for path in folder.iterdir()}


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


def dropped(folder: Path) -> set[str]:
    """Return the names that no table has for good: set aside by a repair and not added again, or outside."""
    aside = folder.parent.glob(f"damaged/*/{folder.name}/**/*")
    times = Counter("/".join(path.relative_to(folder.parent).parts[3:]) for path in aside)
    added = Counter(name for commit in commits(folder) for name in commit.added)
    return {name for name, count in added.items() if is_outside(name) or count <= times[name]}
