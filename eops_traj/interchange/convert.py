"""Convert a store, or files of a format, into a store, or files of another, and report what is lost.

Everything is written beside ``OUT`` under a temporary name and renamed at the end, so that a conversion that
fails leaves nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import tee
from pathlib import Path
from typing import Any, TypeVar

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.reverify import count_episodes
from eops_traj.errors import FormatError, InputError, UnknownName, WorkError
from eops_traj.export.base import Exporter
from eops_traj.export.certified_copy import certified_paths
from eops_traj.export.checks import secrets_of
from eops_traj.export.run import Progress, episode_bundles, hidden_progress
from eops_traj.files import put_in_place, require_no_file, with_a_name, work_folder
from eops_traj.instances import choices, load
from eops_traj.interchange.base import KIND, exchange_formats, open_importer
from eops_traj.interchange.import_files import append_bundles, read_file
from eops_traj.interchange.loss_report import Losses
from eops_traj.interchange.reader import SUFFIXES, data_files, records
from eops_traj.interchange.writer import ExchangeExporter, with_run
from eops_traj.privacy.redact import SECRET_VARIABLES, scrub
from eops_traj.store.place import holds_store
from eops_traj.store.store import Store
from eops_traj.workers.engine import Engine

TOGETHER = 64
"""Episodes that a worker is given to scrub at once."""
STORE = "store"
"""The name of a store among the formats."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class ConversionResult:
    """The result of a conversion: how many episodes were read, how many twice, and what was lost."""

    source: str
    target: str
    out: Path
    episodes: int
    known: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)

    def head(self) -> dict[str, Any]:
        """Return the facts other than the fields."""
        head: dict[str, Any] = {"from": self.source, "to": self.target, "out": str(self.out)}
        head |= {"episodes": self.episodes, **self.counts}
        return head | ({"stored once, although there more often": self.known} if self.known else {})


@dataclass(frozen=True)
class Conversion:
    """A conversion to run; a format that is not given is recognised from the files."""

    source: Path | str
    """A path, or the URL of a store."""
    out: Path
    from_: str | None = None
    to: str | None = None
    progress: Progress = hidden_progress
    workers: int = 1
    """Processes that look for secrets, in what is read and in what was written."""

    def run(self) -> ConversionResult:
        """Convert.

        Raises InputError (FormatError, StoreError) with nothing written: formats or files that are
        unknown, unreadable or empty, an ``OUT`` that is there or has another format's suffix. Raises
        WorkError, with nothing written, where a record holds what has the shape of a secret.
        """
        if is_url(self.out):
            raise InputError(f"{self.out} is a URL; convert into a folder, or `eops-traj import` files")
        if is_url(self.source):
            return self._run()
        with certified_paths([Path(self.source)]) as [path]:
            return replace(self, source=path)._run()

    def _run(self) -> ConversionResult:
        """Convert what is what its certificate says, or has none."""
        source, target = self._formats()
        self._check_free()
        with _reading(self.source, source, self.progress) as bundles:
            scrubbed = partial(_scrubbed, variables=frozenset(SECRET_VARIABLES))
            clean = self._engine.map(scrubbed, bundles, TOGETHER)
            if target == STORE:
                return self._store(source, clean)
            return self._files(source, target, clean)

    @property
    def _engine(self) -> Engine:
        return Engine(self.workers)  # of this machine: others do not know the keys of its environment

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
        if target != STORE:
            self._check_suffix(target)
        return source, target

    def _check_suffix(self, target: str) -> None:
        """Raise InputError for a file of a suffix by which no one would read what the format writes."""
        exporter: type[ExchangeExporter] = load("format", target)
        own = Path(exporter.data_files).suffix
        if self.out.suffix in SUFFIXES and self.out.suffix != own:
            name = self.out.with_suffix(own).name
            raise InputError(f"{target} is written as {own}, not {self.out.suffix}; name {name}")

    def _check_free(self) -> None:
        if self.out.is_dir() and any(self.out.iterdir()):
            raise InputError(f"{self.out} is not empty; choose another folder")
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"{self.out} exists; choose another name")
        require_no_file(self.out.parent)

    def _store(self, source: str, bundles: Iterable[EpisodeBundle]) -> ConversionResult:
        """Write a store."""
        read = new = 0
        with work_folder(self.out) as folder:
            with Store.open(folder, create=True) as store:
                for bundle in bundles:
                    new += append_bundles(store, [with_run(bundle)])
                    read += 1
            _check_not_empty(read, self.source)
            put_in_place(folder, self.out)
        return ConversionResult(source, STORE, self.out, read, read - new)

    def _files(self, source: str, target: str, bundles: Iterable[EpisodeBundle]) -> ConversionResult:
        """Write files of a format."""
        exporter: ExchangeExporter = load("format", target)(reasoning=True)
        with work_folder(self.out) as folder:
            exporter.write(bundles, folder)
            _check_not_empty(exporter.losses.episodes, self.source)
            _check_secrets(exporter, folder, self._engine)
            if self.out.suffix in SUFFIXES:
                self._place(exporter.files(folder))
            else:
                put_in_place(folder, self.out)
        losses, counts = exporter.losses, dict(exporter.counts)
        return ConversionResult(source, target, self.out, losses.episodes, counts=counts, losses=losses)

    def _place(self, files: list[Path]) -> None:
        """Move the one data file to its path, and beside it what NeMo Gym keeps apart."""
        ending = "_failures"
        apart = [path for path in files if path.stem.endswith(ending)]
        main = [path for path in files if path not in apart]
        if len(main) > 1:
            raise InputError(f"{len(main)} episodes make as many files; let {self.out.name} be a folder")
        out = with_a_name(self.out)  # what a link leads to may be on another disk, where the files are
        beside = out.with_stem(out.stem + ending)
        if apart and beside.exists():
            raise InputError(f"{beside} exists; choose another name")
        for path, name in [*((path, beside) for path in apart), *((path, out) for path in main)]:
            path.rename(name)


@contextmanager
def _reading(path: Path | str, name: str, progress: Progress) -> Iterator[Iterable[EpisodeBundle]]:
    """Open the episodes of a store, or of files, each read whole before the next."""
    if name == STORE:
        with Store.open(path) as store, progress("converting episodes", count_episodes(store)) as done:
            yield _counted(episode_bundles(store), done)
        return
    importer = open_importer(name)
    files = importer.files([Path(path)])
    with progress("converting files", len(files)) as done:
        yield (bundle for file in _counted(files, done) for bundle in read_file(file, importer))


def _scrubbed(bundle: EpisodeBundle, variables: frozenset[str]) -> EpisodeBundle:
    """Scrub an episode; another process was not told which ``variables`` of its environment are secret."""
    SECRET_VARIABLES.update(variables)
    return scrub(bundle)


def _counted(items: Iterable[Item], done: Callable[[int], None]) -> Iterator[Item]:
    """Yield the items, each counted when the next one is asked for."""
    for item in items:
        yield item
        done(1)


def _check_not_empty(episodes: int, source: Path | str) -> None:
    if not episodes:
        raise InputError(f"{source} holds no episode")


def _check_secrets(exporter: Exporter, folder: Path, engine: Engine) -> None:
    """Raise WorkError naming the rows in which something has the shape of a key or token."""
    rows, ahead = tee(exporter.read(folder))
    found = zip(rows, secrets_of(map(exporter.searched, ahead), engine), strict=True)
    leaks = [(row.place, kinds) for row, kinds in found if kinds]
    if leaks:
        named = "; ".join(f"{place}: {', '.join(kinds)}" for place, kinds in leaks[:3])
        more = f" and {len(leaks) - 3} more" if len(leaks) > 3 else ""
        raise WorkError(f"what has the shape of a secret is in {len(leaks)} records: {named}{more}")


def is_url(path: Path | str) -> bool:
    """Check for a URL; a path has lost one of its slashes."""
    return re.match(r"\w+:/", str(path)) is not None


def is_store(path: Path | str) -> bool:
    """Check whether a folder or URL is a trajectory store. Raises StoreError for a URL out of reach."""
    if is_url(path):
        return Store(str(path)).tables["episodes"].exists()
    return holds_store(Path(path))


def recognise(path: Path | str) -> str:
    """Return the format of a store, an export's folder, or files: a name of a source, or ``store``.

    The first record of the first file decides. Raises FormatError for a path that is missing, holds no
    file, or holds one that is not JSON; InputError for a record of no format that is known, naming the
    choices.
    """
    if is_store(path):
        return STORE
    if is_url(path):
        raise InputError(f"no store at {path}; of other things, a file or folder is converted")
    first = data_files([Path(path)])[0]
    place, record = next(records(first), (str(first), None))
    if record is None:
        raise FormatError(f"{place} is empty")
    for name in choices(KIND):
        if isinstance(record, dict) and open_importer(name).recognises(record):
            return name
    known = ", ".join([STORE, *choices(KIND)])
    raise InputError(f"{place} is of no known format; say which with --from: {known}")
