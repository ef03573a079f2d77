"""What SQL tells of times is the clock's, and the same on every machine."""

from datetime import UTC, datetime

import pytest

from eops_traj.gym.engine import clock
from eops_traj.gym.registry import server


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("timediff('NOW', '2029-12-31')", "+0000-00-02 00:00:00.000"),
        ("timediff('2030-01-03', 'now')", "+0000-00-01 00:00:00.000"),
        ("datetime('now', 'LOCALTIME')", "2030-01-02 00:00:00"),
        ("strftime('%H', '2026-01-05 09:00:00', 'utc', '+1 hour')", "10"),
        ("date(86400, 'unixepoch', 'localtime')", "1970-01-02"),
        ("timediff('now', 'sometime')", None),
    ],
)
@pytest.mark.usefixtures("tokyo")
def test_no_machine_tells_another_time(expression: str, value: str | None) -> None:
    database = server("csm").template().open(clock.steady(datetime(2030, 1, 2, tzinfo=UTC)))
    assert database.run_sql(f"SELECT {expression}").rows == ((value,),)
    database.close()
