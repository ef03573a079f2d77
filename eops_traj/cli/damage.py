"""What a damaged store makes of any command: one line, and an exit code that is not 0."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from eops_traj.cli.console import show_lines
from eops_traj.errors import InputError, StoreWarning


@contextlib.contextmanager
def incomplete_answers() -> Iterator[None]:
    """Print what stores warn of to stderr, each once; a command that ends well exits 1 after it."""
    texts: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", StoreWarning)
        show = warnings.showwarning

        def keep(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
            if issubclass(category, StoreWarning):
                texts[str(message)] = None
            else:
                show(message, category, *rest, **named)

        warnings.showwarning = keep
        try:
            yield
        except SystemExit as leaving:
            if texts and not leaving.code:
                raise SystemExit(1) from leaving
            raise
        finally:
            show_lines(*(f"eops-traj: {' '.join(text.split())}" for text in texts), err=True)


@contextlib.contextmanager
def unreadable_data() -> Iterator[None]:
    """Tell what polars could not read in one line; its panics are no Exception."""
    try:
        yield
    except BaseException as error:
        if f"{type(error).__module__}.{type(error).__name__}" not in UNREADABLE:
            raise
        text = " ".join(str(error).split())[:500]
        show_lines(f"eops-traj: cannot read the data: {text}; `eops-traj check STORE` says more", err=True)
        sys.exit(InputError.exit_code)


UNREADABLE = (
    "pyo3_runtime.PanicException",
    "polars.exceptions.ComputeError",
    "polars.exceptions.ColumnNotFoundError",
    "polars.exceptions.SchemaError",
)
"""What polars raises for a data file, or a table's schema, that is not what it seems."""
