"""Coverage counts what a room's own tests reach: another room's, which pass by, are not traced.

Tracing takes as long again as the tests themselves, and a line that only a distant test happens to run is no
line that a test is about.
"""

import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from coverage import Coverage

ROOT = Path(__file__).parents[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Have coverage pause in the tests of rooms that are not measured, fixtures and all."""
    coverage = Coverage.current()
    if coverage is None or item.path.relative_to(ROOT).parts[1] in measured_rooms():
        return (yield)
    coverage.stop()
    try:
        return (yield)
    finally:
        coverage.start()


@functools.cache
def measured_rooms() -> set[str]:
    """Return the names of the folders that ``pyproject.toml`` measures, as their tests' folders have them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {Path(source).name for source in project["tool"]["coverage"]["run"]["source"]}
