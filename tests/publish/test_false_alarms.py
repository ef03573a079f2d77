"""Clean episodes hold nothing that gate or certificate take for a key, a person or a held-out task."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.provenance.dataset import DataRow
from eops_traj.provenance.held_out_index import HeldOutIndex
from eops_traj.publish.content_scan import ContentScanner, Searched
from eops_traj.publish.leak_gate import TRAINED_ON
from eops_traj.publish.policy import load_policy
from eops_traj.publish.synthetic_values import embedded_seeds
from eops_traj.store.arrow import to_row
from eops_traj.store.store import Store
from eops_traj.tasks.catalog import load
from tests.made import expert_store, made_tasks
from tests.tasks.small_suite import EIGHT, FORTY_EIGHT

SUITES = (EIGHT, FORTY_EIGHT)


def clean_rows(tasks: Path) -> list[tuple[dict[str, Any], Any]]:
    """Return the rows of expert episodes of a suite, whole as they are stored, with their seeds."""
    rows = []
    with Store.open(expert_store(tasks)) as store:
        for episode in store.episodes():
            row = {**to_row(episode), "changeset": None, "system_prompt": store.prompt(episode.prompt_hash)}
            row["tools"] = store.toolset(episode.toolset_hash).tools
            rows.append((row, embedded_seeds(episode.servers)))
    return rows


@pytest.mark.slow
def test_the_gyms_own_episodes_raise_no_alarm() -> None:
    scanner, seen, alarms = ContentScanner(load_policy().allow), 0, []
    for tasks in map(made_tasks, SUITES):
        rows = clean_rows(tasks)
        held = [task for task in load(str(tasks)) if task.split not in TRAINED_ON]
        index = HeldOutIndex(held)
        for row, seeds in rows:
            alarms += [*scanner.findings(Searched(row, seeds)), *secret_kinds(row)]
            if row["split"] in TRAINED_ON:
                data = DataRow("row", row)
                alarms += filter(None, [index.by_prompt(data, []), index.by_plan(data, [])])
        seen += len(rows)
    assert seen >= 56 and alarms == []  # of each task, and of what had to be tried again
