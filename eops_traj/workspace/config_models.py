"""The models that read each kind of config, found by its name: ``collect_openai`` is one of kind collect."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from eops_traj import instances
from eops_traj.config import named_configs, read_yaml
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.untrusted.json_text import shorten_value
from eops_traj.untrusted.text_file import read_text


class Group(NamedTuple):
    """A group of settings in a config: where it stands, the model of its keys, and those given."""

    path: str
    model: type[BaseModel]
    given: Mapping[str, Any]


def groups(path: Path) -> list[Group]:
    """Return the groups of settings of a config file, the whole first; none for another program's config.

    Raises ConfigError where it is no YAML or a group is something else, UnknownName where one names nothing.
    """
    kind = path.stem.partition("_")[0]
    settings = read_yaml(path)
    if kind not in KINDS or not isinstance(settings, dict):
        return []
    try:
        return list(KINDS[kind](settings))
    except ConfigError as error:
        raise ConfigError(str(path), [str(error)]) from error


def _group(settings: Any, name: str) -> Mapping[str, Any]:
    """Return the settings of a group, none where it is left out. Raises ConfigError where it has no keys."""
    if settings is not None and not isinstance(settings, Mapping):
        raise ConfigError(name, [f"needs keys with values, not {shorten_value(settings)}"])
    return settings or {}


def _collect(settings: Mapping[str, Any]) -> Iterator[Group]:
    from eops_traj.collect.config import CollectConfig
    from eops_traj.harness.config import KEY, HarnessConfig

    if KEY in settings:
        yield Group("", HarnessConfig, settings)
        return
    yield Group("", CollectConfig, settings)
    if orchestrator := _group(settings.get("orchestrator"), "orchestrator"):
        kind = instances.load("orchestrator", str(orchestrator.get("name")))
        yield Group("orchestrator", kind.options, orchestrator)
    for role, client in _group(settings.get("models"), "models").items():
        yield _client(f"models.{role}", _group(client, f"models.{role}"))


def _client(path: str, settings: Mapping[str, Any]) -> Group:
    return Group(path, instances.load("kind of client", str(settings.get("kind"))), settings)


def _train(settings: Mapping[str, Any]) -> Iterator[Group]:
    yield Group("", instances.load_module("recipe", settings.get("recipe", "")).Config, settings)


def _rebench(settings: Mapping[str, Any]) -> Iterator[Group]:
    from importlib import import_module

    yield Group("", import_module("eops_traj.recipes.rebench").Config, settings)
    for key in ("client", "executor"):
        client = _group(settings.get(key), key)
        if client.get("kind"):
            yield _client(key, client)


def _filter(settings: Mapping[str, Any]) -> Iterator[Group]:
    from eops_traj.filter.config import split_rule

    rules = settings.get("rules", [])
    if not isinstance(rules, list):
        raise ConfigError("rules", [f"needs a list of rules, not {shorten_value(rules)}"])
    for name, given in map(split_rule, rules):
        yield Group(name, instances.load("rule", name), _group(given, name))


def _publish(settings: Mapping[str, Any]) -> Iterator[Group]:
    from eops_traj.publish.policy import PublishPolicy

    yield Group("", PublishPolicy, settings)


KINDS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Group]]] = {
    "collect": _collect,
    "filter": _filter,
    "publish": _publish,
    "rebench": _rebench,
    "train": _train,
}
"""The kinds of configs, and the groups of settings that one of them has."""


def all_configs() -> dict[str, Path]:
    """Return every config that a name is enough for; those of the working folder go before committed ones."""
    return {name: path for kind in KINDS for name, path in sorted(named_configs(kind).items())}


def find_any(name: str) -> Path:
    """Find a config of any kind: a file, or a name. Raises UnknownName listing the names."""
    path = Path(name)
    if path.is_file():
        return path
    if name not in (known := all_configs()):
        raise UnknownName("config", name, known)
    return known[name]


def command_of(path: Path) -> str:
    """Return the command that runs a config, which is the first comment of a committed one.

    Raises FormatError for a file that is no text.
    """
    first = read_text(path).partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
