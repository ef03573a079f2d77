"""Which format files are of, told from what is in them."""

from pathlib import Path

from eops_traj.errors import FormatError, InputError
from eops_traj.instances import choices
from eops_traj.interchange.base import KIND, open_importer
from eops_traj.interchange.reader import data_files, records

STORE = "store"


def is_store(path: Path) -> bool:
    """Whether a folder is a trajectory store."""
    return (path / "episodes" / "_delta_log").is_dir()


def recognise(path: Path) -> str:
    """The format of a store, an export's folder, or files: its name among the sources, or ``store``.

    The first record of the first file decides. Raises FormatError for a path that is missing, holds no
    file, or holds one that is not JSON; InputError for a record of no format that is known, naming the
    choices.
    """
    if is_store(path):
        return STORE
    first = data_files([path])[0]
    place, record = next(records(first), (str(first), None))
    if record is None:
        raise FormatError(f"{place} is empty")
    for name in choices(KIND):
        if isinstance(record, dict) and open_importer(name).recognises(record):
            return name
    known = ", ".join([STORE, *choices(KIND)])
    raise InputError(f"{place} is of no known format; say which with --from: {known}")
