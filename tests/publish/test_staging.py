"""Data waits for its upload under the name of its request, and only while it is what was put there."""

from pathlib import Path

import pytest

from eops_traj.publish.staging import Staging


def test_what_waits_is_told_until_it_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    staging = Staging.of({"selection": "chosen"})
    assert staging.read_note() is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "README.md").write_text("card")
    staging.put(tmp_path / "data", {"rows": 3})
    (staging.data / ".cache").mkdir()
    (staging.data / ".cache" / "note").write_text("a library's own")
    assert Staging.of({"selection": "chosen"}).read_note() == {"rows": 3}
    assert Staging.of({"selection": "other"}).read_note() is None
    (staging.data / "README.md").write_text("changed")
    assert staging.read_note() is None
