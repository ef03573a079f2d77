"""What holds for every filter: it is documented, its parameters are checked, and it has a test."""

import inspect
import json
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from eops_traj.filter.rules import RowRule, SetStep
from eops_traj.filters import FILTERS
from eops_traj.instances import load
from tests.filters.test_row_rules import CASES

HERE = Path(__file__).parent
SHARED_BY_STEPS = {"__init__", "texts", "minhash", "held_out"}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_documented_with_every_parameter(name: str) -> None:
    rule = load("rule", name)
    assert issubclass(rule, RowRule | SetStep)
    assert (inspect.getmodule(rule).__doc__ or "").startswith(f"{name}: ")  # type: ignore[union-attr]
    text = vars(rule)["__doc__"]
    assert [p for p in rule.model_fields if f"``{p}``" not in text] == []


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_refuses_a_strange_parameter(name: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        load("rule", name).model_validate_json(json.dumps({"strange": 1}))


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_tested(name: str) -> None:
    by_table = any(name in rule for rule, _, _ in CASES)
    assert by_table or f'"{name}"' in (HERE / f"test_{name}.py").read_text()


def test_the_registry_names_every_file() -> None:
    files = {p.stem for p in Path(sys.modules["eops_traj.filters"].__path__[0]).glob("*.py")}
    assert files - SHARED_BY_STEPS == set(FILTERS)
