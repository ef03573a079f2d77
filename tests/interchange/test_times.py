"""When an episode began is told in UTC, whoever wrote it down, and in whichever zone."""

import json
import re
from pathlib import Path

import pytest

from eops_traj.interchange.base import open_importer
from eops_traj.interchange.episode_from_conversation import in_utc
from tests.collectors.importers.sessions import claude_lines, codex_lines
from tests.collectors.importers.test_atif import AGENT, STEPS

LOCAL = "2026-11-26T15:52:01-05:00"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (LOCAL, "2026-11-26T20:52:01+00:00"),
        ("2026-11-27T00:52:01.250+09:00", "2026-11-26T15:52:01.250000+00:00"),
        ("2026-11-26T15:52:01", "2026-11-26T15:52:01+00:00"),
    ],
)
def test_a_time_of_another_zone_or_of_none_is_told_in_utc(written: str, told: str) -> None:
    assert in_utc(written) == told


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-05T09:00:00.000Z",
        "2026-11-26T15:52:01.5+00:00",
        "soon",
        "",
        None,
        "0001-01-01T00:00:00+09:00",
    ],
)
def test_what_is_in_utc_or_has_no_such_time_stays(moment: str | None) -> None:
    assert in_utc(moment) == moment


def atif_text() -> str:
    steps = [{"step_id": n, **step} for n, step in enumerate(STEPS, 1)]
    return json.dumps({"schema_version": "ATIF-v1.8", "agent": AGENT, "steps": steps})


@pytest.mark.parametrize("source", ["enterpriseops", "inspect_ai", "atif", "claude_code", "codex"])
def test_every_importer_tells_it_in_utc(source: str, fixtures: Path, tmp_path: Path) -> None:
    texts = {
        "enterpriseops": next((fixtures / "results").glob("*csm*")).read_text(),
        "inspect_ai": (fixtures / "inspect_log.json").read_text(),
        "atif": atif_text(),
        "claude_code": "\n".join(map(json.dumps, claude_lines())),
        "codex": "\n".join(map(json.dumps, codex_lines())),
    }
    path = tmp_path / ("session.jsonl" if source in ("claude_code", "codex") else "file.json")
    path.write_text(re.sub(r'"20\d\d-\d\d-\d\dT[^"]*(Z|\+00:00)"', f'"{LOCAL}"', texts[source]))
    began = {bundle.episode.started_at for bundle in open_importer(source).read(path)}
    assert began - {None} == {"2026-11-26T20:52:01+00:00"}
