"""Microsoft Graph's published models, read from the source of the package ``msgraph-sdk`` as JSON Schemas.

Each model is a class of a module of its own, whose ``get_field_deserializers`` names every field with the
reader of its type. The source is parsed and nothing of it imported: the package is large, and slow to load.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
PLAIN: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "bytes": {"type": "string"},
    "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"},
    "date": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
    "time": {"type": "string"},
    "timedelta": {"type": "string"},
    "uuid": {"type": "string"},
}
ANNOTATION = {"^@|@odata\\.|@microsoft\\.": {}}
"""What OData says of an object or a field, beside its fields."""


def folder() -> Path | None:
    """Return the folder of the models; None where the package is not installed."""
    spec = find_spec("msgraph")
    places = list(spec.submodule_search_locations or ()) if spec else []
    found = [Path(place) / "generated" / "models" for place in places]
    return next((path for path in found if path.is_dir()), None)


@cache
def model(name: str) -> Schema:
    """Return the schema of a model by the name of its class: its fields, its bases', and its kinds'.

    Graph sends a field of any of them as null. An object of a kind (a member that is a user) stands where its
    base is declared.
    """
    every = {field: schema for kind in (*kinds(name), name) for field, schema in fields(kind).items()}
    return {
        "type": "object",
        "properties": {field: _nullable(schema) for field, schema in every.items()},
        "patternProperties": ANNOTATION,
        "additionalProperties": False,
    }


@cache
def fields(name: str) -> dict[str, Schema]:
    """Return the fields of a model with their schemas, in which other models are named by ``$ref``."""
    tree = _class(name)
    own = dict(_fields(name, tree))
    named = [_beside(name, base.id) for base in tree.bases if isinstance(base, ast.Name)]
    bases = [base for base in named if _path(base)]
    inherited = [fields(base) for base in bases]
    return {key: schema for part in [*inherited, own] for key, schema in part.items()}


@cache
def kinds(name: str) -> list[str]:
    """Return the classes that may stand in a model's place, as its discriminator lists them."""
    method = next(
        (n for n in _class(name).body if getattr(n, "name", "") == "create_from_discriminator_value"), None
    )
    made = [node.value for node in ast.walk(method or ast.Module([], [])) if isinstance(node, ast.Return)]
    named = [call.func.id for call in made if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)]
    full = [_beside(name, kind) for kind in named]
    return [kind for kind in full if kind != name and _path(kind)]


@cache
def choices(name: str) -> list[str]:
    """Return the values of an enumeration; empty where it is a model."""
    tree = _class(name)
    values = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    found = [
        v.args[0] if isinstance(v, ast.Call) else v.elts[0] if isinstance(v, ast.Tuple) else v for v in values
    ]
    return [str(value.value) for value in found if isinstance(value, ast.Constant)]


def definitions(names: set[str]) -> dict[str, Schema]:
    """Return the schemas of models and of all that they name."""
    found: dict[str, Schema] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name not in found:
            found[name] = model(name)
            left += re.findall(r"#/\$defs/([\w.]+)", str(found[name]))
    return found


@cache
def _path(name: str) -> Path | None:
    place = folder()
    *package, last = name.split(".")
    path = place.joinpath(*package, f"{_snake(last)}.py") if place else None
    return path if path and path.is_file() else None


def _beside(name: str, used: str) -> str:
    """Return the full name of a class that a model's module uses: of its own package, or of the models."""
    package = name.rpartition(".")[0]
    near = f"{package}.{used}" if package else used
    return near if _path(near) else used


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@cache
def _class(name: str) -> ast.ClassDef:
    path = _path(name)
    if path is None:
        raise KeyError(name)
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return next(
        node for node in body if isinstance(node, ast.ClassDef) and node.name == name.rpartition(".")[2]
    )


def _fields(name: str, tree: ast.ClassDef) -> Iterator[tuple[str, Schema]]:
    method = next((n for n in tree.body if getattr(n, "name", "") == "get_field_deserializers"), None)
    tables = [node for node in ast.walk(method or ast.Module([], [])) if isinstance(node, ast.Dict)]
    for table in tables:
        for key, reader in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(reader, ast.Lambda):
                assert isinstance(reader.body, ast.Call)
                yield str(key.value), _type(name, reader.body.args[2])


def _type(name: str, read: ast.expr) -> Schema:
    """Return the schema of what a model's reader gives, such as ``n.get_object_value(ChatMessage)``."""
    assert isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute)
    kind = read.func.attr.removeprefix("get_").removesuffix("_value").removesuffix("_values")
    inner = _beside(name, read.args[0].id) if read.args and isinstance(read.args[0], ast.Name) else ""
    match kind:
        case "collection_of_object":
            return {"type": "array", "items": _named(inner)}
        case "collection_of_primitive":
            return {"type": "array", "items": PLAIN.get(inner, {})}
        case "collection_of_enum":
            return {"type": "array", "items": _enum(inner)}
        case "object":
            return _named(inner)
        case "enum":
            return _enum(inner)
        case _:
            return PLAIN.get(kind, {})


def _named(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"} if _path(name) else {}


def _enum(name: str) -> Schema:
    return {"type": "string", "enum": choices(name)} if _path(name) else {"type": "string"}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}
