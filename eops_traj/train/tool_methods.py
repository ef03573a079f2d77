"""Tools as methods, which is how TRL's environments offer them.

TRL reads a tool's schema back from a method's signature, type hints and docstring. Name, description,
required arguments, types and choices of a tool come through; the insides of an object and the bounds of
numbers do not.
"""

import inspect
import keyword
from collections.abc import Callable, Mapping
from typing import Any, Literal

SIMPLE = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


def tool_method(tool: Mapping[str, Any]) -> Callable[..., str]:
    """Make a method that calls a tool, given in function format, through the ``_call`` of its instance."""
    function = tool["function"]
    schema = function.get("parameters") or {}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    names = {argument_name(name): name for name in properties}

    def method(self: Any, **arguments: Any) -> str:
        original = {names.get(name, name): value for name, value in arguments.items()}
        return str(self._call(function["name"], original))

    hints = {name: _hint(properties[original]) for name, original in names.items()}
    method.__name__ = method.__qualname__ = function["name"]
    method.__annotations__ = hints
    method.__doc__ = _docstring(function, properties)
    method.__signature__ = _signature(hints, names, set(schema.get("required") or ()))  # type: ignore[attr-defined]
    return method


def argument_name(name: str) -> str:
    """Return the name by which Python takes an argument: ``from`` is a word of its own."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _signature(hints: Mapping[str, Any], names: Mapping[str, str], required: set[str]) -> inspect.Signature:
    keyword_only, no_default = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    parameters = [
        inspect.Parameter(
            name, keyword_only, default=no_default if names[name] in required else None, annotation=hint
        )
        for name, hint in hints.items()
    ]
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Signature([receiver, *parameters])


def _docstring(function: Mapping[str, Any], properties: Mapping[str, Any]) -> str:
    """Write a docstring in Google's style, as transformers parses it."""
    about = _line(function.get("description") or function["name"])
    arguments = [
        f"    {argument_name(name)}: {_line(schema.get('description') or name)}"
        for name, schema in properties.items()
    ]
    return "\n".join([about, "", "Args:", *arguments] if arguments else [about])


def _line(text: str) -> str:
    """Return a description in one line, since a line that ends a word in a colon begins the next argument."""
    return " ".join(text.split())


def _hint(schema: Mapping[str, Any]) -> Any:
    """Return a JSON schema as a type hint."""
    kind = schema.get("type")
    if isinstance(kind, list):
        others = [_hint({**schema, "type": one}) for one in kind if one != "null"]
        return others[0] | None if others else Any
    if choices := [choice for choice in schema.get("enum") or () if choice is not None]:
        return Literal[tuple(choices)]
    if kind == "array":
        return list[_hint(schema.get("items") or {})]  # type: ignore[misc]
    return SIMPLE.get(str(kind), Any)
