import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from eops_traj.hashing import canonical_json
from eops_traj.metrics.error_rule import default_rule
from eops_traj.metrics.score import score
from eops_traj.schema import Json, Run, ToolSet
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import fill, web

View = Callable[[Callable[[Store], None]], str]


def tasks(answer: httpx.Response) -> list[str]:
    return re.findall(r'data-step hx-boost="false" href="[^"]*" title="([^"]*)"', answer.text)


@pytest.mark.parametrize(
    "path",
    ["/", "/episodes", "/episodes/shown", "/compare?a=shown&b=sibling", "/selections", "/selections/a%2Fb",
     "/why/shown/a%2Fb", "/static/view.css", "/static/htmx.min.js"],
)  # fmt: skip
def test_every_page_is_there_and_allows_nothing_inline(viewer: str, path: str) -> None:
    answer = web.get(viewer + path)
    assert answer.status_code == 200
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
    assert "<script>" not in answer.text and " style=" not in answer.text


def test_an_error_that_nobody_foresaw_is_a_page_that_names_it(
    viewer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.view.routes.runs", lambda source, request: 1 // 0)
    answer = web.get(viewer)
    assert answer.status_code == 500 and "<main" in answer.text
    assert "ZeroDivisionError: integer division or modulo by zero" in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")


def test_the_table_filters_sorts_and_pages_by_its_address(viewer: str) -> None:
    hardest = web.get(f"{viewer}/episodes?domain=hr&sort=-n_steps")
    assert tasks(hardest)[:2] == ["task_226", "task_223"]
    last = web.get(f"{viewer}/episodes?domain=hr&sort=-n_steps&page=3").text
    assert "No episode is like that on this page" in last
    assert tasks(web.get(f"{viewer}/episodes?q=TASK_22&sort=n_steps"))[:2] == ["task_22", "task_220"]
    assert len(tasks(web.get(f"{viewer}/episodes?failure_mode=unseen_identifier"))) == 1
    assert len(tasks(web.get(f"{viewer}/episodes?cause=missing_write"))) == 1
    assert tasks(web.get(f"{viewer}/episodes?cause=wrong_record")) == []
    assert len(tasks(web.get(f"{viewer}/episodes"))) == 100


def test_times_are_sorted_by_when_they_were(view: View) -> None:
    times = {
        "first": "2026-01-02T00:30:00+02:00",
        "second": "2026-01-01T23:00:00",
        "third": "2026-01-01T23:30:00Z",
        "fourth": "2026-01-02",
        "never": None,
    }
    runs = [
        Run(run_id=name, kind="collect", config=Json("{}"), version="0", started_at=time)
        for name, time in times.items()
    ]
    many = [episode(name, task_id=name, run_id=name, started_at=times[name]) for name in sorted(times)]
    address = view(lambda opened: opened.append(many, runs=runs))
    assert tasks(web.get(f"{address}/episodes?sort=started_at")) == [*times]
    assert re.findall(r'data-step href="/episodes\?run=(\w+)"', web.get(address).text) == [
        "fourth", "third", "second", "first", "never"
    ]  # fmt: skip


def test_a_form_with_empty_fields_leads_to_an_address_without_them(viewer: str) -> None:
    answer = web.get(f"{viewer}/episodes?q=&domain=hr&sort=&run=")
    assert (answer.status_code, answer.headers["location"]) == (307, "/episodes?domain=hr")


def test_an_episode_shows_what_was_done(viewer: str) -> None:
    page = web.get(f"{viewer}/episodes/shown").text
    for part in ("as planned", "other arguments", "not made", "Who is it?", "SELECT role FROM user"):
        assert part in page
    assert '<td class="data before">agent</td><td class="data after">manager</td>' in page
    marked = page[page.index('id="turn-3"') :]
    assert marked.index("find_user: user_id=U-999 was in no earlier result") < marked.index('id="turn-4"')
    assert "result: 202 lines" in page  # 200 numbers and their brackets, a line each


def test_what_a_tool_or_a_model_said_is_escaped(viewer: str) -> None:
    for path in ("/episodes/shown", "/compare?a=shown&b=sibling"):
        page = web.get(viewer + path).text
        assert "&lt;script&gt;" in page and "<script>" not in page and "<img" not in page


def test_two_episodes_part_where_the_calls_differ(viewer: str) -> None:
    page = web.get(f"{viewer}/compare?a=shown&b=sibling").text
    assert 'data-first="turn-2"' in page and "other calls" in page and "has ended" in page
    assert "never part" in web.get(f"{viewer}/compare?a=shown&b=shown").text


def test_a_selection_gives_the_reason_of_each_row(viewer: str) -> None:
    assert '<a href="/episodes?selection=a%2Fb&amp;reason=kept">1 kept</a>' in (
        web.get(f"{viewer}/selections/a%2Fb").text
    )
    listed = web.get(f"{viewer}/episodes?selection=a%2Fb&reason=verified").text
    assert 'href="/why/shown/a%2Fb">verified</a>' in listed and "sibling" not in listed
    assert "dropped by <span" in web.get(f"{viewer}/episodes/shown").text
    assert "success_strict=False" in web.get(f"{viewer}/why/shown/a%2Fb").text


def sent(page: str) -> dict[str, str]:
    """Return what the filters of a list send along with what is chosen in them."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def test_a_filter_of_a_list_keeps_the_reason_until_another_selection_is_chosen(viewer: str) -> None:
    page = web.get(f"{viewer}/episodes?selection=a%2Fb&reason=kept").text
    results = page[page.index('id="results"') :]
    form = {**sent(results), "mode": "oracle", "q": ""}  # what is not in the results stays as it was
    kept = web.get(f"{viewer}/episodes", params={**form, "selection": "a/b"}, follow_redirects=True)
    assert kept.url.query == b"mode=oracle&selection=a%2Fb&reason=kept"
    assert "<b>1</b> of 230" in kept.text
    other = web.get(f"{viewer}/episodes", params={**form, "selection": ""})
    assert other.headers["location"] == "/episodes?mode=oracle"
    assert "reason" not in sent(web.get(f"{viewer}/episodes?selection=a%2Fb").text)


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/episodes/nobody", 404, "no episode nobody"),
        ("/compare?a=shown", 400, "names two episodes"),
        ("/compare?a=shown&b=nobody", 404, "no episode nobody"),
        ("/episodes?sort=height", 400, "unknown column &#39;height&#39;; choose from attempt"),
        ("/episodes?page=0", 400, "a page is a number from 1"),
        ("/episodes?page=%C2%B2", 400, "a page is a number from 1"),
        ("/episodes?selection=none", 400, "unknown selection &#39;none&#39;; choose from a/b"),
        ("/selections/none", 400, "unknown selection"),
        ("/why/other0001/a%2Fb", 404, "never saw"),
        ("/toolsets/none", 400, "unknown toolset"),
        ("/nowhere", 404, "Not Found"),
    ],
)
def test_what_is_not_there_has_a_plain_page(viewer: str, path: str, status: int, message: str) -> None:
    answer = web.get(viewer + path)
    assert answer.status_code == status and message in answer.text


def test_tools_are_shown_whatever_their_server_left_out(view: View) -> None:
    told = {"description": "Find a user.", "inputSchema": {"type": "object"}}
    tools = ToolSet.of([{"name": "whole", **told}, {"name": "bare"}, {"name": "null", "description": None}])

    def offered(opened: Store) -> None:
        opened.append([episode("e")], prompts=[PROMPT], toolsets=[tools])

    answer = web.get(f"{view(offered)}/toolsets/{tools.toolset_hash}")
    assert answer.status_code == 200 and answer.text.count("<details") == 3
    assert answer.text.count("Find a user.") == 2 and answer.text.count('<pre class="data">{}</pre>') == 2


def test_only_reading_and_only_by_a_name_of_this_machine(viewer: str) -> None:
    assert web.post(f"{viewer}/episodes").status_code == 405
    port = viewer.rpartition(":")[2]
    statuses = {
        f"localhost:{port}": 200,
        "[::1]": 200,
        "10.0.0.1": 200,
        "evil.example": 421,
        f"evil:{port}": 421,
    }
    for host, status in statuses.items():
        assert web.get(viewer, headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize(
    ("protocol", "shown", "said"), [("robust", "75%", "are left out"), ("benchmark", "50%", "count as 0")]
)
def test_the_success_of_a_run_is_that_of_its_score(
    protocol: str, shown: str, said: str, view: View, tmp_path: Path
) -> None:
    of: dict[str, Any] = {"settings": Json(canonical_json({"protocol": protocol})), "source": "eops-traj"}
    lost = {"success_strict": False, "outcome": "failure", **of}
    erred = {"success_strict": None, "outcome": "error", "error": "down", **of}

    def attempts(opened: Store) -> None:
        passed = [episode(name, task_hash=name, **of) for name in "ab"]
        failed = [episode("d", task_hash="d", **lost), episode("branch", parent="d", **lost)]
        errors = [episode(name, task_hash=name, **erred) for name in ("e", "f")]
        again = episode("before", **lost), episode("a2", task_hash="a", supersedes="before", **of)
        opened.append([*passed, *failed, *errors, *again], prompts=[PROMPT], toolsets=[TOOLS])

    page = web.get(view(attempts)).text
    assert f'<td data-label="success" class="n">{shown}</td>' in page and f"errors {said}" in page
    with Store.open(tmp_path / "store") as opened:
        episodes = opened.scan()
    [row] = score(episodes, ["run_id"], (), default_rule(episodes))
    assert f"{row['success_strict']:.0%}" == shown


def others(page: str) -> str:
    """Return what the page of an episode says of other attempts at its task."""
    return page[page.index('id="others"') : page.index('id="record"')]


def test_attempts_beyond_those_that_are_listed_are_counted_and_lead_to_all(view: View) -> None:
    def attempts(opened: Store) -> None:
        many = [episode(f"a{n:02}", attempt=n) for n in range(1, 54)]
        opened.append([*many, episode("another", task_hash="t1")], prompts=[PROMPT], toolsets=[TOOLS])

    address = view(attempts)
    last = others(web.get(f"{address}/episodes/a53").text)
    assert last.count(">compare<") == 50 and last.count("this one") == 1
    assert "and 2 more: " in last
    page = web.get(address + re.findall(r'href="(/episodes\?task=[^"]*)"', last)[0]).text
    assert "<b>53</b> of 54" in page and sent(page)["task"] == "t0"
    assert "There is none" in others(web.get(f"{address}/episodes/another").text)


def test_fifty_other_attempts_are_all(view: View) -> None:
    many = [episode(f"a{n:02}", attempt=n) for n in range(51)]
    page = others(web.get(view(lambda opened: opened.append(many)) + "/episodes/a50").text)
    assert page.count(">compare<") == 50 and "more" not in page


def test_an_episode_that_waits_has_the_attempts_of_the_store_beside_it(view: View, tmp_path: Path) -> None:
    address = view(lambda opened: opened.append([episode("stored")]))
    with Store.open(tmp_path / "store") as opened:
        opened.append([episode("waits", attempt=2)])
        page = others(web.get(f"{address}/episodes/waits").text)
    assert "compare?a=waits&amp;b=stored" in page and "There is none" not in page


def test_back_to_the_list_is_to_the_page_that_an_episode_is_on(viewer: str) -> None:
    asked = "sort=-n_steps"
    last = web.get(f"{viewer}/episodes/other0129?{asked}").text  # 228 comes first
    assert f'data-up href="/episodes?{asked}"' in last and ">100 of 230<" in last
    (after,) = re.findall(r'rel="next" href="([^"]*)"', last)
    page = web.get(viewer + html.unescape(after)).text
    assert f'data-up href="/episodes?{asked}&amp;page=2"' in page and ">101 of 230<" in page
    assert 'data-up href="/episodes?domain=hr&amp;page=3"' in (
        web.get(f"{viewer}/episodes/shown?domain=hr&page=3").text  # it is not of this list
    )


def test_an_empty_store_says_so(view: View) -> None:
    address = view(lambda opened: None)
    for path, text in {
        "/": "no run yet",
        "/episodes": "no episode yet",
        "/selections": "no selection",
    }.items():
        assert text in web.get(address + path).text


def test_a_corrupt_row_says_so_and_others_work(view: View) -> None:
    def corrupt(opened: Store) -> None:
        fill(opened, 2)
        rows = [to_row(episode(name)) for name in ("nothing", "text")]
        rows[0]["turns"] = None
        rows[1]["turns"][0]["tool_calls"][0]["arguments"] = rows[1]["details"] = "{not <json>"
        opened.tables["episodes"].append(rows)

    address = view(corrupt)
    answer = web.get(f"{address}/episodes/nothing")
    assert answer.status_code == 500 and "This episode cannot be read" in answer.text
    page = web.get(f"{address}/episodes/text").text
    assert "{not &lt;json&gt;" in page and "Failure modes could not be told" in page
    assert {web.get(address + path).status_code for path in ("/", "/episodes", "/episodes/shown")} == {200}


def test_an_episode_of_an_older_schema(view: View) -> None:
    def older(opened: Store) -> None:
        import polars as pl
        from deltalake import write_deltalake

        fill(opened, 2)
        table = opened.tables["episodes"]
        rows = table.scan().drop("split", "cost", "branch_turn", "failure_modes").collect().to_arrow()
        words = table.description()
        write_deltalake(table.url, rows, mode="overwrite", schema_mode="overwrite", description=words)
        assert "split" not in pl.read_delta(table.url).columns

    address = view(older)
    assert {web.get(address + path).status_code for path in ("/", "/episodes", "/episodes/shown")} == {200}
    assert "task_1" in web.get(f"{address}/episodes?sort=cost").text


def test_what_is_added_shows(view: View, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr("eops_traj.view.latest_index.CHECK_EVERY", 0.0)
    monkeypatch.setattr("eops_traj.view.latest_index.SHARE", 0)
    address = view(lambda opened: fill(opened, 2))
    with Store.open(tmp_path / "store") as opened:
        opened.append([episode("later", task_id="task_later")])
    assert "task_later" in web.get(f"{address}/episodes").text
    assert web.get(f"{address}/episodes/later").status_code == 200
