"""The rows of an export as ``load_dataset`` gives them, for whoever trains on them reads them so."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path

from eops_traj.export.base import Exporter, JsonLines
from eops_traj.export.checks import Row


@contextmanager
def loaded_rows(exporter: Exporter, folder: Path, rows: int) -> Iterator[Iterator[Row | str | None]]:
    """Yield the rows as ``load_dataset`` gives them from the folder, through a temporary cache."""
    if not isinstance(exporter, JsonLines) or not find_spec("datasets"):
        yield repeat(None, rows)
        return
    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache, _plainly_named(folder) as plain:
        try:
            records = datasets.load_dataset(str(plain), split="train", cache_dir=cache)
        except datasets.exceptions.DatasetGenerationError as error:
            yield iter(_one_by_one(exporter, folder, str(error.__cause__ or error)))
        else:
            yield (exporter.row("", record) for record in records)
    datasets.enable_progress_bars()


@contextmanager
def _plainly_named(folder: Path) -> Iterator[Path]:
    """Yield a folder of links to the files: `datasets` takes a path for a pattern, such as `data[1]`."""
    with tempfile.TemporaryDirectory() as plain:
        for path in filter(Path.is_file, folder.rglob("*")):
            link = Path(plain, path.relative_to(folder))
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path.absolute())
        yield Path(plain)


def _one_by_one(exporter: JsonLines, folder: Path, reason: str) -> list[Row | str]:
    """Return the reason for each row that ``load_dataset`` refuses: of those refused alone, else of all."""
    alone = [_alone(exporter, row, reason) for row in exporter.read(folder)]
    return alone if reason in alone else [reason] * len(alone)


def _alone(exporter: JsonLines, row: Row, reason: str) -> Row | str:
    from datasets import Json

    try:
        return exporter.row("", Json().decode_example(Json().encode_example(row.record)))
    except (ValueError, OverflowError):
        return reason
