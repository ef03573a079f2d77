"""The page as people meet it: axe finds nothing moderate, and nothing is wider than the page."""

from collections.abc import Iterator
from typing import Any

import pytest

from eops_traj.report.write import write_report
from eops_traj.store.store import Store
from tests.report.stores import everything, store_of


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("page")
    with Store.open(store_of(folder, everything())) as opened:
        report = write_report(opened, folder / "report.html")
    opened_page = browser.new_page(viewport={"width": 900, "height": 800})
    opened_page.goto(report.page.as_uri())
    yield opened_page
    opened_page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 900), ("dark", 900), ("light", 390)])
def test_axe_finds_nothing_moderate_or_worse(page: Any, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    violations = axe.Axe().run(page).response["violations"]
    page.set_viewport_size({"width": 900, "height": 800})
    assert [v["id"] for v in violations if v["impact"] != "minor"] == []


@pytest.mark.slow
def test_on_a_phone_no_table_is_wider_than_its_place(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    edges = "[...document.querySelectorAll('{}')].map(e => e.getBoundingClientRect().right)"
    tables, (place,) = page.evaluate(edges.format(".bars table")), page.evaluate(edges.format(".bars"))
    page.set_viewport_size({"width": 900, "height": 800})
    assert tables and max(tables) <= place + 1


@pytest.mark.slow
def test_on_a_phone_figures_stay_readable_and_scroll_in_their_place(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    widths = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().width)"
    )
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 900, "height": 800})
    assert widths and min(widths) >= 500 and wide <= 390


@pytest.mark.slow
def test_nothing_is_wider_than_the_page(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    widths = page.evaluate(
        "[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().width)"
    )
    assert widths and max(widths) <= 900


@pytest.mark.slow
def test_a_filter_narrows_the_bars_and_the_tables_of_numbers_by_keyboard(page: Any) -> None:
    rows = "document.querySelectorAll('table[data-by=domain] tbody tr').length"
    whole, all_domains = page.inner_text("#chosen"), page.evaluate(rows)
    page.focus("select[name=domain]")
    page.keyboard.type("drive")
    assert (all_domains, page.evaluate(rows)) == (2, 1) and page.inner_text("#chosen") != whole
    shown = "[...document.querySelectorAll('#failure_modes ~ details tbody tr')].filter(r => !r.hidden)"
    assert set(page.evaluate(shown + ".map(r => r.cells[0].textContent)")) == {"drive"}
    title = page.get_attribute("table[data-by=outcome] tbody tr", "title")
    assert "episodes" in title and "passed" in title
    page.select_option("select[name=domain]", "")
    assert page.inner_text("#chosen") == whole


@pytest.mark.slow
def test_marks_of_another_domain_or_agent_turn_faint_in_the_figures(page: Any) -> None:
    faint = "[...document.querySelectorAll('figure .faint')].map(m => [m.dataset.agent, m.dataset.domain])"
    assert page.evaluate(faint) == []
    page.select_option("select[name=domain]", "drive")
    domains = {domain for _, domain in page.evaluate(faint)}
    assert domains and "drive" not in domains
    agent = page.evaluate("document.querySelector('select[name=agent]').options[1].value")
    page.select_option("select[name=domain]", "")
    page.select_option("select[name=agent]", agent)
    agents = {one for one, _ in page.evaluate(faint)}
    assert agents and agent not in agents
    page.select_option("select[name=agent]", "")
    assert page.evaluate(faint) == []


@pytest.mark.slow
def test_no_script_of_a_name_runs(page: Any) -> None:
    own = "[...document.scripts].map(script => script.id + script.type)"
    assert page.evaluate(own) == ["cellsapplication/json", ""]
    assert "<script>alert(1)</script>" in page.inner_text("main")
