"""Where a store is, and can be: deltalake copes with most folders, and trips over a few signs in names."""

import re
from pathlib import Path

from eops_traj.errors import StoreError
from eops_traj.untrusted.terminal import visible

_REFUSED = re.compile(r"%[0-9A-Fa-f]{2}|[\\\[\]^|\x00-\x1f\x7f]")
"""What deltalake 1.6 decodes once too often, takes for a separator, or panics at."""


_SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl", "file")
"""The object stores that deltalake reaches; it says of any other scheme that no table is there."""


def one_spelling(url: str) -> str:
    """Return a folder as it is, and the URL of an object store in one of its spellings: ``S3A`` is ``s3``.

    What waits here for a store is kept by its URL. Raises StoreError for any other URL, naming the choices.
    """
    scheme, is_url, rest = url.partition("://")
    if not is_url:
        return url
    if scheme.lower() not in _SCHEMES:
        choices = ", ".join(f"{name}://" for name in _SCHEMES)
        raise StoreError(f"no store can be at {visible(url)}: give a folder, or a URL with {choices}")
    return f"{scheme.lower().replace('s3a', 's3')}://{rest}"


def store_name(url: str) -> str:
    """Return what a store is called in what is passed on: its folder's name, since the location is private.

    A store that is no folder is called by its URL.
    """
    return url if "://" in url else Path(url).resolve().name


def require_place(folder: Path) -> None:
    """Check that deltalake can have a table in this folder. Raises StoreError, naming what is in its way."""
    place = str(folder.resolve())
    if found := _REFUSED.search(place):
        raise StoreError(
            f"no store can be in {visible(place)}: Delta tables take no {visible(found[0])} in a folder's "
            "name; rename the folder"
        )


def holds_store(folder: Path) -> bool:
    """Check whether a folder is a trajectory store, whole or not."""
    return (folder / "episodes" / "_delta_log").is_dir()
