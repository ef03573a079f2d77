"""Answers held against the schemas that the makers of an API publish, the listed deviations apart."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from tests.gym.plausible import attempts

DONE = "Operation completed successfully"
"""What a tool says where the API answers with nothing, as the real servers do."""
NOTHING = "an answer where there is none"
GUESSES = 40
SchemaOf = Callable[[str, str], dict[str, Any] | None]
"""The schema of the answer of a server's tool; None where it answers with nothing."""


@dataclass
class Findings:
    """What came of the answers so far: how many, which listed deviations were seen, and what else differs."""

    deviations: list[dict[str, Any]]
    schema_of: SchemaOf
    answers: int = 0
    listed: set[int] = field(default_factory=set)
    others: list[str] = field(default_factory=list)

    def check(self, server: str, tool: str, text: str) -> None:
        """Check the text of an answer that is no error."""
        self.answers += 1
        for error in self._differences(server, tool, text):
            known = [i for i, one in enumerate(self.deviations) if tool in one["tools"] and _is(one, error)]
            self.listed.update(known)
            if not known:
                self.others.append(f"{server} {tool} {_place(error)}: {error.message[:200]}")

    def _differences(self, server: str, tool: str, text: str) -> Iterator[ValidationError]:
        validator = _validator(self.schema_of, server, tool)
        if validator is not None:
            yield from validator.iter_errors(_value(text))
        elif text != DONE:
            yield ValidationError(NOTHING, instance=_value(text))


@cache
def _validator(schema_of: SchemaOf, server: str, tool: str) -> Draft202012Validator | None:
    schema = schema_of(server, tool)
    return None if schema is None else Draft202012Validator(schema)


def read_deviations(path: Path) -> list[dict[str, Any]]:
    """Read a list of deviations with their evidence."""
    return list(yaml.safe_load(path.read_text(encoding="utf-8")))


def answers(server: str, most: int, names: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield tools, or those that are named, with the texts of their good answers, up to ``most`` of each."""
    played = registry.server(server)
    for tool in played.tools.values():
        if names and tool.name not in names:
            continue
        database = played.template().open()
        caller, good = default_caller(played, database), 0
        for number, arguments in enumerate(attempts(played, tool, database)):
            if good == most or (good and number > GUESSES * most):
                break
            reply = played.call(database, tool.name, arguments, caller)
            if not reply.is_error:
                good += 1
                yield tool.name, reply.text
        database.close()


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _place(error: ValidationError) -> str:
    return ".".join("*" if isinstance(part, int) else str(part) for part in error.absolute_path)


def _is(deviation: Mapping[str, Any], error: ValidationError) -> bool:
    """Whether a difference is the one that is listed, and no more than that."""
    if "nothing" in deviation:
        return error.message == NOTHING and set(error.instance) == set(deviation["nothing"])
    if _place(error) not in deviation["where"]:
        return False
    if "type" in deviation:
        named = {"string": str, "integer": int}[deviation["type"]]
        return error.validator in ("type", "anyOf") and isinstance(error.instance, named)
    if deviation.get("given"):
        return error.validator == "anyOf"
    unknown = {name for name in _unknown(error) if not name.startswith("@")}
    return error.validator == "additionalProperties" and unknown <= set(deviation["fields"])


def _unknown(error: ValidationError) -> set[str]:
    return set(error.instance) - set(error.schema.get("properties", ()))
