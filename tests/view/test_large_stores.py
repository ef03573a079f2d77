"""A store that is too large to be read while one waits: its first rows, its index on disk, its files."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import StoreError
from eops_traj.store.store import Store
from eops_traj.view import latest_index
from eops_traj.view.episode_files import EpisodeFiles
from eops_traj.view.index import Index, kept_index, load_index
from eops_traj.view.latest_index import LatestIndex
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import first_of, new_page, viewing, web
from tests.waiting import eventually

NAMES = ["a1", "a2", "a3", "b1", "b2"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store of three episodes and two, in two files; more than four are many."""
    monkeypatch.setattr("eops_traj.view.index.AT_ONCE", 4)
    monkeypatch.setattr("eops_traj.view.index.FIRST", 2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with Store.open(tmp_path / "store", create=True) as opened:
        for part in (NAMES[:3], NAMES[3:]):
            add(opened, *part)
        yield opened
        for reader in threading.enumerate():
            if reader.name == "index":  # it would call what the next test puts in place of a function
                reader.join(60)


def add(opened: Store, *names: str) -> None:
    opened.append([episode(name, domain=f"of_{name}") for name in names], prompts=[PROMPT], toolsets=[TOOLS])
    opened.flush()


def names_in(index: Index) -> list[str]:
    return sorted(index.frame["episode_id"])


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What the reading of an index waits for."""
    opened = threading.Event()

    def wait_and_load(files: EpisodeFiles) -> Index:
        opened.wait(120)
        return load_index(files)

    monkeypatch.setattr(latest_index, "load_index", wait_and_load)
    yield opened
    opened.set()


def test_the_first_page_does_not_wait_and_says_so(store: Store, gate: threading.Event, tmp_path) -> None:
    with viewing(tmp_path / "store") as address:
        page = web.get(f"{address}/episodes").text
        assert "the first 2 of 5 episodes" in page and page.count('scope="row"') == 2
        assert all("the first 2 of 5" in web.get(address + path).text for path in ("/", "/causes"))
        threading.Timer(0.3, gate.set).start()
        assert len(web.get(f"{address}/episodes.jsonl").text.splitlines()) == 5  # it waits
        whole = web.get(f"{address}/episodes").text
        assert "are being read" not in whole and whole.count('scope="row"') == 5


def test_what_is_typed_while_a_store_is_read_stays(
    browser: Any, store: Store, gate: threading.Event, tmp_path: Path
) -> None:
    """The page is the same while rows lack; the answer that has all comes as something is typed."""
    with viewing(tmp_path / "store") as address:
        page, held = new_page(browser), list[Any]()
        page.goto(f"{address}/episodes")
        page.evaluate("document.getElementById('main').title = 'first'")
        for _ in range(2):
            with page.expect_response("**/episodes"):
                pass
        assert page.get_attribute("#main", "title") == "first"
        page.route("**/episodes", lambda route: held.append(route), times=1)
        last = first_of(held, page)
        gate.set()
        assert len(web.get(f"{address}/episodes.jsonl").text.splitlines()) == 5
        page.fill("#q", "walrus")
        last.continue_()
        page.wait_for_selector("#main:not([title])")
        page.wait_for_url("**/episodes?q=walrus")
        page.wait_for_selector("text=No episode is like that")
        assert page.input_value("#q") == "walrus"
        page.close()


def test_an_index_is_kept_for_the_same_files_alone(store: Store, tmp_path: Path) -> None:
    files = EpisodeFiles.latest(store)
    assert kept_index(files) is None
    read, kept = load_index(files), kept_index(files)
    assert kept is not None and kept.frame.equals(read.frame) and kept.whole
    assert names_in(kept) == NAMES
    assert kept.frame["domain"].to_list() == [f"of_{name}" for name in kept.frame["episode_id"]]
    (part,) = (file for file in files.files if file.rows == 2)
    os.utime(tmp_path / "store" / "episodes" / part.name, ns=(0, 0))
    assert kept_index(EpisodeFiles.latest(store)) is None
    add(store, "c1")
    later = load_index(EpisodeFiles.latest(store))
    assert names_in(later) == [*NAMES, "c1"]
    assert len(list((tmp_path / "cache" / "eops-traj" / "index").rglob("*.*"))) == 1


def test_an_attempt_is_superseded_by_one_of_another_file(store: Store) -> None:
    store.append([episode("c1", supersedes="a2"), episode("c2", outcome="error"), episode("c3", parent="a1")])
    store.flush()
    files = EpisodeFiles.latest(store)
    load_index(files)
    kept = kept_index(files)
    assert kept is not None
    standing = dict(kept.frame.select("episode_id", "standing").iter_rows())
    others = {"a2": "superseded", "c2": "error", "c3": "branch"}
    assert standing == {**dict.fromkeys([*NAMES, "c1"], "scored"), **others}


def test_a_kept_file_that_is_broken_is_read_anew(store: Store, tmp_path: Path) -> None:
    load_index(EpisodeFiles.latest(store))
    (kept,) = (tmp_path / "cache" / "eops-traj" / "index").rglob("*.arrow")
    kept.write_bytes(kept.read_bytes()[:100])
    assert kept_index(EpisodeFiles.latest(store)) is None
    assert LatestIndex(store, lambda: None).whole().frame.height == 5


def test_without_a_cache_the_index_is_in_memory(store: Store, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert names_in(load_index(EpisodeFiles.latest(store))) == NAMES


def test_a_store_that_grew_shows_as_it_was_until_it_is_read(
    store: Store, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    monkeypatch.setattr(latest_index, "CHECK_EVERY", 0.0)
    monkeypatch.setattr(latest_index, "SHARE", 0)
    gate.set()
    latest = LatestIndex(store, lambda: None)
    assert latest.whole().frame.height == 5
    gate.clear()
    add(store, "c1")
    assert names_in(latest.whole()) == NAMES and latest.so_far().whole
    gate.set()
    until = time.monotonic() + 60
    while latest.so_far().frame.height == 5 and time.monotonic() < until:
        time.sleep(0.01)
    assert names_in(latest.whole()) == [*NAMES, "c1"]


def change_second_file(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "store" / "episodes" / EpisodeFiles.latest(store).files[1].name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_file_that_was_changed_is_told(store: Store, tmp_path: Path) -> None:
    change_second_file(store, tmp_path)
    latest = LatestIndex(store, lambda: None)
    with pytest.raises(StoreError, match="its checksum differs"):
        latest.whole()


class PanicException(BaseException):
    """As polars panics: no Exception."""


@pytest.mark.parametrize("problem", [RuntimeError("out of luck"), PanicException("out of luck")])
def test_an_error_that_nobody_foresaw_is_told_and_the_next_look_reads(
    store: Store, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    monkeypatch.setattr(latest_index, "CHECK_EVERY", 0.0)

    def fall(files: EpisodeFiles) -> Index:
        monkeypatch.setattr(latest_index, "load_index", load_index)
        raise problem

    monkeypatch.setattr(latest_index, "load_index", fall)
    latest = LatestIndex(store, lambda: None)
    with pytest.raises(StoreError, match=f"{type(problem).__name__}: out of luck"):
        latest.whole()

    def is_read() -> bool:
        with contextlib.suppress(StoreError):
            return names_in(latest.whole()) == NAMES
        return False

    assert eventually(is_read)


def test_a_panic_of_polars_names_the_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(files: EpisodeFiles) -> None:
        raise PanicException("range end out of bounds")

    monkeypatch.setattr(EpisodeFiles, "check", panic)
    with pytest.raises(StoreError, match=r"cannot read the episodes of .*: range end out of bounds"):
        load_index(EpisodeFiles.latest(store))


def test_a_page_whose_other_rows_cannot_be_read_says_so_and_asks_no_more(
    browser: Any, store: Store, gate: threading.Event, tmp_path: Path
) -> None:
    with viewing(tmp_path / "store") as address:
        page = new_page(browser)
        page.goto(f"{address}/episodes")
        page.wait_for_selector("text=are being read")
        change_second_file(store, tmp_path)
        gate.set()
        page.wait_for_selector("#main:has-text('its checksum differs')")
        assert page.locator("main").count() == 1 and page.locator("#main [hx-trigger]").count() == 0
        page.close()


@pytest.mark.parametrize("batch", [1, 2, 32])
def test_every_row_is_found_in_its_file(store: Store, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr("eops_traj.view.episode_files.BATCH", batch)
    files = EpisodeFiles.latest(store)
    index = load_index(files)
    assert [files.read_row(row)["domain"] for row in range(5)] == index.frame["domain"].to_list()
    assert names_in(index) == NAMES
    with pytest.raises(StoreError, match="no such row"):
        files.read_row(5)
