"""Hostile result files of the benchmark's harness: every field of real ones, with every hostile value.

A case holds where its file is refused with one line, or where a store gives its episodes back as they were
read. It is poisoned where the store cannot be written or read any more, and a traceback where anything but
an error of ours comes out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import EopsError
from eops_traj.interchange.base import Importer, open_importer
from eops_traj.interchange.import_files import append_bundles, read_file
from eops_traj.store.store import Store
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.conftest import FIXTURES
from tests.hostile import VALUES, kinds_of_paths, render, with_value

Accepted = list[tuple[str, list[EpisodeBundle]]]
"""The cases whose files were read, each with its episodes."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Read every hostile file, or one in so many, and keep what was accepted in a store."""
    tally, accepted = Tally("result files"), Accepted()
    importer = open_importer("enterpriseops")
    for case, path in one_in(every, write_cases(folder)):
        if (bundles := read_case(case, path, importer, tally)) is not None:
            accepted.append((case, bundles))
    for case in unstorable(accepted, folder):
        tally.add("poisoned", case)
    return tally


def write_cases(folder: Path) -> Iterator[tuple[str, Path]]:
    """Write each hostile file in its turn, under the name that the harness gave the real one."""
    for real in sorted((FIXTURES / "results").glob("*.json")):
        document, path = json.loads(real.read_text(encoding="utf-8")), folder / real.name
        for place in kinds_of_paths(document):
            for name in VALUES:
                case = f"{real.stem[-4:]}: {render(place)} = {name}"
                path.write_text(with_value(numbered(document, case), place, name), encoding="utf-8")
                yield case, path


def numbered(document: dict[str, Any], case: str) -> dict[str, Any]:
    """Return a result file whose runs name their case, so that no two files hold the same episode."""
    return {**document, "runs": [{**run, "case": case} for run in document["runs"]]}


def read_case(case: str, path: Path, importer: Importer, tally: Tally) -> list[EpisodeBundle] | None:
    """Read a file; return its episodes, None where there are none to store."""
    try:
        bundles = read_file(path, importer)
    except EopsError as error:
        tally.add(HELD if "\n" not in str(error) else "several lines", case)
        return None
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        tally.add("traceback", f"{case}: {type(error).__name__}: {error}"[:200])
        return None
    tally.add(HELD, case)
    return bundles


def unstorable(accepted: Accepted, folder: Path) -> list[str]:
    """Return the cases whose episodes a store does not give back as they were read."""
    with Store.open(folder / "store", create=True) as store:
        append_bundles(store, [one for _, bundles in accepted for one in bundles])
    with Store.open(folder / "store") as store:
        stored = {episode.episode_id: episode for episode in store.episodes()}
    return [case for case, bundles in accepted if any(stored.get(id_of(b)) != b.episode for b in bundles)]


def id_of(bundle: EpisodeBundle) -> str:
    """Return the id of a bundle's episode."""
    return bundle.episode.episode_id
