"""What rounds of improvement came to, as Markdown from the files that they wrote.

    python -m benchmarks.rounds WORK [--name rounds] [--put PAGE]

WORK is a folder of `eops-traj improve`. The first table has a row for each planner that learnt: from what,
for how long, and how long sampling took before. The second has the rates of all planners, and their
differences with intervals, as `improve` prints them. ``--put`` writes both into a page, at the comments that
name them: ``NAME`` and ``NAME, trainings``.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.planners import show, table
from eops_traj.pipeline.rounds import seconds_of_round

TRAINED = (
    "recipe", "rows", "steps", "tokens", "learning rate", "seconds of learning", "first loss", "last loss",
)  # fmt: skip
"""What is told of a training, by :func:`training_cells`."""


def read(path: Path) -> Any:
    """Read a file of the folder. Ends the program where it is not there."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}") from error


def training_rows(work: Path, done: Mapping[str, float]) -> Iterator[list[str]]:
    """Yield a row for each planner that learnt, each round's control before it."""
    rounds = sorted(int(name.partition("-")[2]) for name in done if name.startswith("learn-"))
    for number in rounds:
        of_control = done.get(f"control-{number}")
        for arm, seconds in (("control", of_control), ("round", seconds_of_round(done, number))):
            if seconds is not None:
                told = read(work / f"{arm}-{number}" / "planner" / "metrics.json")
                yield [f"{arm}-{number}", *training_cells(told), f"{seconds:,.0f}"]


def training_cells(told: Mapping[str, Any]) -> list[str]:
    """Return what a table says of a training, from its metrics."""
    config, pace = told["config"], told["throughput"]
    return [
        config["recipe"],
        f"{told['rows']['kept']:,}",
        f"{told['steps']:,}",
        f"{pace['tokens']:,}",
        f"{config['learning_rate']:g}",
        f"{told['seconds']:,.0f}",
        *(f"{told['losses'][at]['loss']:.3f}" for at in (0, -1)),
    ]


def main() -> None:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--name", default="rounds")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    rates = read(options.work / "results.json")
    trainings = training_rows(options.work, read(options.work / "loop.json")["done"])
    tables = {
        options.name: table(list(rates[0]), ([str(cell) for cell in row.values()] for row in rates)),
        f"{options.name}, trainings": table(["planner", *TRAINED, "seconds of the round"], trainings),
    }
    show(tables, options.put)


if __name__ == "__main__":
    main()
