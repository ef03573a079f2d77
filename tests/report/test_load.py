"""The loading of episodes that are old, broken or cannot be read."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from eops_traj.errors import InputError, StoreError
from eops_traj.report.agent_names import TRAIN_SUFFIX, add_agent_names
from eops_traj.report.group_scores import score_groups
from eops_traj.report.load import REQUIRED_COLUMNS, load_data
from eops_traj.report.write import build_figures
from eops_traj.schema import Turn
from eops_traj.store.store import Store
from tests.report.stores import errors, settings, store_of, worked

OLD = ["reasoning_tokens", "failure_modes", "settings"]


def rewrite(store: Path, change) -> None:
    """Write the episodes of a store as another program would."""
    with Store.open(store) as opened:
        table = opened.tables["episodes"].url
        frame = change(opened.scan().collect())
    frame.write_delta(
        table, mode="overwrite", delta_write_options={"schema_mode": "overwrite", "description": None}
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return store_of(tmp_path, worked("m", 0.5, range(12)))


def test_columns_that_an_older_schema_lacks_are_not_known(store: Path) -> None:
    rewrite(store, lambda frame: frame.drop(OLD))
    with Store.open(store) as opened:
        data = load_data(opened)
    assert [note for note in data.notes if all(name in note for name in OLD)]
    assert data.episodes.height == 12 and {figure.name for figure in build_figures(data)}


def test_what_stands_apart_is_not_scored_and_of_an_unknown_group_there_is_a_score(tmp_path: Path) -> None:
    known = [replace(one, split="dev") for one in worked("m", 1.0, range(3))]
    unknown = [replace(one, split=None) for one in worked("m", 0.0, range(3, 5))]
    place = store_of(tmp_path, [*known, *unknown, *errors("m", "endpoint: gone")])
    with Store.open(place) as opened:
        data = load_data(opened)
    assert (data.episodes.height, data.scored.height) == (6, 5)
    scores = score_groups(data.scored, ["split"])
    counted = [(row["split"], row["episodes"], row["success_strict"]) for row in scores]
    assert counted == [("dev", 3, 1.0), (None, 2, 0.0)]


def test_a_store_without_replies_is_said_to_have_none(store: Path) -> None:
    rewrite(store, lambda frame: frame.drop("turns"))
    with Store.open(store) as opened:
        data = load_data(opened)
    assert "without turns" in data.notes[0] and data.episodes["replies"].drop_nulls().is_empty()


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
            counts = load_data(opened).episodes.select("replies", "cut").rows()
        assert counts == [(2, 1)] * 2


@pytest.mark.parametrize("column", ["turns", "verdicts", "failure_modes", "causes"])
def test_a_column_that_is_no_list_ends_the_report(column: str, store: Path) -> None:
    rewrite(store, lambda frame: frame.with_columns(pl.lit("x").alias(column)))
    with Store.open(store) as opened, pytest.raises(StoreError, match=f"{column} is String, not a list"):
        load_data(opened)


def test_replies_that_are_no_records_end_the_report(store: Path) -> None:
    rewrite(store, lambda frame: frame.with_columns(pl.lit(["x"]).alias("turns")))
    with Store.open(store) as opened, pytest.raises(StoreError, match="cannot read"):
        load_data(opened)


def test_control_characters_are_replaced_where_there_are_some_and_nothing_else(tmp_path: Path) -> None:
    odd = [replace(one, failure_modes=("loop\x07",), suite="s") for one in worked("m\x1b[31m", 0.5, range(3))]
    plain = [replace(one, suite="ü s") for one in worked("plain", 0.5, range(3))]
    with Store.open(store_of(tmp_path, [*odd, *plain])) as opened:
        episodes = load_data(opened).episodes
    assert set(episodes["model"]) == {"m\ufffd[31m", "plain"} and set(episodes["suite"]) == {"s", "ü s"}
    assert "loop\ufffd" in episodes["failure_modes"].explode().to_list()


def test_rows_that_are_no_episodes_are_left_out_and_named(store: Path) -> None:
    broken = pl.int_range(pl.len()) < 2
    outcome = pl.when(broken).then(pl.lit("wat")).otherwise("outcome").alias("outcome")
    rewrite(store, lambda frame: frame.with_columns(outcome))
    with Store.open(store) as opened:
        data = load_data(opened)
    assert data.episodes.height == 10 and "2 of 12 rows" in data.notes[0]


def test_a_store_of_nothing_but_broken_rows_says_so(store: Path) -> None:
    rewrite(
        store, lambda frame: frame.with_columns(pl.lit(None, dtype=pl.String).alias(REQUIRED_COLUMNS[-1]))
    )
    with Store.open(store) as opened, pytest.raises(InputError, match="no episodes to report on: Left out"):
        load_data(opened)


def test_a_data_file_that_was_cut_off_ends_the_report(store: Path) -> None:
    with Store.open(store) as opened:
        opened.append(worked("n", 0.5, range(5)))
        opened.flush()
        newest = max((store / "episodes").glob("*.parquet"), key=lambda path: path.stat().st_mtime_ns)
        newest.write_bytes(newest.read_bytes()[: newest.stat().st_size // 2])
        with pytest.raises(StoreError, match=newest.name):
            load_data(opened)


def test_settings_that_are_no_json_are_said() -> None:
    notes: list[str] = []
    agent = {"agent_hash": "a", "model": "m", "orchestrator": "react", "settings": "{", "split": "test"}
    named = add_agent_names(pl.DataFrame([agent]), notes)
    assert "1 agents" in notes[0] and list(named["agent"]) == ["m"]


def test_what_acts_is_replaced_in_names_and_settings() -> None:
    notes: list[str] = []
    settings = ['{"a\\u001b": "\\ud800"}', '{"a\\u001b": "\\u202e"}']
    agents = [{"agent_hash": h, "model": "m", "orchestrator": "r", "settings": s, "split": "test"}
              for h, s in zip("ab", settings, strict=True)]  # fmt: skip
    named = add_agent_names(pl.DataFrame(agents), notes)
    assert list(named["agent"]) == [r"m, a\x1b \ud800", r"m, a\x1b \u202e"]


def test_nothing_but_errors_is_a_report_of_errors(tmp_path: Path) -> None:
    with Store.open(store_of(tmp_path, errors("m", "timeout: a", "auth: b"))) as opened:
        drawn = {figure.name for figure in build_figures(load_data(opened)) if hasattr(figure, "rows")}
    assert drawn == {"collection"}


def test_agents_of_one_model_are_told_apart(tmp_path: Path) -> None:
    low, high = (
        settings(models={"executor": {"sampling": {"reasoning_effort": e}}}) for e in ("low", "high")
    )
    episodes = [*worked("m", 1, [1], settings=low), *worked("m", 1, [1], settings=high), *worked("n", 1, [2])]
    with Store.open(store_of(tmp_path, episodes)) as opened:
        names = set(load_data(opened).episodes["agent"])
    assert names == {"m, reasoning_effort low", "m, reasoning_effort high", "n"}


def test_attempts_at_tasks_to_train_on_stand_apart(tmp_path: Path) -> None:
    attempts = [*worked("m", 1, [1], split="train"), *worked("m", 1, [2], split="test")]
    with Store.open(store_of(tmp_path, attempts)) as opened:
        episodes = load_data(opened).episodes
    assert set(episodes["agent"]) == {"m", f"m{TRAIN_SUFFIX}"}
    train = add_agent_names(episodes.filter(pl.col("split") == "train"), [])
    assert set(train["agent"]) == {"m"}
