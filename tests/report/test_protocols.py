"""A report is of one protocol, unless told; and it says which, and whose wording it is."""

from pathlib import Path

import pytest

from eops_traj.errors import InputError
from eops_traj.report.load import load_data
from eops_traj.schema import Json
from eops_traj.store.store import Store
from tests.episodes import episode
from tests.selected import store_of

OURS = {"source": "eops-traj"}
THERE = {**OURS, "agent_hash": "a1", "run_id": "r1", "settings": Json('{"protocol":"benchmark"}')}
EPISODES = [episode("e0", **OURS), episode("e1", orchestrator="benchmark_decomposing", **THERE)]


def test_both_protocols_make_no_report_unless_told(tmp_path: Path) -> None:
    with Store.open(str(store_of(tmp_path, EPISODES))) as store:
        with pytest.raises(InputError, match="benchmark and robust"):
            load_data(store, tmp_path)
        assert load_data(store, tmp_path, ["r0"]).notes == ("Protocol: robust.",)
        mixed = load_data(store, tmp_path, mixed=True)
    assert mixed.notes[-1].endswith("benchmark_decomposing: algorithm equal, wording ours.")
    assert sorted(mixed.makers["agent"]) == ["m, benchmark_decomposing, protocol benchmark", "m, react"]
