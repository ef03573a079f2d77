"""Words in the texts of episodes: what is found, where, and that the index follows its store."""

import contextlib
import html
import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from eops_traj.schema import Episode, Turn
from eops_traj.store.store import Store
from eops_traj.view import tool_faults
from eops_traj.view.data import EpisodeSource
from eops_traj.view.query import Query
from eops_traj.view.search import Search
from eops_traj.view.text_index import TextIndex, match_of
from eops_traj.view.turns_with import turns_with
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import call, opened_episode, web

View = Callable[[Callable[[Store], None]], str]


def spoken(name: str, text: str) -> Episode:
    return episode(name, turns=(Turn(text=text),))


@contextlib.contextmanager
def store_in(folder: Path) -> Iterator[Store]:
    """Make a store of the episode that the viewer's tests open, and one that says little."""
    with pytest.MonkeyPatch.context() as patch, Store.open(folder / "store", create=True) as opened:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        failed = replace(call("update_user", "no such user"), is_error=True)
        failing = episode(
            "failing",
            user_prompt="Who?",
            turns=(Turn(text="Straße, café", tool_calls=(failed,)), Turn(text="")),
        )
        opened.append([opened_episode(), failing], prompts=[PROMPT], toolsets=[TOOLS])
        opened.flush()
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store of its own."""
    with store_in(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TextIndex]:
    """The index of such a store, to which nothing is added."""
    with store_in(tmp_path_factory.mktemp("kept")) as opened:
        index = TextIndex(opened)
        list(index.update())
        yield index
        index.close()


@pytest.fixture
def index(store: Store) -> Iterator[TextIndex]:
    """The index of that store."""
    opened = TextIndex(store)
    assert list(opened.update()) == [2]
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("text", "part", "found"),
    [
        ("Odile", "calls", {"shown"}),
        ("admin", "said", {"shown"}),
        ("manager", "calls", {"shown"}),
        ("manager", "results", set()),
        ("update_user", "", {"shown", "failing"}),
        ("update_user", "failed", {"failing"}),
        ("user such", "results", {"failing"}),
        ('"user such"', "results", set()),
        ('"such user"', "results", {"failing"}),
        ("CAFE", "", {"failing"}),
        ("manag", "", {"shown"}),
        ("anager", "", set()),
        ("manag ", "", set()),
        ("U-999", "", {"shown"}),
        ('" OR "', "", set()),
        ("said : x", "", set()),
        ("* - ^", "", set()),
        ("NEAR(a b)", "", set()),
    ],
)
def test_what_is_found(kept: TextIndex, text: str, part: str, found: set[str]) -> None:
    assert set(kept.find(text, part)) == found


def test_a_word_without_a_letter_asks_for_nothing() -> None:
    assert match_of(" — ") is None
    assert match_of('he said "x y" z') == '"he" "said" "x y" "z" *'
    assert match_of('a\0"b c\0d"') == '"a" "b c d"'  # a zero would end the query


def test_the_index_follows_its_store(store: Store, index: TextIndex) -> None:
    store.append([spoken("later", "A walrus.")])
    store.flush()
    assert index.find("walrus") == []
    assert list(index.update()) == [1] and index.find("walrus") == ["later"]
    store.amend([spoken("later", "A seal.")], store.version())
    list(index.update())
    assert (index.find("walrus"), index.find("seal")) == ([], ["later"])
    store.compact()
    assert list(index.update()) == [3] and index.find("seal") == ["later"]
    assert index.count() == 3 and list(index.update()) == []


def test_two_viewers_keep_up_one_index(store: Store, index: TextIndex) -> None:
    other = TextIndex(store)
    assert list(other.update()) == [] and other.find("manager") == ["shown"]
    other.close()


def test_a_file_that_another_viewer_drops_while_it_is_judged(
    store: Store, index: TextIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found in it is not kept, and what takes its place is still to be judged."""
    other, find = TextIndex(store), tool_faults.faults_of

    def find_late(*of: Any) -> list[tuple[str, str, str, str]]:
        found = [*find(*of), (of[1], "shown", "wrong_value", "update_user")]
        store.amend([spoken("shown", "A walrus.")], store.version())
        list(other.update())
        return found

    monkeypatch.setattr(tool_faults, "faults_of", find_late)
    list(index.judge())
    assert index.faults() == [] and index.unjudged() == 1
    index._write.execute("INSERT INTO judged VALUES ('gone')")  # as indexes of before have it
    assert index.unjudged() == 1
    other.close()


def test_what_could_not_be_read_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eops_traj.view.search.AGAIN", 0.01)
    search, update = Search(store), TextIndex.update
    busy = iter([apsw.BusyError("another viewer writes")])

    def update_if_free(index: TextIndex) -> Iterator[int]:
        for error in busy:
            raise error
        return update(index)

    monkeypatch.setattr(TextIndex, "update", update_if_free)
    search.start()
    until = time.monotonic() + 60
    while search.find("Odile", "") != ["shown"] and time.monotonic() < until:
        time.sleep(0.01)
    assert search.find("Odile", "") == ["shown"]
    search.close()


def test_tools_by_failed_calls(kept: TextIndex) -> None:
    tools = {name: counts for name, *counts in (tool.values() for tool in kept.tools())}
    assert tools == {"update_user": [2, 1, 2, 1], "find_user": [2, 0, 1, 0]}
    assert kept.tools(model="nobody") == []


def called(name: str, **calls: str) -> Episode:
    """Return an episode of two turns, in each of which tools answered so."""
    made = tuple(call(tool, result) for tool, result in calls.items())
    return episode(name, turns=(Turn(text="", tool_calls=made), Turn(text="", tool_calls=made)))


CALLED = [
    called("a", get_event="HTTP 404: no event", find_user="[]"),
    called("b", get_event="{}", find_user_by_email="HTTP 500: down"),
]


def test_an_error_that_was_sent_as_text_is_a_failed_call(store: Store, index: TextIndex) -> None:
    store.append(CALLED)
    store.flush()
    list(index.update())
    tools = {name: counts for name, *counts in (tool.values() for tool in index.tools())}
    assert tools["get_event"] == [4, 2, 2, 1] and tools["find_user_by_email"] == [2, 2, 1, 1]
    assert index.find("get_event", "failed") == ["a"] == index.calling("get_event", failed=True)
    assert turns_with(CALLED[0], "get_event", "failed") == {1, 2}
    assert turns_with(CALLED[1], "get_event", "failed") == set()


def test_calls_of_a_tool_go_with_their_episode(store: Store, index: TextIndex) -> None:
    store.append(CALLED)
    store.flush()
    list(index.update())
    assert {*index.calling("get_event")} == {"a", "b"} and {*index.calling("find_user")} == {"shown", "a"}
    store.amend([called("a", find_user="[]")], store.version())
    list(index.update())
    assert index.calling("get_event") == ["b"] and index.calling("get_event", failed=True) == []


@pytest.mark.parametrize("asked", [{"called": "find_user"}, {"failed": "get_event"}])
def test_a_list_of_calls_grows_with_the_index(asked: dict[str, str], store: Store) -> None:
    store.append(CALLED[:1])
    store.flush()
    source = EpisodeSource(store)
    index, query = source.index(), Query.of(asked)
    assert len(source.matching_rows(index, query)) == 0
    source.search.update()
    found = source.matching_rows(index, query)
    assert "a" in index.frame["episode_id"][found].to_list()
    source.search.close()


def test_each_number_of_the_page_of_tools_leads_to_so_many_episodes(view: View) -> None:
    address = view(lambda opened: opened.append(CALLED))
    page = web.get(f"{address}/tools").text
    row = r'data-step href="([^"]*)">.*%</td><td class="n">(.*?)</td><td class="n">(.*?)</td>'
    rows = re.findall(row, page)
    assert [episodes for _, episodes, _ in rows] == ["2", "1", "1"]
    for link, episodes, failing in rows:
        listed = web.get(address + html.unescape(link)).text
        assert f"<b>{episodes}</b>" in listed
        for failed, count in re.findall(r'href="([^"]*)">(\d+)', failing):
            assert f"<b>{count}</b> of 2" in web.get(address + html.unescape(failed)).text
    assert '<input type="hidden" name="called" value="find_user">' in listed and failing == "0"


def test_a_call_that_was_answered_by_an_error_in_text_is_flagged(view: View) -> None:
    address = view(lambda opened: opened.append(CALLED))
    page = web.get(f"{address}/episodes/a").text
    assert page.count('class="call failed"') == page.count('<span class="flag bad">error</span>') == 2


def test_where_no_index_can_be_kept_the_rest_works(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    search = Search(store)
    search.start()
    search.update()
    assert search.find("Odile", "") == [] and "cannot keep an index" in search.problem
    search.close()


def test_a_file_that_cannot_be_read_is_told(store: Store, tmp_path: Path) -> None:
    search = Search(store)
    (tmp_path / "store" / "episodes" / store.tables["episodes"].snapshot()[0].name).write_bytes(b"x" * 9)
    search.update()
    assert "cannot be read" in search.problem and search.count() == 0
    search.close()


def test_the_turns_that_have_the_words() -> None:
    shown = opened_episode()
    assert turns_with(shown, "manager", "") == {2}
    assert turns_with(shown, "find_user Odile", "calls") == {1}
    assert turns_with(shown, "Odile manager", "") == {1, 2}
    assert (
        turns_with(spoken("e", "the CAFÉ"), "cafe", "") == turns_with(spoken("e", "cafe"), "Café", "") == {1}
    )
    assert turns_with(shown, "", "") == set() == turns_with(shown, "walrus", "")


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ('"art"', {2}), ("art ", {2}), ("art", {2, 3}), ("art walrus ", {2}), ("walrus art", {2, 3}),
        ("order_id", {4}), ('"order id"', {4}), ("order.id", {4}), ('"id order"', set()), ("id order", {4}),
        ("ORDÉR walrus", {4}), ("order art ", {2, 4}), ('" OR "', set()), ("", set()),
    ],
)  # fmt: skip
def test_the_words_of_turns_are_those_of_the_index(text: str, turns: set[int]) -> None:
    said = ("the party", "modern art", "an artist", "Order-Id 17")
    spoken_of = episode("e", turns=tuple(Turn(text=words) for words in said))
    assert turns_with(spoken_of, text, "said") == turns
    assert turns_with(spoken_of, text, "calls") == set()


def test_the_list_finds_words_or_task_ids(viewer: str) -> None:
    assert "<b>1</b> of 230" in web.get(f"{viewer}/episodes?q=told").text
    assert "<b>0</b> of 230" in web.get(f"{viewer}/episodes?q=told&in=said&domain=hr").text
    page = web.get(f"{viewer}/episodes?q=manager&in=calls").text
    assert "<b>1</b> of 230" in page and "/episodes/shown?q=manager&amp;in=calls" in page
    opened = web.get(f"{viewer}/episodes/shown?q=U-999").text
    assert opened.count("has the words</span>") == 2  # in the outline and at the turn
    assert "<b>1</b> of 230" in web.get(f"{viewer}/episodes?q=task_222").text
    assert web.get(f"{viewer}/episodes?q=x&in=dreams").status_code == 400


def test_the_page_of_tools(viewer: str) -> None:
    page = web.get(f"{viewer}/tools").text
    assert "3 that were called" in page and "/episodes?called=tell" in page
    assert "No call of a tool" in web.get(f"{viewer}/tools?model=nobody").text
    rows = json.loads(web.get(f"{viewer}/episodes.jsonl?called=tell&columns=cost").text)
    assert rows["episode_id"] == "sibling"


LONG = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000) SELECT max(x) FROM n"


def test_pages_that_are_made_at_the_same_time_all_find(kept: TextIndex) -> None:
    """One look-up is long enough to be under way when the next begins, as in a store of many episodes."""
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(kept._rows, [LONG] * 60)) == [[(100_000,)]] * 60
