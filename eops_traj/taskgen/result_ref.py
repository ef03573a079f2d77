"""References to results of earlier steps: a value that is known now, and its place in the plan."""

from typing import Any

from eops_traj.plan import Match, Measure, Ref, Text, resolve_ref


class ResultRef:
    """A value from an earlier result. Paths into it (`[...]`, `where`, `every`) are references again."""

    def __init__(self, ref: Ref, results: dict[int, Any]) -> None:
        """Refer to ``results``, those of the scene's steps so far by number; a refused call has none."""
        self.ref, self._results = ref, results

    @property
    def value(self) -> Any:
        """The value itself. Raises Unresolved where the reference leads to nothing."""
        return resolve_ref(self.ref, self._results)

    def __getitem__(self, part: str | int) -> "ResultRef":
        """Refer to the field of this name, or to the element at this index."""
        return self._at(part)

    def where(self, /, **fields: Any) -> "ResultRef":
        """Refer to the first element of a list with these field values; ``start__date`` is ``start.date``."""
        return self._at(Match(_pairs(fields)))

    def every(self, /, **fields: Any) -> "ResultRef":
        """Refer to all elements of a list whose fields have these values."""
        return self._at(Match(_pairs(fields), every=True))

    def _at(self, part: str | int | Match) -> "ResultRef":
        return ResultRef(Ref(self.ref.step, (*self.ref.path, part)), self._results)


def count(result: ResultRef) -> Measure:
    """Count the elements of a list in a result, for a requirement."""
    return Measure("count", result.ref)


def ok(result: ResultRef) -> Measure:
    """Check whether a call answered without an error and with something, for a requirement."""
    return Measure("ok", result.ref)


def text(template: str, *values: ResultRef) -> Text:
    """Fill each ``{}`` of a template with a value from a result: ``text("'{}' in parents", folder)``."""
    pieces = template.split("{}")
    parts: list[str | Ref] = [pieces[0]]
    for value, piece in zip(values, pieces[1:], strict=True):
        parts += [value.ref, piece]
    return Text(tuple(part for part in parts if part != ""))


def plan_argument(value: Any) -> Any:
    """Convert an argument to its form in the plan: values from results become references."""
    match value:
        case ResultRef():
            return value.ref
        case dict():
            return {name: plan_argument(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plan_argument(inner) for inner in value]
    return value


def _pairs(fields: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name.replace("__", "."), plan_argument(value)) for name, value in fields.items())
