"""Servers of one's own join ours by a variable, and what is wrong with them is one line."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError
from eops_traj.gym import registry, servers
from eops_traj.gym.engine.schema import Schema
from eops_traj.gym.own_servers import VARIABLE, own_faults, own_servers

SERVER = """
from eops_traj.gym.server import Server
from eops_traj.gym.tools.responses import Responses
SERVER = Server(name="{0}", gym_name="{0}-mcp", port=8100, package=__name__, responses=Responses())
"""


def put(folder: Path, name: str, code: str = SERVER) -> Path:
    """Write a server with one table and one tool, and return its folder."""
    own = folder / name
    own.mkdir(parents=True)
    files = {
        "__init__.py": code.format(name),
        "tools.py": "",
        "policy.md": "Be kind.",
        "schema.sql": "CREATE TABLE shelf (\n    shelf_id INTEGER PRIMARY KEY  -- Id of the shelf.\n);",
        "tools.sql": "-- list_shelves() -> rows of shelf\n-- All shelves.\nSELECT * FROM shelf;\n",
        "seed.py": 'def seed(rng):\n    yield "shelf", [{"shelf_id": n} for n in (3, 5)]\n',
    }
    for file, text in files.items():
        (own / file).write_text(text, encoding="utf-8")
    return own


def run(*arguments: str, servers: str) -> tuple[int, str, str]:
    """Run the command line in a process of its own, which reads the variable."""
    ran = subprocess.run(
        [sys.executable, "-m", "eops_traj.cli", *arguments],
        env=os.environ | {VARIABLE: servers}, capture_output=True, text=True,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder whose servers this process knows until the end of the test."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(servers, "__path__", list(servers.__path__))
    monkeypatch.setattr(registry, "SERVERS", registry.Servers(registry.OURS))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith(f"{servers.__name__}."):
            del sys.modules[name]


def test_servers_of_two_folders_join_ours(tmp_path: Path) -> None:
    put(tmp_path / "a", "shelves")
    put(tmp_path / "b", "json")  # no installed module is in its way, and it is in none's
    both = f"{tmp_path / 'a'}{os.pathsep}{tmp_path / 'b'}"
    code, out, _ = run("gym", "call", "list_shelves", servers=both)
    assert code == 0 and '"shelf_id": 5' in out
    _, out, _ = run("gym", "tools", "--json", servers=both)
    assert len({tool["server"] for tool in json.loads(out)}) == 9


@pytest.mark.parametrize(
    ("name", "why"),
    [("hr", "there is a server hr already")]
    + [(name, "named with a-z") for name in ("My-Server", "größe", "a__b", "_a", "a_", "2day", "Hr")],
)
def test_a_name_that_cannot_be_is_refused(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, name)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(FormatError, match=why):
        own_servers({"hr", "csm"})


@pytest.mark.parametrize(("folder", "why"), [("none", "no folder"), (".", "holds no server")])
def test_a_folder_without_servers_is_refused(
    folder: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / folder))
    with pytest.raises(FormatError, match=why):
        own_servers(())


@pytest.mark.parametrize("code", ["SERVER = (", "import nothing_at_all", "server = 1", "1 / 0"])
def test_a_server_that_cannot_be_imported_is_one_line(code: str, own: Path, cli: Callable[..., Any]) -> None:
    put(own, "shelves", code)
    ran = cli("gym", "tools", "--server", "shelves")
    assert ran.code == 2 and ran.err.startswith("eops-traj: server shelves: ") and ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("CREATE TABLE a (b INTEGER PRIMARY KEY);", "a: a table is laid out as CREATE TABLE NAME ("),
        ("CREATE TABLE a (\n    b INTEGER PRIMARY, -- B.\n);", 'near ",": syntax error'),
    ],
)
def test_a_schema_that_cannot_be_read_is_one_line(
    schema: str, why: str, own: Path, cli: Callable[..., Any]
) -> None:
    (put(own, "shelves") / "schema.sql").write_text(schema, encoding="utf-8")
    ran = cli("gym", "tools", "--server", "shelves")
    assert ran.code == 2 and why in ran.err and ran.err.count("\n") == 1


_SEED = 'def seed(rng):\n    yield "shelf", [{}]\n'
_TOOL = """from eops_traj.gym.tools.tool import tool

@tool
def paint(call):
    '() -> row of shelf'
    return call.rows("SELECT 1 FROM shelf")[5]
"""


@pytest.mark.parametrize(
    ("file", "text", "command", "said"),
    [
        ("tools.py", None, "tools", "tools.py: ModuleNotFoundError: "),
        ("tools.py", "x = 1\nx['a']", "tools", "tools.py, line 2: TypeError: "),
        ("tools.py", 'MODULES = ("paint",)', "tools", "tools.py: ModuleNotFoundError: "),
        ("tools.sql", None, "tools", "tools.sql: FileNotFoundError: "),
        ("tools.sql", "-- f(a) -> rows of shelf\n--   a: A. {[}\nSELECT :a", "tools", "tools: ParserError: "),
        ("seed.py", "def seed(rng):\n    rng['a']", "list_shelves", "seed.py, line 2: TypeError: "),
        ("seed.py", _SEED.format({"width": 1}), "list_shelves", "seed.py: SQLError: "),
        ("seed.py", _SEED.format({"shelf_id": "x"}), "list_shelves", "seed.py: MismatchError: "),
        ("seed.py", "", "list_shelves", "seed.py: AttributeError: "),
        ("tools.py", _TOOL, "paint", "tools.py, line 6: IndexError: "),
    ],
)
def test_a_fault_in_its_files_is_one_line(
    file: str, text: str | None, command: str, said: str, own: Path, cli: Callable[..., Any]
) -> None:
    path = put(own, "shelves") / file
    path.unlink()
    if text is not None:
        path.write_text(text, encoding="utf-8")
    ran = cli("gym", *(["tools"] if command == "tools" else ["call", command]), "--server", "shelves")
    assert ran.code == 2 and ran.err.startswith(f"eops-traj: server shelves: {said}")
    assert ran.err.count("\n") == 1


def test_a_fault_of_one_of_ours_is_a_bug_and_stays_one() -> None:
    with pytest.raises(KeyError), own_faults("hr", "seed.py"):
        raise KeyError("a")


def test_a_price_is_compared_as_a_number(own: Path) -> None:
    shop = put(own, "shop")
    price = "price DECIMAL(10, 2)  -- Price."
    schema = f"CREATE TABLE shelf (\n    shelf_id INTEGER PRIMARY KEY,  -- Id.\n    {price}\n);"
    (shop / "schema.sql").write_text(schema, encoding="utf-8")
    tools = "-- find(below < price) -> rows\n-- Cheap ones.\nSELECT * FROM shelf WHERE {filters};"
    (shop / "tools.sql").write_text(tools, encoding="utf-8")
    rows = [{"shelf_id": n, "price": price} for n, price in enumerate((9.5, 10, 1000))]
    (shop / "seed.py").write_text(f'def seed(rng):\n    yield "shelf", {rows}\n', encoding="utf-8")
    server = registry.server("shop")
    found = json.loads(server.call(server.template().open(), "find", {"below": "99"}).text)
    assert [row["price"] for row in found] == [9.5, 10]


def test_the_page_tells_the_types_that_a_column_may_have() -> None:
    with pytest.raises(FormatError) as caught:
        Schema.parse("CREATE TABLE a (\n    b MONEY  -- B.\n);")
    types = str(caught.value).partition("choose from ")[2].split(", ")
    page = (Path(__file__).parents[2] / "docs" / "own_server.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`([A-Z]+)`", page)) == set(types)


def test_its_suite_needs_scenarios(tmp_path: Path) -> None:
    put(tmp_path, "shelves")
    out = str(tmp_path / "out")
    status, _, err = run("tasks", "make", "--suite", "shelves", "--out", out, servers=str(tmp_path))
    assert status == 2 and "shelves has no scenarios" in err
    status, _, err = run("tasks", "list", "suite:shelves", servers=str(tmp_path))
    assert status == 2 and "tasks make --suite shelves" in err


def test_nothing_is_looked_up_on_import_nor_for_one_of_ours() -> None:
    code = "import eops_traj.taskgen.family; from eops_traj.gym.registry import server; server('csm')"
    environment = os.environ | {VARIABLE: "/nowhere"}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
    assert run("gym", "tools", servers="/nowhere")[2] == (
        "eops-traj: EOPS_TRAJ_SERVERS names /nowhere, which is no folder\n"
    )


def test_a_process_that_shares_the_work_knows_them_first(tmp_path: Path) -> None:
    """What one of them defines can be sent there: a spawned process imports it by its name."""
    put(tmp_path, "shelves")
    code = (
        "if __name__ == '__main__':\n"
        "    from operator import attrgetter\n"
        "    from eops_traj.gym.registry import server\n"
        "    from eops_traj.workers.processes import worker_pool\n"
        "    with worker_pool(1) as pool:\n"
        "        print(pool.submit(attrgetter('policy'), server('shelves')).result())\n"
    )
    (tmp_path / "main.py").write_text(code)
    environment = os.environ | {VARIABLE: str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, tmp_path / "main.py"], env=environment, capture_output=True, text=True
    )
    assert ran.stdout == "Be kind.\n", ran.stderr
