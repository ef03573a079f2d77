"""The folder in which ``datasets`` keeps the rows of a run: one for all ranks, thrown away at the end.

TRL writes what it works out beforehand (the reference's log-probabilities) on the first rank alone, beside
the rows, and reads it there on every rank.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eops_traj.errors import InputError
from eops_traj.train.ranks import Quiet, Ranks, exit_code

FAILED = "failed"
"""The link that the first rank to fail leaves, to its number: it is the one that says why."""


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
    with tempfile.TemporaryDirectory(prefix="eops-train-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / "rows"
        folder.mkdir()
        try:
            yield from _entered(ranks, ranks.from_first(lambda: folder))
        finally:
            with suppress(OSError):
                folder.rename(Path(place) / "over")  # in one step: who fails meanwhile is not the first


def _entered(ranks: Ranks, folder: Path) -> Iterator[Path]:
    """Yield the folder once every rank sees it, and leave it when every rank is done."""
    ranks.agreed(lambda: _check_seen(folder, ranks))
    processes = ranks.together([ranks.process], ranks.count)
    try:
        yield folder
    except Exception as error:
        if ranks.count > 1 and (first := _first_to_fail(folder, ranks)) != ranks.index:
            raise Quiet(exit_code(error), processes[first]) from error
        raise
    ranks.wait()


def _check_seen(folder: Path, ranks: Ranks) -> None:
    """Raise InputError where this rank does not see the folder that the first one made."""
    if not folder.is_dir():
        raise InputError(
            f"rank {ranks.index} does not see {folder}, the cache that rank 0 made: on several machines, set"
            " TMPDIR to a folder that all of them share"
        )


def _first_to_fail(folder: Path, ranks: Ranks) -> int:
    """Return the rank that failed before all others, be it this one; rank 0 where the folder is gone."""
    link = folder / FAILED
    try:
        try:
            link.symlink_to(str(ranks.index))  # unlike a file it is never there without its text
        except FileExistsError:
            return int(str(link.readlink()))
    except FileNotFoundError:
        return 0
    except OSError:  # no room, or no links here: better that each rank says its error than none
        return ranks.index
    return ranks.index
