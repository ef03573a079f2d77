"""Checks for held-out tasks in a dataset: by split, and by everything that gives a task away.

Held-out episodes go out alone (an evaluation, with ``--held-out-ok``) or not at all: a dataset that has them
beside training rows would be trained on. Rows to train on are compared with every held-out task of the suite.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eops_traj.errors import InputError
from eops_traj.export.checks import MESSAGES, Row
from eops_traj.provenance.contamination import LeakReport, compare_row
from eops_traj.provenance.dataset import DataRow
from eops_traj.provenance.held_out_index import HeldOutIndex
from eops_traj.provenance.row_sources import RowSources
from eops_traj.publish.episode_facts import EpisodeFacts, SelectionFacts, task_sources
from eops_traj.publish.split_export import EPISODES, HELD_OUT, DatasetPart, published_split
from eops_traj.schema import Task
from eops_traj.store.store import Store
from eops_traj.tasks.catalog import load

TRAINED_ON = ("train", "dev")


def check_splits(
    part: DatasetPart, known: Mapping[str, EpisodeFacts], evaluation: bool
) -> Iterator[tuple[int, str, str]]:
    """Yield rows that the split of an episode behind them keeps in: number, field and reason.

    An evaluation takes held-out ones.
    """
    for number, episode_ids in enumerate(part.sources):
        splits = dict.fromkeys(known[i].split if i in known else None for i in episode_ids)
        reasons = (_reason(split, part.config, evaluation) for split in splits)
        if why := next(filter(None, reasons), None):
            yield number, "split", why


def _reason(split: str | None, config: str, evaluation: bool) -> str | None:
    """Return why a split keeps a row of a configuration in, if it does."""
    held = published_split(split) in HELD_OUT
    if held and not evaluation:
        return _why(split)
    if held and config != EPISODES:
        return f"{config} is to train on; held-out tasks go out as {EPISODES} alone"
    if evaluation and not held:
        return f"its task is of split {split}: what is held out goes out alone"
    return None


def _why(split: str | None) -> str:
    if split is None:
        return "nobody knows of which split its task is, and it may be held out"
    return f"its task is held out, of split {split}"


@dataclass(frozen=True)
class HeldOutTasks:
    """The held-out tasks of a suite, with the origins by which rows are told apart."""

    index: HeldOutIndex
    origins: RowSources
    source: str

    @classmethod
    def of(cls, source: str | None, facts: SelectionFacts, store: Store) -> "HeldOutTasks":
        """Load the held-out tasks of a source, or of those that the runs name.

        Raises InputError where no source is known or there, or where none of its tasks is held out.
        """
        sources = [source] if source else task_sources(facts.runs.values())
        every = [task for place in sources for task in _load(place)]
        held = [task for task in every if task.split not in TRAINED_ON]
        if not held:
            raise InputError(
                f"no held-out task in {', '.join(sources) or 'what the runs name'}: there is nothing to hold"
                " the rows against; give --tasks, a place whose tasks have splits"
            )
        origins = RowSources()
        origins.add_tasks(every)
        origins.add_episodes(store, facts.episodes)
        return cls(HeldOutIndex(held), origins, ", ".join(Path(place).name for place in sources))

    def compare(self, part: DatasetPart) -> LeakReport:
        """Compare the rows of a part with the tasks; a row is named by its number."""
        comparison = LeakReport([part.config], [], len(self.index.tasks), self.index.counts)
        for number, row in enumerate(part.rows()):
            data = _data_row(row)
            compare_row(data, str(number), self.origins.of(data), self.index, comparison)
        return comparison


def check_leaks(comparison: LeakReport) -> Iterator[tuple[int, str, str]]:
    """Yield rows that give a held-out task away, or may do so: row number, field and reason."""
    for leak in comparison.leaks:
        yield int(leak.row), leak.kind, f"{leak.why} ({leak.task_id})"
    for kind, rows in comparison.unknown.items():
        for row in rows:
            yield int(row), kind, f"the {kind} of its task is unknown; give --tasks with the task"


def _data_row(row: Row) -> DataRow:
    """Convert a row for the search for leaks: with its messages, where its columns have none."""
    if any(column in row.record for column in MESSAGES):
        return DataRow(row.place, row.record)
    return DataRow(row.place, {**row.record, "messages": row.messages})


def _load(place: str) -> Sequence[Task]:
    if ":" not in place and not Path(place).exists():
        raise InputError(
            f"the tasks of the runs, {place!r}, are no longer there, and held-out ones cannot be told;"
            " give --tasks"
        )
    return load(place)
