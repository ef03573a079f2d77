"""Coverage counts what a room's own tests reach: another room's, which pass by, are not traced.

Tracing takes as long again as the tests themselves, and a line that only a distant test happens to run is no
line that a test is about.
"""

import functools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Have coverage pause in the tests of rooms that are not measured, fixtures and all."""
    measuring = sys.modules.get("coverage")  # which only --cov loads, and slim environments lack
    coverage = measuring and measuring.Coverage.current()
    if coverage is None or _is_measured(item.path, coverage.get_option("run:source")):
        return (yield)
    coverage.stop()
    try:
        return (yield)
    finally:
        coverage.start()


def _is_measured(test: Path, sources: object) -> bool:
    """Check whether a test is of a room that is measured; of other sources than ours, every test is."""
    ours = _own_sources()
    return sources != ours or test.relative_to(ROOT).parts[1] in {Path(source).name for source in ours}


@functools.cache
def _own_sources() -> list[str]:
    """Return the folders that ``pyproject.toml`` says are measured."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sources: list[str] = project["tool"]["coverage"]["run"]["source"]
    return sources
