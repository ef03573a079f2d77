"""The certificate of an export: the checks that were run on every row, their results, and the data.

A check is ``passed``, ``failed``, or ``not run`` with the reason; what was not run is never called passed.
"""

import dataclasses
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import repeat, tee
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from eops_traj.export.base import Exporter, JsonLines
from eops_traj.export.checks import Check, CheckedRow, ExpectedRow, Row, secrets_of
from eops_traj.export.data_files import DataFile
from eops_traj.export.loaded_rows import loaded_rows

if TYPE_CHECKING:
    from eops_traj.export.row_masks import LossMask, TokenCounts

CERTIFICATE = "certificate.json"
"""The certificate's name in the folder of an export."""

VERSION = 3
"""The version of the certificate: since 2 it names every data file, since 3 it counts rows by split."""
COUNTED = ("split", "outcome", "domain", "feasible")
"""The facts by which a certificate counts its rows."""

MAY_BE_SKIPPED = ("reads_as_written", "loss_mask")
"""The checks that a certificate may name as not run."""

LENGTHS = (2048, 8192, 32768, 65536)
"""Context lengths, in tokens, at which the rows that fit are counted."""


@dataclass(frozen=True)
class RowFailure:
    """A row that failed a check."""

    row: str
    episode_id: str
    why: str


@dataclass
class CheckResult:
    """The result of a check so far."""

    check: str
    asks: str
    not_run: str | None
    rows: int = 0
    failures: list[RowFailure] = field(default_factory=list)

    @property
    def status(self) -> str:
        """passed, failed or not run."""
        return "not run" if self.not_run else "failed" if self.failures else "passed"

    def add(self, check: Check, row: CheckedRow) -> None:
        """Check one row."""
        if self.not_run:
            return
        self.rows += 1
        why = check(row)
        if why:
            self.failures.append(RowFailure(row.row.place, row.expected.episode_id, why))


@dataclass
class TokenLengths:
    """The rows' lengths in tokens: of each its longest sequence, rendered whole with its tools."""

    longest: list[int] = field(default_factory=list)
    tokens: int = 0
    with_loss: int = 0

    def add(self, counts: "TokenCounts") -> None:
        """Count one row."""
        self.longest.append(counts.longest)
        self.tokens += counts.tokens
        self.with_loss += counts.with_loss

    def summary(self) -> dict[str, Any]:
        """Return the rows that fit within each of :data:`LENGTHS`, and totals."""
        return {
            "rows_within": {str(n): sum(length <= n for length in self.longest) for n in LENGTHS},
            "rows": len(self.longest),
            "median": median(self.longest) if self.longest else None,
            "longest": max(self.longest, default=None),
            "tokens": self.tokens,
            "tokens_with_loss": self.with_loss,
        }


@dataclass(frozen=True)
class Certificate:
    """The data that was exported, where it is from, and the results of the checks."""

    format: str
    rows: int
    content_hash: str
    data_files: tuple[DataFile, ...]
    store: str
    store_version: int
    selection: str
    options: dict[str, Any]
    counts: dict[str, int]
    rows_by: dict[str, dict[str, int]]
    """The rows by split, outcome, domain and feasibility of the (first) episode behind each."""
    eops_traj: str
    tokenizer: str | None
    lengths: dict[str, Any] | None
    results: tuple[CheckResult, ...]

    def failed(self) -> list[CheckResult]:
        """Return the checks that failed."""
        return [result for result in self.results if result.status == "failed"]

    def table(self) -> list[dict[str, Any]]:
        """Return the checks in short, a row each."""
        return [
            {
                "check": r.check,
                "status": r.status,
                "rows": r.rows,
                "failed": len(r.failures),
                "why": r.not_run,
            }
            for r in self.results
        ]

    def to_json(self) -> str:
        """Render the text of certificate.json."""
        value = dataclasses.asdict(self)
        results = value.pop("results")
        checks = [{"status": r.status, **d} for r, d in zip(self.results, results, strict=True)]
        value["data_files"] = [file.model_dump() for file in self.data_files]
        head = {"version": VERSION, "passed": not self.failed()}
        return json.dumps({**head, **value, "checks": checks}, indent=2) + "\n"

    def digest(self) -> str:
        """Return the SHA-256 of certificate.json, by which others can tell that it is this one."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


def check_rows(
    exporter: Exporter,
    folder: Path,
    expected: Sequence[ExpectedRow],
    mask: "LossMask | None",
    done: Callable[[int], None],
    *,
    unloaded: str | None = None,
) -> tuple[tuple[CheckResult, ...], TokenLengths | None]:
    """Read every row back and check it; ``expected`` is in the order in which the format reads.

    The folder's card must be there already, since ``load_dataset`` learns the columns from it. ``unloaded``
    is the reason why ``load_dataset`` need not read these files. ``done`` is called after each row.
    """
    checks, not_run = exporter.every_check(), _not_run(exporter, mask)
    if unloaded:
        not_run["reads_as_written"] = unloaded
    results = tuple(
        CheckResult(name, str(check.__doc__), not_run.get(name)) for name, check in checks.items()
    )
    lengths = TokenLengths() if mask else None
    read = repeat(None, len(expected))
    with nullcontext(read) if unloaded else loaded_rows(exporter, folder, len(expected)) as loaded:
        rows, ahead = tee(exporter.read(folder))
        secrets = secrets_of(map(exporter.searched, ahead), exporter.engine)
        for row, as_loaded, expectation, kinds in zip(rows, loaded, expected, secrets, strict=True):
            leak = _leak(row, mask, lengths) if mask and lengths else None
            for result in results:
                result.add(checks[result.check], CheckedRow(row, as_loaded, expectation, leak, kinds))
            done(1)
    return results, lengths


def count_rows_by(expected: Iterable[ExpectedRow]) -> dict[str, dict[str, int]]:
    """Count rows by each of the facts about the episodes behind them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in expected:
        for fact, value in row.facts.items():
            counts[fact][value] += 1
    return {fact: dict(sorted(values.items())) for fact, values in counts.items()}


def _not_run(exporter: Exporter, mask: "LossMask | None") -> dict[str, str]:
    """Return the checks that cannot be run, with the reason."""
    reasons = {}
    if not isinstance(exporter, JsonLines):
        reasons["reads_as_written"] = f"load_dataset does not read {exporter.title}"
    elif not find_spec("datasets"):
        reasons["reads_as_written"] = "the datasets library is not installed"
    if not exporter.trains:
        reasons["loss_mask"] = f"{exporter.title} are not rows to train on"
    elif mask is None:
        reasons["loss_mask"] = "no tokenizer was given"
    return reasons


def _leak(row: Row, mask: "LossMask", lengths: TokenLengths) -> str | None:
    """Return the problem with a row's loss mask, if any, and count its tokens."""
    try:
        counts = mask.count_tokens(row)
    except Exception as error:  # noqa: BLE001 - a template raises whatever its author chose
        return f"the chat template refuses it: {error}"
    lengths.add(counts)
    return counts.leak
