"""Convert: a store, or files of a format, into a store, or files of another, and what is lost on the way.

Everything is written beside ``OUT`` under a temporary name and renamed at the end, so that a conversion that
fails leaves nothing.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError, UnknownName, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.run import samples, workshop
from eops_traj.instances import choices, load
from eops_traj.interchange.base import KIND, exchange_formats, open_importer
from eops_traj.interchange.detect import STORE, is_store, recognise
from eops_traj.interchange.loss_report import Losses
from eops_traj.interchange.reader import SUFFIXES
from eops_traj.privacy.redact import scrub
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.store.store import Store

if TYPE_CHECKING:
    from eops_traj.interchange.writer import Exchange


@dataclass(frozen=True)
class Converted:
    """What a conversion did: how many episodes were read, how many again, and what was lost."""

    source: str
    target: str
    out: Path
    episodes: int
    known: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)

    def head(self) -> dict[str, Any]:
        """The facts but for the fields."""
        head: dict[str, Any] = {"from": self.source, "to": self.target, "out": str(self.out)}
        head |= {"episodes": self.episodes, **self.counts}
        return head | ({"stored once, although there more often": self.known} if self.known else {})


@dataclass(frozen=True)
class Conversion:
    """What to convert, and into what; a format that is not given is told from the files."""

    source: Path
    out: Path
    from_: str | None = None
    to: str | None = None

    def run(self) -> Converted:
        """Convert.

        Raises InputError (FormatError, StoreError) with nothing written: formats or files that are
        unknown, unreadable or empty, an ``OUT`` that is there. Raises WorkError, with nothing written,
        where a record holds what has the shape of a secret.
        """
        source, target = self._formats()
        self._check_free()
        with _reading(self.source, source) as found:
            whole = (scrub(sample) for sample in found)
            if target == STORE:
                return self._store(source, whole)
            return self._files(source, target, whole)

    def _formats(self) -> tuple[str, str]:
        sources, formats = choices(KIND), exchange_formats()
        if self.from_ not in (None, STORE, *sources):
            raise UnknownName("format", self.from_, [STORE, *sources])
        if self.to not in (None, STORE, *formats):
            raise UnknownName("format", self.to, [STORE, *formats])
        source = self.from_ or recognise(self.source)
        if source == STORE and not is_store(self.source):
            raise InputError(f"no store at {self.source}")
        target = self.to or (STORE if source != STORE and self.out.suffix not in SUFFIXES else None)
        if target is None:
            raise InputError(f"say with --to what {self.out} is to be: {', '.join(formats)}")
        if source == target == STORE:
            raise InputError(f"{self.source} is a store already; say with --to what to make of it")
        return source, target

    def _check_free(self) -> None:
        if self.out.is_dir() and any(self.out.iterdir()):
            raise InputError(f"{self.out} is not empty; choose another folder")
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"{self.out} exists; choose another name")

    def _store(self, source: str, found: Iterable[EpisodeBundle]) -> Converted:
        """Write a store."""
        read = new = 0
        with workshop(self.out) as folder:
            with Store.open(folder, create=True) as store:
                for sample in found:
                    new += _append(store, sample)
                    read += 1
            _some(read, self.source)
            folder.rename(self.out)
        return Converted(source, STORE, self.out, read, read - new)

    def _files(self, source: str, target: str, found: Iterable[EpisodeBundle]) -> Converted:
        """Write files of a format."""
        exporter: "Exchange" = load("format", target)(reasoning=True)
        with workshop(self.out) as folder:
            exporter.write(found, folder)
            _some(exporter.losses.episodes, self.source)
            _check_secrets(exporter, folder)
            if self.out.suffix in SUFFIXES:
                self._place(exporter.files(folder))
            else:
                folder.rename(self.out)
        losses, counts = exporter.losses, dict(exporter.counts)
        return Converted(source, target, self.out, losses.episodes, counts=counts, losses=losses)

    def _place(self, files: list[Path]) -> None:
        """Put the one data file in its place, and beside it what NeMo Gym keeps apart."""
        ending = "_failures"
        apart = [path for path in files if path.stem.endswith(ending)]
        whole = [path for path in files if path not in apart]
        if len(whole) > 1:
            raise InputError(f"{len(whole)} episodes make as many files; let {self.out.name} be a folder")
        beside = self.out.with_stem(self.out.stem + ending)
        if apart and beside.exists():
            raise InputError(f"{beside} exists; choose another name")
        for path, name in [*((path, beside) for path in apart), *((path, self.out) for path in whole)]:
            path.rename(name)


@contextmanager
def _reading(path: Path, name: str) -> Iterator[Iterable[EpisodeBundle]]:
    """The episodes of a store, or of files, each read whole before the next."""
    if name == STORE:
        with Store.open(path) as store:
            yield samples(store)
        return
    importer = open_importer(name)
    files = importer.files([path])
    yield (bundle for file in files for bundle in importer.read(file))


def _append(store: Store, sample: EpisodeBundle) -> int:
    from eops_traj.interchange.writer import imported

    found = imported(sample)
    return store.append([found.episode], prompts=[found.prompt], toolsets=[found.toolset], runs=[found.run])


def _some(episodes: int, source: Path) -> None:
    if not episodes:
        raise InputError(f"{source} holds no episode")


def _check_secrets(exporter: Exporter, folder: Path) -> None:
    """Raises WorkError naming the rows in which something has the shape of a key or token."""
    found = [(row.place, kinds) for row in exporter.read(folder) if (kinds := secret_kinds(row.record))]
    if found:
        named = "; ".join(f"{place}: {', '.join(kinds)}" for place, kinds in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        raise WorkError(f"what has the shape of a secret is in {len(found)} records: {named}{more}")
