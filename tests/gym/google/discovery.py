"""Google's discovery documents, of the package ``google-api-python-client``, as JSON Schemas of answers.

Discovery's own dialect: https://developers.google.com/discovery/v1/type-format. An answer may lack any field,
and has none that the document does not name. A 64-bit number is written as a text there.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Schema = dict[str, Any]


@cache
def document(name: str) -> dict[str, Any]:
    """Return a discovery document, such as ``drive.v3``."""
    path = files("googleapiclient") / "discovery_cache" / "documents" / f"{name}.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def method(name: str, path: str) -> dict[str, Any]:
    """Return a method of a document by its path: ``files.get``, ``users.drafts.list``."""
    *resources, last = path.split(".")
    place: Mapping[str, Any] = document(name)
    for resource in resources:
        place = place["resources"][resource]
    return dict(place["methods"][last])


@cache
def answer_schema(name: str, path: str) -> Schema | None:
    """Return the JSON Schema of a method's answer; None where it answers with nothing."""
    response = method(name, path).get("response")
    if response is None:
        return None
    schemas = document(name)["schemas"]
    definitions = {key: _json_schema(schema) for key, schema in schemas.items()}
    return {"$ref": f"#/$defs/{response['$ref']}", "$defs": definitions}


def _json_schema(schema: Mapping[str, Any]) -> Schema:
    if "$ref" in schema:
        return {"$ref": f"#/$defs/{schema['$ref']}"}
    match schema.get("type"):
        case "object":
            return _object(schema)
        case "array":
            return {"type": "array", "items": _json_schema(schema["items"])}
        case "any" | None:
            return {}
        case kind:
            return {"type": kind} | ({"enum": schema["enum"]} if "enum" in schema else {})


def _object(schema: Mapping[str, Any]) -> Schema:
    inner = {key: _json_schema(value) for key, value in schema.get("properties", {}).items()}
    others = schema.get("additionalProperties")
    return {
        "type": "object",
        "properties": inner,
        "additionalProperties": _json_schema(others) if others is not None else False,
    }
