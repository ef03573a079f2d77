"""The JSON Schema of each kind of config, for editors: ``# yaml-language-server: $schema=FILE``."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pydantic import BaseModel

from eops_traj import instances
from eops_traj.errors import UnknownName

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def config_schema(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of config, or of a recipe's. Raises UnknownName listing the kinds."""
    recipes = instances.choices("recipe")
    if kind in recipes:
        return {"$schema": DRAFT, **instances.load_module("recipe", kind).Config.model_json_schema()}
    makers = {
        "collect": _collect,
        "filter": _filter,
        "publish": _publish,
        "rebench": _rebench,
        "train": _train,
    }
    if kind not in makers:
        raise UnknownName("kind of config", kind, {**makers, **recipes})
    return {"$schema": DRAFT, **makers[kind]()}


def _collect() -> dict[str, Any]:
    """Return the schema of a collection, the options of each orchestrator and of each client among it."""
    from eops_traj.collect.config import CollectConfig

    schema = CollectConfig.model_json_schema()
    clients = {kind: instances.load("kind of client", kind) for kind in instances.choices("kind of client")}
    agents = {
        name: instances.load("orchestrator", name).options for name in instances.choices("orchestrator")
    }
    client = {"oneOf": [_tagged(schema, "kind", *item) for item in clients.items()]}
    fields = schema["properties"]
    fields["orchestrator"] |= {"oneOf": [_tagged(schema, "name", *item) for item in agents.items()]}
    fields["models"]["additionalProperties"] = client
    return schema


def _tagged(whole: dict[str, Any], tag: str, name: str, model: type[BaseModel]) -> dict[str, Any]:
    """Return a model's schema with the key that names it; what it refers to goes into the whole."""
    schema = model.model_json_schema()
    whole.setdefault("$defs", {}).update(schema.pop("$defs", {}))
    properties = {tag: {"const": name}, **schema.get("properties", {})}
    return {**schema, "properties": properties, "required": [tag, *schema.get("required", ())]}


def _filter() -> dict[str, Any]:
    """Return the schema of a list of rules, each as its name, or with parameters below it."""
    whole: dict[str, Any] = {"type": "object", "required": ["rules"], "additionalProperties": False}
    names = instances.choices("rule")
    plain: Mapping[str, Any] = {"enum": sorted(names)}
    rules = [_rule(whole, name) for name in names]
    return {**whole, "properties": {"rules": {"type": "array", "items": {"anyOf": [plain, *rules]}}}}


def _rule(whole: dict[str, Any], name: str) -> dict[str, Any]:
    schema = instances.load("rule", name).model_json_schema()
    whole.setdefault("$defs", {}).update(schema.pop("$defs", {}))
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


def _publish() -> dict[str, Any]:
    from eops_traj.publish.policy import PublishPolicy

    return PublishPolicy.model_json_schema()


def _rebench() -> dict[str, Any]:
    schema: dict[str, Any] = import_module("eops_traj.recipes.rebench").Config.model_json_schema()
    return schema


def _train() -> dict[str, Any]:
    """Return the schema of a training config: that of the recipe which it names."""
    whole: dict[str, Any] = {}
    names = instances.choices("recipe")
    recipes = [_tagged(whole, "recipe", name, instances.load_module("recipe", name).Config) for name in names]
    return {**whole, "type": "object", "oneOf": recipes}
