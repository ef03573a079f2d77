"""`tasks audit` and `tasks check` over imported tasks, as a user runs them."""

import json
import zipfile

import pytest

from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from tests.audit.broken import COUNT, SEED, imported, seeds, verifier
from tests.episodes import episode


@pytest.fixture
def tasks(tmp_path):
    """A folder with a sound task and a broken one, and their seed in a zip beside it."""
    folder = tmp_path / "tasks"
    folder.mkdir()
    for task in (imported(task_id="good"), imported(verifier(COUNT, "1"), task_id="bad")):
        (folder / f"{task.task_id}.json").write_text(json.dumps(dump_task(task)))
    with zipfile.ZipFile(tmp_path / "dbs.zip", "w") as archive:
        archive.writestr("all/dbs/seed.sql", SEED.replace("'Ada'", "NULL"))
    return folder


def test_the_register_names_task_verifier_reason_and_evidence(cli, tasks, tmp_path):
    ran = cli("tasks", "audit", tasks, "--seeds", tmp_path / "dbs.zip", "--json")
    register = json.loads(ran.out)
    (finding,) = register.pop("findings")
    assert ran.code == 0 and register == {"tasks": 2, "defective": 1, "not_run": 0}
    assert (finding["task"], finding["verifier"]) == ("bad", "Fern was deactivated")
    assert finding["reason"] == "text_for_number" and COUNT in finding["evidence"]


def test_episodes_of_a_store_are_given_the_verdict(cli, tasks, tmp_path):
    with Store.open(tmp_path / "store", create=True) as store:
        store.append(
            [episode("a", task_id="bad", user_prompt="Deactivate Fern."), episode("b", task_id="good")]
        )
    ran = cli("tasks", "audit", tasks, "--seeds", tmp_path / "dbs.zip", "--store", tmp_path / "store")
    assert "episodes_marked: 1" in ran.out
    assert "parity without" in cli("score", "--store", tmp_path / "store").out
    with Store.open(tmp_path / "store") as store:
        assert {e.episode_id: bool(e.task_defect) for e in store.episodes()} == {"a": True, "b": False}


def test_the_mode_that_is_looked_at_can_be_named(cli, tasks, tmp_path):
    asked = {"task_id": "bad", "user_prompt": "Deactivate Fern."}
    modes = {"o": "oracle", "p": "plus_5_tools"}
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([episode(name, mode=mode, **asked) for name, mode in modes.items()])
    ran = cli("tasks", "audit", tasks, "--seeds", tmp_path / "dbs.zip", "--store", tmp_path / "store",
              "--mode", "plus_5_tools")  # fmt: skip
    assert "episodes_marked: 1" in ran.out
    with Store.open(tmp_path / "store") as store:
        assert {e.episode_id: bool(e.task_defect) for e in store.episodes()} == {"o": False, "p": True}


def test_tasks_are_collected_with_seeds_of_a_zip_and_their_verdicts(cli, tasks, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        f"tasks: {{source: {tasks}, seeds: {tmp_path / 'dbs.zip'}}}\norchestrator: {{name: react}}\n"
        "models: {executor: {kind: scripted, replies: ['Done.']}}\n"
    )
    ran = cli("collect", tmp_path / "mine.yaml", "--store", tmp_path / "store")
    assert ran.code == 0, ran.err
    with Store.open(tmp_path / "store") as store:
        assert {e.task_id: bool(e.task_defect) for e in store.episodes()} == {"good": False, "bad": True}
        assert {e.outcome for e in store.episodes()} == {"failure"}


def test_what_was_loosened_is_summed_up(cli, tasks, tmp_path):
    ran = cli("tasks", "check", tasks, "--seeds", tmp_path / "dbs.zip", "--workers", "1")
    assert "loosened: dbs/seed.sql user.first_name may be NULL: 1 row" in ran.out
    assert ran.code == 1 and ran.out.count("no gold plan") == 2


def test_a_place_without_seeds_is_said(cli, tasks, tmp_path):
    ran = cli("tasks", "audit", tasks, "--seeds", tmp_path / "nothing")
    assert ran.code == 2 and "nothing does not exist" in ran.err and ran.err.count("\n") == 1
    assert "missing_seed" in cli("tasks", "audit", tasks).out
    assert "missing_seed" not in cli("tasks", "audit", seeds(tasks)).out
