"""label: keep episodes by what readers said of them in ``view --review``."""

from collections import defaultdict
from typing import ClassVar

from pydantic import field_validator

from eops_traj.errors import UnknownName
from eops_traj.filter.rules import Names, Rows, SetStep
from eops_traj.review.labels import latest
from eops_traj.schema import LABELS


class Label(SetStep):
    """Keep an episode where every reader who labelled it said one of ``one_of``, by their last word.

    Labels of the episode as a whole count, not those of its turns. ``readers`` asks some readers alone. What
    none of them labelled is dropped, unless ``unlabelled`` keeps it.
    """

    reads_labels: ClassVar[bool] = True
    one_of: Names
    readers: Names | None = None
    unlabelled: bool = False

    @field_validator("one_of")
    @classmethod
    def _known(cls, values: list[str]) -> list[str]:
        for value in values:
            if value not in LABELS:
                raise ValueError(str(UnknownName("label", value, LABELS)))
        return values

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop what a reader said something else of, with who said what."""
        said: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for label in latest(rows.labels):
            if label.turn is None and (self.readers is None or label.reader in self.readers):
                said[label.episode_id].append((label.value, label.reader))
        reasons = {i: self._reason(said.get(i, [])) for i in rows.ids}
        return {i: reason for i, reason in reasons.items() if reason is not None}

    def _reason(self, said: list[tuple[str, str]]) -> str | None:
        """Return why an episode is dropped; None where it is kept."""
        if not said:
            return None if self.unlabelled else "no reader labelled it"
        others = [f"{value} by {reader}" for value, reader in said if value not in self.one_of]
        return ", ".join(others) or None
