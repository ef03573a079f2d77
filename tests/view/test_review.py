"""Labels through the viewer: kept, shown, from this address alone, and by keyboard."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from eops_traj.schema import Label
from eops_traj.store.store import Store
from tests.view.conftest import fill, first_of, new_page, viewing, viewing_what, web


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store of a few episodes."""
    with Store.open(tmp_path / "store", create=True) as opened:
        fill(opened, 6)
    return tmp_path / "store"


@pytest.fixture
def ana(folder: Path) -> Iterator[str]:
    """A viewer that takes labels of Ana."""
    with viewing(folder, "ana") as address:
        yield address


@pytest.fixture(scope="module")
def unlabelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A store that nobody labels, and a viewer that takes labels of Ana."""
    folder = tmp_path_factory.mktemp("unlabelled")
    with viewing_what(folder, lambda opened: fill(opened, 2), "ana") as address:
        yield folder / "store", address


def labels(folder: Path) -> list[Label]:
    with Store.open(folder) as opened:
        return opened.labels()


def post(address: str, **form: str) -> httpx.Response:
    return web.post(f"{address}/review", data=form, headers={"Origin": address})


def test_a_label_is_kept_whole_and_shown(folder: Path, ana: str) -> None:
    call = '{"arguments":{"user_id":7,"role":"admin"},"name":"update_user"}'
    answer = post(
        ana, episode_id="shown", turn="2", value="wrong", cause="wrong_value", note=" <b> ", better_call=call
    )
    assert answer.status_code == 303 and answer.headers["location"] == "/episodes/shown#turn-2"
    (label,) = labels(folder)
    assert (label.episode_id, label.turn, label.reader, label.value) == ("shown", 1, "ana", "wrong")
    assert (label.cause, label.note) == ("wrong_value", "<b>")
    assert json.loads(label.better_call or "") == json.loads(call)
    page = web.get(f"{ana}/episodes/shown").text
    turn = page[page.index('id="turn-2"') : page.index('id="turn-3"')]
    assert '<b class="l-wrong">wrong</b>' in turn and "&lt;b&gt;" in turn


@pytest.mark.parametrize(
    ("form", "status", "message"),
    [
        ({"episode_id": "nobody", "value": "right"}, 404, "no episode nobody"),
        ({"episode_id": "shown", "value": "fine"}, 400, "unknown label &#39;fine&#39;; choose from right"),
        ({"episode_id": "shown", "value": "right", "cause": "luck"}, 400, "unknown cause"),
        ({"episode_id": "shown", "value": "right", "turn": "5"}, 400, "has 4 turns, not one 5"),
        ({"episode_id": "shown", "value": "right", "turn": "-1"}, 400, "a turn is a number from 1"),
        ({"episode_id": "shown", "value": "wrong", "turn": "1", "better_call": "{"}, 400, "cannot be read"),
        ({"episode_id": "shown", "value": "wrong", "turn": "1", "better_call": '{"name":"x"}'}, 400, "TOOL"),
        ({"episode_id": "shown", "value": "wrong", "better_call": "{}"}, 400, "belongs to a turn"),
        ({"episode_id": "shown", "value": "wrong", "note": "n" * 10_001}, 400, "at most 10,000"),
        ({"episode_id": "shown", "value": "wrong", "note": "n" * 70_000}, 413, "at most 64,000 bytes"),
        ({}, 404, "no episode"),
    ],
)
def test_what_is_no_label_is_refused_in_words(
    unlabelled: tuple[Path, str], form: dict[str, str], status: int, message: str
) -> None:
    folder, address = unlabelled
    answer = post(address, **form)
    assert answer.status_code == status and message in answer.text
    assert labels(folder) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "OWN", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "OWN", "Host": "evil.example"}, 421),
    ],
)
def test_no_page_of_another_may_label(
    unlabelled: tuple[Path, str], headers: dict[str, str], status: int
) -> None:
    folder, address = unlabelled
    headers = {name: value.replace("OWN", address) for name, value in headers.items()}
    answer = web.post(f"{address}/review", data={"episode_id": "shown", "value": "right"}, headers=headers)
    assert answer.status_code == status and labels(folder) == []


def test_a_page_of_ours_may_label(folder: Path, ana: str) -> None:
    headers = {"Origin": ana, "Sec-Fetch-Site": "same-origin"}
    answer = web.post(f"{ana}/review", data={"episode_id": "shown", "value": "right"}, headers=headers)
    assert answer.status_code == 303 and len(labels(folder)) == 1


def test_without_review_nothing_is_taken_in(folder: Path) -> None:
    with viewing(folder) as address:
        assert post(address, episode_id="shown", value="right").status_code == 405
        assert '<form action="/review"' not in web.get(f"{address}/episodes/shown").text
    assert labels(folder) == []


def test_labels_of_several_at_once_are_all_kept(folder: Path) -> None:
    """Two viewers of one store, four threads at each, all of the same turn."""

    def label(address: str) -> list[int]:
        return [post(address, episode_id="shown", turn="1", value="right").status_code for _ in range(4)]

    with viewing(folder, "ana") as ana, viewing(folder, "bo") as bo, ThreadPoolExecutor(8) as pool:
        assert [*pool.map(label, (ana, bo) * 4)] == [[303] * 4] * 8
    kept = labels(folder)
    assert len({label.label_id for label in kept}) == 32
    assert sorted(label.reader for label in kept) == ["ana"] * 16 + ["bo"] * 16


def test_readers_agree_so_far(folder: Path) -> None:
    with viewing(folder, "ana") as ana, viewing(folder, "bo") as bo:
        for episode_id, one, other in (("shown", "right", "right"), ("sibling", "right", "wrong")):
            post(ana, episode_id=episode_id, value=one)
            post(bo, episode_id=episode_id, value=other)
    with viewing(folder) as address:
        page = web.get(f"{address}/labels").text
        assert "<b>50%</b> agreement" in page and "<b>0.00</b> Krippendorff" in page
        assert "<b>1</b> of 7" in web.get(f"{address}/episodes?label=disputed").text
        assert "<b>5</b> of 7" in web.get(f"{address}/episodes?label=none").text
        assert web.get(f"{address}/episodes?label=fine").status_code == 400


def test_from_the_list_to_a_labelled_turn_and_back_by_keyboard(browser: Any, folder: Path, ana: str) -> None:
    page = new_page(browser)
    page.goto(f"{ana}/episodes?sort=task_id")
    for key in ("j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("h1:has-text('task_0')")
    page.keyboard.press("1")
    page.wait_for_selector("#review-episode .l-right")
    for key in ("j", "j", "c", "Tab"):
        page.keyboard.press(key)
    page.keyboard.type("not this one")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.wait_for_selector("#review-turn-2 .l-wrong")
    assert page.evaluate("document.activeElement.closest('.turn')?.id") == "turn-2"
    page.keyboard.press("u")
    page.wait_for_url("**/episodes?sort=task_id")
    page.close()
    said = [(label.turn, label.value, label.note) for label in labels(folder)]
    assert said == [(None, "right", None), (1, "wrong", "not this one")]


def test_two_browsers_label_one_turn_at_once(browser: Any, folder: Path, ana: str) -> None:
    pages = [new_page(browser) for _ in range(2)]
    for page in pages:
        page.goto(f"{ana}/episodes/shown#turn-2")
        page.wait_for_selector("#turn-2:focus")
    for page, key in zip(pages, "12", strict=True):
        page.keyboard.press(key)
    for page in pages:
        page.wait_for_selector("#review-turn-2 li")
        page.context.close()
    assert sorted(label.value for label in labels(folder)) == ["right", "wrong"]


def test_a_key_pressed_before_the_page_is_whole_acts_once_it_is(browser: Any, folder: Path, ana: str) -> None:
    page, press = new_page(browser), 'new KeyboardEvent("keydown", { key: "1", bubbles: true })'

    def pressing(route: Any) -> None:
        script = route.fetch().text()
        route.fulfill(body=f"{script}\ndocument.documentElement.dispatchEvent({press});")

    page.route("**/view.js", pressing)
    page.goto(f"{ana}/episodes/shown")
    page.wait_for_selector("#review-episode .l-right")
    page.close()
    assert [label.turn for label in labels(folder)] == [None]


def labelled(browser: Any, ana: str) -> tuple[Any, list[Any]]:
    """A page whose second turn is called right by key, and where the request that says so waits."""
    page, held = new_page(browser), list[Any]()
    page.route("**/review", lambda route: held.append(route), times=1)
    page.goto(f"{ana}/episodes/shown#turn-2")
    page.wait_for_selector("#turn-2:focus")
    page.keyboard.press("1")
    return page, held


def test_a_label_given_while_another_is_on_its_way_is_kept(browser: Any, folder: Path, ana: str) -> None:
    """By key, by click and by key, all of the turn; then its form is opened, which is another by then."""
    page, held = labelled(browser, ana)
    page.click("#review-turn-2 [data-say=wrong]")
    for key in ("3", "c"):
        page.keyboard.press(key)
    first_of(held, page).continue_()
    page.wait_for_selector("#review-turn-2 li:nth-child(3)")
    page.wait_for_selector("#review-turn-2 select:focus")
    page.close()
    assert [label.value for label in labels(folder) if label.turn == 1] == ["right", "wrong", "unsure"]


def test_a_label_given_while_another_is_on_its_way_keeps_its_note(
    browser: Any, folder: Path, ana: str
) -> None:
    page, held = labelled(browser, ana)
    page.click("#review-turn-2 summary")
    page.select_option("#review-turn-2 select", "wrong_value")
    page.fill("#review-turn-2 [name=note]", "not\nthis")
    page.fill("#review-turn-2 [name=better_call]", '{"name":"update_user","arguments":{}}')
    page.click("#review-turn-2 [data-say=wrong]")
    first_of(held, page).continue_()
    page.wait_for_selector("#review-turn-2 .l-wrong")
    page.close()
    first, second = labels(folder)
    assert (first.value, first.note, second.value) == ("right", None, "wrong")
    assert (second.cause, second.note) == ("wrong_value", "not\nthis")
    assert "update_user" in (second.better_call or "")


def test_what_is_typed_while_a_label_is_on_its_way_is_of_the_next(
    browser: Any, folder: Path, ana: str
) -> None:
    page, held = labelled(browser, ana)
    page.click("#review-turn-2 summary")
    page.select_option("#review-turn-2 select", "wrong_value")
    page.click("#review-turn-2 [name=note]")
    page.keyboard.type("half")
    first_of(held, page).continue_()
    page.wait_for_selector("#review-turn-2 .l-right")
    page.wait_for_selector("#review-turn-2 [name=note]:focus")
    page.keyboard.type(" a note")
    page.click("#review-turn-2 [data-say=wrong]")
    page.wait_for_selector("#review-turn-2 .l-wrong")
    assert page.input_value("#review-turn-2 [name=note]") == ""
    page.close()
    first, second = labels(folder)
    assert (first.value, first.cause, first.note) == ("right", None, None)
    assert (second.value, second.cause, second.note) == ("wrong", "wrong_value", "half a note")


def test_a_label_that_is_refused_does_not_keep_the_next_waiting(browser: Any, folder: Path, ana: str) -> None:
    page, held = new_page(browser), list[Any]()
    page.route("**/review", lambda route: held.append(route), times=1)
    page.goto(f"{ana}/episodes/shown")
    for key in ("1", "2"):
        page.keyboard.press(key)
    first_of(held, page).abort()
    page.wait_for_selector("#review-episode .l-wrong")
    page.close()
    assert [label.value for label in labels(folder)] == ["wrong"]


def test_after_a_click_the_next_key_labels_the_same_turn(browser: Any, folder: Path, ana: str) -> None:
    page = new_page(browser)
    page.goto(f"{ana}/episodes/shown")
    page.click("#review-turn-2 [data-say=right]")
    page.wait_for_selector("#review-turn-2 .l-right")
    page.keyboard.press("2")
    page.wait_for_selector("#review-turn-2 .l-wrong")
    page.close()
    assert [label.turn for label in labels(folder)] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_nothing_where_labels_are_taken(browser: Any, ana: str, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    post(ana, episode_id="shown", turn="2", value="wrong", cause="wrong_value", note="No.")
    page = new_page(browser, color_scheme=scheme, viewport={"width": width, "height": 800})
    findings = []
    for path in ("/episodes/shown", "/labels", "/episodes?label=ana%3Awrong", "/compare?a=shown&b=sibling"):
        page.goto(ana + path)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        violations = axe.Axe().run(page).response["violations"]
        findings += [(path, v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] != "minor"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.close()
    assert findings == []
