"""A config's or a task's value of megabytes is not printed again by the error that refuses it."""

from pathlib import Path

import pytest

from eops_traj.collect.config import load_setup
from eops_traj.errors import MOST_CHARS, ConfigError, UnknownName

KEYS = ", ".join(f"k{number}: 1" for number in range(3000))


@pytest.mark.parametrize("kind", [f"{{{KEYS}}}", "x" * 500_000])
def test_a_kind_that_is_none_is_shown_by_its_ends(tmp_path: Path, kind: str) -> None:
    config = tmp_path / "c.yaml"
    config.write_text(
        f"tasks: {{source: suite}}\norchestrator: {{name: expert}}\nsandbox: {{kind: {kind}}}\n"
    )
    with pytest.raises(ConfigError) as raised:
        load_setup(config, ())
    assert len(str(raised.value)) < 2 * MOST_CHARS
    assert "embedded" in str(raised.value)  # the choices stand at the end


def test_so_is_a_name_that_is_not_among_the_choices() -> None:
    assert len(str(UnknownName("server", "👧" * 100_000, ["csm"]))) < 2 * MOST_CHARS
    assert "'aaa'; choose from csm" in str(UnknownName("server", "aaa", ["csm"]))
