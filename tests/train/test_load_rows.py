"""Training loads the rows that were certified: by file and column, whatever stands beside them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines
from eops_traj.exporters import FORMATS
from eops_traj.instances import load
from eops_traj.recipes import sft
from eops_traj.train.config import RecipeConfig
from eops_traj.train.load_rows import features_of
from eops_traj.train.run_folder import open_data
from tests.certified import certify
from tests.recipes import runs
from tests.selected import calling, exported
from tests.tampering import DATA, MARK, TAMPERS

EPISODES = [calling("e0", {"name": "Odile"}), calling("e1", {"id": 7})]
LINES = [
    name for name in FORMATS if issubclass(load("format", name), JsonLines) and load("format", name).trains
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of two rows, as it was written."""
    return exported(tmp_path_factory.mktemp("whole"), EPISODES)


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return Path(shutil.copytree(whole, tmp_path / "sft"))


def answers(folder: Path) -> list[str]:
    """Return the last message of each row that a recipe reads."""
    config = RecipeConfig(recipe="sft", data=folder, output=folder.parent / "out")
    with open_data(config, sft.FORMATS, resume=False) as data:
        return [row["messages"][-1]["content"] for row in data.rows]


@pytest.mark.parametrize("way", ["card names other rows", "card names every file", "card has other columns"])
def test_the_card_does_not_choose_the_rows(way: str, folder: Path) -> None:
    TAMPERS[way](folder)
    assert answers(folder) == [MARK.decode()] * 2


@pytest.mark.parametrize("way", ["checks emptied", "a check failed", "rows one more"])
def test_what_the_certificate_does_not_say_passed_is_refused(way: str, folder: Path) -> None:
    TAMPERS[way](folder)
    with pytest.raises(InputError):
        answers(folder)


@pytest.mark.parametrize("format", LINES)
def test_columns_are_those_that_the_card_declares(format: str, tmp_path: Path) -> None:
    import yaml
    from datasets import load_dataset_builder

    columns = load("format", format).features
    about = {"dataset_info": {"features": [dict(column) for column in columns]}}
    (tmp_path / "README.md").write_text(f"---\n{yaml.safe_dump(about)}---\n")
    (tmp_path / "train.jsonl").write_text("{}\n")
    builder = load_dataset_builder(str(tmp_path), cache_dir=str(tmp_path / "cache"))
    assert builder.info.features == features_of(columns)


def test_certified_rows_of_another_format_are_one_line(folder: Path) -> None:
    (folder / DATA).write_text('{"messages": 7}\n')
    certify(folder, "sft")
    with pytest.raises(InputError, match="the data is not of format sft: ") as refused:
        answers(folder)
    assert len(str(refused.value).splitlines()) == 1


def test_what_is_not_certified_is_refused_before_anything_heavy_is_imported(folder: Path) -> None:
    TAMPERS["rows changed"](folder)
    path = runs.config(folder.parent / "out", {**runs.TINY, "recipe": "sft", "scratch": {}}, data=folder)
    code = f"""
import sys
from eops_traj.cli.main import main
try:
    main(["train", {str(path)!r}])
except SystemExit as left:
    print(left.code, sorted({{"torch", "datasets", "trl", "transformers"}} & sys.modules.keys()))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "2 []" and ran.stderr.count("\n") == 1
    assert "is not what certificate.json certifies" in ran.stderr and not (folder.parent / "out").exists()
