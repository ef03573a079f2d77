"""Config files: YAML at a path, or a committed config by its name; overrides; every problem at once."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from eops_traj.errors import ConfigError, FormatError, InputError, UnknownName, cut
from eops_traj.untrusted.json_text import shorten_value
from eops_traj.untrusted.text_file import read_text

Config = TypeVar("Config", bound=BaseModel)
CONFIGS = Path(__file__).parent / "configs"
HERE = "configs"
"""The folder with configs of one's own, where one is."""
MOST_PROBLEMS = 50
"""Problems of one file that an error names."""
MOST_GROUPS = 20
"""Groups of settings within each other."""


class Settings(BaseModel):
    """Settings from outside: unknown keys are refused, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True)


def find_config(kind: str, config: str | Path) -> Path:
    """Find the file of a config: a path, or a name (``filter_sft`` is one of kind filter).

    A name is looked for in ``configs/`` of the current folder, where `eops-traj init` puts copies, and then
    among the committed ones. Raises InputError for a path that is no file, UnknownName listing the names.
    """
    path = Path(config)
    if path.is_file():
        return path
    named = named_configs(kind)
    if len(path.parts) > 1 or path.suffix:
        raise InputError(
            f"no {kind} config at {str(path)!r}; give a file, or one of {', '.join(sorted(named))}"
        )
    if path.name not in named:
        raise UnknownName(f"{kind} config", path.name, named)
    return named[path.name]


def named_configs(kind: str) -> dict[str, Path]:
    """Return the configs of a kind that a name is enough for, those of the working folder first."""
    return {p.stem: p for place in (CONFIGS, Path(HERE)) for p in sorted(place.glob(f"{kind}_*.yaml"))}


def read_yaml(path: Path) -> Any:
    """Read a YAML file. Raises ConfigError where it cannot be read."""
    from eops_traj.untrusted.yaml_text import MOST_CHARS, parse_yaml

    try:
        return parse_yaml(read_text(path, MOST_CHARS))
    except FormatError as error:
        raise ConfigError(str(path), [str(error).removeprefix(f"{path}: ")]) from error


def read_settings(path: Path) -> dict[str, Any]:
    """Read the settings of a config file. Raises ConfigError where it is not YAML with keys and values."""
    settings = read_yaml(path)
    if not isinstance(settings, dict):
        raise ConfigError(str(path), ["needs keys with values"])
    return settings


def overridden(settings: Mapping[str, Any], overrides: Iterable[str], where: str) -> dict[str, Any]:
    """Apply ``key=value`` overrides to settings. Raises ConfigError naming those that do not parse."""
    changed = json.loads(json.dumps(settings, default=str))
    problems = [problem for override in overrides if (problem := _override(changed, override))]
    if problems:
        raise ConfigError(where, problems)
    return cast(dict[str, Any], changed)


def _override(settings: dict[str, Any], override: str) -> str | None:
    """Apply one override; return the problem with it, or None."""
    from eops_traj.untrusted.yaml_text import parse_yaml

    key, equals, text = override.partition("=")
    *parents, last = key.split(".")
    if not equals or not all([*parents, last]) or len(parents) > MOST_GROUPS:
        return f"{shorten_value(override)} is not of the form key=value"
    try:
        value = parse_yaml(text)
    except FormatError as error:
        return f"{shorten_value(override)}: the value is {error}"
    for parent in parents:
        if settings.get(parent) is None:
            settings[parent] = {}
        settings = settings[parent]
        if not isinstance(settings, dict):
            return f"{override!r}: {parent} is no group of settings"
    settings[last] = value
    return None


def problems(error: ValidationError) -> list[str]:
    """Render pydantic's errors, a line a field: ``servers.0.name: Field required``."""
    return _first(error, lambda e: f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}")


def _first(error: ValidationError, render: Callable[[Any], str]) -> list[str]:
    """Render the first of many errors, and how many there are: a file of 100,000 wrong keys is one line."""
    more = error.error_count() - MOST_PROBLEMS
    shown = [cut(render(detail)) for detail in error.errors(include_url=False)[:MOST_PROBLEMS]]
    return shown if more <= 0 else [*shown, f"and {more} more"]


def checked(cls: type[Config], settings: Mapping[str, Any], where: str) -> Config:
    """Check settings as a config of this class. Raises ConfigError with every problem at once."""
    try:
        return cls.model_validate(settings)
    except ValidationError as error:
        raise ConfigError(where, settings_problems(error, cls)) from error


def settings_problems(error: ValidationError, cls: type[BaseModel]) -> list[str]:
    """Render pydantic's errors about settings, with the values given and the keys there are."""
    return _first(error, lambda detail: _in_words(detail, cls))


def _in_words(error: Any, cls: type[BaseModel]) -> str:
    """Render one of pydantic's errors in a few words, with the value and the choices."""
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"unknown key {key!r}; choose from {', '.join(_keys(cls, error['loc'][:-1]))}"
    if error["type"] == "missing":
        return f"{key} is missing"
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "model_type":
        keys = ", ".join(_keys(cls, error["loc"])) or "(none)"
        return f"{message}, not {shorten_value(error['input'])}; its keys are {keys}"
    return f"{key}: {message}, not {shorten_value(error['input'])}" if key else message


def _keys(cls: type[BaseModel], loc: Iterable[int | str]) -> list[str]:
    """Return the keys of the group of settings at a location in a config; none where it is in a list."""
    group: Any = cls
    for part in loc:
        field = getattr(group, "model_fields", {}).get(part)
        choices = getattr(field.annotation, "__args__", (field.annotation,)) if field else ()
        group = next((c for c in choices if hasattr(c, "model_fields") or dataclasses.is_dataclass(c)), None)
    if dataclasses.is_dataclass(group):
        return [field.name for field in dataclasses.fields(group)]
    return list(getattr(group, "model_fields", ()))
