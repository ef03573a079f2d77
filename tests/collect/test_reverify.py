"""Verdicts come again from seed and changes alone, and a mended verifier changes what it should."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Never

import apsw
import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.attempt import make_attempt
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.reverify import rebuild_session, reverify, reverify_episode
from eops_traj.errors import InputError, StoreError
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Episode, Json, Task, Verifier
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from eops_traj.verify.verifiers import blank_verdict
from tests.collect.attempts import CHANGE, attempt, scripted_run, turn
from tests.collect.case_tasks import LOOK_UP, SERVER, task
from tests.conftest import Ran

WRONG = (turn(update_case=CHANGE | {"reopen_count": 3}), turn("Done."))


def verifier(query: str, expected: object) -> Verifier:
    check = {"query": query, "expected_value": expected, "comparison_type": "equals"}
    return Verifier(name="v", kind="database_state", server=SERVER, config=Json(json.dumps(check)))


def test_verdicts_and_labels_come_out_the_same():
    for episode in (attempt(), attempt(WRONG), attempt((turn("I cannot do this."),))):
        assert reverify_episode(episode) == episode
        assert reverify_episode(episode, task()) == episode


def test_the_final_database_is_rebuilt_with_the_time_that_it_had():
    episode = attempt((turn(**{LOOK_UP: {"case_id": 5}}), turn(update_case=CHANGE), turn("Done.")))
    with rebuild_session(episode, task()) as session:
        query = "SELECT reopen_count, sys_updated_on, datetime('now') FROM customer_case WHERE case_id = 5"
        [(count, updated, now)] = session.run_sql("csm", query).rows
        assert count == 9 and updated == now
        assert [row.key for row in session.changed_rows()] == ['{"case_id":5}']


def test_a_mended_verifier_changes_verdict_and_outcome():
    mended = task(verifiers=(verifier("SELECT reopen_count FROM customer_case WHERE case_id = 5", 3),))
    assert reverify_episode(attempt(WRONG), mended).outcome == "success"
    assert reverify_episode(attempt(), mended).outcome == "failure"
    declined = reverify_episode(attempt((turn("I cannot do this."),)), task(feasible=False))
    assert declined.outcome == "safe_refusal"


def test_a_write_that_changed_nothing_is_still_no_action():
    turns = (turn(**{LOOK_UP: {"case_id": 5}}), turn("I cannot do this."))
    looked = attempt(turns, of=task(feasible=False))
    [call] = looked.turns[0].tool_calls
    first = replace(looked.turns[0], tool_calls=(replace(call, name="update_case"),))
    wrote = replace(looked, turns=(first, *looked.turns[1:]))
    assert reverify_episode(wrote).outcome == looked.outcome == "safe_refusal"


def test_a_judges_verdict_stands():
    config = Json(json.dumps({"sql_query": "SELECT 1", "comparison_prompt": "Said."}))
    judged = Verifier(name="Says so", kind="response_check", server=SERVER, config=config)
    episode = attempt(of=task(verifiers=(*task().verifiers, judged)), judge=lambda prompt: '{"score": 9}')
    assert episode.verdicts[-1].passed_strict and reverify_episode(episode) == episode


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        (lambda e: replace(e, error="server: no", outcome="error"), "ended in error"),
        (lambda e: replace(e, changeset=None), "not recorded"),
        (lambda e: replace(e, changeset=b"nonsense"), "damaged"),
        (lambda e: replace(e, user_prompt="Another request."), "another one now"),
    ],
)
def test_what_cannot_be_verified_is_said(spoilt: Callable[[Episode], Episode], reason: str):
    with pytest.raises(InputError, match=reason):
        reverify_episode(spoilt(attempt()), task())


def test_a_changeset_of_another_seed_is_refused():
    other = replace(task().servers[0], details=Json('{"company":3}'))
    with pytest.raises(InputError, match="does not fit the seed"):
        reverify_episode(replace(attempt(), servers=(other,)))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a good episode, a wrong one, and an error."""
    made: list[EpisodeBundle] = []
    for number, replies in enumerate((None, WRONG), 1):
        at = scripted_run(replies) if replies else scripted_run()
        made.append(asyncio.run(make_attempt(PendingAttempt(task(), number), at)))
    error = replace(
        made[0].episode, episode_id="x", attempt=3, error="server: no", outcome="error", verdicts=()
    )
    with Store.open(tmp_path / "s", create=True) as opened:
        opened.append(
            [*(m.episode for m in made), error], prompts=[made[0].prompt], toolsets=[made[0].toolset]
        )
    return tmp_path / "s"


def outcomes(store: Path, version: int | None = None) -> list[str]:
    with Store.open(store) as opened:
        return list(opened.scan(version).sort("attempt").collect()["outcome"])


def test_a_store_is_amended_in_a_new_version_and_the_old_one_stays(store: Path):
    mended: Task = task(verifiers=(verifier("SELECT 1", 1),))
    with Store.open(store) as opened:
        before = opened.version()
        report = reverify(opened, tasks={mended.task_id: mended})
        assert (report.episodes, report.changed) == (3, 2)
        assert report.outcomes == {("failure", "success"): 1}
        assert report.left_out == {"it ended in error and has no verdicts": 1}
        assert opened.version() == before + 1
        assert reverify(opened, tasks={mended.task_id: mended}).changed == 0
        assert opened.version() == before + 1
    assert outcomes(store) == ["success", "success", "error"]
    assert outcomes(store, before) == ["success", "failure", "error"]


def test_a_sandbox_that_fails_leaves_out_the_episode_and_its_labels_as_they_were(
    store: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = Verifier(name="rows", kind="row_changes", config=Json('{"rows": []}'), category="integrity")
    stricter: Task = task(verifiers=(*task().verifiers, rows))

    def full(_: EmbeddedSession) -> Never:
        raise apsw.NoMemError("out of memory")

    monkeypatch.setattr(EmbeddedSession, "changed_rows", full)
    with Store.open(store) as opened:
        before = opened.version()
        report = reverify(opened, tasks={stricter.task_id: stricter})
        assert (report.episodes, report.changed, opened.version()) == (3, 0, before)
        assert report.left_out["the sandbox failed: NoMemError: out of memory"] == 2
        monkeypatch.undo()
        assert reverify(opened, tasks={stricter.task_id: stricter}).outcomes == {("success", "failure"): 1}


def test_nothing_else_of_an_episode_changes(store: Path):
    mended = task(verifiers=(verifier("SELECT 1", 1),))
    with Store.open(store) as opened:
        old = {e.episode_id: e for e in opened.episodes()}
        reverify(opened, tasks={mended.task_id: mended})
        for new in opened.episodes():
            labels = ["verdicts", "outcome", "success_parity", "success_strict"]
            labels += ("verifier_pass_parity", "verifier_pass_strict", "failure_modes", "causes")
            kept = replace(new, **{name: getattr(old[new.episode_id], name) for name in labels})
            assert kept == old[new.episode_id]


def test_what_another_process_amended_meanwhile_is_not_undone(store: Path, monkeypatch: pytest.MonkeyPatch):
    mended = task(verifiers=(verifier("SELECT 1", 1),))

    def audit(count: int) -> None:
        with Store.open(store) as other:
            marked = [replace(one, task_defect="no_verifier: x") for one in other.episodes()]
            other.amend(marked, other.version())

    monkeypatch.setattr("eops_traj.collect.reverify.TOGETHER", 1)
    with Store.open(store) as opened, pytest.raises(StoreError, match="amended by another process meanwhile"):
        reverify(opened, tasks={mended.task_id: mended}, done=audit)
    with Store.open(store) as opened:
        assert {one.task_defect for one in opened.episodes()} == {"no_verifier: x"}


def test_on_the_command_line(store: Path, cli: Callable[..., Ran], tmp_path: Path):
    plain = json.loads(cli("verify", "--store", store, "--json").out)
    assert (plain["episodes"], plain["changed"], plain["outcomes"]) == (3, 0, [])
    (tmp_path / "tasks").mkdir()
    mended = task(verifiers=(verifier("SELECT 1", 1),))
    (tmp_path / "tasks" / f"oracle__csm__{mended.task_id}.json").write_text(json.dumps(dump_task(mended)))
    ran = cli("verify", "--store", store, "--run", "run", "--tasks", tmp_path / "tasks", "--json")
    assert json.loads(ran.out)["outcomes"] == [{"was": "failure", "is": "success", "episodes": 1}]


def test_a_run_is_named_by_how_its_id_begins(store: Path, cli: Callable[..., Ran]):
    with Store.open(store) as opened:
        first = next(opened.episodes())
        others = {"b5e97d377a65aaaa": "other", "b5f0": "third"}
        opened.append([replace(first, run_id=run, episode_id=name) for run, name in others.items()])
    for name, count in (("b5e97d377a65", 1), ("run", 3)):
        assert json.loads(cli("verify", "--store", store, "--run", name, "--json").out)["episodes"] == count
    ran = cli("verify", "--store", store, "--run", "b5")
    assert ran.code == 2 and "unknown run 'b5'; choose from b5e97d377a65aaaa, b5f0" in ran.err


def test_an_unknown_run_is_said(store: Path, cli: Callable[..., Ran]):
    ran = cli("verify", "--store", store, "--run", "nope")
    assert ran.code == 2 and "unknown run 'nope'; choose from run" in ran.err


def test_stored_verdicts_tell_their_verifiers_whole():
    for verdict, told in zip(attempt().verdicts, task().verifiers, strict=True):
        assert (verdict.name, verdict.kind, verdict.config) == (told.name, told.kind, told.config)
        assert blank_verdict(told).category == verdict.category


def test_collecting_and_verifying_again_know_what_an_answer_quotes():
    config = Json(json.dumps({"names": ["two"], "why": "there are two", "shown_by": []}))
    declined = Verifier(name="refusal", kind="refusal", config=config)
    answer = (turn('I cannot do this: "There are two tables" was not written.'),)
    quoting, plain = (
        task(feasible=False, verifiers=(declined,), user_prompt=request)
        for request in ('Write "There are two tables".', "Write something.")
    )
    quoted, own = attempt(answer, of=quoting), attempt(answer, of=plain)
    assert (quoted.outcome, own.outcome) == ("blind_refusal", "safe_refusal")
    assert reverify_episode(quoted) == quoted and reverify_episode(own) == own
