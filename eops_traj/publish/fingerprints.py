"""Digests of what a dataset depends on beside a version of the store: tasks, labels, a tokenizer.

They are read anew at each publication, so one that goes on with an upload has to find them as they were.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from eops_traj.errors import EopsError
from eops_traj.files import hash_files
from eops_traj.hashing import digest
from eops_traj.publish.episode_facts import task_sources
from eops_traj.schema import Run, Selection
from eops_traj.store.arrow import to_row
from eops_traj.store.records import Records
from eops_traj.store.store import Store
from eops_traj.tasks.catalog import load


def labels_digest(store: Store) -> str:
    """Return a digest of all that readers said."""
    return digest([to_row(label) for label in store.labels()])


def tasks_digest(source: str | None, store: Store, selection: Selection) -> dict[str, str | None]:
    """Return a digest of the tasks of a place, or of those that the selection's runs name, by place.

    None stands for a place without tasks that can be read. What comes of it the gate decides: where all
    that goes out is held out, it asks for no tasks.
    """
    places = [source] if source else task_sources(_runs(store, selection))
    return {place: _content(place) for place in places}


def tokenizer_digest(name: str) -> str:
    """Return a digest of a tokenizer, as it is saved. Raises InputError where there is none of that name."""
    from eops_traj.llm.chat_template import load_tokenizer

    with tempfile.TemporaryDirectory() as temporary:
        load_tokenizer(name).save_pretrained(temporary)
        folder = Path(temporary)
        return hash_files(folder, sorted(path for path in folder.rglob("*") if path.is_file()))


def _content(place: str) -> str | None:
    try:
        return digest([to_row(task) for task in load(place)])
    except EopsError:
        return None


def _runs(store: Store, selection: Selection) -> Iterable[Run]:
    """Return the records of the runs of the episodes that a selection keeps, as far as there are some."""
    import polars as pl

    kept = store.scan(selection.store_version).filter(pl.col("episode_id").is_in(selection.kept()))
    ids = kept.select(pl.col("run_id").unique()).collect()["run_id"].to_list()
    runs = Records(store.tables["runs"], Run)
    runs.look_up(ids)
    return [run for run in map(runs.get, ids) if run is not None]
