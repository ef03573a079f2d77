"""What the page of an episode cuts has a page of its own, in blocks that a browser lays out at once."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from eops_traj.schema import Turn
from eops_traj.store.store import Store
from eops_traj.view.whole_text import BLOCK, split
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import call, new_page, viewing_what, web

ARABIC = "مرحبابالعالم"
LONG = ARABIC * 60_000 + "THE END"


@pytest.fixture(scope="module")
def long_result(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A viewer of one episode whose only result is a long line from right to left."""
    turns = (Turn(text="", tool_calls=(call("find_user", LONG),)), Turn(text="Done."))

    def fill(opened: Store) -> None:
        opened.append([episode("long", turns=turns)], prompts=[PROMPT], toolsets=[TOOLS])

    with viewing_what(tmp_path_factory.mktemp("long"), fill) as address:
        yield address


def test_a_long_result_is_cut_and_leads_to_the_whole(long_result: str) -> None:
    page = web.get(f"{long_result}/episodes/long").text
    assert "THE END" not in page and len(page) < 100_000
    assert 'href="/episodes/long/text?turn=1&amp;call=1&amp;part=result">show all' in page
    whole = web.get(f"{long_result}/episodes/long/text?turn=1&call=1&part=result").text
    assert "THE END" in whole and whole.count(ARABIC[:3]) > 59_000


@pytest.mark.parametrize(
    "query",
    ["turn=1&call=2&part=result", "turn=9&part=text", "turn=1&part=tool_calls", "turn=x&part=text", ""],
)
def test_a_text_that_is_not_there(long_result: str, query: str) -> None:
    answer = web.get(f"{long_result}/episodes/long/text?{query}")
    assert answer.status_code == 404 and "no such text" in answer.text


def test_blocks_hold_every_line_and_none_is_longer() -> None:
    text = "\n".join(["a" * 3, "", "b" * (BLOCK * 2 + 1), "c"])
    blocks = split(text)
    assert max(map(len, blocks)) <= BLOCK + 1
    assert "".join(blocks).replace("\n", "") == text.replace("\n", "")


def test_empty_lines_stay_where_a_text_or_a_block_begins() -> None:
    text = f"\n\nfirst\n{'b' * (BLOCK - 6)}\n\n\nlast\n"
    assert "\n".join(split(text)) == text
    assert split("") == [""]


def test_the_browser_is_free_at_once(browser: Any, long_result: str) -> None:
    for path in ("/episodes/long", "/episodes/long/text?turn=1&call=1&part=result"):
        page = new_page(browser)
        start = time.monotonic()
        page.goto(long_result + path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert time.monotonic() - start < 90, path
        page.close()
