"""A copy of a store behind a URL has the ids of its tables: what waits for the first is not the copy's."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import StoreError, StoreWarning
from eops_traj.schema import Label
from eops_traj.store.store import Store
from tests.episodes import episode

Urls = tuple[str, str]
LABEL = Label(
    label_id="l", episode_id="a", reader="Ada", value="wrong", created_at="2026-01-01T00:00:00+00:00"
)


@pytest.fixture
def urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Urls:
    """The URLs of a store of episode a and of its copy; b and a label wait for the first alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first, copy = (f"file://{tmp_path}/{name}" for name in ("first", "copy"))
    with Store.open(first, create=True) as store:
        store.append([episode("a")])
    shutil.copytree(tmp_path / "first", tmp_path / "copy")
    killed = Store.open(first)
    killed.append([episode("b")], labels=[LABEL])
    killed.journal.close()
    return first, copy


def ids(url: str) -> list[str]:
    return sorted(one.episode_id for one in Store.open(url).episodes())


def test_what_waits_for_the_first_is_not_taken_by_the_copy(urls: Urls) -> None:
    first, copy = urls
    with pytest.warns(
        StoreWarning, match=f"2 records wait .* were added to {first}: `eops-traj check {first} --repair`"
    ):
        assert ids(copy) == ["a"]
    with pytest.warns(StoreWarning):
        store = Store.open(copy, create=True)
    assert store.labels() == [] and store.set_aside() == 0
    with pytest.raises(StoreError, match=f"were added to {first}"):
        store.append([episode("c")])
    assert ids(first) == ["a", "b"] and [label.value for label in Store.open(first).labels()] == ["wrong"]


def test_each_has_the_journal_to_itself_once_nothing_waits(urls: Urls) -> None:
    for url, name in zip((*urls, urls[0]), "cde", strict=True):
        with Store.open(url, create=True) as store:
            store.append([episode(name)])
    assert ids(urls[0]) == ["a", "b", "c", "e"] and ids(urls[1]) == ["a", "d"]


def test_a_store_that_was_moved_takes_what_waits_when_it_is_repaired(urls: Urls, cli: Callable) -> None:
    first, copy = urls
    told = cli("check", copy)
    assert told.code == 0 and f"2 records wait to be moved to the tables of {first}" in told.out
    mended = cli("check", copy, "--repair")
    assert mended.code == 0 and f"the records that waited for {first} are this store's now" in mended.out
    assert ids(copy) == ["a", "b"] and ids(first) == ["a"]


def test_what_no_table_could_take_stays_the_first_ones(urls: Urls) -> None:
    first, copy = urls
    journal = Store(first).journal
    with journal.exclusive():
        waiting = journal.waiting(2)
        journal.set_aside((entry, "too long") for entry in waiting.entries)
        journal.forget(waiting.last)
    with warnings.catch_warnings(action="error"):
        store = Store.open(copy)
    assert store.set_aside() == 0
    with pytest.raises(StoreError, match=f"were added to {first}"):
        store.append([episode("c")])


def test_what_waits_for_the_first_is_new_to_the_copy(urls: Urls) -> None:
    first, copy = urls
    with pytest.warns(StoreWarning):
        store = Store.open(copy)
    assert store.known(["a", "b", "c"]) == {"a"}
    assert ids(first) == ["a", "b"]
    assert store.append([episode("b")]) == 1
    store.close()
    assert ids(copy) == ["a", "b"]


def test_the_first_is_closed_while_something_waits_for_the_copy(urls: Urls) -> None:
    ours, theirs = (Store.open(url) for url in urls)
    ours.append([episode("c")])
    ours.flush()
    theirs.append([episode("d")])
    ours.close()
    assert theirs.journal.keys("episodes") == {"d"}
    theirs.close()
    assert ids(urls[0]) == ["a", "b", "c"] and ids(urls[1]) == ["a", "d"]
