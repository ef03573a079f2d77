"""What the shell completes: configs, selections, runs, formats; nothing from a store that cannot be read."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import typer

from eops_traj.errors import EopsError
from eops_traj.instances import choices

if TYPE_CHECKING:
    from eops_traj.store.store import Store

DIGITS = 12
"""The digits of a run's id that are enough to name it."""


def complete_config(incomplete: str) -> list[str]:
    """Complete the name of any config."""
    from eops_traj.workspace.config_models import all_configs

    return beginning(all_configs(), incomplete)


def complete_kind(kind: str) -> Callable[[str], list[str]]:
    """Return what completes the names of configs of a kind."""

    def complete(incomplete: str) -> list[str]:
        from eops_traj.config import named_configs

        return beginning(named_configs(kind), incomplete)

    return complete


def complete_format(incomplete: str) -> list[str]:
    """Complete the name of a format of exports."""
    return beginning(choices("format"), incomplete)


def complete_selection(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a selection of the store that the command names."""
    from eops_traj.filter.selecting import list_selections

    return beginning(_names(ctx, lambda store: (row["name"] for row in list_selections(store))), incomplete)


def complete_run(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a run of the store that the command names."""
    runs = _names(ctx, lambda store: _distinct(store, "run_id"))
    return beginning((run[:DIGITS] for run in runs), incomplete)


def complete_run_or_model(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a run of the store that the command names, or a model: all its runs."""
    models = _names(ctx, lambda store: _distinct(store, "model"))
    return [*complete_run(ctx, incomplete), *beginning(models, incomplete)]


def _distinct(store: "Store", column: str) -> list[str]:
    return sorted(store.scan().select(column).unique().collect().get_column(column))


def beginning(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that begin with what is typed already."""
    return [name for name in names if name.startswith(incomplete)]


def _names(ctx: typer.Context, read: "Callable[[Store], Iterable[str]]") -> list[str]:
    from eops_traj.store.store import Store

    url: Any = ctx.params.get("store")
    if not isinstance(url, str):
        return []
    try:
        with Store.open(url) as store:
            return list(read(store))
    except (EopsError, OSError):
        return []
