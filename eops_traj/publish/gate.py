"""The gate: everything that keeps a row from going out, by name."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eops_traj.errors import WorkError
from eops_traj.export.run import Progress
from eops_traj.publish.content_scan import Scanner
from eops_traj.publish.episode_facts import Facts
from eops_traj.publish.leak_gate import Guard, check_leaks, check_splits
from eops_traj.publish.policy import Policy
from eops_traj.publish.split_export import EPISODES, Part
from eops_traj.publish.synthetic_values import Seed

CHECKS = {
    "certificate": "every check of the format passed on every row",
    "secrets": "nothing has the shape of a key or token",
    "personal_data": "nothing has the shape of personal data, but what is made up",
    "licences": "the terms of every source model allow it",
    "held_out": "no row gives a held-out task away",
}
SHOWN = 3
"""Stops of a check that a message names."""


class Stop(NamedTuple):
    """A row that must not go out, and why; what was found in it is not repeated."""

    check: str
    config: str
    split: str
    row: int
    """Its number in the split, counted from 0 as ``datasets`` counts."""
    episode_id: str
    field: str
    why: str

    def __str__(self) -> str:
        place = f"{self.config}/{self.split} row {self.row} (episode {self.episode_id})"
        return f"{place}, {self.field}: {self.why}"


@dataclass
class Report:
    """What the gate found."""

    rows: int = 0
    stops: list[Stop] = field(default_factory=list)
    held_against: str = ""

    def table(self) -> list[dict[str, Any]]:
        """The checks, a row each."""
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

    def raise_stops(self) -> None:
        """Raises WorkError that names the first rows of every check that stopped."""
        if not self.stops:
            return
        parts = []
        for name in CHECKS:
            stops = [stop for stop in self.stops if stop.check == name]
            more = f" and {len(stops) - SHOWN} more" if len(stops) > SHOWN else ""
            parts += [f"{name}: {'; '.join(map(str, stops[:SHOWN]))}{more}"] if stops else []
        raise WorkError(f"not published. {'. '.join(parts)}")


@dataclass(frozen=True)
class Gate:
    """The checks over the parts of a dataset."""

    policy: Policy
    facts: Facts
    guard: Guard | None
    """What rows to train on are held against; None for an evaluation, which is held out as a whole."""

    def look(self, parts: Sequence[Part], progress: Progress) -> Report:
        """Every row of every part, through every check."""
        report = Report(sum(part.shards.rows for part in parts), held_against=self._held_against())
        scanner = Scanner(self.policy.allow)
        with progress("gate", report.rows) as done:
            for part in parts:
                report.stops += [*_certificate(part), *self._licences(part), *self._held_out(part)]
                report.stops += self._texts(part, scanner)
                done(part.shards.rows)
        return report

    def _held_against(self) -> str:
        if self.guard is None:
            return "nothing: all of it is held out"
        return f"{len(self.guard.withheld.tasks)} held-out tasks of {self.guard.source}"

    def _texts(self, part: Part, scanner: Scanner) -> Iterator[Stop]:
        for number, row in enumerate(part.rows()):
            for alarm in scanner.alarms(row.record, self._seeds(part.episodes[number], row.record)):
                yield _stop(alarm.check, part, number, alarm.field, alarm.what)

    def _seeds(self, episode_id: str, record: dict[str, Any]) -> frozenset[Seed]:
        """The seed databases behind a row."""
        ids = {episode_id, *record.get("episode_ids", ())}
        return frozenset().union(*(self.facts.episodes[i].seeds for i in ids if i in self.facts.episodes))

    def _licences(self, part: Part) -> Iterator[Stop]:
        """The first row of each model whose terms are unknown, or forbid what the row is for."""
        told = set()
        for number, episode_id in enumerate(part.episodes):
            for model in self.facts.episodes[episode_id].models:
                why = None if model in told else self._forbidden(model, part.config)
                told.add(model)
                if why:
                    yield _stop("licences", part, number, "model", why)

    def _forbidden(self, model: str, config: str) -> str | None:
        terms = self.policy.terms(model)
        if terms is None:
            return (
                f"the licence of {model!r} is unknown; say --model-licence '{model}=SPDX', if it allows this"
            )
        if not terms.publish:
            return f"{terms.licence} keeps the output of {model!r} from being published"
        if config != EPISODES and not terms.train:
            return f"{terms.licence} keeps others from training on what {model!r} says; leave {config} out"
        return None

    def _held_out(self, part: Part) -> Iterator[Stop]:
        found: Iterable[tuple[int, str, str]] = check_splits(part, self.facts.episodes, self.guard is None)
        found = list(found)
        if self.guard is not None and not found:
            found = check_leaks(self.guard.compared(part))
        yield from (_stop("held_out", part, *where) for where in found)


def _certificate(part: Part) -> Iterator[Stop]:
    """The rows that failed a check of their format; for secrets, a check of ours names the field as well."""
    for result in part.certificate.failed():
        if result.check == "no_secrets":
            continue
        for failure in result.failures:
            number = int(failure.row.rpartition(":")[2]) - 1  # lines count from 1
            yield Stop(
                "certificate", part.config, part.split, number, failure.episode_id, result.check, failure.why
            )


def _stop(check: str, part: Part, number: int, field: str, why: str) -> Stop:
    return Stop(check, part.config, part.split, number, part.episodes[number], field, why)
