"""Where a store can be: deltalake copes with most folders, and trips over a few signs in their names."""

import re
from pathlib import Path

from eops_traj.errors import StoreError
from eops_traj.untrusted.terminal import visible

_REFUSED = re.compile(r"%[0-9A-Fa-f]{2}|[\\\[\]^|\x00-\x1f\x7f]")
"""What deltalake 1.6 decodes once too often, takes for a separator, or panics at."""


def require_place(folder: Path) -> None:
    """Check that deltalake can have a table in this folder. Raises StoreError, naming what is in its way."""
    place = str(folder.resolve())
    if found := _REFUSED.search(place):
        raise StoreError(
            f"no store can be in {visible(place)}: Delta tables take no {visible(found[0])} in a folder's "
            "name; rename the folder"
        )
