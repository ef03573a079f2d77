"""The base classes of exporters to foreign formats: with our own key if it has room, and a loss report."""

import base64
import json
import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

from eops_traj.bundle import EpisodeBundle, build_run
from eops_traj.export.base import ChatLines, Exporter, Options
from eops_traj.export.checks import Row
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.episode_from_conversation import with_failure_modes
from eops_traj.interchange.extension_key import KEY, extension
from eops_traj.interchange.loss_report import LOSS, Losses
from eops_traj.interchange.reader import Reader, Record
from eops_traj.messages import as_asked
from eops_traj.schema import Turn

EPISODES, LOST = "episodes", f"fields of which values are lost, see {LOSS}"
"""The counts of an export in a format of exchange, as certificate and card name them."""


class ExchangeExporter(Exporter):
    """A format that others and we read: each record is read back as written, to count what is lost."""

    name: ClassVar[str]
    """The format's name, which is its reader's."""
    room: ClassVar[bool] = True
    """True where a record has room for a key of our own."""

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format; with ``reasoning``, replies carry what the endpoint gave of theirs."""
        super().__init__(options, reasoning=reasoning)
        self.losses = Losses()
        self._reader: Reader | None = None

    @abstractmethod
    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the record of an episode in the format's own terms."""

    @property
    def reader(self) -> Reader:
        """The format's reader."""
        if self._reader is None:
            self._reader = cast(Reader, open_importer(self.name))
        return self._reader

    def extended(self, record: Record, ours: Any) -> Record:
        """Return a record with the values under our own key."""
        return {**record, KEY: ours}

    def record(self, bundle: EpisodeBundle) -> Record:
        """Return the record, with our own key where there is room; count what is lost by it."""
        stored = storable(bundle, self.reasoning)
        whole, record = with_run(bundle), self.document(replace(stored, episode=as_asked(stored.episode)))
        bare = self.reader.bare(_through_json(record))
        stranger = with_failure_modes(bare)
        if not self.room:
            self.losses.add(whole, stranger, stranger)
            return record
        record = self.extended(record, extension(with_run(stored), bare))
        self.losses.add(whole, stranger, self.reader.episode(_through_json(record)))
        return record

    def searched(self, row: Row) -> Any:
        """Return the row with its changeset as text: in base64, random bytes have the shape of many a key."""
        rest, ours = self.reader.extension(row.record)
        episode = ours.get("episode", {}) if ours else {}
        if not (coded := episode.get("changeset")):
            return row.record
        changeset = base64.b64decode(coded).decode("utf-8", "replace")
        return [rest, {**ours, "episode": {**episode, "changeset": changeset}}]

    def report(self, folder: Path) -> None:
        """Write the loss report beside the data, and put the number of its fields into the certificate."""
        self.losses.save(folder / LOSS, self.name)
        self.counts[EPISODES] = self.losses.episodes
        self.counts[LOST] = sum(row["lost"] > 0 for row in self.losses.rows())


class ExchangeLines(ExchangeExporter, ChatLines):
    """Exchange formats with an episode a line."""

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write ``data/train.jsonl``, and the report of what it does not hold."""
        written = super().write(bundles, folder)
        self.report(folder)
        return written


def with_run(bundle: EpisodeBundle) -> EpisodeBundle:
    """Return an episode with all its records; a run that was not stored is known by its id alone."""
    episode = bundle.episode
    run = bundle.run or build_run("import", {"source": episode.source}, run_id=episode.run_id)
    return replace(bundle, run=run)


def storable(bundle: EpisodeBundle, reasoning: bool) -> EpisodeBundle:
    """Return the bundle without unwanted reasoning, and without logprobs that JSON cannot hold (-inf)."""
    turns = tuple(_holdable(turn, reasoning) for turn in bundle.episode.turns)
    return replace(bundle, episode=replace(bundle.episode, turns=turns))


def _holdable(turn: Turn, reasoning: bool) -> Turn:
    if turn.reasoning is not None and not reasoning:
        turn = replace(turn, reasoning=None)
    if turn.logprobs is not None and not all(map(math.isfinite, turn.logprobs)):
        turn = replace(turn, logprobs=None)
    return turn


def decoded_arguments(text: str) -> Any:
    """Return the arguments as an object where the text is one, else the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _through_json(record: Record) -> Record:
    """Return the record as a file gives it back."""
    value: Record = json.loads(json.dumps(record, ensure_ascii=False, allow_nan=False))
    return value
