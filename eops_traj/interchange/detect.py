"""Which format files are of, told from what is in them."""

from pathlib import Path
from typing import Any

from eops_traj.errors import FormatError, InputError
from eops_traj.interchange.reader import data_files, records

STORE = "store"
HARNESS = "enterpriseops"


def is_store(path: Path) -> bool:
    """Whether a folder is a trajectory store."""
    return (path / "episodes" / "_delta_log").is_dir()


def recognise(path: Path) -> str:
    """The format of a store, an export's folder, or files: its name among ``IMPORTERS``, or ``store``.

    The first record of the first file decides. Raises FormatError for a path that is missing, holds no
    file, or holds one that is not JSON; InputError for a record of no format that is known, naming the
    choices.
    """
    from eops_traj.collectors.importers import IMPORTERS, READERS, reader

    if is_store(path):
        return STORE
    first = data_files([path])[0]
    place, record = next(records(first), (str(first), None))
    if record is None:
        raise FormatError(f"{place} is empty")
    for name in READERS:
        if isinstance(record, dict) and reader(name).recognises(record):
            return name
    if _is_result_file(record):
        return HARNESS
    choices = ", ".join([STORE, *IMPORTERS])
    raise InputError(f"{place} is of no known format; say which with --from: {choices}")


def _is_result_file(record: Any) -> bool:
    """Whether a record looks like a result file of EnterpriseOps-Gym's harness."""
    return isinstance(record, dict) and "benchmark_config" in record and "runs" in record
