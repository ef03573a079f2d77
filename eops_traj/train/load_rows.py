"""Rows as ``datasets`` reads them, from files named one by one, with the columns that the format declares."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.export.certified_copy import CertifiedCopy

if TYPE_CHECKING:
    from datasets import Dataset, Features

Column = Mapping[str, Any]


def load_rows(copy: CertifiedCopy, cache: Path) -> "Dataset":
    """Load the rows of certified data; they lie in ``cache`` then, and the copy is no longer needed.

    Raises InputError where the files do not hold the rows that the certificate counts.
    """
    from datasets import load_dataset
    from datasets.exceptions import DatasetGenerationError

    files, columns = [str(path) for path in copy.files], features_of(copy.exporter.features or ())
    try:
        rows = load_dataset("json", data_files=files, features=columns, split="train", cache_dir=str(cache))
    except DatasetGenerationError as error:
        why = str(error.__cause__ or error).partition("\n")[0]
        raise InputError(f"the data is not of format {copy.certificate.format}: {why}") from error
    if len(rows) != copy.certificate.rows:
        raise InputError(f"the data has {len(rows)} rows, and its certificate names {copy.certificate.rows}")
    return rows


def without(rows: "Dataset", numbers: Sequence[int]) -> "Dataset":
    """Return the rows but for those of these numbers, from 1. Raises InputError where none is left."""
    if not numbers:
        return rows
    gone = {number - 1 for number in numbers}
    if not (kept := [i for i in range(len(rows)) if i not in gone]):
        raise InputError(f"each of the {len(rows)} rows is left out: there is nothing to train on")
    return rows.select(kept)


def features_of(columns: Sequence[Column]) -> "Features":
    """Return the columns of a format as ``datasets`` has them, as it reads them in the format's card."""
    from datasets import Features

    return Features({column["name"]: _feature(column) for column in columns})


def _feature(column: Column) -> Any:
    from datasets import Json, List, Value

    if "list" not in column:
        return Value(column["dtype"])
    inner = column["list"]
    if isinstance(inner, str):
        return List(Json() if inner == "json" else Value(inner))
    return List({part["name"]: _feature(part) for part in inner})
