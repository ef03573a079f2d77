"""The loading of episodes that are old, broken or cannot be read."""

import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from eops_traj.errors import InputError, StoreError
from eops_traj.metrics import counted
from eops_traj.report import narrow
from eops_traj.report.agent_names import TRAIN_SUFFIX, add_agent_names
from eops_traj.report.figure import Figure
from eops_traj.report.figures import FIGURES
from eops_traj.report.group_scores import score_groups
from eops_traj.report.load import load_data
from eops_traj.report.narrow import REQUIRED_COLUMNS
from eops_traj.report.write import build_figures
from eops_traj.schema import Turn
from eops_traj.store.store import Store
from tests.report.stores import errors, everything, settings, store_of, worked

OLD = ["reasoning_tokens", "failure_modes", "settings"]


def rewrite(store: Path, change) -> None:
    """Write the episodes of a store as another program would."""
    with Store.open(store) as opened:
        table = opened.tables["episodes"].url
        frame = change(opened.scan().collect())
    frame.write_delta(
        table, mode="overwrite", delta_write_options={"schema_mode": "overwrite", "description": None}
    )


def episodes_of(store: Store, folder: Path) -> pl.DataFrame:
    """Return the episodes of a report on a store."""
    return load_data(store, folder).episodes.collect()


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of twelve episodes."""
    return store_of(tmp_path_factory.mktemp("twelve"), worked("m", 0.5, range(12)))


@pytest.fixture
def store(twelve: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return Path(shutil.copytree(twelve, tmp_path / "store"))


def test_columns_that_an_older_schema_lacks_are_not_known(store: Path, tmp_path: Path) -> None:
    rewrite(store, lambda frame: frame.drop(OLD))
    with Store.open(store) as opened:
        data = load_data(opened, tmp_path)
    assert [note for note in data.notes if all(name in note for name in OLD)]
    assert data.count == 12 and {figure.name for figure in build_figures(data)}


def test_what_stands_apart_is_not_scored_and_of_an_unknown_group_there_is_a_score(tmp_path: Path) -> None:
    known = [replace(one, split="dev") for one in worked("m", 1.0, range(3))]
    unknown = [replace(one, split=None) for one in worked("m", 0.0, range(3, 5))]
    place = store_of(tmp_path, [*known, *unknown, *errors("m", "endpoint: gone")])
    with Store.open(place) as opened:
        data = load_data(opened, tmp_path)
    assert (data.count, data.scored_count) == (6, 5)
    scores = score_groups(data.scored_parts, ["split"])
    counted = [(row["split"], row["episodes"], row["success_strict"]) for row in scores]
    assert counted == [("dev", 3, 1.0), (None, 2, 0.0)]


def test_a_store_without_replies_is_said_to_have_none(store: Path, tmp_path: Path) -> None:
    rewrite(store, lambda frame: frame.drop("turns"))
    with Store.open(store) as opened:
        data = load_data(opened, tmp_path)
    assert (
        "without turns" in data.notes[0] and data.episodes.select("replies").drop_nulls().collect().is_empty()
    )


def test_why_replies_ended_is_read_of_a_file_that_others_wrote(tmp_path: Path) -> None:
    turns = (
        Turn(text="a", finish_reason="tool_calls"),
        Turn(text="b"),
        Turn(text="c", finish_reason="length"),
    )
    place = store_of(tmp_path, [replace(one, turns=turns) for one in worked("m", 0.5, range(2))])
    for change in (None, lambda frame: frame):
        if change is not None:
            rewrite(place, change)
        with Store.open(place) as opened:
            counts = episodes_of(opened, tmp_path).select("replies", "cut").rows()
        assert counts == [(2, 1)] * 2


@pytest.mark.parametrize("column", ["turns", "verdicts", "failure_modes", "causes"])
def test_a_column_that_is_no_list_ends_the_report(column: str, store: Path, tmp_path: Path) -> None:
    rewrite(store, lambda frame: frame.with_columns(pl.lit("x").alias(column)))
    with Store.open(store) as opened, pytest.raises(StoreError, match=f"{column} is String, not a list"):
        load_data(opened, tmp_path)


def test_replies_that_are_no_records_end_the_report(store: Path, tmp_path: Path) -> None:
    rewrite(store, lambda frame: frame.with_columns(pl.lit(["x"]).alias("turns")))
    with Store.open(store) as opened, pytest.raises(StoreError, match="cannot read"):
        load_data(opened, tmp_path)


def test_control_characters_are_replaced_where_there_are_some_and_nothing_else(tmp_path: Path) -> None:
    odd = [replace(one, failure_modes=("loop\x07",), split="s") for one in worked("m\x1b[31m", 0.5, range(3))]
    plain = [replace(one, split="ü s") for one in worked("plain", 0.5, range(3))]
    with Store.open(store_of(tmp_path, [*odd, *plain])) as opened:
        episodes = episodes_of(opened, tmp_path)
    assert set(episodes["model"]) == {"m\ufffd[31m", "plain"} and set(episodes["split"]) == {"s", "ü s"}
    assert "loop\ufffd" in episodes["failure_modes"].explode().to_list()


def test_rows_that_are_no_episodes_are_left_out_and_named(store: Path, tmp_path: Path) -> None:
    broken = pl.int_range(pl.len()) < 2
    outcome = pl.when(broken).then(pl.lit("wat")).otherwise("outcome").alias("outcome")
    rewrite(store, lambda frame: frame.with_columns(outcome))
    with Store.open(store) as opened:
        data = load_data(opened, tmp_path)
    assert data.count == 10 and "2 of 12 rows" in data.notes[0]


def test_a_store_of_nothing_but_broken_rows_says_so(store: Path, tmp_path: Path) -> None:
    rewrite(
        store, lambda frame: frame.with_columns(pl.lit(None, dtype=pl.String).alias(REQUIRED_COLUMNS[-1]))
    )
    with Store.open(store) as opened, pytest.raises(InputError, match="no episodes to report on: Left out"):
        load_data(opened, tmp_path)


def test_a_data_file_that_was_cut_off_ends_the_report(store: Path, tmp_path: Path) -> None:
    with Store.open(store) as opened:
        opened.append(worked("n", 0.5, range(5)))
        opened.flush()
        newest = max((store / "episodes").glob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
        newest.write_bytes(newest.read_bytes()[: newest.stat().st_size // 2])
        with pytest.raises(StoreError, match=newest.name):
            load_data(opened, tmp_path)


def test_settings_that_are_no_json_are_said() -> None:
    notes: list[str] = []
    agent = {"agent_hash": "a", "model": "m", "orchestrator": "react", "settings": "{", "trained": False}
    named = add_agent_names(pl.DataFrame([agent]), notes)
    assert "1 agents" in notes[0] and list(named["agent"]) == ["m"]


def test_what_acts_is_replaced_in_names_and_settings() -> None:
    notes: list[str] = []
    settings = ['{"a\\u001b": "\\ud800"}', '{"a\\u001b": "\\u202e"}']
    agents = [{"agent_hash": h, "model": "m", "orchestrator": "r", "settings": s, "trained": False}
              for h, s in zip("ab", settings, strict=True)]  # fmt: skip
    named = add_agent_names(pl.DataFrame(agents), notes)
    assert list(named["agent"]) == [r"m, a\x1b \ud800", r"m, a\x1b \u202e"]


def test_nothing_but_errors_is_a_report_of_errors(tmp_path: Path) -> None:
    with Store.open(store_of(tmp_path, errors("m", "timeout: a", "auth: b"))) as opened:
        drawn = {
            figure.name for figure in build_figures(load_data(opened, tmp_path)) if hasattr(figure, "rows")
        }
    assert drawn == {"collection"}


def test_agents_of_one_model_are_told_apart(tmp_path: Path) -> None:
    low, high = (
        settings(models={"executor": {"sampling": {"reasoning_effort": e}}}) for e in ("low", "high")
    )
    episodes = [*worked("m", 1, [1], settings=low), *worked("m", 1, [1], settings=high), *worked("n", 1, [2])]
    with Store.open(store_of(tmp_path, episodes)) as opened:
        names = set(episodes_of(opened, tmp_path)["agent"])
    assert names == {"m, reasoning_effort low", "m, reasoning_effort high", "n"}


def test_attempts_at_tasks_to_train_on_stand_apart(tmp_path: Path) -> None:
    attempts = [*worked("m", 1, [1], split="train"), *worked("m", 1, [2], split="test")]
    with Store.open(store_of(tmp_path, attempts)) as opened:
        data = load_data(opened, tmp_path)
    assert set(data.episodes.collect()["agent"]) == {"m", f"m{TRAIN_SUFFIX}"}
    train = add_agent_names(data.makers.filter("trained"), [])
    assert set(train["agent"]) == {"m"}


def test_a_report_in_many_parts_is_that_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = store_of(tmp_path, everything(tasks=3))
    with Store.open(place) as opened:
        more, table = opened.scan().head(30).collect(), opened.tables["episodes"].url
    ids = pl.concat_str("episode_id", pl.lit("again"))
    more.with_columns(episode_id=ids).write_delta(table, mode="append")
    found = []
    for rows in (1_000_000, 20):
        monkeypatch.setattr(narrow, "FILE_ROWS", rows)
        monkeypatch.setattr(narrow, "HELD_ROWS", rows)
        monkeypatch.setattr(counted, "ALIKE", rows)
        folder = tmp_path / f"narrow-{rows}"
        folder.mkdir()
        with Store.open(place) as opened:
            data = load_data(opened, folder)
        figures = [figure for figure in build_figures(data) if isinstance(figure, Figure)]
        found.append([(figure.n, figure.alt, figure.cautions, figure.csv()) for figure in figures])
    assert len(data.parts) > 3 and len(list(folder.iterdir())) == 2 * len(data.parts)
    assert found[0] == found[1] and len(found[0]) == len(FIGURES)


def test_attempts_at_a_task_are_in_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "FILE_ROWS", 20)
    place = store_of(tmp_path, [*worked("m", 0.5, range(30), attempts=2), *worked("n", 0.5, range(30))])
    with Store.open(place) as opened:
        data = load_data(opened, tmp_path)
        whole = opened.scan().select(pl.col("task_hash").n_unique()).collect().item()
    tasks = [set(part.collect()["task_hash"]) for part in data.parts]
    assert sum(map(len, tasks)) == len(set().union(*tasks)) == whole == data.tasks == 30
    assert sum(1 for part in tasks if part) > 2


def test_an_error_that_another_run_made_up_for_stands_apart_in_a_report_of_its_run(tmp_path: Path) -> None:
    [error] = errors("m", "timeout")
    again = replace(error, episode_id="again", run_id="later", supersedes=error.episode_id)
    with Store.open(store_of(tmp_path / "s", [error, again])) as store:
        assert load_data(store, tmp_path, [error.run_id]).counts == {"superseded": 1}


def test_what_was_replaced_stands_apart_whichever_part_its_replacement_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrow, "FILE_ROWS", 4)
    old = list(worked("m", 1, range(12)))
    new = [
        replace(one, episode_id=f"new-{n}", supersedes=one.episode_id, task_hash=f"other-{n}")
        for n, one in enumerate(old[:9])
    ]
    with Store.open(store_of(tmp_path, [*old, *new])) as opened:
        data = load_data(opened, tmp_path)
    assert len(data.parts) == 6 and data.counts == {"scored": 12, "superseded": 9} and data.tasks == 21
