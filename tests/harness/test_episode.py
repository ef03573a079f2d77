"""An episode of the harness has the changes of all of its servers, or says of none that they are all."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Never

import apsw
import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.harness.episode import harness_episode
from eops_traj.harness.job import find_harness_job
from eops_traj.harness.recording import RecordedSession
from eops_traj.harness.staging import Staged
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Episode, Json, Prompt, Server, Task, ToolSet, Verifier
from eops_traj.verify.verifiers import blank_verdict
from tests.collect.case_tasks import SERVER, task, write_tasks
from tests.episodes import episode
from tests.harness.checkouts import write_config

TWO = task(servers=(*task().servers, Server(name="gym-email-mcp", seed="")))
READ = EpisodeBundle(episode("e1"), Prompt.of(TWO.system_prompt), ToolSet.of([]))


def made_of(read: EpisodeBundle, of: Task, recorded: tuple[str, ...], folder: Path) -> Episode:
    """Return the episode of a result file and a task whose servers recorded that nothing changed."""
    config = write_config(folder, write_tasks(folder / "tasks", 1), {})
    job = find_harness_job(str(config), (), str(folder / "store"))
    assert job
    staged = Staged(PendingAttempt(of, 1), "session", folder / "result.json")
    record = RecordedSession(changesets=dict.fromkeys(recorded, b""))
    return harness_episode(job, staged, read, record).episode


@pytest.mark.parametrize(
    ("recorded", "whole"),
    [((SERVER, "gym-email-mcp"), True), ((SERVER,), False), (("gym-email-mcp",), False), ((), False)],
)
def test_the_changes_of_some_servers_are_not_those_of_the_episode(
    recorded: tuple[str, ...], whole: bool, tmp_path: Path
) -> None:
    assert (made_of(READ, TWO, recorded, tmp_path).changeset is not None) == whole


def test_a_sandbox_that_fails_gives_no_verdict_beside_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: EmbeddedSession) -> Never:
        raise apsw.NoMemError("out of memory")

    rows = Verifier(name="rows", kind="row_changes", config=Json('{"rows": []}'), category="integrity")
    of, servers = replace(TWO, verifiers=(rows,)), (SERVER, "gym-email-mcp")
    read = replace(READ, episode=replace(READ.episode, verdicts=(blank_verdict(rows),)))
    (well,) = made_of(read, of, servers, tmp_path / "well").verdicts
    monkeypatch.setattr(EmbeddedSession, "changed_rows", full)
    left = made_of(read, of, servers, tmp_path / "full")
    assert (well.passed_strict, left.verdicts[0].passed_strict) == (True, None)
    assert json.loads(left.details)["harness"] == {"strict": "NoMemError: out of memory"}
