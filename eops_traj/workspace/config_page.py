"""A config with all its keys: the file as it is, and below it those that it leaves out."""

import dataclasses
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined, to_jsonable_python

from eops_traj.untrusted.text_file import read_text
from eops_traj.workspace.config_models import groups

HEAD = (
    "Keys that are left out, with their values then. Each is given above, or as KEY=VALUE behind the command."
)
WIDTH = 110


class Key(NamedTuple):
    """A key that a config may have: its path with dots, its default, and what it means."""

    path: str
    default: Any
    note: str

    def comment(self) -> str:
        """Render the key as lines of a YAML comment, its meaning behind it."""
        text = f"# {self.path}: {_as_yaml(self.default)}"
        lines = textwrap.wrap(" ".join(self.note.split()), WIDTH - 6)
        if len(lines) == 1 and len(text) + len(lines[0]) + 4 <= WIDTH:
            return f"{text}  # {lines[0]}"
        return "\n".join([text, *(f"#     {line}" for line in lines)])


def config_page(path: Path) -> str:
    """Return a config file's text and, in comments below it, every key that it leaves out.

    Raises FormatError for a file that is no text, and what :func:`eops_traj.workspace.config_models.groups`
    does.
    """
    text = read_text(path).rstrip()
    keys = omitted_keys(path)
    return "\n".join([text, *(["", f"# {HEAD}", *(key.comment() for key in keys)] if keys else [])]) + "\n"


def omitted_keys(path: Path) -> list[Key]:
    """List the keys that a config file may have and leaves out, in the order of its groups."""
    found = groups(path)
    inner = {group.path for group in found}
    keys = (key for group in found for key in _keys(group.model, group.given, group.path))
    return [key for key in keys if key.path not in inner]


def _keys(model: Any, given: Mapping[str, Any], path: str, whole: Any = None) -> Iterator[Key]:
    """Yield the keys of a group that are not given; their values are those of ``whole``, where known."""
    for name, default, note, annotation in _fields(model):
        where = f"{path}.{name}" if path else name
        default = getattr(whole, name, default)
        group = _group(annotation, given.get(name))
        if group is not None and (name in given or default is not None):
            value = given.get(name)
            inside = value if isinstance(value, Mapping) else {}
            yield from _keys(group, inside, where, None if name in given else default)
        elif name not in given and default is not PydanticUndefined:
            yield Key(where, default, note)


def _fields(model: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Yield name, default, meaning and type of each setting of a model, or of a dataclass of settings."""
    if dataclasses.is_dataclass(model):
        note = " ".join((model.__doc__ or "").split())
        for number, field in enumerate(dataclasses.fields(model)):
            yield field.name, field.default, "" if number else note, field.type
        return
    for name, info in model.model_fields.items():
        yield name, info.get_default(call_default_factory=True), info.description or "", info.annotation


def _group(annotation: Any, given: Any) -> Any:
    """Return the model of a group of settings, of several the one of the given ``kind``; None for a value."""
    choices = [part for part in _parts(annotation) if _is_group(part)]
    kind = given.get("kind") if isinstance(given, Mapping) else None
    fitting = [c for c in choices if kind is not None and kind in _kinds(c)]
    return (fitting or choices or [None])[0]


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield a type, or the members of a union; what is in a list or a mapping is no group of its own."""
    if _is_group(annotation):
        yield annotation
    elif "Union" in type(annotation).__name__ or type(annotation).__name__ in (
        "_AnnotatedAlias",
        "UnionType",
    ):
        for part in get_args(annotation):
            yield from _parts(part)


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and (issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind))


def _kinds(model: Any) -> tuple[Any, ...]:
    return (
        get_args(model.model_fields["kind"].annotation)
        if "kind" in getattr(model, "model_fields", {})
        else ()
    )


def _as_yaml(value: Any) -> str:
    import yaml

    plain = to_jsonable_python(value, fallback=str)
    return (
        str(yaml.safe_dump(plain, default_flow_style=True, width=10_000))
        .removesuffix("\n")
        .removesuffix("\n...")
    )
