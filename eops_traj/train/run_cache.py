"""The folder in which ``datasets`` keeps the rows of a run: one for all ranks, thrown away at the end.

TRL writes what it works out beforehand (the reference's log-probabilities) on the first rank alone, beside
the rows, and reads it there on every rank.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eops_traj.errors import InputError
from eops_traj.train.ranks import Quiet, Ranks, exit_code

FAILED = "failed"
"""The file that the first rank to fail leaves: it is the one that says why."""


@contextmanager
def run_cache(ranks: Ranks) -> Iterator[Path]:
    """Make a folder on the first rank, yield it on all, and remove it on the first once all are done.

    Of ranks that fail meanwhile the first to do so raises its error; the others end without a word, since a
    refusal is one line and most errors are the same on every rank. Raises InputError where a rank, on another
    machine, does not see the folder.
    """
    if not ranks.first:
        yield from _entered(ranks, ranks.from_first(Path))
        return
    with tempfile.TemporaryDirectory(prefix="eops-train-", ignore_cleanup_errors=True) as folder:
        yield from _entered(ranks, ranks.from_first(lambda: Path(folder)))


def _entered(ranks: Ranks, folder: Path) -> Iterator[Path]:
    """Yield the folder once every rank sees it, and leave it when every rank is done."""
    ranks.agreed(lambda: _check_seen(folder, ranks))
    try:
        yield folder
    except Exception as error:
        if ranks.count > 1 and not _is_first_to_fail(folder):
            raise Quiet(exit_code(error)) from error
        raise
    ranks.wait()


def _check_seen(folder: Path, ranks: Ranks) -> None:
    """Raise InputError where this rank does not see the folder that the first one made."""
    if not folder.is_dir():
        raise InputError(
            f"rank {ranks.index} does not see {folder}, the cache that rank 0 made: on several machines, set"
            " TMPDIR to a folder that all of them share"
        )


def _is_first_to_fail(folder: Path) -> bool:
    """Check whether no other rank has failed before; where the folder is gone, the first rank has."""
    try:
        (folder / FAILED).touch(exist_ok=False)
    except (FileExistsError, FileNotFoundError):
        return False
    return True
