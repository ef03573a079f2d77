"""The mutants of a module: realistic wrong changes, found by cosmic-ray, and tests by line."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.mutation.warm_tests import run_tests

OPERATORS = (
    "AddNot",
    "ExceptionReplacer",
    "NumberReplacer",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceBinaryOperator_Add_Sub",
    "ReplaceBinaryOperator_Sub_Add",
    "ReplaceBinaryOperator_Mul_Div",
    "ReplaceBinaryOperator_Div_Mul",
    "ReplaceComparisonOperator_Eq_NotEq",
    "ReplaceComparisonOperator_NotEq_Eq",
    "ReplaceComparisonOperator_Lt_LtE",
    "ReplaceComparisonOperator_LtE_Lt",
    "ReplaceComparisonOperator_Gt_GtE",
    "ReplaceComparisonOperator_GtE_Gt",
    "ReplaceComparisonOperator_Is_IsNot",
    "ReplaceComparisonOperator_IsNot_Is",
    "ZeroIterationForLoop",
)
"""Those of cosmic-ray's operators whose changes someone might make; the others come to much the same."""


@dataclass(frozen=True)
class Mutant:
    """One wrong change: the operator, which of its places in the module, and the lines of that place."""

    operator: str
    occurrence: int
    first: int
    last: int


def mutants_of(module: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module, in the order of its lines."""
    from cosmic_ray.ast import ast_nodes, get_ast_from_path
    from cosmic_ray.plugins import get_operator

    tree = get_ast_from_path(module)
    found = []
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        places = [(node, place) for node in ast_nodes(tree) for place in operator.mutation_positions(node)]
        found += [
            Mutant(name, n, start[0], end[0])
            for n, (node, (start, end)) in enumerate(places)
            if not _is_form(node) and not (name == "ExceptionReplacer" and _is_dotted(node))
        ]
    yield from sorted(found, key=lambda mutant: (mutant.first, mutant.operator, mutant.occurrence))


def _is_form(node: Any) -> bool:
    """Check for what only declares: the star before keywords, what a decorator is told, imports of types."""
    if node.parent is not None and node.parent.type == "parameters":
        return True
    if node.type == "if_stmt" and node.children[1].get_code().strip() == "TYPE_CHECKING":
        return True
    return any(within.type == "decorator" for within in _around(node))


def _is_dotted(node: Any) -> bool:
    """Check for an exception that is named with its module, which cosmic-ray cannot replace."""
    return "." in str(node.children[1].get_code())


def _around(node: Any) -> Iterator[Any]:
    while (node := node.parent) is not None:
        yield node


def tests_by_line(root: Path, module: str, tests: Sequence[str]) -> dict[int, set[str]]:
    """Run the tests of a module once; return those that come by each of its lines, without parameters.

    Raises RuntimeError where one of them fails without any mutant.
    """
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        options = [
            f"--cov={Path(module).parent}",
            "--cov-context=test",
            "--cov-report=",
            "--cov-fail-under=0",
        ]
        if run_tests(root, [*options, *tests], 600, {"COVERAGE_FILE": str(data)}):
            raise RuntimeError(f"{module}: its tests fail without a mutant")
        recorded = CoverageData(str(data))
        recorded.read()
        lines = recorded.contexts_by_lineno(str((root / module).resolve()))
    return {
        line: {name.partition("|")[0].partition("[")[0] for name in names if name}
        for line, names in lines.items()
    }
