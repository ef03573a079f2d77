"""Training: a YAML config names a recipe of ``recipes/`` and holds its settings."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, cast

from eops_traj.config import checked, find_config, overridden, read_settings
from eops_traj.instances import load_module
from eops_traj.optional import require
from eops_traj.train.config import RecipeConfig, TrainingConfig
from eops_traj.train.ranks import joined_ranks
from eops_traj.train.trl_settings import check_trl


class Recipe(Protocol):
    """A module of ``recipes/``."""

    Config: type[RecipeConfig]

    def run(self, config: Any, *, resume: bool = False, dry_run: bool = False) -> dict[str, Any]:
        """Train, and return the content of metrics.json; of a dry run how many rows fit."""


def train(
    config: str | Path, overrides: Iterable[str] = (), *, resume: bool = False, dry_run: bool = False
) -> dict[str, Any]:
    """Run the recipe that a config names, and return the metrics.

    ``config`` is a path or the name of a committed config; ``overrides`` are ``key=value`` with dots for
    nested keys and YAML values; a dry run ends before any weight is loaded, with how many rows fit. Raises
    ConfigError with every problem at once, else InputError.
    """
    with joined_ranks() as ranks:
        recipe, settings = ranks.agreed(lambda: read_config(config, overrides))
        return recipe.run(settings, resume=resume, dry_run=dry_run)


def read_config(config: str | Path, overrides: Iterable[str]) -> tuple[Recipe, RecipeConfig]:
    """Read the recipe that a config names, and its settings. Raises what :func:`train` raises for those."""
    path = find_config("train", config)
    settings = overridden(read_settings(path), overrides, str(path))
    recipe = cast(Recipe, load_module("recipe", settings.get("recipe", "")))
    require("train")
    training = checked(recipe.Config, settings, str(path))
    if isinstance(training, TrainingConfig):
        check_trl(training, str(path))
    return recipe, training
