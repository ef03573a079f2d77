"""Export a selection: data in a format, a certificate of what was checked, a card that says what it is.

::

    OUT/certificate.json   what was checked, and how it went
    OUT/README.md          the dataset card
    OUT/data/train.jsonl   the rows (a format may lay its files out otherwise)

Everything is written beside ``OUT`` under a temporary name and renamed at the end. Where a check fails the
folder becomes ``OUT.failed``, so that the rows can be looked at while nobody trains on them by mistake.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj import __version__
from eops_traj.bundle import EpisodeBundle
from eops_traj.config import checked
from eops_traj.errors import InputError, StoreError, UnknownName, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.card import CARD, Card, Tally
from eops_traj.export.certificate import CERTIFICATE, Certificate, Lengths, Result, content_hash, inspect
from eops_traj.export.checks import Expected
from eops_traj.instances import load
from eops_traj.schema import Prompt, Run, Selection, ToolSet
from eops_traj.store.store import Store

if TYPE_CHECKING:
    from eops_traj.export.row_masks import Mask

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Makes a progress bar from a title and a total; the bar is moved on by a number of steps."""


@contextmanager
def no_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar that shows nothing."""
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

    def run(self, progress: Progress = no_progress) -> Certificate:
        """Write, check and publish the data; returns its certificate.

        Raises InputError, with nothing written: an unknown format, option or selection, a selection that
        comes to no row, a folder that is not empty, a tokenizer that cannot be trained on. Raises WorkError
        where a check failed.
        """
        exporter = self._exporter()
        _check_free(self.out)
        mask = self._mask(exporter)
        with Store.open(self.store) as store:
            selection = store.selection(self.selection)
            if not selection.kept():
                raise InputError(f"selection {self.selection!r} is empty: every episode was dropped")
            with workshop(self.out) as folder:
                tally, wanted = write_rows(exporter, store, selection, folder, progress)
                card = Card(
                    self.out.name,
                    exporter,
                    selection,
                    store_name(self.store),
                    self.licence,
                    tally,
                    len(wanted),
                )
                certificate = self._certify(card, wanted, mask, folder, progress)
                place = _publish(folder, self.out, certificate)
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

    def _mask(self, exporter: Exporter) -> "Mask | None":
        """How the format puts loss on tokens, with the tokenizer given."""
        if self.tokenizer is None:
            return None
        from eops_traj.llm.chat_template import load_tokenizer

        return exporter.mask(load_tokenizer(self.tokenizer), self.tokenizer)

    def _certify(
        self, card: Card, wanted: list[Expected], mask: "Mask | None", folder: Path, progress: Progress
    ) -> Certificate:
        """Check the data in a folder, and write card and certificate beside it."""
        exporter = card.exporter
        (folder / CARD).write_text(card.render(), encoding="utf-8")
        with progress("checking", len(wanted)) as done:
            results, lengths = inspect(exporter, folder, wanted, mask, done)
        files, found = (folder, exporter.data_files), (results, lengths)
        certificate = certified(card, self.format, len(wanted), files, self.tokenizer, found)
        (folder / CARD).write_text(card.render(certificate), encoding="utf-8")
        (folder / CERTIFICATE).write_text(certificate.to_json(), encoding="utf-8")
        return certificate


def certified(
    card: Card,
    format: str,
    rows: int,
    files: tuple[Path, str],
    tokenizer: str | None,
    found: tuple[tuple[Result, ...], Lengths | None],
) -> Certificate:
    """The certificate of the data files that a folder and a glob name, after what :func:`inspect` found."""
    folder, data_files = files
    results, lengths = found
    return Certificate(
        format=format,
        rows=rows,
        content_hash=content_hash(folder, data_files),
        data_files=data_files,
        store=card.store,
        store_version=card.selection.store_version,
        selection=card.selection.name,
        options=card.exporter.options.recorded(),
        counts=dict(card.exporter.counts),
        eops_traj=__version__,
        tokenizer=tokenizer,
        lengths=lengths.summary() if lengths else None,
        results=results,
    )


def write_rows(
    exporter: Exporter, store: Store, selection: Selection, folder: Path, progress: Progress
) -> tuple[Tally, list[Expected]]:
    """Write the data, counting on the way; returns what each row must hold, in the order of reading."""
    tally, wanted = Tally(), {}

    def counted(chosen: Iterable[EpisodeBundle], done: Callable[[int], None]) -> Iterator[EpisodeBundle]:
        for sample in chosen:
            tally.add(sample)
            wanted[sample.episode.episode_id] = Expected.of(sample.episode, exporter.calls(sample.episode))
            yield sample
            done(1)

    with progress("writing", len(selection.kept())) as done:
        written = exporter.write(
            counted(samples(store, selection.kept(), selection.store_version), done), folder
        )
    missing = len(selection.kept()) - len(wanted)
    if missing:
        raise StoreError(f"{missing} episodes of selection {selection.name!r} are not in {store.url}")
    return tally, [wanted[episode_id] for episode_id in written]


def samples(
    store: Store, ids: Iterable[str] | None = None, version: int | None = None
) -> Iterator[EpisodeBundle]:
    """Episodes with what they refer to, as of a version, in the store's order; all without ``ids``."""
    prompts: dict[str, Prompt] = {}
    toolsets: dict[str, ToolSet] = {}
    runs: dict[str, Run | None] = {}
    for episode in store.episodes(ids, version):
        if episode.prompt_hash not in prompts:
            text = store.prompt(episode.prompt_hash)
            prompts[episode.prompt_hash] = Prompt(prompt_hash=episode.prompt_hash, text=text)
        if episode.toolset_hash not in toolsets:
            toolsets[episode.toolset_hash] = store.toolset(episode.toolset_hash)
        if episode.run_id not in runs:
            runs[episode.run_id] = _run(store, episode.run_id)
        found = (prompts[episode.prompt_hash], toolsets[episode.toolset_hash], runs[episode.run_id])
        yield EpisodeBundle(episode, *found)


def _run(store: Store, run_id: str) -> Run | None:
    """A run; None where the store has episodes of it but no record, which keeps no episode from going out."""
    try:
        return store.run(run_id)
    except UnknownName:
        return None


def store_name(store: str) -> str:
    """The store's URL; of a local store its folder's name, since where it lies is nobody else's business."""
    return store if "://" in store else Path(store).resolve().name


def _check_free(out: Path) -> None:
    if out.is_dir() and any(out.iterdir()):
        raise InputError(f"{out} is not empty; choose another folder")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is not a folder")


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside ``out`` to work in; what is left of it in the end is removed."""
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.absolute().parent, prefix=f".{out.name}.") as temporary:
        folder = Path(temporary) / out.name
        folder.mkdir()
        yield folder


def _publish(folder: Path, out: Path, certificate: Certificate) -> Path:
    """Give the folder its final name, or that of a failed export, in the place of an earlier failed one."""
    if not certificate.failed():
        return folder.rename(out)
    failed = out.with_name(out.name + ".failed")
    if (failed / CERTIFICATE).is_file():
        shutil.rmtree(failed)
    return folder.rename(failed)


def _complaint(certificate: Certificate, place: Path) -> str:
    """Which rows failed which check, the first few by name."""
    parts = []
    for result in certificate.failed():
        shown = "; ".join(f"{f.row} ({f.episode_id}): {f.why}" for f in result.failures[:3])
        more = f" and {len(result.failures) - 3} more" if len(result.failures) > 3 else ""
        parts.append(f"{result.check} failed on {len(result.failures)} of {result.rows} rows: {shown}{more}")
    return ". ".join([*parts, f"The data is in {place}, with every failure in its {CERTIFICATE}"])
