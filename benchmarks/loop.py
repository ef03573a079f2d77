"""What loops came to, as Markdown from the files that they wrote.

    python -m benchmarks.loop WORK [WORK ...] [--name quick] [--put PAGE]

WORK is a folder of `eops-traj loop`; several are of other seeds. The first table has the planners' rates and
their differences with intervals, as the loop prints them; the second what each training had and came to; the
third the seconds of each stage. Of a loop that was left half way there is what it has come to: no rates, and
the trainings and stages that are done. ``--put`` writes them into a page, at the comments that name them:
``loop NAME``, ``loop NAME, trainings`` and ``loop NAME, seconds``.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.planners import show, table
from benchmarks.rounds import TRAINED, read, training_cells
from eops_traj.pipeline.stages import DPO, SFT


def rate_rows(works: Sequence[Path]) -> Iterator[dict[str, str]]:
    """Yield a row for each rate of each split, the seeds' one below the other."""
    results = [(read(work / "loop.json")["seed"], read(work / "results.json")) for work in works]
    for same in zip(*(rows for _, rows in results), strict=True):
        for (seed, _), row in zip(results, same, strict=True):
            cells = {name: str(cell) for name, cell in row.items()}
            first = {name: cells.pop(name) for name in ("split", "domain", "rate")}
            yield {**first, "seed": str(seed), **cells}


def training_rows(works: Sequence[Path]) -> Iterator[list[str]]:
    """Yield a row for each training of each seed."""
    for work in works:
        for name in (SFT, DPO):
            if not (work / name / "metrics.json").exists():
                continue
            told = read(work / name / "metrics.json")
            left_out = len(told["leaks"]["left_out"])
            yield [str(told["seed"]), name, *training_cells(told), f"{left_out:,}"]


def seconds_table(works: Sequence[Path]) -> str:
    """Render the seconds of each stage, a row a seed."""
    loops = [read(work / "loop.json") for work in works]
    stages = list(loops[0]["done"])
    rows = ([loop["seed"], *(loop["done"][stage] for stage in stages)] for loop in loops)
    summed = ([seed, *(f"{one:,.0f}" for one in took), f"{sum(took):,.0f}"] for seed, *took in rows)
    return table(["seed", *stages, "all"], ([str(cell) for cell in row] for row in summed))


def main() -> None:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("works", nargs="+", type=Path, metavar="WORK")
    parser.add_argument("--name", default="quick")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    head = ["seed", "planner", *TRAINED, "rows left out"]
    tables = {
        f"loop {options.name}, trainings": table(head, training_rows(options.works)),
        f"loop {options.name}, seconds": seconds_table(options.works),
    }
    if all((work / "results.json").exists() for work in options.works):
        rates = list(rate_rows(options.works))
        tables[f"loop {options.name}"] = table(list(rates[0]), (list(row.values()) for row in rates))
    show(tables, options.put)


if __name__ == "__main__":
    main()
