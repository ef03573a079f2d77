"""The mutants of a module: realistic wrong changes, found by cosmic-ray, and tests by line."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        found += [Mutant(name, n, start[0], end[0]) for n, (start, end) in enumerate(places)]
    yield from sorted(found, key=lambda mutant: (mutant.first, mutant.operator, mutant.occurrence))


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
        if run_tests(root, [*options, *tests], timeout=600, COVERAGE_FILE=str(data)):
            raise RuntimeError(f"{module}: its tests fail without a mutant")
        recorded = CoverageData(str(data))
        recorded.read()
        lines = recorded.contexts_by_lineno(str((root / module).resolve()))
    return {
        line: {name.partition("|")[0].partition("[")[0] for name in names if name}
        for line, names in lines.items()
    }


def run_tests(root: Path, arguments: Sequence[str], timeout: float, **environment: str) -> int:
    """Run tests in a tree, up to the first that fails; return the exit code, 1 where they take too long."""
    import os

    own = {"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    try:
        return subprocess.run(
            command, cwd=root, env={**os.environ, **own, **environment}, capture_output=True, timeout=timeout
        ).returncode
    except subprocess.TimeoutExpired:
        return 1
