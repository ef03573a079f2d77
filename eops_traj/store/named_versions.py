"""The versions of the episodes that a selection names, or named before another took its place.

Selections lose no data file but to damage, so what was ever named is in the files of all their versions.
"""

from collections.abc import Iterator

from eops_traj.store import retention
from eops_traj.store.integrity import DataFile, data_files
from eops_traj.store.table import Table

COLUMN = "store_version"


def named_versions(selections: Table, there: range) -> set[int]:
    """Return the versions that were named, of those that are ``there``.

    Later ones a repair cut off, earlier ones an older program took out of the log. What a repair gave up of
    the selections names none. Raises DamagedStore where another data file is not whole: what it names is
    unknown.
    """
    files = list(_every_file(selections))
    selections.check_content(files)
    columns = (selections.open_file(file.name).read(columns=[COLUMN])[COLUMN] for file in files)
    return {version for column in columns for version in column.to_pylist() if version in there}


def _every_file(selections: Table) -> Iterator[DataFile]:
    """Yield each data file that a version has, apart from those that a repair gave up."""
    seen = retention.dropped(selections.folder) if selections.folder else set[str]()
    for version in selections.versions():
        for file in data_files(selections.open(version)):
            if file.name not in seen:
                seen.add(file.name)
                yield file
