"""The report as a command: what it writes, what it says, and what it makes of bad input."""

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import pytest

from eops_traj.errors import InputError, UnknownName
from eops_traj.report.explorer import explorer_json, next_steps
from eops_traj.report.figure import Figure
from eops_traj.report.figures import training
from eops_traj.report.html import render_page
from eops_traj.report.load import ReportData, load_data
from eops_traj.report.write import VIEWER, Report, build_figures, write_report
from eops_traj.schema import PASSED
from eops_traj.store.store import Store
from eops_traj.view.query import Query
from tests.report.stores import DOMAINS, episode_like, everything, store_of, worked


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that feeds every figure."""
    return store_of(tmp_path_factory.mktemp("everything"), everything())


@pytest.fixture(scope="module")
def report(store: Path) -> Report:
    """Its report."""
    with Store.open(store) as opened:
        return write_report(opened, store.parent / "report.html")


@pytest.fixture(scope="module")
def data(store: Path) -> ReportData:
    """The data of the report."""
    with Store.open(store) as opened:
        return load_data(opened, store.parent)


@pytest.fixture(scope="module")
def parts(data: ReportData) -> list[Figure]:
    """Its figures."""
    return [part for part in build_figures(data) if isinstance(part, Figure)]


def digests(report: Report) -> dict[str, str]:
    paths = [report.page, *sorted(report.folder.iterdir())]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
def test_every_figure_is_drawn_where_there_is_something_to_draw(report: Report) -> None:
    protocol, errors = report.notes
    assert report.not_drawn == {} and protocol == "Protocol: unknown."  # of other programs
    assert errors.startswith("3 attempts erred: errors are left out of the score")
    files = {path.name for path in report.folder.iterdir()}
    assert files == {f"{name}.{kind}" for name in report.drawn for kind in ("svg", "png", "csv")}


@pytest.mark.slow
def test_the_page_needs_nothing_but_itself(report: Report) -> None:
    page = report.page.read_text("utf-8")
    links = re.findall(r'(?:src|href)="(?!#|report_figures/)([^"]*)"', page)
    assert len(links) == 5 and all(link.startswith(f"{VIEWER}/episodes?cause=") for link in links)
    assert "@import" not in page and page.count("<script") == 2 and "url(http" not in page
    assert len(re.findall(r"<svg", page)) == len(report.drawn)


@pytest.mark.slow
def test_ids_are_unique_although_there_are_many_drawings(report: Report) -> None:
    ids = re.findall(r'\sid="([^"]*)"', report.page.read_text("utf-8"))
    assert ids and len(ids) == len(set(ids))


@pytest.mark.slow
def test_every_figure_states_its_n_and_its_numbers(report: Report, parts: list[Figure]) -> None:
    page = report.page.read_text("utf-8")
    for figure in parts:
        assert re.search(r"\d", figure.n) and f"n: {figure.n}." in page
        assert figure.alt and figure.caption and figure.rows


@pytest.mark.slow
def test_every_figure_says_its_numbers_when_pointed_at(report: Report, parts: list[Figure]) -> None:
    for part in parts:
        drawing = (report.folder / f"{part.name}.svg").read_text(encoding="utf-8")
        said = re.findall(r"<title>([^<]+)</title>", drawing)
        assert said and all(re.search(r"\d", text) for text in said), part.name
        assert "says:" not in drawing
        whose = {str(row[name]) for row in part.rows for name in ("agent", "domain") if row.get(name)}
        assert not whose or any(name in text for name in whose for text in said), part.name


@pytest.mark.slow
def test_the_csv_has_the_numbers_of_the_figure_in_full(report: Report, parts: list[Figure]) -> None:
    assert len(parts) == len(report.drawn)
    for figure in parts:
        with (report.folder / f"{figure.name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        expected = [
            {c: "" if row.get(c) is None else str(row[c]) for c in figure.columns} for row in figure.rows
        ]
        assert rows == expected


def test_the_drawing_shows_the_rows_of_the_figure(parts: list[Figure]) -> None:
    chosen = next(figure for figure in parts if figure.name == "training")
    axes = chosen.draw().axes[0]
    drawn = sorted(float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o")  # type: ignore[index]
    expected = sorted(100 * row["difference"] for row in chosen.rows if row["rate"] == "strict pass@1")
    assert drawn == pytest.approx(expected)


def test_the_counts_that_are_explored_are_those_of_the_scored_episodes(data: ReportData) -> None:
    facts = json.loads(explorer_json(data.scored))
    assert sum(cell[-1] for cell in facts["cells"]) == data.scored_count
    assert (
        set(facts["names"]["agent"]) == set(data.scored.collect()["agent"])
        and "passed" in facts["names"]["cause"]
    )


def test_the_next_steps_are_the_most_frequent_first_errors_of_the_failed(data: ReportData) -> None:
    steps = next_steps(data.scored, "http://localhost:1/")
    failed = [row for row in data.scored.collect().to_dicts() if row["outcome"] not in PASSED]
    most, count = Counter(row["cause"] for row in failed if row["cause"]).most_common(1)[0]
    assert steps[0]["share"] == pytest.approx(count / len(failed)) and len(steps) == 5
    assert [s["episodes"] for s in steps] == sorted((s["episodes"] for s in steps), reverse=True)
    assert steps[0]["link"].startswith("http://localhost:1/episodes?cause=") and steps[0]["advice"]
    assert count == steps[0]["episodes"] and most in {s["cause"].replace(" ", "_") for s in steps}


def test_the_next_steps_lead_to_scored_episodes_of_the_run_if_there_is_one(data: ReportData) -> None:
    assert len(data.scored.select("run_id").unique().collect()) > 1
    [several, *_] = next_steps(data.scored, "")
    run = data.scored.filter(outcome="failure").collect()["run_id"][0]
    [one, *_] = next_steps(data.scored.filter(run_id=run), "")
    for step, asked in ((several, {}), (one, {"run": run})):
        kind = step["cause"].replace(" ", "_")
        parameters = dict(parse_qsl(urlsplit(step["link"]).query))
        assert parameters == {"cause": kind, "standing": "scored", **asked}
        assert parameters == dict(Query.of(parameters).filters)  # which the viewer knows


def test_the_page_tells_the_number_of_a_next_step_from_what_its_link_lists(data: ReportData) -> None:
    told = ", have it first; the link lists all scored episodes that have it."
    assert render_page(data, [], {}, "", "").count(told) == 5


@pytest.mark.slow
def test_the_same_store_gives_the_same_bytes(tmp_path: Path) -> None:
    small = store_of(tmp_path, worked("m", 0.5, range(6)))
    with Store.open(small) as opened:
        first, again = (write_report(opened, tmp_path / d / "r.html") for d in ("first", "again"))
    assert digests(first) == digests(again) and "leaderboard.svg" in digests(first)


@pytest.mark.slow
def test_names_are_text_and_never_markup_or_mathematics(report: Report) -> None:
    page = report.page.read_text("utf-8")
    assert "alert(1)" in page and page.count("<script") == 2 and "\x07" not in page
    assert "$x_1$" in page
    for path in report.folder.glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")


def test_runs_are_chosen_by_how_their_ids_begin(store: Path, data: ReportData, tmp_path: Path) -> None:
    run = data.episodes.collect()["run_id"].mode()[0]
    with Store.open(store) as opened:
        assert set(load_data(opened, tmp_path, [run[:8]]).episodes.collect()["run_id"]) == {run}
        with pytest.raises(UnknownName, match="unknown run 'nobody'"):
            load_data(opened, tmp_path, ["nobody"])


def test_a_pair_that_is_asked_for_is_compared(data: ReportData) -> None:
    compared = training.figure(data, [("overloaded", "thinker")])
    assert isinstance(compared, Figure) and {row["before"] for row in compared.rows} == {"overloaded"}
    with pytest.raises(UnknownName, match="unknown run 'nobody'"):
        training.figure(data, [("overloaded", "nobody")])


@pytest.mark.slow
def test_what_cannot_be_drawn_says_why_and_the_rest_is_there(tmp_path: Path) -> None:
    outcomes = [(e, "success" if e.success_strict else "failure") for e in worked("m", 0.5, range(16))]
    plain = store_of(tmp_path, (episode_like(e, feasible=None, outcome=outcome) for e, outcome in outcomes))
    with Store.open(plain) as opened:
        report = write_report(opened, tmp_path / "new" / "r.html")
    assert set(report.not_drawn) == {"modes", "thinking", "cost", "plans", "training", "refusal"}
    page = report.page.read_text("utf-8")
    assert all(why.endswith(".") and f"Not drawn: {why}" in page for why in report.not_drawn.values())
    assert "leaderboard" in report.drawn and all(domain in page for domain in DOMAINS)


def test_the_command_says_what_it_made(store: Path, cli: Callable, tmp_path: Path) -> None:
    ran = cli("report", "--store", store, "--out", tmp_path / "r.html", "--run", "nobody")
    assert ran.code == 2 and len(ran.err.splitlines()) == 1 and not list(tmp_path.iterdir())
    assert cli("report", "--store", store, "--pair", "one").code == 2


def test_an_empty_store_is_one_clear_line(cli: Callable, tmp_path: Path) -> None:
    empty = store_of(tmp_path, [])
    ran = cli("report", "--store", empty, "--out", tmp_path / "r.html")
    assert ran.code == 2 and "has no episodes to report on" in ran.err
    assert len(ran.err.splitlines()) == 1 and not (tmp_path / "r.html").exists()


def test_other_files_are_never_replaced(store: Path, tmp_path: Path) -> None:
    (tmp_path / "r_figures").mkdir()
    (tmp_path / "r_figures" / "thesis.tex").touch()
    with Store.open(store) as opened, pytest.raises(InputError, match="holds other files"):
        write_report(opened, tmp_path / "r.html")
    with Store.open(store) as opened, pytest.raises(InputError, match=r"ends in \.html"):
        write_report(opened, tmp_path / "thesis.tex")
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("name", ["a [b]", "every*", "50%20 of?"])
def test_a_folder_of_any_name_takes_a_report(name: str, tmp_path: Path) -> None:
    small = store_of(tmp_path, worked("m", 0.5, range(6)))
    (tmp_path / name).mkdir()
    with Store.open(small) as opened:
        assert load_data(opened, tmp_path / name).episodes.collect().height == 6
