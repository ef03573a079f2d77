"""Export a selection: data in a format, a certificate of its checks, a card that describes it.

::

    OUT/certificate.json   what was checked, and how it went
    OUT/README.md          the dataset card
    OUT/data/train.jsonl   the rows (a format may lay its files out otherwise)

Everything is written beside ``OUT`` under a temporary name and renamed at the end. Where a check fails the
folder becomes ``OUT.failed``: the rows can be inspected, and are not trained on by mistake.
"""

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj import __version__
from eops_traj.bundle import EpisodeBundle
from eops_traj.config import checked
from eops_traj.errors import InputError, StoreError, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.card import CARD, Card, EpisodeCounts
from eops_traj.export.certificate import (
    CERTIFICATE,
    Certificate,
    CheckResult,
    RowFailure,
    TokenLengths,
    check_rows,
    count_rows_by,
)
from eops_traj.export.checks import ExpectedRow
from eops_traj.export.data_files import DataFile, content_hash, describe_file
from eops_traj.export.fitness import EVERYTHING, Fitness, fit_selection
from eops_traj.export.quality import measure_quality
from eops_traj.files import put_in_place, require_no_file, with_a_name, work_folder
from eops_traj.instances import load
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.schema import Label, Selection
from eops_traj.store.place import store_name
from eops_traj.store.records import with_records
from eops_traj.store.store import Store
from eops_traj.tasks.splits import TRAIN, check_split_names
from eops_traj.workers.engine import HERE, Engine

if TYPE_CHECKING:
    from eops_traj.export.row_masks import LossMask

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""A function that makes a progress bar from a title and a total; the bar advances by a number of steps."""


@contextmanager
def hidden_progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a progress bar that shows nothing."""
    yield lambda steps: None


@dataclass(frozen=True)
class Export:
    """What to export, and where to; ``options`` are those of the format."""

    format: str
    store: str
    selection: str
    out: Path
    tokenizer: str | None = None
    reasoning: bool = False
    licence: str = "unknown"
    options: Mapping[str, Any] = field(default_factory=dict)
    splits: tuple[str, ...] = (TRAIN,)
    """The splits of tasks that are asked for, where the format is for training."""
    engine: Engine = HERE
    """Where plans are proven and secrets looked for."""

    def run(self, progress: Progress = hidden_progress) -> Certificate:
        """Write, check and publish the data; return its certificate.

        Raises InputError, with nothing written: an unknown format, option or selection, a selection that
        results in no row or is not fit to train on, a folder that is not empty, a tokenizer that cannot be
        trained on. Raises WorkError where a check failed.
        """
        exporter, out = self._exporter(), with_a_name(self.out)
        _check_free(out)
        mask = self._mask(exporter)
        with Store.open(self.store) as store:
            selection = store.selection(self.selection)
            if not selection.kept():
                raise InputError(f"selection {self.selection!r} is empty: every episode was dropped")
            exporter.engine = self.engine
            exporter.fitness = self._fitness(exporter, store, selection)
            with work_folder(out) as folder:
                tally, expected = write_rows(exporter, store, selection, folder, progress)
                card = Card(
                    out.name,
                    exporter,
                    selection,
                    store_name(self.store),
                    self.licence,
                    tally,
                    len(expected),
                    exporter.file_names(folder),
                )
                certificate = self._certify(card, expected, mask, folder, progress)
                place = _publish(folder, out, certificate)
        if certificate.failed():
            raise WorkError(_complaint(certificate, place))
        return certificate

    def _exporter(self) -> Exporter:
        cls: type[Exporter] = load("format", self.format)
        if self.reasoning and not cls.keeps_reasoning:
            raise InputError(f"{self.format} holds no reasoning of its own; leave --reasoning out")
        if self.options and not cls.takes.model_fields:
            raise InputError(f"{self.format} takes no options, not {', '.join(self.options)}")
        return cls(checked(cls.takes, self.options, f"format {self.format}"), reasoning=self.reasoning)

    def _fitness(self, exporter: Exporter, store: Store, selection: Selection) -> Fitness:
        """Return what the export may teach. Raises InputError where the selection has something else."""
        check_split_names(self.splits)
        asked = Fitness(frozenset(self.splits)) if exporter.teaches else EVERYTHING
        return fit_selection(asked, store, selection, imitates=exporter.imitates)

    def _mask(self, exporter: Exporter) -> "LossMask | None":
        """Return the format's mask of tokens with loss, with the tokenizer given."""
        if self.tokenizer is None:
            return None
        from eops_traj.llm.chat_template import load_tokenizer

        return exporter.mask(load_tokenizer(self.tokenizer), self.tokenizer)

    def _certify(
        self,
        card: Card,
        expected: list[ExpectedRow],
        mask: "LossMask | None",
        folder: Path,
        progress: Progress,
    ) -> Certificate:
        """Check the data in a folder, and write card and certificate beside it."""
        exporter = card.exporter
        (folder / CARD).write_text(card.render(), encoding="utf-8")
        with progress("checking", len(expected)) as done:
            results = check_rows(exporter, folder, expected, mask, done)
        _check_card(card, results[0])
        files = [describe_file(folder, name, exporter.count_rows(folder / name)) for name in card.files]
        rows_by = count_rows_by(expected)
        certificate = make_certificate(card, self.format, files, self.tokenizer, results, rows_by)
        quality = measure_quality(self.format, exporter, exporter.read(folder), rows_by, self.splits)
        (folder / CARD).write_text(card.render(certificate, quality), encoding="utf-8")
        (folder / CERTIFICATE).write_text(certificate.to_json(), encoding="utf-8")
        return certificate


def make_certificate(
    card: Card,
    format: str,
    files: Sequence[DataFile],
    tokenizer: str | None,
    checked: tuple[tuple[CheckResult, ...], TokenLengths | None],
    rows_by: dict[str, dict[str, int]],
) -> Certificate:
    """Make the certificate of data files, after :func:`check_rows`."""
    results, lengths = checked
    return Certificate(
        format=format,
        rows=card.rows,
        content_hash=content_hash((file.name, file.sha256) for file in files),
        data_files=tuple(files),
        store=card.store,
        store_version=card.selection.store_version,
        selection=card.selection.name,
        options=card.exporter.options.recorded(),
        counts=dict(card.exporter.counts),
        rows_by=rows_by,
        eops_traj=__version__,
        tokenizer=tokenizer,
        lengths=lengths.summary() if lengths else None,
        results=results,
    )


def _check_card(card: Card, results: Sequence[CheckResult]) -> None:
    """Let ``no_secrets`` fail on the card, which tells of the episodes what no row does."""
    kinds = secret_kinds(card.render())
    for result in results:
        if kinds and result.check == "no_secrets":
            result.failures.append(RowFailure(CARD, "no episode", ", ".join(kinds)))


def write_rows(
    exporter: Exporter, store: Store, selection: Selection, folder: Path, progress: Progress
) -> tuple[EpisodeCounts, list[ExpectedRow]]:
    """Write the data and count it; return what each row must hold, in the order of reading."""
    tally, expected = EpisodeCounts(), dict[str, list[ExpectedRow]]()

    def counted(chosen: Iterable[EpisodeBundle], done: Callable[[int], None]) -> Iterator[EpisodeBundle]:
        for bundle in chosen:
            tally.add(bundle)
            expected[bundle.episode.episode_id] = [
                ExpectedRow.of(part.episode, exporter.calls(part.episode)) for part in exporter.parts(bundle)
            ]
            yield bundle
            done(1)

    with progress("writing", len(selection.kept())) as done:
        written = exporter.write(
            counted(episode_bundles(store, selection.kept(), selection.store_version), done), folder
        )
    missing = len(selection.kept()) - len(expected)
    if missing:
        raise StoreError(f"{missing} episodes of selection {selection.name!r} are not in {store.url}")
    return tally, list(_in_turn(expected, written))


def _in_turn(expected: Mapping[str, list[ExpectedRow]], written: Iterable[str]) -> Iterator[ExpectedRow]:
    """Yield what each row must hold: of an episode with several parts, one after the other."""
    seen: Counter[str] = Counter()
    for episode_id in written:
        parts = expected[episode_id]
        yield parts[seen[episode_id] % len(parts)]
        seen[episode_id] += 1


def episode_bundles(
    store: Store, ids: Iterable[str] | None = None, version: int | None = None
) -> Iterator[EpisodeBundle]:
    """Yield episodes with their records, as of a version, in the store's order; all without ``ids``."""
    labels: dict[str, list[Label]] = defaultdict(list)
    for label in store.labels():
        labels[label.episode_id].append(label)
    for episode, prompt, toolset, run in with_records(store, store.episodes(ids, version)):
        yield EpisodeBundle(episode, prompt, toolset, run, tuple(labels.get(episode.episode_id, ())))


def _check_free(out: Path) -> None:
    if out.is_dir() and any(out.iterdir()):
        raise InputError(f"{out} is not empty; choose another folder")
    require_no_file(out)
    failed = _failed(out)
    if failed.exists() and not (failed / CERTIFICATE).is_file():
        raise InputError(f"{failed} is no failed export of ours, whose name it has; move it away")


def _failed(out: Path) -> Path:
    """Return the folder of the data where a check failed."""
    return out.with_name(out.name + ".failed")


def _publish(folder: Path, out: Path, certificate: Certificate) -> Path:
    """Give the folder its final name, or that of a failed export, replacing an earlier failed one."""
    if not certificate.failed():
        return put_in_place(folder, out)
    failed = _failed(out)
    if (failed / CERTIFICATE).is_file():
        shutil.rmtree(failed)
    return folder.rename(failed)


def _complaint(certificate: Certificate, place: Path) -> str:
    """Describe which rows failed which check, the first few by name."""
    parts = []
    for result in certificate.failed():
        rows = "; ".join(f"{f.row} ({f.episode_id}): {f.why}" for f in result.failures[:3])
        more = f" and {len(result.failures) - 3} more" if len(result.failures) > 3 else ""
        parts.append(f"{result.check} failed on {len(result.failures)} of {result.rows} rows: {rows}{more}")
    return ". ".join([*parts, f"The data is in {place}, with every failure in its {CERTIFICATE}"])
