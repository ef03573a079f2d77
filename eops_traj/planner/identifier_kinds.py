"""What an identifier identifies: ``contact_id`` a contact, ``assigned_to`` a user.

Numbers of one kind of record meet those of another by chance (contact 7, case 7), so a number is taken from
an earlier result only where both places name the same kind. Servers of the gym tell by their schemas; of any
other the name is all that there is.
"""

import re
from functools import lru_cache

from eops_traj.errors import UnknownName
from eops_traj.gym import registry

_IDENTIFIER = re.compile(r"(?P<what>[A-Za-z]\w*?)(?:_[iI]ds?|Ids?)")

_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def plain(name: str) -> str:
    """A field's name for comparing: ``userId`` and ``user_id`` are one, singular and plural too."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).rstrip("s")


def is_key(name: str) -> bool:
    """Whether a field is named as an identifier: ``id``, ``user_id``, ``teamId``."""
    return name == "id" or _IDENTIFIER.fullmatch(name) is not None


def kind(server: str | None, name: str) -> str | None:
    """The kind of record that a field or argument of a server identifies; None where it does not tell."""
    columns, parts = _columns(server or ""), _PART.findall(name)
    for start in range(len(parts)):
        if found := columns.get(plain("".join(parts[start:]))):
            return f"{server} {found}"
    named = _IDENTIFIER.fullmatch(name)
    return f"{server} {plain(named['what'])}" if named else None


@lru_cache(maxsize=64)
def _columns(server: str) -> dict[str, str]:
    """The table that each column of a server's schema points into; empty for one that names several."""
    try:
        tables = registry.server(server).schema.tables.values()
    except UnknownName:
        return {}
    found: dict[str, str] = {}
    for column in (column for table in tables for column in table.columns.values()):
        alone = column.key and len(next(t for t in tables if t.name == column.table).key) == 1
        target = column.table if alone else column.references[0] if column.references else None
        if target is not None:
            known = found.setdefault(plain(column.name), target)
            found[plain(column.name)] = target if known == target else ""
    return found
