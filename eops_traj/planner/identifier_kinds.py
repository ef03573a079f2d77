"""The kind of record that an identifier identifies: ``contact_id`` a contact, ``assigned_to`` a user.

Numbers of one kind of record meet those of another by chance (contact 7, case 7), so a number is taken from
an earlier result only where both fields name the same kind. The schemas of the gym's servers tell the kind;
of any other server there is only the name.
"""

import re
from functools import lru_cache

from eops_traj.errors import UnknownName
from eops_traj.gym import registry

_IDENTIFIER = re.compile(r"(?P<record>[A-Za-z]\w*?)(?:_[iI]ds?|Ids?)")

_PART = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def normalized_name(name: str) -> str:
    """Normalize a field's name: ``userId`` and ``user_id`` are one, singular and plural too."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).rstrip("s")


def is_identifier(name: str) -> bool:
    """Check whether a field is named as an identifier: ``id``, ``user_id``, ``teamId``."""
    return name == "id" or _IDENTIFIER.fullmatch(name) is not None


def record_kind(server: str | None, name: str) -> str | None:
    """Return the kind of record that a server's field or argument identifies; None where unknown."""
    columns, parts = _columns(server or ""), _PART.findall(name)
    for start in range(len(parts)):
        if table := columns.get(normalized_name("".join(parts[start:]))):
            return f"{server} {table}"
    named = _IDENTIFIER.fullmatch(name)
    return f"{server} {normalized_name(named['record'])}" if named else None


@lru_cache(maxsize=64)
def _columns(server: str) -> dict[str, str]:
    """Map each column of a server's schema to the table it refers to; to "" where it refers to several."""
    try:
        tables = registry.server(server).schema.tables.values()
    except UnknownName:
        return {}
    kinds: dict[str, str] = {}
    for column in (column for table in tables for column in table.columns.values()):
        alone = column.key and len(next(t for t in tables if t.name == column.table).key) == 1
        target = column.table if alone else column.references[0] if column.references else None
        if target is not None:
            known = kinds.setdefault(normalized_name(column.name), target)
            kinds[normalized_name(column.name)] = target if known == target else ""
    return kinds
