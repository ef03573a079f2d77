"""The verdict as a column of the store: given, taken away, in the score, and in older stores not known."""

from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.audit.mark_episodes import mark_episodes
from eops_traj.errors import StoreError
from eops_traj.metrics.score import score
from eops_traj.schema import ADDED_COLUMNS, Episode
from eops_traj.store.store import Store
from tests.audit.broken import imported
from tests.episodes import PROMPT, TOOLS, episode


def old_store(folder: Path, *episodes: Episode) -> Path:
    """Write a store without the columns that were added since, as an older program did."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eops_traj.store.table_rows.ADDED_COLUMNS", ())
        store = Store(str(folder))
        table = store.tables["episodes"]
        for name in ADDED_COLUMNS:
            table.schema = table.schema.remove(table.schema.get_field_index(name))
        store._create()
        with store:
            store.append(episodes, prompts=[PROMPT], toolsets=[TOOLS])
    return folder


def verdicts(store: Store) -> dict[str, str | None]:
    return {e.episode_id: e.task_defect for e in store.episodes()}


@pytest.fixture
def store(tmp_path):
    return old_store(
        tmp_path / "old", episode("a", task_id="t", user_prompt="Deactivate Fern."), episode("b")
    )


def test_a_store_of_an_older_program_is_read_and_written(store):
    with Store.open(store) as opened:
        assert "task_defect" not in opened.tables["episodes"].open().schema().to_arrow().names
        assert opened.scan().select("task_defect").collect().to_series().to_list() == [None, None]
        opened.append([replace(episode("c"), task_defect="cannot_pass: x")])
    with Store.open(store) as opened:
        assert verdicts(opened) == {"a": None, "b": None, "c": "cannot_pass: x"}
        assert opened.scan(1).select("task_defect").collect().height == 2
        opened.amend([replace(opened.episode("a"), task_defect="no_verifier: y")], opened.version())
        assert verdicts(opened)["a"] == "no_verifier: y"


def test_verdicts_are_given_and_taken_away(store):
    with Store.open(store) as opened:
        task = imported()
        assert mark_episodes(opened, [(task, "cannot_pass: x")]) == 1
        assert verdicts(opened) == {"a": "cannot_pass: x", "b": None}
        assert mark_episodes(opened, [(replace(task, user_prompt="Another."), "other")]) == 0
        assert mark_episodes(opened, []) == 0
        assert verdicts(opened) == {"a": "cannot_pass: x", "b": None}
        assert mark_episodes(opened, [(task, None)]) == 0
        assert verdicts(opened) == {"a": None, "b": None}


def test_a_verdict_is_of_the_mode_that_was_audited(tmp_path):
    task = imported()
    plus = replace(task, mode="plus_5_tools")
    modes = {"o": "oracle", "p": plus.mode, "u": "unknown"}
    own = [
        replace(episode(name), task_id="t", user_prompt="Deactivate Fern.", mode=mode, task_hash=name)
        for name, mode in modes.items()
    ]
    with Store.open(old_store(tmp_path / "modes", *own)) as opened:
        assert mark_episodes(opened, [(plus, "unknown_tool: x")]) == 2
        assert verdicts(opened) == {"o": None, "p": "unknown_tool: x", "u": "unknown_tool: x"}
        assert mark_episodes(opened, [(task, None)]) == 0
        assert verdicts(opened) == {"o": None, "p": "unknown_tool: x", "u": None}


def test_a_verdict_does_not_undo_what_another_process_amended_meanwhile(store, monkeypatch):
    amend = Store.amend

    def late(opened, changed, since):
        monkeypatch.undo()
        with Store.open(store) as other:
            other.amend([replace(other.episode("a"), outcome="failure")], other.version())
        amend(opened, changed, since)

    monkeypatch.setattr(Store, "amend", late)
    with Store.open(store) as opened:
        with pytest.raises(StoreError, match=r"'a' .* was amended by another process meanwhile"):
            mark_episodes(opened, [(imported(), "cannot_pass: x")])
        assert (opened.episode("a").outcome, opened.episode("a").task_defect) == ("failure", None)


def test_the_score_shows_both_figures(store):
    with Store.open(store) as opened:
        opened.append(
            [replace(episode("f", success_parity=False), task_hash="u", task_defect="cannot_pass: x")]
        )
    with Store.open(store) as opened:
        (row,) = score(opened.scan())
    assert (row["defective"], row["defective_tasks"]) == (1, 1)
    assert row["success_parity"] == pytest.approx(2 / 3) and row["success_parity_sound"] == 1
