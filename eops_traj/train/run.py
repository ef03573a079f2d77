"""Training: a YAML config names a recipe of ``recipes/`` and holds its settings."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, cast

from eops_traj.config import checked, find_config, overridden, read_settings
from eops_traj.instances import load_module
from eops_traj.optional import require
from eops_traj.train.config import RecipeConfig


class Recipe(Protocol):
    """A module of ``recipes/``."""

    Config: type[RecipeConfig]

    def run(self, config: Any, *, resume: bool = False) -> dict[str, Any]:
        """Train, and return the content of metrics.json."""


def train(config: str | Path, overrides: Iterable[str] = (), *, resume: bool = False) -> dict[str, Any]:
    """Run the recipe that a config names, and return the metrics.

    ``config`` is a path or the name of a committed config; ``overrides`` are ``key=value`` with dots for
    nested keys and YAML values. Raises ConfigError with every problem at once, else InputError.
    """
    path = find_config("train", config)
    settings = overridden(read_settings(path), overrides, str(path))
    recipe = cast(Recipe, load_module("recipe", settings.get("recipe", "")))
    require("train")
    return recipe.run(checked(recipe.Config, settings, str(path)), resume=resume)
