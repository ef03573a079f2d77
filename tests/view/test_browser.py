"""Headless Chromium drives the viewer as a person does."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.view.conftest import first_of, new_page

axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")


OVERTAKEN = ("htmx:afterRequest", "htmx:sendAbort")


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails the test where a script raises or the browser refuses something.

    A search that is overtaken by the next letter is given up, which htmx reports too.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    context.set_default_timeout(120_000)
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield opened
    context.close()
    assert [error for error in errors if not error.startswith(OVERTAKEN)] == []


def test_from_the_runs_to_two_episodes_side_by_side(page: Any, viewer: str) -> None:
    page.goto(viewer)
    page.click("text=r0")
    page.select_option("[name=domain]", "csm")
    page.wait_for_url("**/episodes?run=r0&domain=csm")
    page.wait_for_selector("text=of 230 episodes")
    page.click("th a:text-is('calls')")
    page.wait_for_url("**sort=n_steps")
    page.click("th a:text('calls')")
    page.wait_for_url("**sort=-n_steps")
    assert page.inner_text("tbody th") == "task_228"
    page.fill("#q", "task_0")
    page.wait_for_url("**q=task_0**")
    assert "sort=-n_steps" in page.url
    page.wait_for_function("document.querySelectorAll('tbody tr').length == 2")
    page.click("tbody tr:has-text('failure') th a")
    page.wait_for_selector("h1:has-text('task_0')")
    page.click("a[data-compare]")
    page.wait_for_selector("#turn-2:focus")
    assert page.evaluate("document.activeElement.getBoundingClientRect().top < innerHeight / 2")
    page.go_back()
    page.go_back()
    page.wait_for_function("document.querySelectorAll('tbody tr').length == 2")


def choose_column(page: Any, title: str) -> None:
    page.click("summary:text-is('columns')")
    page.click(f".choices label:has-text('{title}')")


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        (lambda page: page.select_option("[name=domain]", "csm"), "domain=csm"),
        (lambda page: page.fill("#q", "task_0"), "q=task_0"),
        (lambda page: choose_column(page, "orchestrator"), "columns="),
    ],
    ids=["a filter", "words", "a column"],
)
def test_what_is_chosen_before_the_scripts_are_there_is_searched_for(
    choose: Any, said: str, page: Any, viewer: str
) -> None:
    held: list[Any] = []
    page.route("**/htmx.min.js", lambda route: held.append(route))
    page.goto(f"{viewer}/episodes?run=r0", wait_until="commit")
    choose(page)
    scripts = first_of(held, page)
    assert said not in page.url and len(held) == 1
    scripts.continue_()
    page.wait_for_url(f"**/episodes?*{said}*")
    assert "run=r0" in page.url


def test_what_is_chosen_is_searched_for_once_and_nothing_on_the_way_back(page: Any, viewer: str) -> None:
    searched: list[str] = []
    page.on("request", lambda asked: searched.append(asked.url) if "hx-request" in asked.headers else None)
    page.goto(f"{viewer}/episodes?run=r0")
    page.select_option("[name=domain]", "csm")
    page.wait_for_url("**/episodes?run=r0&domain=csm")
    with page.expect_event("load"):
        page.go_back()
    page.wait_for_timeout(300)
    assert page.url.endswith("/episodes?run=r0") and page.input_value("[name=domain]") == ""
    assert ["domain=csm" in url for url in searched] == [True]


def test_what_is_chosen_as_the_scripts_come_is_searched_for_once(page: Any, viewer: str) -> None:
    """The window hears of the whole page after htmx, which has a word of its own once it is through."""
    searched: list[str] = []
    page.on("request", lambda asked: searched.append(asked.url) if "hx-request" in asked.headers else None)
    page.add_init_script("""addEventListener("DOMContentLoaded", () => {
        const domain = document.querySelector("[name=domain]");
        domain.value = "csm";
        domain.dispatchEvent(new Event("change", { bubbles: true }));
    })""")
    page.goto(f"{viewer}/episodes?run=r0")
    page.wait_for_url("**/episodes?run=r0&domain=csm")
    page.wait_for_function("!document.querySelector('.htmx-request')")
    assert len(searched) == 1


@pytest.mark.slow
def test_by_keyboard(page: Any, viewer: str) -> None:
    page.goto(f"{viewer}/episodes?sort=-n_steps")
    page.keyboard.press("n")
    page.wait_for_url("**page=2")
    page.wait_for_function("document.querySelector('tbody th').innerText == 'task_128'")
    for key in ("j", "j", "k", "j"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.innerText") == "task_127"
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('task_127')")
    page.keyboard.press("n")
    page.wait_for_selector("h1:has-text('task_126')")
    page.keyboard.press("u")
    page.wait_for_url("**/episodes?sort=-n_steps&page=2")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"


def test_turns_by_keyboard_and_by_address(page: Any, viewer: str) -> None:
    page.goto(f"{viewer}/episodes/shown")
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.wait_for_url(lambda url: url.endswith("#turn-2"))
    page.keyboard.press("m")
    page.wait_for_url(lambda url: url.endswith("#turn-3"))
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('#turn-3 details').open")
    page.goto(f"{viewer}/episodes/shown#turn-4")
    page.wait_for_selector("#turn-4:focus")


def test_dark_is_remembered_and_a_script_in_a_result_does_not_run(page: Any, viewer: str) -> None:
    page.goto(f"{viewer}/episodes/shown")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light
    page.keyboard.press("x")
    assert page.is_visible("text=document.title=") and page.title() == "task_0 · eops-traj"


def test_esc_keeps_the_search_and_enter_goes_to_its_first_row(page: Any, viewer: str) -> None:
    page.goto(f"{viewer}/episodes")
    page.keyboard.press("/")
    page.keyboard.type("task_22")
    page.wait_for_url("**q=task_22")
    page.keyboard.press("Escape")
    assert page.input_value("#q") == "task_22" and page.evaluate("document.activeElement.id") != "q"
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.wait_for_selector("tbody tr:first-child th a:focus")


def test_columns_are_chosen_by_clicking(page: Any, viewer: str) -> None:
    page.goto(f"{viewer}/episodes?domain=hr")
    choose_column(page, "orchestrator")
    page.wait_for_selector("thead th:has-text('orchestrator')")
    assert "columns=" in page.url and "domain=hr" in page.url and page.is_visible(".choices")
    with page.expect_download() as download:
        page.click("a:text-is('CSV')")
    assert "react" in download.value.path().read_text(encoding="utf-8")


PATHS = (
    "/", "/episodes", "/episodes?selection=a%2Fb", "/episodes/shown", "/episodes/shown/text?part=request",
    "/compare?a=shown&b=sibling", "/compare/runs?a=m&b=r0", "/causes", "/live", "/tools", "/labels",
    "/selections", "/selections/a%2Fb", "/why/shown/a%2Fb", "/nowhere",
)  # fmt: skip


SIDEWAYS = """[...document.querySelectorAll(":root, .scroll:has(.cards)")].some(
    e => (e.scrollWidth > e.clientWidth + 1) && getComputedStyle(e).overflowX != "hidden")"""
"""Whether the page scrolls sideways, or a list on it does."""


@pytest.mark.parametrize("width", [1280, 800, 390])
def test_no_page_is_wider_than_its_window(browser: Any, viewer: str, width: int) -> None:
    window = new_page(browser, viewport={"width": width, "height": 844})
    wide = []
    for path in PATHS:
        window.goto(viewer + path)
        if window.evaluate(SIDEWAYS):
            wide.append(path)
    window.close()
    assert wide == []


def test_a_phone_shows_the_outcome_of_a_row(browser: Any, viewer: str) -> None:
    phone = new_page(browser, viewport={"width": 390, "height": 844})
    phone.goto(f"{viewer}/episodes")
    outcome = phone.locator("tbody tr").nth(1).locator(".outcome").bounding_box()
    phone.close()
    assert outcome["x"] >= 0 and outcome["x"] + outcome["width"] <= 390


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_nothing_moderate_or_worse(browser: Any, viewer: str, scheme: str, width: int) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    opened = context.new_page()
    findings = {}
    for path in PATHS:
        opened.goto(viewer + path)
        violations = axe_playwright.Axe().run(opened).response["violations"]
        worse = [v for v in violations if v["impact"] != "minor"]
        findings |= {(path, v["id"]): v["nodes"][0]["html"] for v in worse}
    context.close()
    assert findings == {}
