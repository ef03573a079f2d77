"""The five folders beside the package are parts of it, for pip and for editors alike."""

import importlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("collectors", "filters", "exporters", "recipes", "configs")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_relative_symlink_leads_to_each_folder(folder: str) -> None:
    link = ROOT / "eops_traj" / folder
    assert link.is_symlink() and link.readlink() == Path("..") / folder
    assert link.resolve() == ROOT / folder


@pytest.mark.parametrize("folder", FOLDERS[:4])
def test_code_is_imported_through_the_package(folder: str) -> None:
    module = importlib.import_module(f"eops_traj.{folder}")
    assert Path(module.__file__ or "").resolve() == ROOT / folder / "__init__.py"


def test_the_package_imports_no_folder_and_nothing_heavy_of_its_own_accord() -> None:
    code = (
        "import sys, eops_traj.cli.main, eops_traj.store.store, eops_traj.gym.registry; print(*sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(out.stdout.split())
    heavy = {"torch", "transformers", "trl", "datasets", "polars", "pyarrow", "deltalake", "mcp", "uvicorn"}
    assert not loaded & heavy
    assert not loaded & {f"eops_traj.{folder}" for folder in FOLDERS}


@pytest.mark.slow
def test_a_wheel_installs_one_name_with_everything_in_it(tmp_path: Path) -> None:
    left = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    source = shutil.copytree(ROOT, tmp_path / "source", symlinks=True, ignore=left)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, source]
    subprocess.run(build, check=True)
    names = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    assert {n.split("/")[0] for n in names if ".dist-info/" not in n} == {"eops_traj"}
    wanted = (p for f in FOLDERS for p in (ROOT / f).rglob("*") if p.suffix not in ("", ".pyc"))
    assert {f"eops_traj/{p.relative_to(ROOT)}" for p in wanted} <= set(names)
    gym = (p for p in (ROOT / "eops_traj" / "gym").rglob("*") if p.suffix in (".py", ".sql", ".md"))
    assert {str(p.relative_to(ROOT)) for p in gym} <= set(names)
