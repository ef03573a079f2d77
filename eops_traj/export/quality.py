"""The quality of an export as training data: splits, outcomes, duplicates, and what pairs give away."""

import dataclasses
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.export.base import Exporter
from eops_traj.export.certified_copy import certified_copy
from eops_traj.export.checks import MESSAGES, Row
from eops_traj.export.decisions import prefix_hash
from eops_traj.export.pair_quality import PairQuality, measure_pairs
from eops_traj.hashing import digest
from eops_traj.schema import PASSED
from eops_traj.tasks.splits import TRAIN, held_out_counts, spoken

CONTENT = (*MESSAGES, "label", "conversations", "task", "prompt_ids", "completion_ids")
"""The columns by which rows are duplicates; the rest says where they are from."""


@dataclass(frozen=True)
class Quality:
    """The figures of an export."""

    format: str
    rows: int
    rows_by: dict[str, dict[str, int]]
    """By split, outcome, domain and feasibility."""
    duplicates: int | None
    """Rows of which one before them says the same; None where ids and times are all through the rows."""
    row_length: int | None
    """The median length of a row's conversation in characters; None where rows lack the request's text."""
    pairs: PairQuality | None
    problems: list[str]
    """What makes it unfit to train on, a sentence each."""

    def figures(self) -> list[dict[str, Any]]:
        """Return the figures a row each, for people."""
        counted = {
            f"rows by {fact}": ", ".join(f"{value} {n}" for value, n in counts.items())
            for fact, counts in self.rows_by.items()
        }
        length = {"median length, characters": self.row_length} if self.row_length is not None else {}
        known = {"duplicates": self.duplicates} if self.duplicates is not None else {}
        named = {**counted, **known, **length, **_pair_figures(self.pairs)}
        return [{"figure": name, "value": value} for name, value in named.items()]

    def as_json(self) -> dict[str, Any]:
        """Return everything for machines."""
        return dataclasses.asdict(self)


def _pair_figures(pairs: PairQuality | None) -> dict[str, Any]:
    if pairs is None:
        return {}
    return {
        "median length of chosen, rejected": f"{pairs.chosen_length:g}, {pairs.rejected_length:g}",
        "rejected shorter, longer": f"{pairs.rejected_shorter:.0%}, {pairs.rejected_longer:.0%}",
        "AUC of a length rule": str(pairs.length),
        **{f"AUC of a bag of words, by {auc.groups}": str(auc) for auc in pairs.bag_of_words},
        "one-line refusals, chosen, rejected": f"{pairs.chosen_refusals:.0%}, {pairs.rejected_refusals:.0%}",
        "rejected refusals like a parser's": pairs.parser_refusals,
    }


def export_quality(folder: Path, splits: Collection[str] = (TRAIN,)) -> Quality:
    """Measure the export in a folder. ``splits`` are those that may be in it.

    Raises InputError where the data may not be read, or is not of its format.
    """
    with certified_copy(folder) as copy:
        format, rows_by = copy.certificate.format, copy.certificate.rows_by
        try:
            return measure_quality(format, copy.exporter, copy.exporter.read(copy.folder), rows_by, splits)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why = f"{type(error).__name__}: {str(error)[:200]}"
            raise FormatError(f"{folder}: its rows are not of format {format} ({why})") from error


def measure_quality(
    format: str,
    exporter: Exporter,
    rows: Iterable[Row],
    rows_by: dict[str, dict[str, int]],
    splits: Collection[str] = (TRAIN,),
) -> Quality:
    """Measure rows as the files of a format give them back."""
    seen, count, lengths, pairs = set[str | None](), 0, list[int](), list[dict[str, Any]]()
    for row in rows:
        count += 1
        seen.add(_content(row))
        if any(message["role"] == "user" for message in row.messages):  # else they are for the checks alone
            lengths.append(sum(len(str(message.get("content") or "")) for message in row.messages))
        if "chosen" in row.record and "rejected" in row.record:
            pairs.append({name: row.record.get(name) for name in ("task_id", "domain", "chosen", "rejected")})
    measured = measure_pairs(pairs) if pairs else None
    problems = [*_unfit(exporter, rows_by, splits), *(measured.problems() if measured else ())]
    length = round(median(lengths)) if lengths and len(lengths) == count else None
    duplicates = None if None in seen else count - len(seen)
    return Quality(format, count, rows_by, duplicates, length, measured, problems)


def _content(row: Row) -> str | None:
    """Return a digest of what a row says; None where no column is known that holds it."""
    content = {name: row.record[name] for name in CONTENT if row.record.get(name) is not None}
    said = {name: _said(content[name]) for name in MESSAGES if name in content}
    return digest(content | said) if content else None


def _said(messages: Any) -> Any:
    """Return a hash of chat messages, whatever ids an endpoint drew for their calls."""
    return prefix_hash(messages, ()) if isinstance(messages, list) else messages


def _unfit(exporter: Exporter, rows_by: dict[str, dict[str, int]], splits: Collection[str]) -> list[str]:
    """Return what must not be learnt from: held-out rows, and failures to imitate."""
    problems = []
    if exporter.teaches and (held_out := held_out_counts(rows_by.get("split", {}), splits)):
        problems.append(f"held-out rows: {spoken(held_out)}")
    failed = {name: n for name, n in rows_by.get("outcome", {}).items() if name not in PASSED}
    if exporter.imitates and failed:
        problems.append(f"rows to imitate that did not end well: {spoken(failed)}")
    return problems
