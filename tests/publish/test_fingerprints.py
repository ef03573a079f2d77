"""A request depends on what lies beside its store, too: tasks, labels and a tokenizer, by their content."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.bundle import build_run
from eops_traj.hashing import digest
from eops_traj.review.labels import make_label
from eops_traj.schema import Task
from eops_traj.store.store import Store
from tests.planner_data import task_files
from tests.publish.publications import HELD, may_go, publication
from tests.tokenizers import save_tokenizer


def key(folder: Path, **options: Any) -> str:
    """Return the digest of all that a publication depends on."""
    return digest(publication(folder, [may_go()], **options).request.dependencies())


def retell(folder: Path, tasks: Sequence[Task]) -> None:
    """Write these tasks into a folder, in the place of those that are there."""
    shutil.rmtree(folder, ignore_errors=True)
    task_files(folder, tasks)


def test_tasks_count_by_what_they_say_and_not_by_their_place(tmp_path: Path) -> None:
    before = key(tmp_path)
    retell(tmp_path / "tasks", [replace(HELD, plan="1. find_account()")])
    changed = key(tmp_path)
    retell(tmp_path / "tasks", [HELD])
    assert before == key(tmp_path) != changed


def test_tasks_that_the_runs_name_count_until_they_are_gone(tmp_path: Path) -> None:
    retell(tmp_path / "named", [HELD])
    run = build_run("collect", {"tasks": {"source": str(tmp_path / "named")}}, run_id="r")
    job = publication(tmp_path, [may_go(run_id="r")], tasks=None)
    with Store.open(tmp_path / "store") as store:
        store.append(runs=[run])
        store.flush()
    keys = [digest(job.request.dependencies())]
    for split in ("train", "dev"):
        retell(tmp_path / "named", [replace(HELD, split=split)])
        keys.append(digest(job.request.dependencies()))
    (tmp_path / "named").rename(tmp_path / "elsewhere")
    assert len({*keys, digest(job.request.dependencies())}) == 4


def test_labels_that_came_since_and_another_tokenizer_count(tmp_path: Path) -> None:
    tokenizer = save_tokenizer(tmp_path / "tokenizer")
    keys = [key(tmp_path, tokenizer=tokenizer)]
    with Store.open(tmp_path / "store") as store:
        store.append(labels=[make_label(may_go(), "ana", "wrong")])
    keys.append(key(tmp_path, tokenizer=tokenizer))
    assert keys[1] == key(tmp_path, tokenizer=tokenizer)
    save_tokenizer(tmp_path / "tokenizer", "{{ messages }}")
    assert len({*keys, key(tmp_path, tokenizer=tokenizer)}) == 3
