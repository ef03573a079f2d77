"""How many test tasks a planner was trained on but for their values, as Markdown from loops' files.

    python -m benchmarks.same_text WORK [WORK ...] [--put PAGE]

WORK is a folder of `eops-traj loop`. A planner that is told values by their numbers sees requests in one
wording as one text, whoever they are about. The table counts the tasks of ``test`` whose text is that of a
row of the SFT's data, numbers aside, and the others, and how many of each pass strictly. ``--put`` writes it
into a page, at the comment ``same text``.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.planners import planner, show, table
from benchmarks.rounds import read
from eops_traj.pipeline.stages import SFT

NUMBER = re.compile(r"\[(\w+) \d+(?:\.\d)?\]")
HEAD = ("seed", "text of a training row", "pass", "text of none", "pass")


def rows(works: Sequence[Path]) -> Iterator[list[str]]:
    """Yield a row for each seed."""
    for work in works:
        known = set(_trained_on(work))
        episodes = planner(f"{SFT}={work / 'store'}:{SFT}", "test").episodes
        plans = episodes.select("turns", "success_strict").rows()
        asked = [(_text(turns[0]["nudge"]), strict) for turns, strict in plans]
        cells = [str(read(work / "loop.json")["seed"])]
        for seen in (True, False):
            passed = [bool(strict) for text, strict in asked if (text in known) is seen]
            share = f"{sum(passed)} ({sum(passed) / len(passed):.0%})" if passed else "0"
            cells += [str(len(passed)), share]
        yield cells


def _trained_on(work: Path) -> Iterator[str]:
    """Yield the requests of the data, as the planner is shown them."""
    for path in (work / f"{SFT}-data" / "data").glob("train*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield _text(json.loads(line)["prompt"][-1]["content"])


def _text(shown: str) -> str:
    return NUMBER.sub(r"[\1]", shown).strip()


def main() -> None:
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("works", nargs="+", type=Path, metavar="WORK")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    show({"same text": table(HEAD, rows(options.works))}, options.put)


if __name__ == "__main__":
    main()
