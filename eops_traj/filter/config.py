"""Filter configs: YAML to checked rules, with every problem of a config reported at once."""

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eops_traj.config import find_config, read_yaml, settings_problems
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.filter.rules import Rule, rule_labels
from eops_traj.instances import load


def load_rules(config: str | Path) -> dict[str, Rule]:
    """Load the rules of a config, by label, in order; ``config`` is a path or a committed config's name.

    Raises ConfigError with every problem, InputError or UnknownName where there is no such config.
    """
    path = find_config("filter", config)
    rules = parse_rules(read_yaml(path), str(path))
    problems = [f"{label}: {problem}" for label, rule in rules.items() for problem in rule.missing()]
    if problems:
        raise ConfigError(str(path), problems)
    return rules


def parse_rules(config: Any, where: str) -> dict[str, Rule]:
    """Parse the rules of a config's content, by label, in order. Raises ConfigError naming ``where``.

    What a rule needs from outside is not looked for here (:meth:`Rule.missing`), so that the config of an old
    selection can be read for good.
    """
    if not isinstance(config, dict) or not isinstance(config.get("rules"), list):
        raise ConfigError(where, ["needs one key, rules, with a list of rules"])
    problems = [f"unknown key {key!r}; choose from rules" for key in config if key != "rules"]
    names: list[str] = []
    rules: list[Rule] = []
    for number, entry in enumerate(config["rules"], 1):
        try:
            name, parameters = split_rule(entry)
            rules.append(_rule(name, parameters))
            names.append(name)
        except ConfigError as error:
            problems += [f"rule {number}, {problem}" for problem in error.problems]
    if problems:
        raise ConfigError(where, problems)
    return dict(zip(rule_labels(names), rules, strict=True))


def split_rule(entry: Any) -> tuple[str, Any]:
    """Split an entry of the list into name and parameters: ``no_error``, or ``max_turns: {most: 30}``.

    Raises ConfigError where it is neither.
    """
    if isinstance(entry, str):
        return entry, {}
    if not isinstance(entry, dict) or len(entry) != 1:
        raise ConfigError("rules", [f"{entry!r}: give one rule, as name or as name: {{parameter: value}}"])
    name, parameters = next(iter(entry.items()))
    return str(name), {} if parameters is None else parameters


def _rule(name: str, parameters: Any) -> Rule:
    """Make the rule of a name, with its parameters checked."""
    try:
        cls: type[Rule] = load("rule", name)
    except UnknownName as error:
        raise ConfigError("rules", [str(error)]) from error
    try:  # as JSON: strict about types, and still a list may stand for a set and text for a path
        return cls.model_validate_json(json.dumps(parameters, default=str))
    except ValidationError as error:
        raise ConfigError("rules", [f"{name}: {text}" for text in settings_problems(error, cls)]) from error
    except (TypeError, ValueError) as error:  # YAML can say more than JSON: a date as a key, a circle
        raise ConfigError("rules", [f"{name}: its parameters are not plain values ({error})"]) from error
