"""What an earlier step found: a value known here and now, and a reference to it in the plan."""

from typing import Any

from eops_traj.plan import Match, Measure, Ref, Text, Unresolved, follow


class Found:
    """A value from an earlier result. Paths into it (`[...]`, `where`, `every`) are found values again."""

    def __init__(self, ref: Ref, results: dict[int, Any]) -> None:
        """``results`` are those of the scene's steps so far, by number; a refused call has none there."""
        self.ref, self._results = ref, results

    @property
    def value(self) -> Any:
        """The value itself. Raises Unresolved where the reference finds nothing."""
        return follow(self.ref, self._results)

    def __getitem__(self, part: str | int) -> "Found":
        """The field of this name, or the element at this place."""
        return self._at(part)

    def where(self, /, **fields: Any) -> "Found":
        """The first element of a list whose fields have these values; ``start__date`` is ``start.date``."""
        return self._at(Match(_pairs(fields)))

    def every(self, /, **fields: Any) -> "Found":
        """All elements of a list whose fields have these values."""
        return self._at(Match(_pairs(fields), every=True))

    def _at(self, part: str | int | Match) -> "Found":
        return Found(Ref(self.ref.step, (*self.ref.path, part)), self._results)


def count(found: Found) -> Measure:
    """How many elements a found list has, for a requirement."""
    return Measure("count", found.ref)


def ok(found: Found) -> Measure:
    """Whether a call answered without an error and with something, for a requirement."""
    return Measure("ok", found.ref)


def text(template: str, *values: Found) -> Text:
    """A text with found values in it, one for each ``{}`` of the template: ``text("'{}' in parents", f)``."""
    pieces = template.split("{}")
    parts: list[str | Ref] = [pieces[0]]
    for value, piece in zip(values, pieces[1:], strict=True):
        parts += [value.ref, piece]
    return Text(tuple(part for part in parts if part != ""))


def planned(value: Any) -> Any:
    """An argument as it stands in the plan: found values become references."""
    match value:
        case Found():
            return value.ref
        case dict():
            return {name: planned(inner) for name, inner in value.items()}
        case list() | tuple():
            return [planned(inner) for inner in value]
    return value


def _pairs(fields: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name.replace("__", "."), planned(value)) for name, value in fields.items())


__all__ = ["Found", "Unresolved", "count", "ok", "planned", "text"]
