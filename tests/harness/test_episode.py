"""An episode of the harness has the changes of all of its servers, or says of none that they are all."""

from pathlib import Path

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.harness.episode import harness_episode
from eops_traj.harness.job import find_harness_job
from eops_traj.harness.recording import RecordedSession
from eops_traj.harness.staging import Staged
from eops_traj.schema import Prompt, Server, ToolSet
from tests.collect.case_tasks import SERVER, task, write_tasks
from tests.episodes import episode
from tests.harness.checkouts import write_config

TWO = task(servers=(*task().servers, Server(name="gym-email-mcp", seed="")))
READ = EpisodeBundle(episode("e1"), Prompt.of(TWO.system_prompt), ToolSet.of([]))


@pytest.mark.parametrize(
    ("recorded", "whole"),
    [((SERVER, "gym-email-mcp"), True), ((SERVER,), False), (("gym-email-mcp",), False), ((), False)],
)
def test_the_changes_of_some_servers_are_not_those_of_the_episode(
    recorded: tuple[str, ...], whole: bool, tmp_path: Path
) -> None:
    config = write_config(tmp_path, write_tasks(tmp_path / "tasks", 1), {})
    job = find_harness_job(str(config), (), str(tmp_path / "store"))
    assert job
    staged = Staged(PendingAttempt(TWO, 1), "session", tmp_path / "result.json")
    made = harness_episode(
        job, staged, READ, RecordedSession(changesets=dict.fromkeys(recorded, b""))
    ).episode
    assert (made.changeset is not None) == whole
