"""Writers at once on one table, and writers that are killed: each key is there once, and none is lost."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake.exceptions import CommitFailedError

from eops_traj.errors import StoreError, StoreWarning
from eops_traj.schema import Prompt
from eops_traj.store import table as tables
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store
from eops_traj.store.table import Table
from tests.episodes import episode
from tests.store.appending import append


def prompts(*names: str) -> list[dict[str, Any]]:
    return [to_row(Prompt(prompt_hash=name, text=f"text of {name}")) for name in names]


def quicker(table: Table, first: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have another writer do something each time when this one has looked and not yet committed."""
    write = table.write_file

    def late(rows: Any) -> Any:
        first()
        return write(rows)

    monkeypatch.setattr(table, "write_file", late)


@pytest.mark.parametrize("place", ["folder", "url"])
def test_a_key_that_another_writer_commits_meanwhile_is_not_doubled(
    place: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = str(tmp_path / "store") if place == "folder" else request.getfixturevalue("s3")
    Store.open(url, create=True).close()
    ours, theirs = (Store.open(url).tables["prompts"] for _ in range(2))
    quicker(ours, lambda: theirs.append(prompts("b", "c")), monkeypatch)
    assert ours.append(prompts("a", "b")) == 1
    assert sorted(row["prompt_hash"] for row in Store.open(url).tables["prompts"].rows()) == ["a", "b", "c"]
    assert ours.append(prompts("c")) == 0


def test_all_that_is_new_may_have_been_committed_meanwhile(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = (Store.open(empty).tables["prompts"] for _ in range(2))
    quicker(ours, lambda: theirs.append(prompts("a")), monkeypatch)
    assert ours.append(prompts("a")) == 0 and len(list(theirs.rows())) == 1


def test_others_that_are_always_quicker_are_told(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = (Store.open(empty).tables["prompts"] for _ in range(2))
    names = iter("bcdef")
    quicker(ours, lambda: theirs.append(prompts(next(names))), monkeypatch)
    monkeypatch.setattr(tables, "TRIES", 3)
    with pytest.raises(StoreError, match="written by other processes 3 times meanwhile"):
        ours.append(prompts("a"))
    assert sorted(row["prompt_hash"] for row in theirs.rows()) == ["b", "c", "d"]


def test_a_commit_that_fails_with_nobody_quicker_is_told_at_once(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, tried = Store.open(empty).tables["prompts"], []

    def refuse(*_: Any, **__: Any) -> None:
        tried.append(1)
        raise CommitFailedError("no")

    monkeypatch.setattr(table, "_add_file", refuse)
    with pytest.raises(StoreError, match="meanwhile: no"):
        table.append(prompts("a"))
    assert len(tried) == 1


def test_two_machines_append_to_one_url(s3: str, tmp_path: Path) -> None:
    """This process is one of them, the other has a journal of its own."""
    Store.open(s3, create=True).close()
    start, shared = str(tmp_path / "start"), ["20", "21", "22"]
    other = subprocess.Popen(
        [sys.executable, "-m", "tests.store.appending", s3, start, "11", *shared[::-1]],
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "other")},
    )
    while not Path(f"{start}11").exists():
        assert other.poll() is None
        time.sleep(0.01)
    Path(start).touch()
    append(s3, start, "10", *shared)
    assert other.wait(120) == 0
    ids = [one.episode_id for one in Store.open(s3).episodes()]
    assert sorted(ids) == sorted(id_ for n in ["10", "11", *shared] for id_ in (n, f"{n}b"))
    assert len(list(Store.open(s3).tables["prompts"].rows())) == 1


def test_what_a_killed_writer_left_is_there_when_its_machine_opens_the_url_again(
    s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = Store.open(s3, create=True)
    killed.append([episode("a"), episode("b")])
    del killed  # no close, no flush: as if the process had died here
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("XDG_STATE_HOME", str(tmp_path / "other machine"))
        assert list(Store.open(s3).episodes()) == []
    assert sorted(one.episode_id for one in Store.open(s3).episodes()) == ["a", "b"]


def test_what_cannot_be_moved_to_a_url_is_said_to_wait(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise OSError(13, "Permission denied")

    store = Store.open(s3, create=True)
    store.append([episode("a")])
    monkeypatch.setattr(Table, "write_file", refused)
    with pytest.warns(StoreWarning, match="1 records wait in the journal .* Permission denied"):
        assert list(Store.open(s3).episodes()) == []


@pytest.mark.slow
def test_kill_9_of_an_import_into_a_url_loses_and_doubles_nothing(
    s3: str, fixtures: Path, cli: Callable
) -> None:
    program = str(Path(sys.executable).parent / "eops-traj")
    command = [program, "import", "enterpriseops", str(fixtures / "results"), "--store"]
    assert cli(*command[1:], f"{s3}-whole").code == 0
    expected = sorted(one.episode_id for one in Store.open(f"{s3}-whole").episodes())
    started = time.monotonic()
    assert subprocess.run([*command, f"{s3}-timed"]).returncode == 0
    longest, moments, interrupted = time.monotonic() - started, random.Random(3), 0
    for number in range(20):  # a quieter machine than that of the first run may be done before it is killed
        if number >= 10 and interrupted > 2:
            break
        url = f"{s3}-{number}"
        worker = subprocess.Popen([*command, url])
        try:
            worker.wait(moments.uniform(0.3, 1) * longest)
        except subprocess.TimeoutExpired:
            worker.kill()
            interrupted += worker.wait() < 0
        ran = cli(*command[1:], url, "--json")
        assert ran.code == 0 and json.loads(ran.out)["episodes"] == len(expected), ran.err
        assert sorted(one.episode_id for one in Store.open(url).episodes()) == expected
    assert interrupted > 2
