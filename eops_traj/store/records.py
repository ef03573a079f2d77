"""Episodes with the records that they name: prompts, tool sets and runs, looked up for many episodes at once.

A look-up opens its table, however little it asks for, and that is what takes the time.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

from eops_traj.schema import Episode, Prompt, Run, ToolSet
from eops_traj.store.arrow import from_row

if TYPE_CHECKING:
    from eops_traj.store.store import Store
    from eops_traj.store.table import Table

TOGETHER = 128
"""The episodes whose records are looked up at once, and remembered until the next ones have theirs."""

Record = TypeVar("Record")


class Records(Generic[Record]):
    """Some records of one table by their keys."""

    def __init__(self, table: "Table", of: type[Record]) -> None:
        """Begin with none; ``of`` is what the table's rows are."""
        self._table, self._of = table, of
        self._known: dict[str, Record] = {}

    def look_up(self, keys: Iterable[str]) -> None:
        """Have the records of these keys, as far as there are some, and forget all others."""
        wanted = set(keys)
        if lacking := wanted - self._known.keys():
            rows = self._table.rows(lacking)
            self._known |= {row[self._table.key]: from_row(self._of, row) for row in rows}
        self._known = {key: self._known[key] for key in wanted & self._known.keys()}

    def __getitem__(self, key: str) -> Record:
        """Return a record that was looked up. Raises UnknownName where there is none."""
        return self._known[key] if key in self._known else from_row(self._of, self._table.row(key))

    def get(self, key: str) -> Record | None:
        """Return a record that was looked up; None where there is none."""
        return self._known.get(key)


def with_records(
    store: "Store", episodes: Iterable[Episode]
) -> Iterator[tuple[Episode, Prompt, ToolSet, Run | None]]:
    """Yield episodes with what they refer to, no run where the store has no record of it.

    Raises UnknownName for a prompt or a tool set that is not there.
    """
    tables = store.tables
    prompts, toolsets = Records(tables["prompts"], Prompt), Records(tables["toolsets"], ToolSet)
    runs = Records(tables["runs"], Run)
    for some in _batches(episodes):
        prompts.look_up(episode.prompt_hash for episode in some)
        toolsets.look_up(episode.toolset_hash for episode in some)
        runs.look_up(episode.run_id for episode in some)
        for each in some:
            yield each, prompts[each.prompt_hash], toolsets[each.toolset_hash], runs.get(each.run_id)


def with_policies(store: "Store", episodes: Iterable[Episode]) -> Iterator[tuple[Episode, str]]:
    """Yield episodes with their system prompts. Raises UnknownName for one that is not there."""
    prompts = Records(store.tables["prompts"], Prompt)
    for some in _batches(episodes):
        prompts.look_up(episode.prompt_hash for episode in some)
        for each in some:
            yield each, prompts[each.prompt_hash].text


def _batches(episodes: Iterable[Episode]) -> Iterator[list[Episode]]:
    left = iter(episodes)
    while some := list(islice(left, TOGETHER)):
        yield some
