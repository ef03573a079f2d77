"""Columns and arguments that name another record: as the server's schema says, else by their names."""

import re
from functools import lru_cache

from eops_traj.errors import EopsError

_NAME = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|^(?:assigned_to|owner|manager|parent)$|_(?:by|to|user)$")


def names_a_record(name: str) -> bool:
    """Check whether an argument or a column names another record, by its name alone."""
    return _NAME.search(name) is not None


@lru_cache(maxsize=4096)
def refers(server: str, table: str, column: str) -> bool:
    """Check whether a column names another record; of a server of the gym, its schema knows too."""
    from eops_traj.gym import registry  # an imported episode needs no server

    if names_a_record(column):
        return True
    try:
        known = registry.server(server).schema.tables.get(table)
    except EopsError:  # not one of ours, or one of a user's own that cannot be loaded
        return False
    found = known.columns.get(column) if known else None
    return found is not None and found.references is not None
