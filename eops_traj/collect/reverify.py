"""Verify again: final databases are rebuilt from seed and changes, with no model and no sandbox.

An episode keeps the rows that it changed. With its seed they give back the database that its verifiers saw,
so a fixed verifier can be run over everything that was ever collected. Verdicts and labels are amended in
the store's next version; the versions before keep the old ones.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from eops_traj.causes.find import diagnosed
from eops_traj.collect.episode_builder import compute_labels
from eops_traj.errors import InputError, SandboxError
from eops_traj.gym.engine.changesets import unpack_changesets
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.session import guarded, sandboxed
from eops_traj.schema import Episode, Task, Verdict
from eops_traj.store.records import with_policies
from eops_traj.store.run_names import find_runs
from eops_traj.store.store import Store
from eops_traj.tasks.from_episode import task_of_episode
from eops_traj.verify.verifier_kinds import is_judged
from eops_traj.verify.verifiers import collapse, verify
from eops_traj.workers.engine import HERE, Engine

TOGETHER = 256
"""Episodes that are amended in one commit."""
TAKEN = 32
"""Episodes that a worker is given at once."""


class Attempted(NamedTuple):
    """What verifying an episode again came to."""

    was: str
    """Its outcome before."""
    changed: Episode | None = None
    """The episode as it is now, where anything is otherwise."""
    left_out: str | None = None
    """Why it could not be verified."""


@dataclass
class ReverifyReport:
    """The result of verifying again: episodes looked at, those changed and how, those left out and why."""

    episodes: int = 0
    changed: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Outcome before and now, of the episodes whose outcome is another one."""
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, attempted: Attempted) -> None:
        """Count an episode."""
        self.episodes += 1
        if attempted.left_out is not None:
            self.left_out[attempted.left_out] += 1
        if attempted.changed is not None:
            self.changed += 1
            if attempted.changed.outcome != attempted.was:
                self.outcomes[attempted.was, attempted.changed.outcome] += 1


def reverify(
    store: Store,
    *,
    run: str | None = None,
    tasks: Mapping[str, Task] | None = None,
    root: Path | None = None,
    engine: Engine = HERE,
    done: Callable[[int], None] = lambda count: None,
) -> ReverifyReport:
    """Run verifiers again over a store, or over one run in it, and amend what comes out otherwise.

    The verifiers are those of ``tasks`` (by task id), where a task is there and still the same, else those
    that the episode's verdicts name. ``root`` is the folder that seed files are named from. ``done`` is
    called with a number of episodes once they are through. Raises StoreError where another process amends
    an episode meanwhile; what was amended before stays. Raises UnknownName for a run that the store has not.
    """
    report, version = ReverifyReport(), store.version()
    episodes = with_policies(store, store.episodes(_ids(store, run), version))
    work = ((episode, (tasks or {}).get(episode.task_id), policy) for episode, policy in episodes)
    verified = engine.map(partial(_attempt, root=root), work, TAKEN)
    while batch := list(islice(verified, TOGETHER)):
        store.amend([one.changed for one in batch if one.changed is not None], version)
        for one in batch:
            report.add(one)
        done(len(batch))
    return report


def count_episodes(store: Store, run: str | None = None) -> int:
    """Count the episodes to look at. Raises UnknownName for a run that the store has none of."""
    return len(_ids(store, run))


def _ids(store: Store, run: str | None) -> list[str]:
    import polars as pl

    selected = pl.lit(True) if run is None else pl.col("run_id").is_in(find_runs(store, [run]))
    return store.scan().filter(selected).select("episode_id").collect().get_column("episode_id").to_list()


def _attempt(work: tuple[Episode, Task | None, str], root: Path | None) -> Attempted:
    """Verify an episode again, where that can be done."""
    episode, task, policy = work
    try:
        new = reverify_episode(episode, task, root, policy)
    except InputError as error:
        return Attempted(episode.outcome, left_out=str(error))
    except SandboxError as error:
        return Attempted(episode.outcome, left_out=f"the sandbox failed: {error}")
    return Attempted(episode.outcome, new if new != episode else None)


def reverify_episode(
    episode: Episode, task: Task | None = None, root: Path | None = None, policy: str = ""
) -> Episode:
    """Return the episode with its verifiers run again, or those of its task; ``policy`` is its system prompt.

    Raises InputError: an error, which has no verdicts; nothing recorded to rebuild from; a seed that is not
    available or another one; a task that is no longer the same. Raises SandboxError where the sandbox fails.
    """
    if episode.error is not None:
        raise InputError("it ended in error and has no verdicts")
    if episode.changeset is None:
        raise InputError("its changes were not recorded")
    task = task_of_episode(episode) if task is None else _require_same(task, episode)
    with rebuild_session(episode, task, root) as session:
        fresh = verify(
            task.verifiers,
            guarded(session),
            episode.response,
            episode.tool_calls(),
            servers=[server.name for server in task.servers],
            request=task.user_prompt,
        )
    verdicts = collapse([_prefer_judged(verdict, episode.verdicts) for verdict in fresh])
    labels = compute_labels(
        episode.turns, verdicts, task.feasible, None, recorded=True, response=episode.response
    )
    return diagnosed(replace(episode, feasible=task.feasible, **labels), policy)


def rebuild_session(episode: Episode, task: Task, root: Path | None = None) -> EmbeddedSession:
    """Open a session on the databases that an episode left.

    Raises FormatError if they cannot be rebuilt, SandboxError where the sandbox fails.
    """
    session = sandboxed(open_task, task, root)
    calls = Counter(call.server for call in episode.tool_calls())
    try:
        for server, changeset in unpack_changesets(episode.changeset or b"").items():
            sandboxed(session.database(server).restore, changeset, calls[server])
    except BaseException:
        session.close()
        raise
    return session


def _require_same(task: Task, episode: Episode) -> Task:
    """Return the task, if it still is the episode's. Raises InputError for another request or seeds."""
    seeds = [(server.name, server.seed, server.details) for server in task.servers]
    if task.user_prompt != episode.user_prompt or seeds != [
        (s.name, s.seed, s.details) for s in episode.servers
    ]:
        raise InputError("the task of that name is another one now")
    return task


def _prefer_judged(fresh: Verdict, stored: tuple[Verdict, ...]) -> Verdict:
    """Keep the verdict that a judge gave, since no model is asked here."""
    matching = (v for v in stored if (v.kind, v.name, v.config) == (fresh.kind, fresh.name, fresh.config))
    recorded = next(matching, None)
    return recorded if recorded is not None and is_judged(recorded) else fresh
