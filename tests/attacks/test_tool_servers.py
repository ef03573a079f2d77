"""Hostile tool servers are failures of the sandbox, or their answers can be stored."""

from pathlib import Path

import pytest

from tests.attacks import tool_servers


@pytest.mark.slow
def test_no_answer_of_a_tool_server_ends_in_a_traceback(tmp_path: Path) -> None:
    tally = tool_servers.attack(tmp_path, every=3)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 730
