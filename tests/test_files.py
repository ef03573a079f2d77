"""JSON files are found and read whole, and folders are made whole."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from eops_traj.errors import FormatError, InputError
from eops_traj.files import alone, find_files, put_in_place, read_json, work_folder, write_json


def test_a_pipe_in_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    os.mkfifo(tmp_path / "b.json")  # to open it would be to wait for ever
    assert list(find_files([tmp_path])) == [tmp_path / "a.json"]


def test_two_that_write_one_file_at_once_write_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second comes and goes before the first has put in place what it wrote."""
    path, replace = tmp_path / "a.json", Path.replace

    def after_another(temporary: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "replace", replace)
        write_json(path, "other")
        return temporary.replace(target)

    monkeypatch.setattr(Path, "replace", after_another)
    write_json(path, "one")
    with pytest.raises(UnicodeError):
        write_json(path, "\ud800")
    assert read_json(path) == "one" and [*tmp_path.iterdir()] == [path]


def test_a_lock_is_held_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()  # as one that was killed leaves it
    for _ in range(2):
        with alone(lock, "held"), pytest.raises(InputError, match="held"), alone(lock, "held"):
            pytest.fail("two held it")
        assert not lock.exists()


def test_a_lock_that_was_removed_before_it_was_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who holds a file that the next one does not find is not alone."""
    lock, flock = tmp_path / "lock", fcntl.flock

    def after_its_holder(*given: Any) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        lock.unlink()
        flock(*given)

    monkeypatch.setattr(fcntl, "flock", after_its_holder)
    with alone(lock, "held"), pytest.raises(InputError, match="held"), alone(lock, "held"):
        pytest.fail("held without a name")


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
def test_where_there_are_no_locks_nobody_is_refused(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(code, os.strerror(code))))
    with alone(tmp_path / "lock", "held"), alone(tmp_path / "lock", "held"):
        assert (tmp_path / "lock").exists()
    assert not (tmp_path / "lock").exists()


def test_a_folder_that_was_made_for_a_lock_alone_goes_with_it(tmp_path: Path) -> None:
    with alone(tmp_path / "new" / "work" / "lock", "held"):
        (tmp_path / "new" / "kept").touch()
    assert [*(tmp_path / "new").iterdir()] == [tmp_path / "new" / "kept"]


def test_two_that_make_one_folder_at_once_have_a_place_each(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with work_folder(out) as one, work_folder(out) as other:
        (one / "a").write_text("one")
        (other / "a").write_text("other")
        put_in_place(one, out)
    assert (out / "a").read_text() == "one" and [*tmp_path.iterdir()] == [out]


def test_a_folder_that_is_there_stays_the_same_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with work_folder(Path()) as folder:
        assert folder.name == tmp_path.name
        (folder / "a").write_text("whole")
        put_in_place(folder, Path())
    assert (Path.cwd() / "a").read_text() == "whole"


def test_an_empty_folder_is_replaced_in_one_step(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with work_folder(out) as folder:
        (folder / "a").write_text("whole")
        made = folder.stat().st_ino
        put_in_place(folder, out)
    assert out.stat().st_ino == made and (out / "a").read_text() == "whole"


def test_a_disk_of_its_own_gets_what_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.mkdir()
    there = out.stat().st_ino
    monkeypatch.setattr(Path, "is_mount", lambda path: path == out)
    with work_folder(out) as folder:
        (folder / "a").write_text("whole")
        put_in_place(folder, out)
    assert out.stat().st_ino == there and (out / "a").read_text() == "whole"


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), work_folder(tmp_path / "above" / "out") as folder:
        (folder / "a").write_text("half")
        raise ZeroDivisionError
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("there", [True, False])
def test_what_a_link_leads_to_is_made_and_the_link_stays(there: bool, tmp_path: Path) -> None:
    (out := tmp_path / "out").symlink_to("disk/real")
    if there:
        (tmp_path / "disk" / "real").mkdir(parents=True)
    with work_folder(out) as folder:
        assert folder.parent.parent == tmp_path / "disk"  # from there it can be renamed
        (folder / "a").write_text("whole")
        assert put_in_place(folder, out) == tmp_path / "disk" / "real"
    assert out.is_symlink() and (out / "a").read_text() == "whole"
    assert [*(tmp_path / "disk").iterdir()] == [tmp_path / "disk" / "real"]


def test_a_link_that_leads_to_itself_is_refused_before_any_work(tmp_path: Path) -> None:
    (out := tmp_path / "out").symlink_to("other")
    (tmp_path / "other").symlink_to("out")
    with pytest.raises(FormatError, match="out is a link that leads to itself"), work_folder(out):
        pytest.fail("the work began")
