import json
import re
from collections.abc import Callable, Iterator

import pytest

from eops_traj.schema import Json
from eops_traj.store.store import Store
from tests.episodes import episode
from tests.view.conftest import viewing_what, web

View = Callable[[Callable[[Store], None]], str]
OUTCOMES = {
    "fixed": ("failure", "success"),
    "fixed_by_declining": ("unsafe_action", "safe_refusal"),
    "broke": ("success", "false_success"),
    "both": ("error", "over_refusal"),
    "kept": ("success", "success"),
    "unseen": ("unverified", "success"),
}


def fill(opened: Store) -> None:
    """Two runs over six tasks, a second attempt that went the other way, and a task of one run alone."""
    for name, (before, after) in OUTCOMES.items():
        for run, outcome in (("r1", before), ("r2", after)):
            opened.append(
                [episode(f"{name}_{run}", task_id=name, task_hash=name, run_id=run, outcome=outcome)]
            )
    again = episode("again", task_id="fixed", task_hash="fixed", run_id="r1", attempt=2, outcome="success")
    opened.append(
        [again, episode("alone", task_id="alone", task_hash="alone", run_id="r1", outcome="failure")]
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A viewer of them."""
    with viewing_what(tmp_path_factory.mktemp("runs"), fill) as address:
        yield address


def section(page: str, name: str) -> list[str]:
    part = page.partition(f'<section id="{name}"')[2].partition("</section>")[0]
    return re.findall(r'href="/compare\?a=(\w+)_r1&amp;b=\w+_r2"', part)


def test_who_fixed_and_who_broke_what(runs: str) -> None:
    page = web.get(f"{runs}/compare/runs?a=r1&b=r2").text
    assert section(page, "fixed") == ["fixed", "fixed_by_declining"]
    assert section(page, "broke") == ["broke"] and section(page, "failed-in-both") == ["both"]
    assert "<b>1</b> passed in both" in page


def test_sides_are_runs_or_models(runs: str) -> None:
    assert section(web.get(f"{runs}/compare/runs?a=r2&b=r1").text, "fixed") == []
    assert "<b>0</b>" in web.get(f"{runs}/compare/runs?a=m&b=m").text
    answer = web.get(f"{runs}/compare/runs?a=r1&b=nobody")
    assert answer.status_code == 400 and "unknown run or model" in answer.text


def test_a_replaced_error_and_a_branch_are_no_first_attempt(view: View) -> None:
    def tries(opened: Store) -> None:
        """Of `retried` and `owed` the first try erred, of `branched` a branch comes before the attempt."""
        old = {"run_id": "r1"}
        kinds = {name: {"task_id": name, "task_hash": name} for name in ("retried", "owed", "branched")}
        for name, task in kinds.items():
            opened.append([episode(f"{name}_r2", run_id="r2", **task)])
        opened.append(
            [
                episode("x", outcome="error", **old, **kinds["retried"]),
                episode("retried_r1", attempt=2, supersedes="x", **old, **kinds["retried"]),
                episode("y", outcome="error", **old, **kinds["owed"]),
                episode("owed_r1", attempt=2, **old, **kinds["owed"]),
                episode("z", outcome="failure", parent="q", **old, **kinds["branched"]),
                episode("branched_r1", attempt=2, **old, **kinds["branched"]),
            ]
        )

    page = web.get(f"{view(tries)}/compare/runs?a=r1&b=r2").text
    assert section(page, "fixed") == [] and "<b>3</b> passed in both" in page


def test_runs_without_a_task_in_common_are_told(view: View) -> None:
    def apart(opened: Store) -> None:
        for run in ("r1", "r2"):
            opened.append([episode(run, task_id=run, task_hash=run, run_id=run)])

    address = view(apart)
    assert "They have no task in common" in web.get(f"{address}/compare/runs?a=r1&b=r2").text
    assert "They have no task in common" not in web.get(f"{address}/compare/runs?a=r1&b=r1").text


@pytest.mark.parametrize("query", ["", "?a=r1"])
def test_without_both_sides_there_is_the_form(runs: str, query: str) -> None:
    page = web.get(f"{runs}/compare/runs{query}").text
    assert "<optgroup" in page and "passed in both" not in page


@pytest.mark.parametrize(
    ("protocols", "told"),
    [(("benchmark", "robust"), True), (("robust", "robust"), False), (("benchmark", "benchmark"), False)],
)
def test_protocols_that_are_no_one_measure_are_told(
    view: View, protocols: tuple[str, str], told: bool
) -> None:
    def both(opened: Store) -> None:
        for run, protocol in zip(("r1", "r2"), protocols, strict=True):
            stated = Json(json.dumps({"protocol": protocol, "run": run}))
            opened.append([episode(run, run_id=run, settings=stated), episode(f"{run}x", run_id=run)])

    page = web.get(f"{view(both)}/compare/runs?a=r1&b=r2").text
    assert ("of the protocols benchmark and robust, which are no one measure" in page) == told
    assert "<b>1</b> passed in both" in page
