"""How episodes are written in a foreign format: with our own key if it has room, and with a loss report."""

import json
import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

from eops_traj.bundle import EpisodeBundle, build_run
from eops_traj.export.base import ChatLines, Exporter, Options
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.episode_from_conversation import diagnosed
from eops_traj.interchange.extension_key import KEY, extension
from eops_traj.interchange.loss_report import LOSS, Losses
from eops_traj.interchange.reader import Reader, Record
from eops_traj.schema import Turn

EPISODES, LOST = "episodes", f"fields of which values are lost, see {LOSS}"
"""What certificate and card say of an export in a format of exchange."""


class Exchange(Exporter):
    """A format that others read, and we: each record is read back as it is written, to count what is lost."""

    name: ClassVar[str]
    """The format's name, which is its reader's."""
    room: ClassVar[bool] = True
    """Whether a record has room for a key of our own."""

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format; with ``reasoning``, replies carry what the endpoint gave of theirs."""
        super().__init__(options, reasoning=reasoning)
        self.losses = Losses()
        self._reader: Reader | None = None

    @abstractmethod
    def document(self, sample: EpisodeBundle) -> Record:
        """The record of an episode in the format's own words."""

    @property
    def reader(self) -> Reader:
        """The format's reader."""
        if self._reader is None:
            self._reader = cast(Reader, open_importer(self.name))
        return self._reader

    def extended(self, record: Record, ours: Any) -> Record:
        """A record with what stands under our own key."""
        return {**record, KEY: ours}

    def record(self, sample: EpisodeBundle) -> Record:
        """The record with all that it alone does not tell, where there is room; counts what is lost by it."""
        shown = holdable(sample, self.reasoning)
        whole, record = imported(sample), self.document(shown)
        bare = self.reader.bare(_through_json(record))
        stranger = diagnosed(bare)
        if not self.room:
            self.losses.add(whole, stranger, stranger)
            return record
        record = self.extended(record, extension(imported(shown), bare))
        self.losses.add(whole, stranger, self.reader.episode(_through_json(record)))
        return record

    def report(self, folder: Path) -> None:
        """Write the loss report beside the data, and put how many fields it names into the certificate."""
        self.losses.save(folder / LOSS, self.name)
        self.counts[EPISODES] = self.losses.episodes
        self.counts[LOST] = sum(row["lost"] > 0 for row in self.losses.rows())


class ExchangeLines(Exchange, ChatLines):
    """Such formats with an episode a line."""

    def write(self, samples: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write ``data/train.jsonl``, and the report of what it does not hold."""
        written = super().write(samples, folder)
        self.report(folder)
        return written


def imported(sample: EpisodeBundle) -> EpisodeBundle:
    """An episode with all that it refers to; a run that nobody kept is known by its id alone."""

    episode = sample.episode
    run = sample.run or build_run("import", {"source": episode.source}, run_id=episode.run_id)
    return replace(sample, run=run)


def holdable(sample: EpisodeBundle, reasoning: bool) -> EpisodeBundle:
    """The sample without reasoning unless it is wanted, and without logprobs that JSON cannot hold (-inf)."""
    turns = tuple(_holdable(turn, reasoning) for turn in sample.episode.turns)
    return replace(sample, episode=replace(sample.episode, turns=turns))


def _holdable(turn: Turn, reasoning: bool) -> Turn:
    if turn.reasoning is not None and not reasoning:
        turn = replace(turn, reasoning=None)
    if turn.logprobs is not None and not all(map(math.isfinite, turn.logprobs)):
        turn = replace(turn, logprobs=None)
    return turn


def _through_json(record: Record) -> Record:
    """The record as a file gives it back."""
    value: Record = json.loads(json.dumps(record, ensure_ascii=False, allow_nan=False))
    return value
