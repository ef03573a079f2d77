"""Make each realistic wrong change in a module of value, one at a time, and see whether a test notices.

    pip install -e ".[dev,mutation]"
    python -m benchmarks.mutation [MODULE ...]

The modules and their tests are in ``modules.yaml``, by room. A mutant is tried on the tests that run its
line, in a copy of the tree. What each module comes to goes into ``results.yaml``, and from there all of it
into ``README.md``.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from benchmarks.mutation.mutants import Mutant, mutants_of, tests_by_line
from benchmarks.mutation.table import render
from benchmarks.mutation.warm_tests import compile_tree, run_tests

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "*.egg-info", ".*_cache", "build")


def main(names: list[str]) -> int:
    """Try the mutants of these modules, or of all, and write the table; return 1 where some survived."""
    rooms: dict[str, dict[str, list[str]]] = yaml.safe_load((HERE / "modules.yaml").read_text("utf-8"))
    modules = {module: tests for room in rooms.values() for module, tests in room.items()}
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "project"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=LEFT_OUT)
        compile_tree(tree)
        for module in names or modules:
            result = try_module(tree, module, modules[module])
            write(rooms, module, result)
            print(f"{module}: {result['mutants']} mutants", *result["survived"], sep="\n  ", flush=True)
            survived += len(result["survived"])
    return int(survived > 0)


def write(rooms: dict[str, dict[str, list[str]]], module: str, result: dict[str, Any]) -> None:
    """Add what a module came to, to the results and to the page; others may add theirs meanwhile."""
    file = HERE / "results.yaml"
    results = (yaml.safe_load(file.read_text("utf-8")) if file.exists() else None) or {}
    results[module] = result
    file.write_text(yaml.safe_dump(results, width=110, allow_unicode=True), encoding="utf-8")
    (HERE / "README.md").write_text(render(rooms, results, equivalents()), encoding="utf-8")


def equivalents() -> dict[str, str]:
    """Return the mutants that change nothing that anyone could see, each with the reason."""
    return dict(yaml.safe_load((HERE / "equivalent.yaml").read_text("utf-8")) or {})


def try_module(tree: Path, module: str, tests: list[str]) -> dict[str, Any]:
    """Try every mutant of a module; return how many there are, and those that no test noticed."""
    start = time.monotonic()
    by_line = tests_by_line(tree, module, tests)
    allowed = 60 + 3 * (time.monotonic() - start)
    found = list(mutants_of(tree / module))
    survived = [named for one in found if (named := survivor(tree, module, one, by_line, tests, allowed))]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    facts = {"date": datetime.now(UTC).date().isoformat(), "commit": commit.stdout.strip()}
    minutes = round((time.monotonic() - start) / 60, 1)
    return {**facts, "minutes": minutes, "mutants": len(found), "survived": survived}


def survivor(
    tree: Path, module: str, mutant: Mutant, by_line: dict[int, set[str]], tests: list[str], allowed: float
) -> str | None:
    """Apply a mutant and run the tests of its lines; return it as ``operator: line`` where none fails."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator

    lines = range(mutant.first, mutant.last + 1)
    related = set[str]().union(*(by_line.get(line, set()) for line in lines))
    operator = get_operator(f"core/{mutant.operator}")()
    with use_mutation(tree / module, operator, mutant.occurrence) as (original, mutated):
        if mutated is None or run_tests(tree, sorted(related) or tests, allowed):
            return None
    return f"{mutant.operator}: {original.splitlines()[mutant.first - 1].strip()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
