"""Words in plans that a planner cannot know: its prompt does not say them, and hardly any other plan does.

    python -m benchmarks.unseen NAME=DATA [NAME=DATA ...] [--few 8] [--show 0] [--put PAGE]

DATA is an export in `planner_sft`. A row counts where a quoted word of its plan, markers of values aside,
stands in no more than so many plans and not in its prompt; apart by calls, by checks (`require`) and by the
reasons of checks, which only say why. Such plans are learnt by heart alone: the scenario's plan or the
planner's view is at fault. ``--show`` prints so many words of each place, with their tasks; ``--put`` writes
the table into a page, at the comment ``unseen``.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.planners import show, table
from eops_traj.plan.prefix import MARKER
from eops_traj.provenance.dataset import Dataset

PLACES = ("calls", "checks", "reasons")
FEW = 8
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_REFERENCE = re.compile(r"\{\$[^}]*\}")
_WORD = re.compile(r"[^\s\",;()<>=]{2,}")


class Said(NamedTuple):
    """What a row's plan says, by place, and its prompt in small letters."""

    task: str
    domain: str
    words: dict[str, set[str]]
    prompt: str

    def unseen(self, counts: Counter[str], few: int) -> dict[str, set[str]]:
        """Return the words, by place, that few plans have and the prompt has not."""
        return {
            place: {word for word in words if counts[word] <= few and word.lower() not in self.prompt}
            for place, words in self.words.items()
        }


def read(rows: Iterable[dict[str, Any]]) -> Iterator[Said]:
    """Read what rows say."""
    for row in rows:
        prompt = " ".join(str(message["content"]) for message in row["prompt"])
        plan = str(row["completion"][0]["content"])
        yield Said(str(row["task_id"]), str(row["domain"]), words_of(plan), prompt.lower())


def words_of(plan: str) -> dict[str, set[str]]:
    """Return the words of a plan by the place where they stand, without markers and references."""
    words: dict[str, set[str]] = {place: set() for place in PLACES}
    for line in plan.splitlines():
        step, _, reason = line.partition(" -- ")
        place = "checks" if re.match(r"\d+\. require\(", step) else "calls"
        words[place].update(*map(_words, _QUOTED.findall(step)))
        words["reasons"].update(_words(reason))
    return words


def _words(text: str) -> list[str]:
    return _WORD.findall(_REFERENCE.sub(" ", MARKER.sub(" ", text)))


def count(rows: Sequence[Said]) -> Counter[str]:
    """Count in how many plans each word stands."""
    return Counter(word for row in rows for word in set().union(*row.words.values()))


def shares(rows: Sequence[Said], few: int) -> dict[str, list[str]]:
    """Return by domain, and for all, the share of rows with an unseen word in each place."""
    counts, found = count(rows), defaultdict[str, list[list[bool]]](list)
    for row in rows:
        unseen = row.unseen(counts, few)
        for name in (row.domain, "all"):
            found[name].append([bool(unseen[place]) for place in PLACES])
    return {
        name: [f"{sum(place) / len(place):.1%}" for place in zip(*found[name], strict=True)]
        for name in [*sorted(found.keys() - {"all"}), "all"]
    }


def examples(rows: Sequence[Said], few: int) -> Iterator[tuple[str, str, str]]:
    """Yield places, unseen words and the tasks of their rows."""
    counts = count(rows)
    for row in rows:
        for place, words in row.unseen(counts, few).items():
            yield from ((place, word, row.task) for word in sorted(words))


def main() -> None:
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="+", metavar="NAME=DATA")
    parser.add_argument("--few", type=int, default=FEW)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    columns: dict[str, dict[str, list[str]]] = {}
    for text in options.data:
        name, _, folder = text.partition("=")
        rows = list(read(row.record for row in Dataset(Path(folder)).rows()))
        columns[name] = shares(rows, options.few)
        for place in PLACES:
            of_place = (each for each in examples(rows, options.few) if each[0] == place)
            for _, word, task in islice(of_place, options.show):
                print(f"{name}, {place}: {word} ({task})")
    head = ["domain", *(f"{place}, {name}" for place in PLACES for name in columns)]
    domains = next(iter(columns.values()))
    lines = ([d, *(columns[name][d][n] for n in range(3) for name in columns)] for d in domains)
    show({"unseen": table(head, lines)}, options.put)


if __name__ == "__main__":
    main()
