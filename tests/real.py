"""The 52 real result files of ../shared, raw and as episodes, by the last eight digits of their names."""

import functools
import json
from pathlib import Path
from typing import Any

from eops_traj.interchange.base import open_importer
from eops_traj.schema import Episode
from eops_traj.tasks import load_folder


def real_files(shared: Path) -> dict[str, dict[str, Any]]:
    """Return the files' contents."""
    paths = sorted((shared / "eog" / "results").glob("*/*.json"))
    return {path.stem[-8:]: json.loads(path.read_text()) for path in paths}


@functools.cache
def real_episodes(shared: Path) -> dict[str, Episode]:
    """Return the files' episodes, with the task files joined."""
    importer = open_importer("enterpriseops", load_folder(shared / "eog" / "tasks"), [])
    paths = sorted((shared / "eog" / "results").glob("*/*.json"))
    return {path.stem[-8:]: importer.read(path)[0].episode for path in paths}
