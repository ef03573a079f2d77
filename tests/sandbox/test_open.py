"""Seed files are named from the tasks' folder, and stay in it: a task is not its reader's own text."""

from pathlib import Path

import pytest

from eops_traj.errors import FormatError
from eops_traj.sandbox.open import open_task, seed_path, seed_text
from eops_traj.sandbox.seed_report import loosened_seeds
from eops_traj.schema import Json, Server
from tests.collect.case_tasks import SERVER, task


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("SECRET=1;")
    (tmp_path / "tasks-other").mkdir()
    (tmp_path / "tasks-other" / "db.sql").write_text("SECRET=2;")
    folder = tmp_path / "tasks"
    (folder / "dbs").mkdir(parents=True)
    (folder / "dbs" / "a b.sql").write_text("-- ours")
    (folder / "link.sql").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop.sql").symlink_to(folder / "loop.sql")
    (folder / "inner.sql").symlink_to(folder / "dbs" / "a b.sql")
    return folder


OUTSIDE = [
    "{up}/secret.txt", "../secret.txt", "dbs/../../secret.txt", "dbs/../dbs/a b.sql", "link.sql",
    "up/secret.txt", "../tasks-other/db.sql", "up/tasks-other/db.sql", "loop.sql", "/proc/self/environ",
    "a\0b", "x" * 5000, "dbs/" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE, ids=range(len(OUTSIDE)))
def test_a_file_outside_the_folder_is_no_seed(root: Path, name: str) -> None:
    server = Server(name=SERVER, seed=name.replace("{up}", str(root.parent)))
    for use in (lambda: seed_text(server, root), lambda: open_task(task(servers=(server,)), root)):
        with pytest.raises(FormatError, match="seed file") as caught:
            use()
        assert "SECRET" not in str(caught.value) and "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("name", ["dbs/a b.sql", "./dbs/a b.sql", "inner.sql"])
def test_a_file_in_the_folder_is_wherever_the_folder_is(root: Path, name: str) -> None:
    (root.parent / "alias").symlink_to(root)
    for folder in (root, root.parent / "alias"):
        assert seed_text(Server(name=SERVER, seed=name), folder) == "-- ours"


def test_a_server_that_starts_from_a_company_reads_no_file(root: Path) -> None:
    assert seed_path(Server(name=SERVER, seed="/etc/passwd", details=Json('{"company":1}')), root) is None


def test_a_seed_that_does_not_load_is_named(root: Path) -> None:
    (root / "dbs" / "garden.sql").write_text("INSERT INTO garden (id) VALUES (1);")
    placed = task(servers=(Server(name=SERVER, seed="dbs/garden.sql"),))
    for use in (open_task, lambda one, folder: loosened_seeds([one], folder)):
        with pytest.raises(FormatError, match=rf"^{SERVER}: 'garden.sql': .*the seed is of another server"):
            use(placed, root)
