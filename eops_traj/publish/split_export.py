"""Parts: a split of a configuration, written by its exporter, certified, and laid out as Parquet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.export.base import Exporter, JsonLines, Row
from eops_traj.export.card import CARD, Card
from eops_traj.export.certificate import Certificate, Failure, Result, inspect
from eops_traj.export.checks import Wanted
from eops_traj.export.run import Progress, certified, store_name, write_rows
from eops_traj.exporters import FORMATS, exporter_class
from eops_traj.hashing import canonical_json
from eops_traj.publish.episode_exporter import EpisodeRows
from eops_traj.publish.features import Column
from eops_traj.publish.parquet_shards import Shards, read_shards, write_shards
from eops_traj.schema import Selection
from eops_traj.store.store import Store

if TYPE_CHECKING:
    from eops_traj.export.row_masks import Mask

EPISODES = "episodes"
HOLDS = "parquet_holds_the_rows"
UNLOADED = f"the rows go out as Parquet, which {HOLDS} reads"


@dataclass(frozen=True)
class Part:
    """A split of a configuration, as it will be published."""

    config: str
    split: str
    exporter: JsonLines
    work: Path
    """The folder of its JSON lines, for reading the rows again."""
    shards: Shards
    certificate: Certificate
    episodes: tuple[str, ...]
    """The episode of each row, the first where there are several."""

    @property
    def columns(self) -> Sequence[Column]:
        """Its columns, as the card declares them."""
        return self.exporter.features or ()

    def rows(self) -> Iterator[Row]:
        """Its rows, in order."""
        return self.exporter.read(self.work)


def configurations() -> dict[str, type[Exporter]]:
    """What a dataset may be made of: whole episodes, and every format whose columns ``datasets`` knows."""
    formats = {name: exporter_class(name) for name in FORMATS}
    lines = {n: c for n, c in formats.items() if issubclass(c, JsonLines) and c.features is not None}
    return {EPISODES: EpisodeRows, **lines}


def exporter_of(config: str) -> JsonLines:
    """A new exporter of a configuration. Raises UnknownName listing those there are."""
    known = configurations()
    if config not in known:
        raise UnknownName("configuration", config, known)
    exporter = known[config]()
    assert isinstance(exporter, JsonLines)
    return exporter


@dataclass(frozen=True)
class Maker:
    """Makes parts of one store in one folder."""

    store: Store
    work: Path
    out: Path
    licence: str
    tokenizer: str | None
    progress: Progress

    def parts(self, config: str, splits: Mapping[str, Selection]) -> tuple[list[Part], list[str]]:
        """The parts of a configuration, and why splits have none. Raises InputError where none has."""
        made, without = list[Part](), list[str]()
        for split, selection in splits.items():
            try:
                made.append(self._part(config, split, selection))
            except InputError as error:
                without.append(f"{config}/{split}: {error}")
        if not made:
            raise InputError("; ".join(without))
        return made, without

    def _part(self, config: str, split: str, selection: Selection) -> Part:
        """Write and certify a split. Raises InputError where the format makes no row of it."""
        exporter, work = exporter_of(config), self.work / config / split
        work.mkdir(parents=True)
        tally, wanted = write_rows(exporter, self.store, selection, work, self.progress)
        card = Card(config, exporter, selection, store_name(self.store.url), self.licence, tally, len(wanted))
        (work / CARD).write_text(card.render(), encoding="utf-8")  # load_dataset learns the columns from it
        lines = exporter.files(work)[0]
        shards = write_shards(lines, exporter.features or (), self.out / config, split, len(wanted))
        certificate = self._certify(card, config, split, work, wanted, shards)
        return Part(config, split, exporter, work, shards, certificate, tuple(w.episode_id for w in wanted))

    def _certify(
        self, card: Card, config: str, split: str, work: Path, wanted: list[Wanted], shards: Shards
    ) -> Certificate:
        """Run every check of the format on the rows, and hold the Parquet files against them."""
        exporter, mask = card.exporter, self._mask(card.exporter)
        with self.progress("checking", len(wanted)) as done:
            unloaded = UNLOADED if config == EPISODES else None
            results, lengths = inspect(exporter, work, wanted, mask, done, unloaded=unloaded)
        held = holds(exporter.read(work), wanted, read_shards(shards.files, exporter.features or ()))
        files = (self.out, f"{config}/{split}-*.parquet")
        return certified(card, config, len(wanted), files, self.tokenizer, ((*results, held), lengths))

    def _mask(self, exporter: Exporter) -> "Mask | None":
        if self.tokenizer is None or not exporter.trains:
            return None
        from eops_traj.export.chat_template import load_tokenizer

        return exporter.mask(load_tokenizer(self.tokenizer), self.tokenizer)


def holds(rows: Iterator[Row], wanted: Sequence[Wanted], stored: Iterator[dict[str, Any]]) -> Result:
    """Whether the Parquet files hold the rows that were checked, to the last digit."""
    result = Result(HOLDS, "The Parquet files hold the rows that were checked, to the last digit.", None)
    for row, want, there in zip(rows, wanted, stored, strict=True):
        result.rows += 1
        if canonical_json(_known(row.record)) != canonical_json(there):
            result.failures.append(Failure(row.place, want.episode_id, "the Parquet file alters it"))
    return result


def _known(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}
