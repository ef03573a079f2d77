"""The time that a report takes: over real result files and three attempts of the fallible expert at a suite.

    python -m benchmarks.report [RESULTS] [--tasks TASKS] [--attempts N]

RESULTS is a folder of EnterpriseOps-Gym result files; without it the project's own three are taken. TASKS is
a folder of tasks for the expert; without it the default suite is made first.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.expert import build_default_suite, run
from benchmarks.store import OWN
from eops_traj.files import find_files
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.import_files import import_files
from eops_traj.store.store import Store


def fill(store: str, options: argparse.Namespace, folder: Path) -> None:
    """Put the real episodes and the expert's into a store."""
    with Store.open(store, create=True) as opened:
        imported = import_files(list(find_files([options.results])), open_importer("enterpriseops"), opened)
    print(f"{imported.new} real episodes")
    run(options.tasks or build_default_suite(folder / "suite"), store, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("results", nargs="?", type=Path, default=OWN)
    parser.add_argument("--tasks")
    parser.add_argument("--attempts", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, page = str(Path(folder) / "store"), Path(folder) / "report.html"
        fill(store, options, Path(folder))
        start = time.perf_counter()
        command = [sys.executable, "-m", "eops_traj.cli", "report", "--store", store, "--out", str(page)]
        subprocess.run(command, check=True)
        seconds, size = time.perf_counter() - start, page.stat().st_size
        print(f"report: {seconds:.1f} s with start-up, page {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
