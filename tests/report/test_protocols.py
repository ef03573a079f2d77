"""A report is of one protocol, unless told; and it says which, and whose wording it is."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.metrics.error_rule import RULES
from eops_traj.report.figure import Figure
from eops_traj.report.html import render_page
from eops_traj.report.load import load_data
from eops_traj.report.write import build_figures
from eops_traj.schema import Episode, Json
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode
from tests.report.stores import settings, worked
from tests.selected import store_of

OURS = {"source": "eops-traj"}
THERE = {**OURS, "agent_hash": "a1", "run_id": "r1", "settings": Json('{"protocol":"benchmark"}')}
EPISODES = [episode("e0", **OURS), episode("e1", orchestrator="benchmark_decomposing", **THERE)]


def erred(one: Episode) -> Episode:
    """Return an attempt as if it had ended in an error."""
    labels = dict.fromkeys(
        ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict")
    )
    return replace(one, outcome="error", error="endpoint: gone", **labels)


def test_both_protocols_make_no_report_unless_told(tmp_path: Path) -> None:
    with Store.open(str(store_of(tmp_path, EPISODES))) as store:
        with pytest.raises(InputError, match="benchmark and robust"):
            load_data(store, tmp_path)
        assert load_data(store, tmp_path, ["r0"]).notes == ("Protocol: robust.",)
        mixed = load_data(store, tmp_path, mixed=True)
    assert mixed.notes[-1].endswith("benchmark_decomposing: algorithm equal, wording ours.")
    assert sorted(mixed.makers["agent"]) == ["m, benchmark_decomposing, protocol benchmark", "m, react"]


@pytest.mark.parametrize(
    ("protocol", "rule", "counts", "best"),
    [
        ("benchmark", None, "zero", "steady"),
        ("benchmark", "out", "out", "brittle"),
        ("robust", None, "out", "brittle"),
        ("robust", "zero", "zero", "steady"),
    ],
)
def test_errors_count_as_in_a_score(
    protocol: str, rule: str | None, counts: str, best: str, tmp_path: Path
) -> None:
    agent = settings(protocol=protocol)
    made = [*worked("steady", 1, range(1, 4), settings=agent), *worked("steady", 0, [4], settings=agent)]
    brittle = list(worked("brittle", 1, range(1, 5), settings=agent))
    made += [*brittle[:2], *(erred(one) for one in brittle[2:])]
    with Store.open(store_of(tmp_path, made)) as store:
        data = load_data(store, tmp_path, errors=rule)
    assert data.notes[-1] == f"2 attempts erred: {RULES[counts]}."
    assert (data.errors_count, data.scored_count, data.judged_count) == (
        counts,
        6 + 2 * (counts == "zero"),
        6,
    )
    assert data.counts.get("error") == (None if counts == "zero" else 2)
    assert data.ranked[0]["agent"].startswith(best) and data.ranked[1]["success_parity"] == (
        0.5 if counts == "zero" else 0.75
    )


def test_what_an_error_says_nothing_of_is_without_it(tmp_path: Path) -> None:
    agent = settings(protocol="benchmark")
    shown = {"failure_modes": ("loop",), "causes": ("wrong_value",)}
    first, *others = (replace(one, **shown) for one in worked("m", 0, range(5), settings=agent))
    gone = replace(erred(first), verdicts=first.verdicts)  # the first of five tasks is one to decline
    with Store.open(store_of(tmp_path, [gone, *others])) as store:
        data = load_data(store, tmp_path)
    figures = {figure.name: figure for figure in build_figures(data) if isinstance(figure, Figure)}
    assert figures["failure_modes"].n.startswith("4 episodes in ")
    assert sum(row["episodes"] for row in figures["failure_modes"].rows) == 4
    assert figures["verifier_categories"].n.endswith("of 4 episodes")
    [declined] = [row for row in figures["refusal"].rows if row["tasks that"] == "must be declined"]
    assert (declined["episodes"], declined["other"]) == (1, 1.0)
    verdicts = sum(len(one.verdicts) for one in others)
    assert sum(row["verifiers"] for row in figures["verifier_categories"].rows) == verdicts
    assert "wrong value</a>: 4 episodes, 100.0% of the failed" in render_page(data, [], {}, "", "")


def test_the_page_says_what_errors_count(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    agent = settings(protocol="benchmark")
    first, *others = worked("m", 1, range(1, 5), settings=agent)
    store, page = store_of(tmp_path, [erred(first), *others]), tmp_path / "page.html"
    for options, said, other in (
        ((), "Errors count as 0, as in the benchmark", "1 error stand apart"),
        (("--errors", "out"), "1 error stand apart", "Errors count as 0, as in the benchmark"),
    ):
        assert cli("report", "--store", store, "--out", page, *options).code == 0
        assert said in page.read_text("utf-8") and other not in page.read_text("utf-8")
    ran = cli("report", "--store", store, "--out", page, "--errors", "half")
    assert ran.code == 2 and "unknown rule for errors 'half'" in ran.err
