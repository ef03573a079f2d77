"""Config files: YAML at a path, or a committed config by its name; overrides; every problem at once."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from eops_traj.errors import ConfigError, InputError, UnknownName

Config = TypeVar("Config", bound=BaseModel)
CONFIGS = Path(__file__).parent / "configs"


class Settings(BaseModel):
    """Settings from outside: unknown keys are refused, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def find_config(kind: str, config: str | Path) -> Path:
    """Find the file of a config: a path, or a committed one's name (``filter_sft`` is one of kind filter).

    Raises InputError for a path that is no file, UnknownName listing the committed configs of the kind.
    """
    path = Path(config)
    if path.is_file():
        return path
    if len(path.parts) > 1 or path.suffix:
        raise InputError(f"no {kind} config at {str(path)!r}")
    committed = {p.stem: p for p in CONFIGS.glob(f"{kind}_*.yaml")}
    if path.name not in committed:
        raise UnknownName(f"{kind} config", path.name, committed)
    return committed[path.name]


def read_yaml(path: Path) -> Any:
    """Read a YAML file. Raises ConfigError where it cannot be read."""
    import yaml

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(str(path), [f"not readable as YAML: {error}"]) from error


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
    import yaml

    key, equals, text = override.partition("=")
    *parents, last = key.split(".")
    if not equals or not all([*parents, last]):
        return f"{override!r} is not of the form key=value"
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return f"{override!r}: the value is not YAML"
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
    return [f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()]


def checked(cls: type[Config], settings: Mapping[str, Any], where: str) -> Config:
    """Check settings as a config of this class. Raises ConfigError with every problem at once."""
    try:
        return cls.model_validate(settings)
    except ValidationError as error:
        raise ConfigError(where, settings_problems(error, cls)) from error


def settings_problems(error: ValidationError, cls: type[BaseModel]) -> list[str]:
    """Render pydantic's errors about settings, with the values given and the keys there are."""
    return [_in_words(detail, cls) for detail in error.errors()]


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
        return f"{message}, not {error['input']!r}; its keys are {keys}"
    return f"{key}: {message}, not {error['input']!r}" if key else message


def _keys(cls: type[BaseModel], loc: Iterable[int | str]) -> list[str]:
    """Return the keys of the group of settings at a location in a config."""
    group: Any = cls
    for part in loc:
        annotation = group.model_fields[str(part)].annotation
        choices = getattr(annotation, "__args__", (annotation,))
        group = next(c for c in choices if hasattr(c, "model_fields") or dataclasses.is_dataclass(c))
    return (
        [f.name for f in dataclasses.fields(group)]
        if dataclasses.is_dataclass(group)
        else list(group.model_fields)
    )
