"""The questions that docs/seeing.md answers in clicks: each in three at most, and the answer is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eops_traj.schema import Json, Run
from eops_traj.store.store import Store
from tests.episodes import PROMPT, TOOLS, episode
from tests.view.conftest import new_page, opened_episode, viewing

PAGE = Path(__file__).parents[2] / "docs" / "seeing.md"
QUESTIONS: dict[str, tuple[list[str], str]] = {
    "Why did my runs fail?": (["nav >> text=Causes"], "tr:has-text('wrong value')"),
    "Why did teams get worse?": (
        ["nav >> text=Compare", "select[name=b]", "button:text('Compare')"],
        "#broke tr:has-text('task_team'):has-text('over refusal')",
    ),
    "Why did this episode fail?": (
        ["nav >> text=Episodes", "a:text-is('task_0')"], "#why :text(\"role is 'manager', not 'admin'\")"
    ),
    "Which refusals were wrong?": (
        [".legend >> text=over refusal"], "tbody tr:only-child:has-text('task_team')"
    ),
    "Which tool fails most?": (["nav >> text=Tools"], "tbody tr:has-text('find_user')"),
    "At which tool does it go wrong?": (
        ["nav >> text=Causes", ".switch >> text=tool"], "thead th:has-text('update_user')"
    ),
    "What did this run cost?": ([], "tr:has-text('new') >> text=$0.2500"),
    "What is running now, and how well does it do?": (["nav >> text=Live"], ".tallies :text('a minute')"),
    "Where was this customer, or this error, mentioned?": (
        ["nav >> text=Episodes", "#q"], "tbody tr:only-child:has-text('task_0')"
    ),
    "What did two agents do differently in one task?": (
        ["nav >> text=Episodes", "a:text-is('task_team')", "a[data-compare]"], ".pair.first"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A viewer of two runs: teams got worse, one episode failed at a tool."""
    folder = tmp_path_factory.mktemp("questions") / "store"
    team: dict[str, Any] = {"task_id": "task_team", "task_hash": "team", "domain": "teams"}
    worse = {"outcome": "over_refusal", "success_strict": False, "causes": ("over_refusal",), "cost": 0.25}
    runs = [
        Run(
            run_id=name, kind="collect", config=Json("{}"), version="0", started_at=f"2026-01-0{day}T00:00:00"
        )
        for day, name in ((2, "new"), (1, "old"))
    ]
    with Store.open(folder, create=True) as store:
        episodes = [
            opened_episode(),
            episode("t1", run_id="old", **team),
            episode("t2", run_id="new", turns=(), **team, **worse),
        ]
        store.append(episodes, prompts=[PROMPT], toolsets=[TOOLS], runs=runs)
    with viewing(folder) as served:
        yield served


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_in_three_clicks(browser: Any, address: str, question: str) -> None:
    clicks, answer = QUESTIONS[question]
    assert len(clicks) <= 3
    page = new_page(browser)
    page.goto(address)
    for click in clicks:
        if click.startswith("select"):
            page.select_option("select[name=a]", "old")
            page.select_option(click, "new")
        else:
            page.locator(click).first.click()
        if click == "#q":
            page.keyboard.type("U-999")
            page.wait_for_url("**q=U-999**")
    page.wait_for_selector(answer, timeout=60_000)
    page.close()


def test_the_page_asks_these_questions() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Ten questions")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")]
    assert rows[2:] == list(QUESTIONS) and len(QUESTIONS) == 10
