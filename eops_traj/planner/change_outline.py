"""What changed, without what each run draws anew: whether two plans did the same can be told by it.

The gym's clock advances with every call and ids are drawn by it, so that one look-up more gives new rows
other ids and other times. Rows that were made are known by their table and by what is in them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.hashing import digest
from eops_traj.planner.mentioned_values import is_stamp
from eops_traj.schema import Change

NEW, STAMP = "(new)", "(now)"
_LONG = 8
"""The length from which an id is told from other texts wherever it stands."""


def change_outline(changes: Iterable[Change]) -> str:
    """Return a digest of changed rows in any order, to which drawn ids and times of now are alike."""
    changes = list(changes)
    made = (change for change in changes if change.operation == "insert")
    new = {str(value) for change in made for value in _row(change.key).values()}
    long = sorted((text for text in new if len(text) >= _LONG), key=len, reverse=True)
    inside = re.compile("|".join(map(re.escape, long))) if long else None

    def plain(name: str, value: Any) -> Any:
        if isinstance(value, str):
            if is_stamp(value):
                return STAMP
            value = inside.sub(NEW, value) if inside else value
        return NEW if str(value) in new and name.endswith(("id", "_by", "_to")) else value

    def row(text: str | None) -> dict[str, Any]:
        return {name: plain(name, value) for name, value in _row(text).items()}

    return digest(sorted(digest(c.server, c.table, c.operation, row(c.key), row(c.after)) for c in changes))


def _row(text: str | None) -> Mapping[str, Any]:
    return dict(json.loads(text or "{}"))
