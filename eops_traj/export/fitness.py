"""What an export may teach: of the splits that were asked for, and for imitation only what ended well.

Both hold twice: of the selection, before a row is written, with a line that says what to add; and of every
row, in the certificate.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.export.checks import Check, CheckedRow
from eops_traj.schema import PASSED, Selection
from eops_traj.tasks.splits import TRAIN, held_out_counts, split_name, spoken

if TYPE_CHECKING:
    from eops_traj.store.store import Store

RULES = '"- verified: {label: strict}" or "- outcome: {one_of: [success, safe_refusal]}"'
"""The rules on outcomes that a message offers."""
FOR_IMITATION, FOR_ANY_OUTCOME = "sft", "nemo_gym"
"""The formats that a next command names: a row of the second may have ended anyhow, it has its reward."""


@dataclass(frozen=True)
class Fitness:
    """What the rows of one export may be of; None where everything may be."""

    splits: frozenset[str] | None = frozenset({TRAIN})
    """The splits of tasks that were asked for."""
    outcomes: frozenset[str] | None = PASSED
    """The outcomes of episodes that may be imitated."""

    def checks(self, *, teaches: bool, imitates: bool) -> Mapping[str, Check]:
        """Return the checks of every row of a format that is for training, or for imitation."""
        split = {"split_asked_for": self.split_asked_for} if teaches else {}
        return split | ({"outcome_to_imitate": self.outcome_to_imitate} if imitates else {})

    def split_asked_for(self, checked: CheckedRow) -> str | None:
        """The row's task is of the training split, or of one that was asked for by name."""
        split = checked.expected.facts.get("split", "unknown")
        return None if self.splits is None or split in self.splits else f"its task is of split {split}"

    def outcome_to_imitate(self, checked: CheckedRow) -> str | None:
        """The row's episode ended well, or as a rule of the selection named it."""
        outcome = checked.expected.facts.get("outcome", "unknown")
        return None if self.outcomes is None or outcome in self.outcomes else f"it ended in {outcome}"


EVERYTHING = Fitness(None, None)
"""For what is no training data, or is kept apart by others."""


def fit_selection(fitness: Fitness, store: "Store", selection: Selection, *, imitates: bool) -> Fitness:
    """Return what may be taught of a selection, with the outcomes that its rules name.

    Raises InputError for held-out episodes that were not asked for; for imitation also where no rule is on
    outcomes, or where an episode ended otherwise than well and no rule names how.
    """
    splits, outcomes = _counts(store, selection)
    held_out = held_out_counts(splits, fitness.splits) if fitness.splits is not None else {}
    if held_out:
        asked = " ".join(f"--split {name}" for name in (TRAIN, *held_out))
        raise InputError(
            f"selection {selection.name!r} has held-out episodes: {spoken(held_out)}; filter with"
            f' "- split: {{one_of: train}}", or ask for them by name: {asked}'
        )
    if not imitates:
        return replace(fitness, outcomes=None)
    named = named_outcomes(selection)
    if named is None:
        raise InputError(
            f"selection {selection.name!r} has no rule on outcomes, and its episodes are imitated"
            f" ({spoken(dict(sorted(outcomes.items())))}): add {RULES}"
        )
    if unfit := {name: n for name, n in sorted(outcomes.items()) if name not in named}:
        raise InputError(f"selection {selection.name!r} is imitated, and has {spoken(unfit)}: add {RULES}")
    return replace(fitness, outcomes=named)


def fitting_export(
    selection: Selection, kept: Collection[tuple[str | None, str]]
) -> tuple[str, tuple[str, ...]]:
    """Return a format that takes a selection as it stands, and the splits that it has to be asked for by.

    ``kept`` are the splits and outcomes of its episodes. No split has to be named where all are of train.
    """
    named, outcomes = named_outcomes(selection), {outcome for _, outcome in kept}
    splits = tuple(sorted({split_name(split) for split, _ in kept}))
    fits = named is not None and outcomes <= named
    return FOR_IMITATION if fits else FOR_ANY_OUTCOME, () if splits == (TRAIN,) else splits


def named_outcomes(selection: Selection) -> frozenset[str] | None:
    """Return the outcomes that a selection's rules let imitate; None where no rule is on outcomes."""
    rules = list(_rules(selection))
    if not any(name in ("outcome", "verified") for name, _ in rules):
        return None
    return PASSED.union(*(parameters["one_of"] for name, parameters in rules if name == "outcome"))


def _rules(selection: Selection) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for entry in json.loads(selection.config)["rules"]:
        yield next(iter(entry.items()))


def _counts(store: "Store", selection: Selection) -> tuple[Counter[str], Counter[str]]:
    """Count the episodes that a selection keeps, by split and by outcome."""
    import polars as pl

    kept = pl.col("episode_id").is_in(pl.Series(selection.kept(), dtype=pl.String).implode())
    rows = store.scan(selection.store_version).filter(kept).select("split", "outcome").collect()
    splits, outcomes = Counter[str](), Counter[str]()
    for split, outcome in rows.iter_rows():
        splits[split_name(split)] += 1
        outcomes[outcome] += 1
    return splits, outcomes
