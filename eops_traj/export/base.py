"""The base classes of export formats: the contract of :mod:`eops_traj.export.run` with ``exporters/``."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from eops_traj.bundle import EpisodeBundle
from eops_traj.config import Settings
from eops_traj.errors import InputError
from eops_traj.export.checks import CHECKS, Check, Row
from eops_traj.export.fitness import Fitness
from eops_traj.export.unread_calls import UNREAD, all_read, made_arguments, written_arguments
from eops_traj.schema import Episode
from eops_traj.workers.engine import HERE

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from eops_traj.export.row_masks import LossMask


class Options(Settings):
    """The options of a format, set as ``key=value``; this one has none."""

    def recorded(self) -> dict[str, Any]:
        """Return the options as certificate and card name them, every default filled in."""
        return self.model_dump(mode="json")


class Exporter(ABC):
    """A format: it writes episodes, and reads them back for the checks.

    An exporter writes one export. ``counts`` tells how episodes became rows, where a row is not simply an
    episode; card and certificate repeat it. ``engine`` is where work that takes long may be done.
    """

    title: ClassVar[str]
    trains: ClassVar[bool] = True
    """True where a row is something to train on, which has a loss mask."""
    teaches: ClassVar[bool] = True
    """True where the data is for training, of any kind: nothing held out goes in unasked."""
    imitates: ClassVar[bool] = True
    """True where a row is an episode to imitate as it stands, and so has to have ended well."""
    keeps_reasoning: ClassVar[bool] = True
    """True where a row has a place for the reasoning of a reply."""
    keeps_written: ClassVar[bool] = False
    """True where a row has what the model wrote as arguments beside what was read of it, salvaged or not."""
    takes: ClassVar[type[Options]] = Options
    """The options that the format takes."""
    features: ClassVar[tuple[dict[str, Any], ...] | None] = None
    """The columns as ``datasets`` writes them in a card, where it reads the format; the card pins them."""
    data_files: ClassVar[str] = "data/*.jsonl"
    """The data files that the format writes, as a glob within the folder."""

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format; with ``reasoning``, replies carry what the endpoint gave of theirs."""
        self.options, self.reasoning = options or self.takes(), reasoning
        self.counts: Counter[str] = Counter()
        self.fitness = Fitness()
        self.engine = HERE

    @abstractmethod
    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the episodes; return for each row, in the order of :meth:`read`, the id of its episode.

        Where a row is made of several episodes, it is named after the first. Raises InputError where the
        episodes result in no row.
        """

    @abstractmethod
    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the rows as the files hold them."""

    def searched(self, row: Row) -> Any:
        """Return the JSON value that is searched for the secrets of a row: all that stands in it."""
        return row.record

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every row, by the name in the certificate; a new set for each inspection."""
        return CHECKS

    def every_check(self) -> Mapping[str, Check]:
        """Return the checks of what the format may teach, and its own."""
        return {**self.fitness.checks(teaches=self.teaches, imitates=self.imitates), **self.checks()}

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> "LossMask | None":
        """Return the mask of the tokens that carry loss; None where a row is no text for a model.

        Raises InputError for a tokenizer that the rows cannot be rendered with.
        """
        if not self.trains:
            return None
        from eops_traj.export.row_masks import ConversationMask

        return ConversationMask.of(tokenizer, name)

    def parts(self, bundle: EpisodeBundle) -> list[EpisodeBundle]:
        """Return what of an episode each of its rows holds, in their order; here it is the whole."""
        return [bundle]

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return name and arguments of every tool call, as the rows must give them back."""
        arguments = written_arguments if self.keeps_written else made_arguments
        return [(call.name, arguments(call)) for call in episode.tool_calls()]

    def files(self, folder: Path) -> list[Path]:
        """Return the data files that were written into a folder of ours, in a fixed order."""
        return sorted(folder.glob(self.data_files))

    def file_names(self, folder: Path) -> tuple[str, ...]:
        """Return the paths of the data files within the folder, as a certificate and a card name them."""
        return tuple(path.relative_to(folder).as_posix() for path in self.files(folder))

    def count_rows(self, path: Path) -> int:
        """Count the rows of a data file: its lines. Raises FormatError where they cannot be counted."""
        with path.open("rb") as lines:
            return sum(1 for _ in lines)


def data_lines(folder: Path, files: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the lines of data files, each with its place: the path within the folder, and the number."""
    for path in files:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                yield f"{path.relative_to(folder).as_posix()}:{number}", line


class JsonLines(Exporter):
    """Formats with one row a line of JSON, which ``datasets`` reads too."""

    @abstractmethod
    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds."""

    def write_lines(self, records: Iterable[dict[str, Any]], folder: Path) -> None:
        """Write ``data/train.jsonl``, one record a line."""
        (folder / "data").mkdir()
        with (folder / "data" / "train.jsonl").open("w", encoding="utf-8", newline="\n") as lines:
            for record in records:
                lines.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")

    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the rows, in the order of the lines."""
        for place, line in data_lines(folder, self.files(folder)):
            yield self.row(place, json.loads(line))


class ChatLines(JsonLines):
    """Formats with one conversation a line: an episode is a row, but for formats that say otherwise."""

    keeps_raw: ClassVar[bool] = False
    """True where a row has a place for arguments that could not be read; elsewhere it is left out."""

    @abstractmethod
    def record(self, bundle: EpisodeBundle) -> dict[str, Any]:
        """Return the line of an episode; :meth:`row` undoes it."""

    def conversations(self, bundle: EpisodeBundle) -> list[EpisodeBundle]:
        """Return the conversations of an episode, each of which may be a row; here it is the whole."""
        return [bundle]

    def parts(self, bundle: EpisodeBundle) -> list[EpisodeBundle]:
        """Return the conversations that rows hold."""
        return [one for one in self.conversations(bundle) if self.keeps_raw or all_read(one.episode)]

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write ``data/train.jsonl``, a line for each part of an episode. Raises InputError without any."""
        written: list[str] = []

        def records() -> Iterator[dict[str, Any]]:
            for bundle in bundles:
                for part in self._counted_parts(bundle):
                    written.append(part.episode.episode_id)
                    yield self.record(part)

        self.write_lines(records(), folder)
        if not written and (left := self.counts[UNREAD]):
            raise InputError(f"no row to write: {left} {UNREAD}")
        return written

    def _counted_parts(self, bundle: EpisodeBundle) -> list[EpisodeBundle]:
        """Return the parts of an episode, and count where they are several, or fewer than there were."""
        parts = self.parts(bundle)
        if len(parts) > 1:
            self.counts["episodes with a row for each of several conversations"] += 1
        if left := len(self.conversations(bundle)) - len(parts):
            self.counts[UNREAD] += left
        return parts
