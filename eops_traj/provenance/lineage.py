"""The origin of a checkpoint and the episodes that it played, by content hash.

Episode, selection, dataset row, checkpoint, benchmark episode: what is still available is verified again.
The weights are those that lineage.json names, the data is what its certificate certifies, the episode of
every row is in the store and in the selection. A link that does not hold is a problem, and named.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import FormatError, InputError, StoreError, UnknownName
from eops_traj.export.certificate import CERTIFICATE
from eops_traj.filter.selecting import rule_counts
from eops_traj.provenance.checkpoint import checkpoint_hash, is_hash
from eops_traj.provenance.dataset import Dataset
from eops_traj.provenance.lineage_file import (
    LINEAGE,
    MOST_ANCESTORS,
    Lineage,
    TrainedOn,
    checkpoint_folder,
    read_lineage,
)
from eops_traj.schema import PASSED
from eops_traj.store.place import store_name
from eops_traj.store.store import Store

if TYPE_CHECKING:
    import polars as pl

CERTIFIED, GONE = "certified", "no longer there"
SHORT = 12
"""Digits of a hash that are enough for people."""
COLUMNS = ("episode_id", "task_hash", "run_id", "orchestrator", "model", "agent_hash", "domain", "split")
COUNTED = {
    "run": ["run_id"],
    "agent": ["orchestrator", "model", "agent_hash"],
    "domain": ["domain"],
    "split": ["split"],
}
"""The columns by which the episodes behind a dataset are counted."""


@dataclass(frozen=True)
class SelectionSource:
    """The selection that rows were exported from, and the store's version that it read."""

    selection: str
    store: str
    store_version: int
    rules: list[dict[str, Any]] | None = None
    """What each filter dropped and kept; None without a store, or where it has another of that name now."""


@dataclass(frozen=True)
class DataSource:
    """The data of a training run: the export, its rows as they are now, the episodes behind them."""

    folder: str
    format: str
    content_hash: str
    chosen: SelectionSource
    state: str
    """``certified``: the folder holds what was trained on; else how it differs, or that it is gone."""
    rows: int | None = None
    left_out: list[int] = field(default_factory=list)
    """The numbers, from 1, of the export's rows that the training went without; ``rows`` are the others."""
    episodes: dict[str, dict[str, int]] = field(default_factory=dict)
    """The number of episodes behind the rows, by run, agent, domain and split; from the store."""
    tasks: dict[str, int] = field(default_factory=dict)
    """The number of their tasks, by split."""

    def dataset(self) -> Dataset:
        """Return the rows that were trained on."""
        return Dataset(Path(self.folder), frozenset(self.left_out))


@dataclass(frozen=True)
class CheckpointLineage:
    """A checkpoint with its origin and the episodes that it played."""

    checkpoint: str
    recipe: str | None
    config: dict[str, Any]
    parent: "CheckpointLineage | None"
    data: DataSource | None
    made: list[dict[str, Any]] | None
    """The episodes that it played in the store, a row each run and split; None without a store."""
    problems: list[str]
    """The links that do not hold, a sentence each."""
    gone: bool = False
    """An ancestor of which nothing but its hash is left."""

    def every_problem(self) -> Iterator[str]:
        """Yield the problems of this checkpoint and of its ancestors."""
        yield from self.problems
        if self.parent is not None:
            yield from self.parent.every_problem()


def lineage(path: Path, *stores: Store) -> CheckpointLineage:
    """Return the lineage of the checkpoint at a path, down to its first ancestor.

    Data may be of any of the ``stores``.
    Raises InputError: no checkpoint there, or one without a lineage file. Raises FormatError for one that is
    its own ancestor, or has more of them than `MOST_ANCESTORS`.
    """
    return _checkpoint(checkpoint_folder(path), stores, ())


def _checkpoint(folder: Path, stores: Sequence[Store], later: tuple[Path, ...]) -> CheckpointLineage:
    """Return the lineage of a checkpoint from which those ``later`` ones were trained."""
    file, line = read_lineage(folder), (*later, folder.resolve())
    checkpoint, problems = checkpoint_hash(folder), list[str]()
    if checkpoint != file.checkpoint:
        problems.append(f"{folder} was changed after training: {LINEAGE} names {file.checkpoint[:SHORT]}")
    return CheckpointLineage(
        checkpoint=checkpoint,
        recipe=file.recipe,
        config=file.config,
        parent=_parent(folder, file, stores, line),
        data=_source(folder, file, file.data, stores, problems) if file.data else None,
        made=_played(checkpoint, stores) if stores else None,
        problems=problems,
    )


def _parent(
    child: Path, file: Lineage, stores: Sequence[Store], line: tuple[Path, ...]
) -> CheckpointLineage | None:
    """Return the parent: in full where its folder has a lineage file, else by hash or name alone.

    ``line`` has the folders from the last checkpoint to the ``child``. Raises FormatError where the parent is
    among them, or there are too many.
    """
    if file.parent is None:
        return None
    folder = file.parent_folder(child)
    if folder is not None and (folder / LINEAGE).is_file():
        if folder.resolve() in line:
            raise FormatError(f"{child / LINEAGE}: its parent {folder} is itself, or was trained from it")
        if len(line) > MOST_ANCESTORS:
            raise FormatError(f"{child / LINEAGE}: the checkpoint has more than {MOST_ANCESTORS} ancestors")
        return _checkpoint(folder, stores, line)
    made = _played(file.parent, stores) if stores else None
    gone = folder is None and is_hash(file.parent)
    return CheckpointLineage(file.parent, None, {}, None, None, made, [], gone)


def _source(
    child: Path, file: Lineage, data: TrainedOn, stores: Sequence[Store], problems: list[str]
) -> DataSource:
    """Return the data of a run, verified as far as available; add what does not hold to the problems."""
    dataset = Dataset(file.resolve(data.folder, child), file.left_out())
    state, rows = _rows(dataset, data)
    if state not in (CERTIFIED, GONE):
        problems.append(f"the data in {dataset.folder} is {state}")
    chosen, left_out = (
        SelectionSource(data.selection, data.store, data.store_version),
        sorted(dataset.left_out),
    )
    source = DataSource(str(dataset.folder), data.format, data.content_hash, chosen, state, left_out=left_out)
    if state != CERTIFIED:
        return source
    source = replace(source, rows=len(rows))
    return _in_stores(source, {i for row in rows for i in row}, stores, problems)


def _rows(dataset: Dataset, data: TrainedOn) -> tuple[str, list[list[str]]]:
    """Return the state of the data, and the episodes behind each row where that is certified."""
    if not (dataset.folder / CERTIFICATE).exists():
        return GONE, []
    try:
        certified = dataset.certificate.content_hash
        if certified != data.content_hash:
            return f"another export by now, {certified[:SHORT]}", []
        return CERTIFIED, [row.episode_ids for row in dataset.rows()]
    except InputError as error:
        return f"not what its {CERTIFICATE} certifies: {error}", []


def _in_stores(source: DataSource, ids: set[str], stores: Sequence[Store], problems: list[str]) -> DataSource:
    """Return the source as the first store has it in which all of it holds.

    Where it holds in none, the problems are those in the store of its own name, or else in the first.
    """
    tried = list[tuple[DataSource, list[str]]]()
    likely_first = sorted(stores, key=lambda store: store_name(store.url) != source.chosen.store)
    for store in likely_first:
        found = list[str]()
        tried.append((_in_store(source, ids, store, found), found))
        if not found:
            return tried[-1][0]
    if tried:
        source, found = tried[0]
        problems += found
        if store_name(likely_first[0].url) != source.chosen.store:
            called = source.chosen.store
            problems.append(f"the rows come from a store called {called!r}: give it with --store, too")
    return source


def _in_store(source: DataSource, ids: set[str], store: Store, problems: list[str]) -> DataSource:
    """Return the source with the selection and the episodes behind its rows, as the store has them."""
    import polars as pl

    chosen = source.chosen
    try:
        matching = store.scan(chosen.store_version).filter(pl.col("episode_id").is_in(list(ids)))
        episodes = matching.select(*COLUMNS).collect()
    except StoreError as error:
        problems.append(str(error))
        return source
    if missing := len(ids) - len(episodes):
        version = f"version {chosen.store_version} of {store.url}"
        problems.append(f"{missing} of {len(ids)} episodes of the rows are not in {version}")
    return replace(
        source,
        chosen=_chosen(chosen, ids, store, problems),
        episodes={name: _counts(episodes, by) for name, by in COUNTED.items()},
        tasks=_counts(episodes.sort("episode_id").unique("task_hash", keep="first"), ["split"]),
    )


def _chosen(chosen: SelectionSource, ids: set[str], store: Store, problems: list[str]) -> SelectionSource:
    """Return the selection with its rules, if the store has it unchanged; every row must come from it."""
    try:
        selection = store.selection(chosen.selection)
    except UnknownName as error:
        problems.append(str(error))
        return chosen
    if selection.store_version != chosen.store_version:
        return chosen  # filtered again since, under the same name
    if strays := len(ids - set(selection.kept())):
        problems.append(f"{strays} of {len(ids)} episodes of the rows are not in {selection.name!r}")
    return replace(chosen, rules=rule_counts(selection))


def _counts(frame: "pl.DataFrame", by: list[str]) -> dict[str, int]:
    """Count the rows of each value, most first."""
    counted = Counter(" ".join(str(part) for part in row) for row in frame.select(by).iter_rows())
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _played(checkpoint: str, stores: Sequence[Store]) -> list[dict[str, Any]]:
    """Return the episodes that a checkpoint played: their agents' settings name it by its hash."""
    return [run for store in stores for run in _played_in(checkpoint, store)]


def _played_in(checkpoint: str, store: Store) -> list[dict[str, Any]]:
    import polars as pl

    named = pl.col("settings").str.contains(f'"checkpoint":{json.dumps(checkpoint)}', literal=True)
    counted = store.scan().filter(named).group_by("run_id", "orchestrator", "split")
    columns = [
        pl.len().alias("episodes"),
        pl.col("task_hash").n_unique().alias("tasks"),
        pl.col("outcome").is_in(sorted(PASSED)).sum().alias("passed"),
    ]
    return counted.agg(columns).sort("run_id", "split").collect().to_dicts()
