"""The house is as ``docs/architecture.md`` draws it, and the folders beside the package are parts of it."""

import importlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from eops_traj.instances import REGISTRIES
from tests.import_graph import INSTANCES, PACKAGE, circles, module_graph, modules, room, room_graph

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FLAT = 10
"""The most modules that lie in the package itself."""
FLOORS = 12
DOORS = {PACKAGE, "collectors", "__main__"}
"""Packages with nothing in their ``__init__`` but a word, or the version; and the program's beginning."""
FOLDERS = ("collectors", "filters", "exporters", "recipes", "configs")


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    return module_graph(ROOT)


def floors() -> list[set[str]]:
    """The floors that the page draws, from the ground up."""
    (drawing,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition(" ") for line in drawing.strip().splitlines()]
    assert [int(number) for number, _, _ in lines] == list(range(len(lines) - 1, -1, -1))
    return [set(rooms.split()) for _, _, rooms in reversed(lines)]


def test_no_modules_and_no_rooms_import_each_other_in_a_circle(graph: dict[str, set[str]]) -> None:
    assert circles(graph) == [] and circles(room_graph(graph)) == []


def test_a_circle_is_found_whatever_hangs_on_it() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}) == [["b", "c"]]


def test_every_import_leads_to_a_lower_floor(graph: dict[str, set[str]]) -> None:
    level = {name: number for number, rooms in enumerate(floors()) for name in rooms} | dict.fromkeys(
        DOORS, -1
    )
    upward = [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in targets
        if room(target) != room(module) and level[room(target)] >= level[room(module)] > -1
    ]
    assert upward == []


def test_the_page_draws_every_room_once(graph: dict[str, set[str]]) -> None:
    drawn = [name for rooms in floors() for name in rooms]
    assert sorted(drawn) == sorted({room(module) for module in graph} - DOORS)
    assert len(floors()) <= FLOORS


def test_few_modules_lie_in_the_package_itself() -> None:
    flat = {path.stem for path in (ROOT / PACKAGE).glob("*.py")} - {"__init__", "__main__"}
    assert len(flat) <= FLAT


def test_the_library_imports_no_instance_folder(graph: dict[str, set[str]]) -> None:
    """Not even lazily: it asks `eops_traj.instances` by name. The command line may."""
    folders = tuple(f"{PACKAGE}.{name}" for name in INSTANCES)
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in targets
        if target.startswith(folders) and not module.startswith((*folders, f"{PACKAGE}.cli"))
    ]
    assert wrong == []


def test_lazy_and_type_checking_imports_count(tmp_path: Path) -> None:
    package = tmp_path / PACKAGE
    package.mkdir()
    for name in INSTANCES:
        (tmp_path / name).mkdir()
        (package / name).symlink_to(Path("..") / name)
    (package / "__init__.py").write_text("")
    (package / "low.py").write_text("def f():\n    from eops_traj import high\n")
    (package / "high.py").write_text("if TYPE_CHECKING:\n    from eops_traj.low import f\n")
    program = 'if __name__ == "__main__":\n    from eops_traj.high import x\n'
    (tmp_path / "filters" / "rule.py").write_text(f"import eops_traj.low\n{program}")
    assert modules(tmp_path).keys() == {PACKAGE, *(f"{PACKAGE}.{n}" for n in ("low", "high", "filters.rule"))}
    graph = module_graph(tmp_path)
    assert circles(graph) == [["eops_traj.high", "eops_traj.low"]]
    assert graph["eops_traj.filters.rule"] == {"eops_traj.low"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_relative_symlink_leads_to_each_folder(folder: str) -> None:
    link = ROOT / "eops_traj" / folder
    assert link.is_symlink() and link.readlink() == Path("..") / folder
    assert link.resolve() == ROOT / folder


@pytest.mark.parametrize("folder", FOLDERS[:4])
def test_code_is_imported_through_the_package(folder: str) -> None:
    module = importlib.import_module(f"eops_traj.{folder}")
    assert Path(module.__file__ or "").resolve() == ROOT / folder / "__init__.py"


def test_the_package_imports_no_instance_and_nothing_heavy_of_its_own_accord() -> None:
    code = (
        "import sys, eops_traj.cli.main, eops_traj.store.store, eops_traj.gym.registry; print(*sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(out.stdout.split())
    heavy = {"torch", "transformers", "trl", "datasets", "polars", "pyarrow", "deltalake", "mcp", "uvicorn"}
    assert not loaded & heavy
    assert not [
        name for name in loaded if name.startswith(tuple(f"{package}." for package, _ in REGISTRIES.values()))
    ]


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
