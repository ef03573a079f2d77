"""A missing extra is one line that says what to install."""

import ast
import tomllib
from pathlib import Path

import pytest

from eops_traj import optional
from eops_traj.errors import InputError


def test_what_is_missing_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    optional.require("train")
    monkeypatch.setattr(optional, "EXTRAS", {"train": ("json", "not_installed_at_all")})
    with pytest.raises(
        InputError, match=r"this needs not_installed_at_all: pip install 'eops-traj\[train\]'"
    ):
        optional.require("train")


def test_a_folder_of_the_same_name_is_not_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_a_folder").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(optional, "EXTRAS", {"train": ("only_a_folder",)})
    with pytest.raises(InputError, match="this needs only_a_folder"):
        optional.require("train")


def test_only_the_modules_that_are_needed_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional, "EXTRAS", {"publish": ("json", "not_installed_at_all")})
    optional.require("publish", "json")
    with pytest.raises(InputError, match="not_installed_at_all"):
        optional.require("publish", "not_installed_at_all")


def test_each_extra_has_an_environment_of_its_own_in_ci() -> None:
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ast.parse((root / "noxfile.py").read_text(encoding="utf-8")).body
    (tested,) = (
        ast.literal_eval(line.value)
        for line in lines
        if isinstance(line, ast.Assign) and _sets(line, "EXTRAS")
    )
    elsewhere = {"dev", "train", "smollm", "verifiers", "mutation"}  # CI's own, the slow tests, and by hand
    assert {*tested} == {*project["optional-dependencies"]} - elsewhere
    assert all(
        (root / part).exists() for parts in tested.values() for part in parts if part.startswith("tests")
    )


def _sets(line: ast.Assign, name: str) -> bool:
    return ast.unparse(line.targets[0]) == name
