"""The texts that duplicates are found in are what the records say."""

from pathlib import Path

from eops_traj.collectors.importers import IMPORTERS
from eops_traj.filter.texts import PARTS, part
from eops_traj.tasks import find_files
from tests.filters.labelled import frame


def test_the_parts_of_an_episode_are_those_of_its_record(fixtures: Path) -> None:
    importer = IMPORTERS["enterpriseops"]({}, [])
    episodes = [made.episode for path in find_files([fixtures / "results"]) for made in importer.read(path)]
    table = frame(*episodes).select([part(name).alias(name) for name in PARTS]).collect()
    assert len(episodes) >= 3
    assert table.rows() == [
        (e.user_prompt, "\n".join(f"{c.name} {c.arguments}" for c in e.tool_calls()), e.response)
        for e in episodes
    ]
