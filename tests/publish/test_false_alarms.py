"""Episodes of the embedded gym hold nothing that the gate takes for a key or a person."""

from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.publish.content_scan import ContentScanner
from eops_traj.publish.policy import load_policy
from eops_traj.publish.synthetic_values import embedded_seeds
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store


@pytest.mark.slow
def test_the_gyms_own_episodes_raise_no_alarm(tmp_path: Path, cli: Callable) -> None:
    cli("tasks", "make", "--suite", "quick", "--tasks", "24", "--out", tmp_path / "tasks")
    cli(
        "collect",
        "collect_expert",
        "--store",
        tmp_path / "s",
        f"tasks.source={tmp_path / 'tasks'}",
        "attempts=1",
    )
    scanner, seen = ContentScanner(load_policy().allow), 0
    with Store.open(tmp_path / "s") as store:
        for episode in store.episodes():
            row = to_row(episode) | {"changeset": None, "system_prompt": store.prompt(episode.prompt_hash)}
            tools = store.toolset(episode.toolset_hash).tools
            assert scanner.findings({**row, "tools": tools}, embedded_seeds(episode.servers)) == []
            seen += 1
    assert seen == 24
