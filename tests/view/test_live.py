"""A run that is still under way: what waits in the journal shows beside what the store has."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from eops_traj.schema import Episode, Json, Prompt, Run, Turn
from eops_traj.store.store import Store
from eops_traj.view.course import course_of
from eops_traj.view.data import EpisodeSource
from eops_traj.view.live import live
from tests.episodes import EPISODE, PROMPT, TOOLS, episode
from tests.view.conftest import new_page, viewing, web


def ended(name: str, minutes_ago: float, **fields: Any) -> Episode:
    """Return an episode that took a minute and ended so long ago."""
    started = datetime.now(UTC) - timedelta(minutes=minutes_ago + 1)
    return episode(
        name, task_id=f"task_{name}", started_at=started.isoformat(), duration_ms=60_000.0,
        **{"run_id": "now", **fields},
    )  # fmt: skip


def run_of(attempts: int | None) -> Run:
    """Return the record of the run with so many attempts to make."""
    return Run(run_id="now", kind="collect", config=Json("{}"), version="0.1.0", attempts=attempts)


def body_of(source: EpisodeSource) -> str:
    return bytes(live(source, Request({"type": "http", "query_string": b"run=now"})).body).decode()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Store]:
    """A store that another process is filling: three episodes in its tables, two in the journal."""
    with Store.open(tmp_path / "store", create=True) as store:
        old = ended("old", 90, run_id="before")
        store.append(
            [old, ended("a", 30), ended("b", 2, outcome="failure", cost=0.5)],
            prompts=[PROMPT],
            toolsets=[TOOLS],
        )
        store.flush()
        yield store


@pytest.fixture
def address(running: Store, tmp_path: Path) -> Iterator[str]:
    """A viewer of it; the two in the journal came after it was opened."""
    with viewing(tmp_path / "store") as served:
        waiting = ended(
            "c", 1, outcome="error", error="broken", causes=("broken_off", "missing_write"), cost=0.25
        )
        running.append([waiting, ended("d", 3, prompt_hash="later")], runs=[run_of(10)])
        yield served


def test_the_latest_run_with_what_waits(address: str) -> None:
    page = web.get(f"{address}/live").text
    assert '<b>4</b> <a href="/episodes?run=now">' in page and "(2 wait in the journal)" in page
    assert "<b>50%</b> passed" in page and 'outcome=error">errors' in page
    assert "<b>0.6</b> a minute" in page  # three in five minutes
    assert '<b>11 m 40 s</b> left <span class="quiet">(7 of 10 attempts)' in page  # the error is made again
    assert "<b>$0.7500</b> cost" in page and "(2 without a price)" in page
    places = [page.index(f"task_{name}<") for name in "cbda"]
    assert places == sorted(places)
    assert "missing write" in page[places[0] : places[1]] and "task_old" not in page


def test_times_are_read_whether_they_have_an_offset_or_none(running: Store) -> None:
    """One without is in UTC, and stands among the others by when it was."""
    now, zone = datetime.now(UTC), timezone(timedelta(hours=2))
    times = {
        "first": (now - timedelta(minutes=2)).replace(tzinfo=None),
        "second": (now - timedelta(minutes=1)).astimezone(zone),
        "third": now.replace(tzinfo=None),
    }
    running.append([
        episode(name, task_id=f"task_{name}", run_id="now", started_at=time.isoformat())
        for name, time in times.items()
    ])  # fmt: skip
    running.flush()
    page = body_of(EpisodeSource(running))
    places = [page.index(f"task_{name}<") for name in ("third", "second", "first", "b")]
    assert places == sorted(places)


def test_another_run_and_one_that_is_not_there(address: str) -> None:
    assert '<b>1</b> <a href="/episodes?run=before">' in web.get(f"{address}/live?run=before").text
    page = web.get(f"{address}/live?run=%3Cnone%3E").text
    assert "No episode of this run has ended yet" in page and "<none>" not in page


def test_what_is_left_is_told_of_a_run_that_knows_it(running: Store, address: str) -> None:
    assert "</b> left" not in web.get(f"{address}/live?run=before").text
    running.append([ended(f"more{n}", 1) for n in range(7)])
    assert "<b>nothing</b> left" in web.get(f"{address}/live").text


def test_the_rate_of_a_run_that_began_a_moment_ago_counts_from_there(running: Store, address: str) -> None:
    running.append([replace(ended("new", 0), run_id="young", duration_ms=30_000.0)])
    rate = re.search(r"<b>([\d.]+)</b> a minute", web.get(f"{address}/live?run=young").text)
    assert rate and 0.3 < float(rate[1]) <= 1.0  # over five minutes it would be 0.2


def test_an_episode_that_waits_can_be_opened(address: str) -> None:
    page = web.get(f"{address}/episodes/c").text
    assert "task_c" in page and PROMPT.text in page and "broken" in page
    assert "The policy is not there" in web.get(f"{address}/episodes/d").text
    assert web.get(f"{address}/compare?a=a&b=c").status_code == 200
    assert web.get(f"{address}/episodes/e").status_code == 404


@pytest.fixture(params=[0.0, 10_000.0], ids=["looked at anew", "kept"])
def every(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that is read for every page, and one that is not read again."""
    monkeypatch.setattr("eops_traj.view.latest_index.CHECK_EVERY", request.param)
    monkeypatch.setattr("eops_traj.view.latest_index.SHARE", 0)


def test_what_moved_to_the_store_counts_once(every: None, running: Store, address: str) -> None:
    running.flush()
    running.append([ended("e", 0)])
    page = web.get(f"{address}/live").text
    assert page.count("task_c<") == page.count("missing write") == 1 and "task_e<" in page
    assert "(1 wait in the journal)" in page
    assert '<b>5</b> <a href="/episodes?run=now">' in page and page.index("task_e<") < page.index("task_c<")
    assert "task_c" in web.get(f"{address}/episodes/c").text


def test_what_moves_to_the_store_between_two_looks_is_found(running: Store, monkeypatch: Any) -> None:
    running.append([], prompts=[Prompt.of("Later.")], runs=[run_of(10)])
    source, look = EpisodeSource(running), running.reading_journal

    def look_late() -> Any:
        running.flush()
        return look()

    monkeypatch.setattr(running, "reading_journal", look_late)
    assert source.prompt(Prompt.of("Later.").prompt_hash) == "Later."
    running.append([], runs=[replace(run_of(10), run_id="later")])
    assert source.run("later")
    running.append([ended("c", 1)])
    assert source.unlisted_row("c")
    running.append([ended("d", 1)])
    assert "task_d<" in body_of(source)


@pytest.fixture
def kept(running: Store, monkeypatch: pytest.MonkeyPatch) -> tuple[EpisodeSource, list[str]]:
    """A source whose index is not read again, and the data files of episodes that are opened for a page."""
    monkeypatch.setattr("eops_traj.view.latest_index.CHECK_EVERY", 10_000.0)
    source, table, opened = EpisodeSource(running), running.tables["episodes"], list[str]()
    open_file = table.open_file
    monkeypatch.setattr(table, "open_file", lambda name: opened.append(name) or open_file(name))
    return source, opened


def test_a_file_that_the_index_lacks_is_read_once(running: Store, kept: Any) -> None:
    source, opened = kept
    for name in ("c", "d"):
        running.append([ended(name, 1)])
        running.flush()
        assert all(f"task_{name}<" in body_of(source) for _ in range(2))
    assert "task_c<" in body_of(source) and len(opened) == len({*opened}) == 2


def test_merged_files_are_not_read_for_a_page(running: Store, kept: Any, monkeypatch: Any) -> None:
    source, opened = kept
    monkeypatch.setattr("eops_traj.view.live.MOST_ROWS", 3)
    running.append([ended("c", 1)])
    running.flush()
    running.compact()
    opened.clear()
    assert "task_a<" in body_of(source) and opened == []
    running.append([ended("d", 1)])
    running.flush()
    page = body_of(source)
    assert "task_a<" in page and "task_d<" in page and len(opened) == 1


def test_the_page_follows_the_run(browser: Any, running: Store, address: str) -> None:
    page = new_page(browser)
    page.goto(f"{address}/live")
    page.locator("a:text-is('task_b')").focus()
    running.append([ended("f", 0)])
    page.wait_for_selector("text=task_f")
    assert page.evaluate("document.activeElement.textContent") == "task_b"
    page.close()


def test_an_empty_store_waits_for_a_run(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", create=True):
        pass
    with viewing(tmp_path / "store") as served:
        assert "No episode has ended yet" in web.get(f"{served}/live").text


def test_the_course_of_tokens_and_cost() -> None:
    turns = (
        Turn(text="", input_tokens=100, output_tokens=50, cost=0.01),
        Turn(text="", input_tokens=200, cost=0.03),
    )
    course = course_of(replace(EPISODE, turns=turns))
    assert course is not None
    assert [(bar.tokens_in, bar.tokens_out) for bar in course.bars] == [(20.0, 10.0), (40.0, 0.0)]
    assert course.cost_line == "0,40.0 50.00,30.00 100.00,0.00" and course.cost == pytest.approx(0.04)
    assert "turn 2: 200 tokens in, 0 out, $0.0300, $0.0400 so far" in course.words


def test_without_tokens_and_cost_there_is_no_course() -> None:
    assert course_of(EPISODE) is None
    assert course_of(replace(EPISODE, turns=())) is None
    only_cost = course_of(replace(EPISODE, turns=(Turn(text="", cost=0.0),)))
    assert only_cost is not None and only_cost.cost_line == "" and only_cost.cost == 0.0
