"""What sessions on the real CSM database cost, as `benchmarks.gym --seed` measures it."""

import pytest

from benchmarks import real_sessions
from benchmarks.real_sessions import episode_times, measure_seed, opening_times, percentile, tool_times
from eops_traj.errors import FormatError
from eops_traj.gym import registry

SEED = "eog/seeds/db_1762232091750_3ev7dns6b.sql"


@pytest.fixture
def real(shared):
    csm = registry.server("csm")
    return csm, csm.template((shared / SEED).read_text())


def test_sessions_on_it_cost_little(real, shared):
    """The bounds ten times over: a test shares its machine."""
    csm, template = real
    assert percentile(opening_times(template), 0.5) < 10 * real_sessions.OPEN_BOUND
    calls = [
        {"tool": "update_case", "arguments": {"case_id": 1, "state": "in_progress"}},
        {"tool": "update_case", "arguments": {"case_id": 1, "state": "in_progress"}},
        {"tool": "find_product_by_id", "arguments": {"product_id": 7}},
    ]
    times = episode_times(csm, template, calls)
    assert len(times) == 3 and percentile(times, 0.5) < 10 * real_sessions.CALL_BOUND


def test_large_answers_are_told_apart_and_calls_undone(real):
    csm, template = real
    before = template.image
    calls = {"update_case": {"case_id": 1, "priority": "low"}, "search_cases": {}, "find_products": {}}
    small, large = tool_times(csm, template, calls)
    assert (len(small), len(large)) == (1, 2) and max(small) < min(large)
    assert template.image == before


def test_a_percentile_is_of_the_ordered_times():
    times = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(times, share) for share in (0, 0.5, 0.95)] == [1, 3, 5]


def test_a_file_of_no_server_is_named(tmp_path):
    (tmp_path / "x.sql").write_text("INSERT INTO garden (id) VALUES (1);")
    with pytest.raises(FormatError, match="none of the servers"):
        measure_seed(tmp_path / "x.sql", lambda *_: (), None, print)
