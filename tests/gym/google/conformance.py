"""Answers held against Google's response schemas, the listed deviations apart."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from tests.gym.google.discovery import answer_schema
from tests.gym.google.methods import APIS

DONE = "Operation completed successfully"
"""What a tool says where Google's method answers with nothing, as the real servers do."""
NOTHING = "an answer where there is none"
LIST = Path(__file__).parent / "deviations.yaml"


@cache
def deviations() -> list[dict[str, Any]]:
    """Return the list of deviations that are known, with their evidence."""
    return list(yaml.safe_load(LIST.read_text(encoding="utf-8")))


@dataclass
class Findings:
    """What came of the answers so far: how many, which listed deviations were seen, and what else differs."""

    answers: int = 0
    listed: set[int] = field(default_factory=set)
    others: list[str] = field(default_factory=list)

    def check(self, server: str, tool: str, text: str) -> None:
        """Check the text of an answer that is no error."""
        self.answers += 1
        for error in _differences(server, tool, text):
            known = [i for i, one in enumerate(deviations()) if tool in one["tools"] and _is(one, error)]
            self.listed.update(known)
            if not known:
                self.others.append(f"{server} {tool} {_place(error)}: {error.message[:200]}")


def _differences(server: str, tool: str, text: str) -> Iterator[ValidationError]:
    document, methods = APIS[server]
    schema = answer_schema(document, methods[tool])
    if schema is None:
        if text != DONE:
            yield ValidationError(NOTHING, instance=_value(text))
        return
    yield from _validator(document, methods[tool]).iter_errors(_value(text))


@cache
def _validator(document: str, path: str) -> Draft202012Validator:
    return Draft202012Validator(answer_schema(document, path) or {})


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
        return error.validator == "type" and isinstance(error.instance, str)
    unknown = set(error.instance) - set(error.schema.get("properties", ()))
    return error.validator == "additionalProperties" and unknown <= set(deviation["fields"])
