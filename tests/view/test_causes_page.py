import html
import re
from collections.abc import Callable, Iterator

import pytest

from eops_traj.causes.cause import Cause, Evidence
from eops_traj.store.store import Store
from eops_traj.view.cause_lines import link_turns, mark_conditions
from tests.episodes import episode
from tests.view.conftest import viewing_what, web

View = Callable[[Callable[[Store], None]], str]


def fill(opened: Store) -> None:
    """Failures of two domains with one cause in common, one without a cause, and what did not fail."""
    failed = {"outcome": "failure", "success_strict": False}
    opened.append(
        [
            episode("a", domain="csm", causes=("wrong_value", "missing_write"), **failed),
            episode("b", domain="hr", causes=("missing_write",), **failed),
            episode("c", domain="hr", causes=("missing_write",), model="other", **failed),
            episode("d", domain="hr", causes=(), **failed),
            episode("e", domain="hr"),
            episode("f", domain="hr", outcome="unverified", success_strict=None),
        ]
    )


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A viewer of them."""
    with viewing_what(tmp_path_factory.mktemp("failures"), fill) as address:
        yield address


def test_each_number_leads_to_so_many_episodes(failures: str) -> None:
    page = web.get(f"{failures}/causes").text
    assert "4 failed episodes, 1 without a cause" in page
    assert '<a href="/episodes?standing=scored&amp;cause=missing_write&amp;domain=hr">2</a>' in page
    listed = web.get(f"{failures}/episodes?standing=scored&cause=missing_write&domain=hr").text
    assert "<b>2</b> of 6" in listed
    row = page[page.index("cause=missing_write") :]
    assert row.index('<td class="n">3</td>') < row.index('<td class="n">2</td>')  # in three, the first in two


def test_the_causes_of_a_list(failures: str) -> None:
    page = web.get(f"{failures}/causes?model=other&by=model").text
    assert "1 failed episode of" in page
    assert "/episodes?standing=scored&amp;model=other&amp;cause=missing_write" in page
    assert "No failed episode" in web.get(f"{failures}/causes?outcome=success").text
    assert web.get(f"{failures}/causes?by=colour").status_code == 400


def test_causes_are_of_the_episodes_that_a_score_counts(view: View) -> None:
    def tries(opened: Store) -> None:
        failed = {"success_strict": False, "causes": ("missing_write",), "split": "test"}
        erred = {**failed, "outcome": "error", "domain": "hr"}
        opened.append(
            [
                episode("counted", outcome="failure", **failed),
                episode("replaced", **erred),
                episode("again", domain="hr", attempt=2, supersedes="replaced"),
                episode("owed", **erred),
                episode("branched", outcome="failure", parent="counted", **failed),
            ]
        )

    address = view(tries)
    page = web.get(f"{address}/causes").text
    assert "1 failed episode<" in page
    (link,) = re.findall(r'<a href="(/episodes\?[^"]*cause=missing_write&amp;domain=csm)">1</a>', page)
    listed = web.get(address + html.unescape(link)).text
    assert "<b>1</b> of 5" in listed and '<input type="hidden" name="standing" value="scored">' in listed
    assert '<a href="/episodes?domain=csm&amp;cause=missing_write">Of any</a>' in listed
    owed = web.get(f"{address}/causes?standing=error").text
    assert "1 failed episode of" in owed and "standing=error&amp;cause=missing_write&amp;domain=hr" in owed


@pytest.mark.parametrize("of", ["outcome=error", "cause=broken_off"])
def test_the_causes_of_a_list_of_errors_are_those_of_errors(of: str, view: View) -> None:
    def broken(opened: Store) -> None:
        erred = {"outcome": "error", "success_strict": False, "causes": ("broken_off",)}
        failed = {"outcome": "failure", "success_strict": False, "causes": ("missing_write",)}
        opened.append([episode("a", **erred), episode("b", **erred), episode("c", **failed), episode("d")])

    address = view(broken)
    page = web.get(f"{address}/causes?{of}").text
    assert f'2 failed episodes of <a href="/episodes?{of}">this list</a>' in page
    (link,) = re.findall(r'<a href="(/episodes\?[^"]*domain=csm)">2</a>', page)
    assert "<b>2</b> of 4" in web.get(address + html.unescape(link)).text
    assert "1 failed episode<" in web.get(f"{address}/causes").text


def test_the_number_of_those_without_a_value_leads_to_them(view: View) -> None:
    def splits(opened: Store) -> None:
        failed = {"outcome": "failure", "success_strict": False, "causes": ("missing_write",)}
        opened.append([episode("a", **failed), episode("b", **failed), episode("c", split="test", **failed)])

    address = view(splits)
    page = web.get(f"{address}/causes?by=split").text
    (link,) = re.findall(r'<a href="(/episodes\?[^"]*split=none)">2</a>', page)
    answer = web.get(address + html.unescape(link)).text
    assert "<b>2</b> of 3" in answer and '<option value="none" selected>none (2)</option>' in answer


def test_an_episode_begins_with_why_it_failed(viewer: str) -> None:
    page = web.get(f"{viewer}/episodes/shown").text
    why = page[page.index('id="why"') : page.index('id="request"')]
    assert "user: role is &#39;manager&#39;, not &#39;admin&#39;" in why[: why.index("</p>")]
    assert 'href="#verdict-1"' in why and 'href="#turn-2"' in why
    assert "<ins>admin</ins>" in why and "<del>manager</del>" in why
    assert '<article class="turn wrong" id="turn-2"' in page and 'class="turn wrong" id="turn-1"' not in page


def test_the_part_of_a_query_that_failed_is_marked() -> None:
    cause = Cause("wrong_value", "", Evidence(column="u.role"))
    query = "SELECT 1 FROM user u WHERE u.user_role = 'x' AND u.role = 'it''s <b>' AND rolex = 1"
    marked = str(mark_conditions(query, [cause]))
    assert marked.count("<mark>") == 1
    assert "<mark>u.role = &#39;it&#39;&#39;s &lt;b&gt;&#39;</mark> AND rolex" in marked
    assert "<mark>" not in mark_conditions(query, [Cause("missing_write", "")])


@pytest.mark.parametrize("text", ["turn 3", "said in turn 3", "shown by it in turn 3 and so on"])
def test_only_a_turn_of_ours_is_counted_anew(text: str) -> None:
    assert str(link_turns(text)) == text
    assert str(link_turns("another record, shown by find_user in turn 4")).endswith('"#turn-4">turn 4</a>')
