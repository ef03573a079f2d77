"""How a person names a run of a store: by its id, or by how that begins. Nobody types 24 digits."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from eops_traj.errors import UnknownName

if TYPE_CHECKING:
    from eops_traj.store.store import Store


def find_run(name: str, known: Sequence[str]) -> str:
    """Find the run of this id, or the only one whose id begins so.

    Raises UnknownName where there is none, or more than one, which the message lists.
    """
    matches = [run for run in known if run == name]
    matches = matches or [run for run in known if name and run.startswith(name)]
    if len(matches) != 1:
        raise UnknownName("run", name, matches or known)
    return matches[0]


def find_runs(store: "Store", names: Iterable[str]) -> tuple[str, ...]:
    """Find the runs of a store's episodes that these names mean. Raises UnknownName as `find_run` does."""
    known = sorted(store.scan().select("run_id").unique().collect().get_column("run_id"))
    return tuple(find_run(name, known) for name in names)
