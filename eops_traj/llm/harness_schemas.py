"""Tool schemas as the benchmark's harness shows them to a model.

It flattens what some providers refuse, and loses meaning on the way; that is kept here on purpose
(`eops_traj.protocol`, ``flat_schemas``). The rules, from what it showed of 512 tools:

- A union at the top: the first option of ``anyOf`` or ``oneOf`` that is an object stands for all, and where
  none is, an object without properties; the properties and requirements of ``allOf`` are put together.
- A property with several types has the first that is not null; one that could be null is not required.
- The same for objects within objects and for what a list holds, whatever that is: a list of a union holds
  empty objects.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Schema = dict[str, Any]


def harness_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool as ``tools/list`` gives it with its schema flattened; the given one stays as it is."""
    declared = tool.get("inputSchema", _nothing())
    return {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "inputSchema": flatten(declared),
    }


def harness_functions(tools: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Render flattened tools in the function format; a description stands there though it is empty."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            },
        }
        for tool in tools
    )


def flatten(schema: Any) -> Schema:
    """Return a schema flattened, in the order in which it was written."""
    if not isinstance(schema, dict):
        return _nothing()
    resolved = _without_unions(schema)
    if resolved is None:
        return _nothing()
    result = dict(resolved)
    result.setdefault("type", "object")
    if result["type"] == "object":
        result.setdefault("properties", {})
    if "properties" in result:
        flattened = {name: _property(inner) for name, inner in result["properties"].items()}
        optional = {name for name, inner in result["properties"].items() if _may_be_null(inner)}
        result["properties"] = flattened
        if optional and "required" in result:
            result["required"] = [name for name in result["required"] if name not in optional]
    return result


def _nothing() -> Schema:
    return {"type": "object", "properties": {}, "required": []}


def _without_unions(schema: Schema) -> Schema | None:
    """Return the schema that stands for the unions at its top; None where that is an empty object."""
    for union in ("oneOf", "allOf", "anyOf"):
        if union not in schema:
            continue
        if union == "allOf":
            schema = _together(schema[union])
            continue
        options = [option for option in schema[union] if isinstance(option, dict)]
        first = next((option for option in options if option.get("type") == "object"), None)
        if first is None:
            return None
        schema = first
    return schema


def _together(parts: Sequence[Any]) -> Schema:
    merged = _nothing()
    for part in parts:
        if isinstance(part, dict):
            merged["properties"].update(part.get("properties", {}))
            merged["required"].extend(part.get("required", []))
    return merged


def _property(schema: Any) -> Any:
    """Return a property flattened; what is no schema stays as it is."""
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    if isinstance(result.get("type"), list):
        result["type"] = next((kind for kind in result["type"] if kind.lower() != "null"), "string")
    if result.get("type") == "object" and "properties" in result:
        result = flatten(result)
    if result.get("type") == "array" and isinstance(result.get("items"), dict):
        result["items"] = flatten(result["items"])
    return result


def _may_be_null(schema: Any) -> bool:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    return isinstance(kinds, list) and any(kind.lower() == "null" for kind in kinds)
