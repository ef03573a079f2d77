"""The tasks behind rows of training data: of each the request, the databases and the families.

A row names at most an episode, a task id, and its tasks' hashes. The rest is looked up: by episode in a
store, and by hash, task id or request among tasks. Where no hash tells the task, the request must be in the
row, since two suites may use one id. A row that tells values by their numbers has no request in it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from eops_traj.provenance.dataset import DataRow
from eops_traj.schema import Task
from eops_traj.store.store import Store


@dataclass(frozen=True)
class TaskSource:
    """The task behind a row."""

    request: str
    databases: frozenset[str]
    families: frozenset[str] | None = None
    """None where only a store knows the task, and does not know how it was made."""


def databases(servers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the databases of servers, each given as its seed and its details.

    A database is named by the company that it describes, since all servers of a company hold the same people
    and records; else by the seed that it is made from.
    """
    companies = [(json.loads(details).get("company"), seed) for seed, details in servers]
    names = (seed if company is None else f"company {company}" for company, seed in companies)
    return frozenset(name for name in names if name)


def task_source(task: Task) -> TaskSource:
    """Return the source that a task itself describes."""
    names = databases((server.seed, server.details) for server in task.servers)
    return TaskSource(task.user_prompt, names, families(task))


def families(task: Task) -> frozenset[str]:
    """Return the families of scenarios that a task is made from, with domain; none for a foreign task."""
    return _families(task.domain, task.details) or frozenset()


def _families(domain: str, details: str) -> frozenset[str] | None:
    """Return the families in the details of a task, or of an episode at it; None where they name none."""
    recipe = json.loads(details).get("made")
    names = recipe.get("families") if isinstance(recipe, dict) else None
    return frozenset(f"{domain}.{name}" for name in names) or None if isinstance(names, list) else None


@dataclass
class RowSources:
    """The known sources of rows: tasks and episodes."""

    _by_id: dict[str, TaskSource] = field(default_factory=dict)
    _by_hash: dict[str, TaskSource] = field(default_factory=dict)
    _by_request: dict[str, TaskSource] = field(default_factory=dict)
    _by_episode: dict[str, TaskSource] = field(default_factory=dict)

    def add_tasks(self, tasks: Iterable[Task]) -> None:
        """Add tasks."""
        from eops_traj.filter.held_out import normalized

        for task in tasks:
            source = task_source(task)
            self._by_id[task.task_id] = self._by_hash[task.task_hash] = source
            self._by_request[normalized(task.user_prompt)] = source

    def add_episodes(self, store: Store, ids: Iterable[str]) -> None:
        """Add these episodes of a store."""
        import polars as pl

        columns = ("episode_id", "domain", "user_prompt", "servers", "details")
        known = store.scan().filter(pl.col("episode_id").is_in(list(ids))).select(columns)
        for row in known.collect().iter_rows(named=True):
            names = databases((server["seed"], server["details"]) for server in row["servers"])
            made_from = _families(row["domain"], row["details"])
            self._by_episode[row["episode_id"]] = TaskSource(row["user_prompt"], names, made_from)

    def of(self, row: DataRow) -> list[TaskSource]:
        """Return the sources of a row; none where they are not known."""
        stored = (self._by_episode[i] for i in row.episode_ids if i in self._by_episode)
        return [*stored, *self._known(row)]

    def _known(self, row: DataRow) -> Iterator[TaskSource]:
        """Yield the tasks of the row's hashes; and that of its id if it has its request, else by request."""
        from eops_traj.filter.held_out import normalized

        yield from (self._by_hash[one] for one in row.task_hashes if one in self._by_hash)
        named = self._by_id.get(row.task_id or "")
        if named and any(normalized(named.request) in text for text in row.requests):
            yield named
        else:
            yield from (self._by_request[text] for text in row.requests if text in self._by_request)
