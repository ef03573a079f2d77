"""At which tools episodes went wrong: from the calls that causes name to the page and back to the list."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eops_traj.causes.cause import Cause, Evidence
from eops_traj.store.store import Store
from eops_traj.view.text_index import TextIndex
from eops_traj.view.tool_faults import tool_of
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import opened_episode, web


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store of one episode that went wrong at update_user, and one that passed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with Store.open(tmp_path / "store", create=True) as opened:
        opened.append([opened_episode(), episode("passed")], prompts=[PROMPT], toolsets=[TOOLS])
        opened.flush()
        yield opened


def test_the_call_that_a_cause_names_has_a_tool(store: Store) -> None:
    index = TextIndex(store)
    list(index.update())
    assert index.unjudged() == 1 and index.faults() == []
    assert list(index.judge()) == [1] and list(index.judge()) == []
    assert index.faults() == [("shown", "wrong_value", "update_user")] and index.unjudged() == 0
    assert index.at_tool("update_user") == index.at_tool("update_user", "wrong_value") == ["shown"]
    assert index.at_tool("update_user", "extra_write") == [] == index.at_tool("find_user")
    store.amend([episode("shown")], store.version())
    list(index.update())
    assert list(index.judge()) == [0] and index.faults() == []
    index.close()


PLACES = [Evidence(), Evidence(turn=1), Evidence(turn=9, call=0), Evidence(turn=1, call=5)]


@pytest.mark.parametrize("evidence", PLACES)
def test_what_names_no_call_has_no_tool(evidence: Evidence) -> None:
    assert tool_of(opened_episode(), Cause("wrong_value", "", evidence)) is None


def test_from_the_page_of_causes_to_the_episodes_of_a_tool(viewer: str) -> None:
    page = web.get(f"{viewer}/causes?by=tool").text
    head = page[page.index("<thead>") : page.index("</thead>")]
    assert ">update_user</span>" in head and "find_user" not in head and "still to be read" not in page
    assert '<a href="/episodes?standing=scored&amp;cause=wrong_value&amp;tool=update_user">1</a>' in page
    assert "<b>1</b> of 230" in web.get(f"{viewer}/episodes?cause=wrong_value&tool=update_user").text
    assert "<b>1</b> of 230" in web.get(f"{viewer}/episodes?tool=update_user").text
    assert "<b>0</b> of 230" in web.get(f"{viewer}/episodes?tool=find_user").text
    assert "<b>0</b> of 230" in web.get(f"{viewer}/episodes?tool=update_user&cause=missing_write").text
