"""Amending episodes that were read a while ago: what others amended since is never undone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import StoreError
from eops_traj.store.store import Store
from eops_traj.store.table import Table
from tests.episodes import episode


def test_an_episode_that_was_amended_since_it_was_read_is_not_written_over(folder: Path) -> None:
    with Store.open(folder) as ours, Store.open(folder) as theirs:
        since = ours.version()
        read = [ours.episode(name) for name in ("a1", "a2", "b1")]
        theirs.amend([replace(read[0], task_defect="no_verifier: x")], since)
        with pytest.raises(StoreError, match=r"'a1' .* was amended by another process meanwhile"):
            ours.amend([replace(one, outcome="failure") for one in read], since)
        assert (ours.episode("a1").task_defect, ours.episode("a2").outcome) == ("no_verifier: x", "success")
        ours.amend([replace(one, outcome="failure") for one in read[1:]], since)
        ours.amend([replace(ours.episode("a1"), outcome="failure")], ours.version())
        now = {one.episode_id: (one.task_defect, one.outcome) for one in ours.episodes()}
        assert now["a1"] == ("no_verifier: x", "failure")
        assert now["a2"] == now["b1"] == (None, "failure") != now["b2"]


def test_an_episode_that_came_since_was_never_read(folder: Path) -> None:
    with Store.open(folder) as store:
        since = store.version()
        store.append([episode("d1")])
        store.flush()
        with pytest.raises(StoreError, match=r"'d1' .* meanwhile"):
            store.amend([replace(store.episode("d1"), outcome="failure")], since)
        assert store.episode("d1").outcome != "failure"


def test_merging_and_adding_meanwhile_hinder_no_amendment(folder: Path) -> None:
    with Store.open(folder) as store:
        since, read = store.version(), store.episode("a1")
        store.append([episode("d1")])
        store.flush()
        store.compact()
        store.amend([replace(read, outcome="failure")], since)
        assert store.episode("a1").outcome == "failure" and len(list(store.episodes())) == 7


def test_only_data_files_that_were_replaced_since_are_opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    real = Table.open_file
    with Store.open(folder) as store:
        since, read = store.version(), {one.episode_id: one for one in store.episodes()}
        store.amend([replace(read["a1"], outcome="failure")], since)
        monkeypatch.setattr(
            Table, "open_file", lambda table, name: (opened.append(name), real(table, name))[1]
        )
        store.amend([replace(read[name], outcome="failure") for name in ("b1", "c2")], since)
        assert opened == []
        store.amend([replace(read["a2"], outcome="error")], since)
        assert len(opened) == 2 and store.episode("a2").outcome == "error"  # as it was and as it is


def test_behind_a_url_an_amendment_between_look_and_commit_is_noticed(
    s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No lock keeps two machines apart there: the commit is of the version that was looked at."""
    ours, theirs = Store.open(s3, create=True), Store.open(s3)
    ours.append([episode("a"), episode("b")])
    ours.flush()
    overwrite = Table._overwrite

    def late(table: Table, *looked_at: Any) -> None:
        monkeypatch.setattr(Table, "_overwrite", overwrite)
        theirs.amend([episode("a", task_defect="no_verifier: x")], theirs.version())
        overwrite(table, *looked_at)

    monkeypatch.setattr(Table, "_overwrite", late)
    with pytest.raises(StoreError, match="written by another process meanwhile"):
        ours.amend([episode("a", outcome="failure")], ours.version())
    assert (ours.episode("a").task_defect, ours.episode("a").outcome) == ("no_verifier: x", "success")
