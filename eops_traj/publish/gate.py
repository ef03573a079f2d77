"""The gate: the checks that can keep a row from going out, by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eops_traj.export.run import Progress
from eops_traj.publish.content_scan import ContentScanner, Searched
from eops_traj.publish.episode_facts import SelectionFacts
from eops_traj.publish.leak_gate import HeldOutTasks, check_leaks, check_splits
from eops_traj.publish.licence_gate import LicenceGate
from eops_traj.publish.policy import PublishPolicy
from eops_traj.publish.split_export import DatasetPart
from eops_traj.publish.synthetic_values import SeedKey
from eops_traj.workers.engine import HERE, Engine

TOGETHER = 64
"""Rows that a worker is given to search at once."""
CHECKS = {
    "certificate": "every check of the format passed on every row",
    "secrets": "nothing has the shape of a key or token",
    "personal_data": "nothing has the shape of personal data, but what is made up",
    "licences": "the terms of every source model and of the tasks' texts allow it",
    "held_out": "no row gives a held-out task away",
}
MAX_NAMED = 3
"""Stops of a check that a message names."""


class Stop(NamedTuple):
    """A row that must not go out, with the reason, which does not repeat the content.

    Of a file that describes the dataset, ``field`` is the name; it is of no configuration, split or row.
    """

    check: str
    config: str
    split: str
    row: int
    """Its number in the split, counted from 0 as ``datasets`` counts."""
    episode_id: str
    field: str
    why: str

    def __str__(self) -> str:
        if not self.config:
            return f"{self.field}: {self.why}"
        place = f"{self.config}/{self.split} row {self.row} (episode {self.episode_id})"
        return f"{place}, {self.field}: {self.why}"


@dataclass
class GateReport:
    """The result of the gate."""

    rows: int = 0
    stops: list[Stop] = field(default_factory=list)
    held_against: str = ""

    def table(self) -> list[dict[str, Any]]:
        """Return the checks, a row each."""
        counts = {name: sum(stop.check == name for stop in self.stops) for name in CHECKS}
        return [
            {
                "check": name,
                "status": "stopped" if n else "passed",
                "rows": self.rows,
                "stops": n,
                "asks": CHECKS[name],
            }
            for name, n in counts.items()
        ]

    def complaint(self) -> str:
        """Name the first rows of every check that stopped."""
        parts = []
        for name in CHECKS:
            stops = [stop for stop in self.stops if stop.check == name]
            more = f" and {len(stops) - MAX_NAMED} more" if len(stops) > MAX_NAMED else ""
            parts += [f"{name}: {'; '.join(map(str, stops[:MAX_NAMED]))}{more}"] if stops else []
        return f"not published. {'. '.join(parts)}"


@dataclass(frozen=True)
class PublishGate:
    """The checks over the parts of a dataset."""

    policy: PublishPolicy
    facts: SelectionFacts
    held_out: HeldOutTasks | None
    """The tasks that rows to train on are compared with; None for an evaluation, held out as a whole."""
    licence: str
    """The licence that the dataset is to have, an SPDX expression."""
    engine: Engine = HERE
    """Where rows are searched."""

    def check(self, parts: Sequence[DatasetPart], progress: Progress) -> GateReport:
        """Check every row of every part."""
        report = GateReport(sum(part.shards.rows for part in parts), held_against=self._held_against())
        scanner = ContentScanner(self.policy.allow)
        with progress("gate", report.rows) as done:
            for part in parts:
                report.stops += [*_certificate(part), *self._licences(part), *self._leaks(part)]
                report.stops += self._texts(part, scanner)
                done(part.shards.rows)
        return report

    def check_descriptions(self, files: Mapping[str, str]) -> Iterator[Stop]:
        """Yield what must not go out of files about the dataset, by name: they tell more than its rows do."""
        scanner = ContentScanner(self.policy.allow)
        seeds = frozenset().union(*(episode.seeds for episode in self.facts.episodes.values()))
        for name, text in files.items():
            for finding in scanner.findings(Searched(text, seeds)):
                yield Stop(finding.check, "", "", 0, "", name, finding.kind)

    def _held_against(self) -> str:
        if self.held_out is None:
            return "nothing: all of it is held out"
        return f"{len(self.held_out.index.tasks)} held-out tasks of {self.held_out.source}"

    def _texts(self, part: DatasetPart, scanner: ContentScanner) -> Iterator[Stop]:
        rows = zip(part.rows(), part.sources, strict=True)
        searched = (Searched(row.record, self._seeds(episode_ids)) for row, episode_ids in rows)
        for number, findings in enumerate(self.engine.map(scanner.findings, searched, TOGETHER)):
            for finding in findings:
                yield _stop(finding.check, part, number, finding.field, finding.kind)

    def _seeds(self, episode_ids: Iterable[str]) -> frozenset[SeedKey]:
        """Return the seed databases behind a row."""
        known = (self.facts.episodes[i] for i in episode_ids if i in self.facts.episodes)
        return frozenset().union(*(episode.seeds for episode in known))

    def _licences(self, part: DatasetPart) -> Iterator[Stop]:
        for number, column, why in LicenceGate(self.policy, self.licence).check(part, self.facts.episodes):
            yield _stop("licences", part, number, column, why)

    def _leaks(self, part: DatasetPart) -> Iterator[Stop]:
        leaks = list(check_splits(part, self.facts.episodes, self.held_out is None))
        if self.held_out is not None and not leaks:
            leaks = list(check_leaks(self.held_out.compare(part)))
        yield from (_stop("held_out", part, *leak) for leak in leaks)


def _certificate(part: DatasetPart) -> Iterator[Stop]:
    """Yield the rows that failed a check of their format; for secrets, a check of ours names the field."""
    for result in part.certificate.failed():
        if result.check == "no_secrets":
            continue
        for row in result.failures:
            number = int(row.row.rpartition(":")[2]) - 1  # lines count from 1
            yield Stop("certificate", part.config, part.split, number, row.episode_id, result.check, row.why)


def _stop(check: str, part: DatasetPart, number: int, field: str, why: str) -> Stop:
    return Stop(check, part.config, part.split, number, part.episodes[number], field, why)
