"""``certificate.json`` as it is read: typed, and held against itself and against the format that it names.

A certificate is not signed: it proves to whoever trusts it that the data files are those that were checked.
Whoever can rewrite it can certify anything, so its own SHA-256 is printed, to be noted elsewhere and pinned.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, NonNegativeInt, ValidationError, field_validator, model_validator

from eops_traj.config import Settings, problems
from eops_traj.errors import FormatError, InputError
from eops_traj.export.base import Exporter
from eops_traj.export.certificate import CERTIFICATE, COUNTED, MAY_BE_SKIPPED, VERSION
from eops_traj.export.data_files import DataFile, Sha256, content_hash, open_plain
from eops_traj.instances import load
from eops_traj.untrusted.json_text import parse_json

MOST = 2**24
"""The most bytes of a certificate; those that passed have a few thousand."""


class Strict(Settings):
    """What is in a certificate: every value is of its type, and nothing is read as if it were another."""

    model_config = ConfigDict(strict=True)


class FailureEntry(Strict):
    """A row that failed a check."""

    row: str
    episode_id: str
    why: str


class CheckEntry(Strict):
    """The result of a check."""

    check: str = Field(pattern="^[a-z0-9_]+$")
    status: Literal["passed", "failed", "not run"]
    asks: str
    not_run: str | None
    rows: NonNegativeInt
    failures: list[FailureEntry]

    @model_validator(mode="after")
    def _agrees(self) -> "CheckEntry":
        status = "not run" if self.not_run else "failed" if self.failures else "passed"
        if status != self.status:
            raise ValueError(f"it says {self.status!r}, and the rest of it {status!r}")
        if self.not_run and self.rows:
            raise ValueError(f"it was not run, and {self.rows} rows were checked")
        return self


class CertificateFile(Strict):
    """A certificate. Of version 1, ``data_files`` is the glob of the format, and ``version`` is left out.

    Those before version 3 do not count rows by split.
    """

    version: Literal[1, 2, 3] = 1
    passed: bool
    format: str
    rows: NonNegativeInt
    content_hash: Sha256
    data_files: list[DataFile] | str
    store: str
    store_version: int
    selection: str
    options: dict[str, Any]
    counts: dict[str, int]
    rows_by: dict[str, dict[str, NonNegativeInt]] = Field(default_factory=dict)
    eops_traj: str
    tokenizer: str | None
    lengths: dict[str, Any] | None
    checks: list[CheckEntry] = Field(min_length=1)

    @field_validator("version", mode="before")
    @classmethod
    def _is_whole(cls, version: Any) -> Any:
        if type(version) is not int:  # 3.0 and true equal a version
            raise ValueError("a version is a whole number")
        return version

    @model_validator(mode="after")
    def _agrees(self) -> "CertificateFile":
        if (self.version > 1) == isinstance(self.data_files, str):
            raise ValueError(f"version {self.version} names its data files otherwise")
        if not isinstance(self.data_files, str):
            if len({file.name for file in self.data_files}) < len(self.data_files):
                raise ValueError("it names a data file twice")
            if sum(file.rows for file in self.data_files) != self.rows:
                raise ValueError(f"its data files do not have {self.rows} rows together")
            if content_hash((file.name, file.sha256) for file in self.data_files) != self.content_hash:
                raise ValueError("its content_hash is not that of its data files")
        if set(self.rows_by) != (set(COUNTED) if self.version == VERSION else set()):
            raise ValueError(f"version {self.version} counts its rows otherwise")
        if wrong := [fact for fact, counts in self.rows_by.items() if sum(counts.values()) != self.rows]:
            raise ValueError(f"its rows by {', '.join(wrong)} are not {self.rows} together")
        return self

    def exporter(self) -> Exporter:
        """Make an exporter of the format. Raises UnknownName for a format that there is none of."""
        cls: type[Exporter] = load("format", self.format)
        return cls()

    def objections(self) -> Iterator[str]:
        """Yield why the data may not be read: every check of its format has to have passed on every row."""
        if failed := [entry.check for entry in self.checks if entry.status == "failed"]:
            yield f"its rows failed {', '.join(failed)}"
        elif not self.passed:
            yield "it did not pass"
        counted = Counter(entry.check for entry in self.checks)
        if twice := [name for name, count in counted.items() if count > 1]:
            yield f"it has {', '.join(twice)} twice"
        exporter = self.exporter()
        if lacking := sorted(exporter.every_check().keys() - counted.keys()):
            yield f"its rows were not checked for {', '.join(lacking)}"
        for entry in self.checks:
            yield from self._incomplete(entry, exporter)

    def _incomplete(self, entry: CheckEntry, exporter: Exporter) -> Iterator[str]:
        if entry.not_run is None:
            if entry.rows != self.rows:
                yield f"{entry.check} was run on {entry.rows} of {self.rows} rows"
        elif entry.check not in MAY_BE_SKIPPED:
            yield f"{entry.check} was not run"
        elif entry.check == "loss_mask" and exporter.trains and self.tokenizer is not None:
            yield "loss_mask was not run, although there was a tokenizer"


def read_certificate(folder: Path, pinned: str | None = None) -> CertificateFile:
    """Read the certificate of an export, of which every check passed.

    ``pinned`` is its SHA-256, where that is known. Raises InputError where there is no certificate, where it
    is another one or malformed, or where the data may not be read.
    """
    text = _read(folder)
    if pinned is not None and (actual := hashlib.sha256(text).hexdigest()) != pinned.lower():
        raise InputError(f"{folder / CERTIFICATE} has the SHA-256 {actual}, not {pinned}")
    try:
        certificate = CertificateFile.model_validate(parse_json(text, MOST))
    except ValidationError as error:
        wrong = "; ".join(problem.replace("file: Value error, ", "") for problem in problems(error)[:3])
        raise FormatError(f"{folder / CERTIFICATE} is no certificate: {wrong}") from error
    except FormatError as error:
        raise FormatError(f"{folder / CERTIFICATE}: {error}") from error
    if objections := list(certificate.objections()):
        raise InputError(f"{folder} may not be read: {'; '.join(objections)}")
    return certificate


def _read(folder: Path) -> bytes:
    try:
        with open_plain(folder, CERTIFICATE) as file:
            return file.read(MOST + 1)
    except FormatError as error:
        raise InputError(f"{folder} is no export: {error}; `eops-traj export FORMAT` makes one") from error
