"""Parts of a dataset: a split of a configuration, written by its exporter, certified, and kept as Parquet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.export.base import Exporter, JsonLines
from eops_traj.export.card import CARD, Card
from eops_traj.export.certificate import Certificate, CheckResult, RowFailure, check_rows, count_rows_by
from eops_traj.export.checks import ExpectedRow, Row
from eops_traj.export.fitness import EVERYTHING, fit_selection
from eops_traj.export.quality import Quality, measure_quality
from eops_traj.export.run import Progress, make_certificate, write_rows
from eops_traj.hashing import canonical_json
from eops_traj.instances import choices, load
from eops_traj.provenance.dataset import DataRow
from eops_traj.publish.episode_exporter import EpisodeExporter
from eops_traj.publish.features import Column
from eops_traj.publish.parquet_shards import Shards, describe_shards, read_shards, write_shards
from eops_traj.schema import Selection
from eops_traj.store.place import store_name
from eops_traj.store.store import Store
from eops_traj.workers.engine import HERE, Engine

if TYPE_CHECKING:
    from eops_traj.export.row_masks import LossMask

EPISODES = "episodes"
PARQUET_CHECK = "parquet_holds_the_rows"
NOT_LOADED = f"the rows go out as Parquet, which {PARQUET_CHECK} reads"
PUBLISHED_NAMES = {"train": "train", "dev": "validation", "test": "test", "test_ood": "test_ood"}
"""The published name of each split of tasks."""
HELD_OUT = ("test", "test_ood")
"""Published splits that no one should train on."""


@dataclass(frozen=True)
class DatasetPart:
    """A split of a configuration, as it will be published."""

    config: str
    split: str
    exporter: JsonLines
    work: Path
    """The folder of its JSON lines, for reading the rows again."""
    shards: Shards
    certificate: Certificate
    episodes: tuple[str, ...]
    """The episode that each row is named after, the first where there are several."""

    @property
    def columns(self) -> Sequence[Column]:
        """Its columns, as the card declares them."""
        return self.exporter.features or ()

    @cached_property
    def sources(self) -> tuple[tuple[str, ...], ...]:
        """All the episodes behind each row: a pair has two, and a plan may have many."""
        named = (DataRow(row.place, row.record).episode_ids for row in self.rows())
        pairs = zip(self.episodes, named, strict=True)
        return tuple(tuple(dict.fromkeys((first, *others))) for first, others in pairs)

    def rows(self) -> Iterator[Row]:
        """Read its rows, in order."""
        return self.exporter.read(self.work)

    def quality(self) -> Quality:
        """Measure it as training data; what it must not hold, the gate looks after."""
        rows_by = self.certificate.rows_by
        return measure_quality(self.config, self.exporter, self.rows(), rows_by, rows_by.get("split", {}))


def published_split(split: str | None) -> str:
    """Return the published split of a task's split. One that is not known counts as held out."""
    return PUBLISHED_NAMES.get(split or "", "test")


def partition_selection(selection: Selection, splits: Mapping[str, str | None]) -> dict[str, Selection]:
    """Divide a selection by published split, in the order of names; ``splits`` are the tasks', by episode."""
    published = {episode_id: published_split(split) for episode_id, split in splits.items()}
    kept = [row for row in selection.rows if row.dropped_by is None]
    parts = {}
    for name in PUBLISHED_NAMES.values():
        if rows := tuple(row for row in kept if published.get(row.episode_id) == name):
            parts[name] = replace(selection, rows=rows)
    return parts


def configurations() -> dict[str, type[Exporter]]:
    """Return the configurations: whole episodes, and every format whose columns ``datasets`` knows."""
    formats = {name: load("format", name) for name in choices("format")}
    lines = {n: c for n, c in formats.items() if issubclass(c, JsonLines) and c.features is not None}
    return {EPISODES: EpisodeExporter, **lines}


def new_exporter(config: str) -> JsonLines:
    """Make an exporter of a configuration. Raises UnknownName listing the known ones."""
    known = configurations()
    if config not in known:
        raise UnknownName("configuration", config, known)
    exporter = known[config]()
    assert isinstance(exporter, JsonLines)
    return exporter


@dataclass(frozen=True)
class PartBuilder:
    """A builder of the parts of one store in one folder."""

    store: Store
    work: Path
    out: Path
    licence: str
    tokenizer: str | None
    progress: Progress
    engine: Engine = HERE
    """Where plans are proven and secrets looked for."""

    def build(self, config: str, splits: Mapping[str, Selection]) -> tuple[list[DatasetPart], list[str]]:
        """Build a configuration's parts; return also why splits have none. Raises InputError if none has."""
        parts, without = list[DatasetPart](), list[str]()
        for split, selection in splits.items():
            try:
                parts.append(self._part(config, split, selection))
            except InputError as error:
                without.append(f"{config}/{split}: {error}")
        if not parts:
            raise InputError("; ".join(without))
        return parts, without

    def _part(self, config: str, split: str, selection: Selection) -> DatasetPart:
        """Write and certify a split. Raises InputError where the format makes no row of it, or may not."""
        exporter, work = new_exporter(config), self.work / config / split
        exporter.engine = self.engine
        # splits go out apart, and the gate looks after those that are held out
        exporter.fitness = fit_selection(EVERYTHING, self.store, selection, imitates=exporter.imitates)
        work.mkdir(parents=True)
        tally, expected_rows = write_rows(exporter, self.store, selection, work, self.progress)
        card = Card(
            config,
            exporter,
            selection,
            store_name(self.store.url),
            self.licence,
            tally,
            len(expected_rows),
            exporter.file_names(work),
        )
        (work / CARD).write_text(card.render(), encoding="utf-8")  # load_dataset learns the columns from it
        lines = exporter.files(work)[0]
        shards = write_shards(lines, exporter.features or (), self.out / config, split, len(expected_rows))
        certificate = self._certify(card, config, work, expected_rows, shards)
        return DatasetPart(
            config, split, exporter, work, shards, certificate, tuple(w.episode_id for w in expected_rows)
        )

    def _certify(
        self,
        card: Card,
        config: str,
        work: Path,
        expected_rows: list[ExpectedRow],
        shards: Shards,
    ) -> Certificate:
        """Run every check of the format on the rows, and compare the Parquet files with them."""
        exporter, mask = card.exporter, self._mask(card.exporter)
        with self.progress("checking", len(expected_rows)) as done:
            unloaded = NOT_LOADED if config == EPISODES else None
            results, lengths = check_rows(exporter, work, expected_rows, mask, done, unloaded=unloaded)
        held = check_parquet(
            exporter.read(work), expected_rows, read_shards(shards.files, exporter.features or ())
        )
        files = describe_shards(shards, self.out)
        checked = ((*results, held), lengths)
        return make_certificate(card, config, files, self.tokenizer, checked, count_rows_by(expected_rows))

    def _mask(self, exporter: Exporter) -> "LossMask | None":
        if self.tokenizer is None or not exporter.trains:
            return None
        from eops_traj.llm.chat_template import load_tokenizer

        return exporter.mask(load_tokenizer(self.tokenizer), self.tokenizer)


def check_parquet(
    rows: Iterator[Row], expected_rows: Sequence[ExpectedRow], stored: Iterator[dict[str, Any]]
) -> CheckResult:
    """Check that the Parquet files hold the rows that were checked, to the last digit."""
    result = CheckResult(
        PARQUET_CHECK, "The Parquet files hold the rows that were checked, to the last digit.", None
    )
    for row, expected, record in zip(rows, expected_rows, stored, strict=True):
        result.rows += 1
        known = {name: value for name, value in row.record.items() if value is not None}
        if canonical_json(known) != canonical_json(record):
            result.failures.append(RowFailure(row.place, expected.episode_id, "the Parquet file alters it"))
    return result
