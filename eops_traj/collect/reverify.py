"""Verify again: final databases are rebuilt from seed and changes, with no model and no sandbox.

An episode keeps the rows that it changed. With its seed they give back the database that its verifiers saw,
so a mended verifier can be run over everything that was ever collected. Verdicts and labels are amended in
the store's next version; the versions before keep the old ones.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from eops_traj.collect.episode_builder import labelled
from eops_traj.errors import InputError
from eops_traj.sandbox.changesets import unpack
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Episode, Task, Verdict, Verifier
from eops_traj.store.store import Store
from eops_traj.verify.failure_modes import diagnose
from eops_traj.verify.verifiers import collapse, verify

TOGETHER = 256
"""Episodes that are amended in one commit."""
JUDGED = ("response_check", "declines")
"""The kinds of verifier that a judge model may have decided."""


@dataclass
class Reverified:
    """What verifying again came to: episodes looked at, those changed and how, those left out and why."""

    episodes: int = 0
    changed: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Outcome before and now, of the episodes whose outcome is another one."""
    left_out: Counter[str] = field(default_factory=Counter)


def reverify(
    store: Store,
    *,
    run: str | None = None,
    tasks: Mapping[str, Task] | None = None,
    root: Path | None = None,
    done: Callable[[int], None] = lambda count: None,
) -> Reverified:
    """Run verifiers again over a store, or over one run in it, and amend what comes out otherwise.

    The verifiers are those of ``tasks`` (by task id), where a task is there and still the same, else those
    that the episode's verdicts tell. ``root`` is the folder that seed files are named from. ``done`` is
    called with a number of episodes once they are through.
    """
    report, version = Reverified(), store.version()
    ids = _ids(store, run)
    episodes = store.episodes(ids, version)
    while batch := list(islice(episodes, TOGETHER)):
        found = [_again(e, tasks or {}, root, store.prompt(e.prompt_hash), report) for e in batch]
        changed = [new for old, new in zip(batch, found, strict=True) if new is not None and new != old]
        store.amend(changed)
        report.episodes += len(batch)
        report.changed += len(changed)
        done(len(batch))
    return report


def count(store: Store, run: str | None = None) -> int:
    """How many episodes there are to look at. Raises InputError for a run that the store has none of."""
    return len(_ids(store, run))


def _ids(store: Store, run: str | None) -> list[str]:
    import polars as pl

    wanted = pl.lit(True) if run is None else pl.col("run_id") == run
    ids = store.scan().filter(wanted).select("episode_id").collect().get_column("episode_id").to_list()
    if run is not None and not ids:
        raise InputError(f"no episode of run {run!r} in {store.url}")
    return ids


def _again(
    episode: Episode, tasks: Mapping[str, Task], root: Path | None, policy: str, report: Reverified
) -> Episode | None:
    """The episode as it is verified now; None where that cannot be told."""
    try:
        new = verified_again(episode, tasks.get(episode.task_id), root, policy)
    except InputError as error:
        report.left_out[str(error)] += 1
        return None
    if new.outcome != episode.outcome:
        report.outcomes[episode.outcome, new.outcome] += 1
    return new


def verified_again(
    episode: Episode, task: Task | None = None, root: Path | None = None, policy: str = ""
) -> Episode:
    """The episode with its verifiers run again, or those of its task; ``policy`` is its system prompt.

    Raises InputError: an error, which has no verdicts; nothing recorded to rebuild from; a seed that is not
    at hand or another one; a task that is no longer the same.
    """
    if episode.error is not None:
        raise InputError("it ended in error and has no verdicts")
    if episode.changeset is None:
        raise InputError("its changes were not recorded")
    task = as_task(episode) if task is None else _same(task, episode)
    with rebuilt(episode, task, root) as session:
        fresh = verify(
            task.verifiers,
            session,
            episode.response,
            episode.tool_calls(),
            servers=[server.name for server in task.servers],
        )
    verdicts = collapse([_or_judged(verdict, episode.verdicts) for verdict in fresh])
    labels = labelled(episode.turns, verdicts, task.feasible, None, recorded=True)
    new = replace(episode, feasible=task.feasible, **labels)
    modes = dict.fromkeys(finding.mode for finding in diagnose(new, policy))
    return replace(new, failure_modes=tuple(modes))


def rebuilt(episode: Episode, task: Task, root: Path | None = None) -> EmbeddedSession:
    """A session on the databases that an episode left. Raises FormatError where they cannot be rebuilt."""
    session = open_task(task, root)
    calls = Counter(call.server for call in episode.tool_calls())
    try:
        for server, changeset in unpack(episode.changeset or b"").items():
            session.database(server).restore(changeset, calls[server])
    except BaseException:
        session.close()
        raise
    return session


def as_task(episode: Episode) -> Task:
    """The task, as far as an episode tells it."""
    return Task(
        task_id=episode.task_id,
        domain=episode.domain,
        mode=episode.mode,
        suite=episode.suite,
        split=episode.split,
        system_prompt="",
        user_prompt=episode.user_prompt,
        servers=episode.servers,
        verifiers=tuple(_verifier(verdict) for verdict in episode.verdicts),
        feasible=episode.feasible,
    )


def _verifier(verdict: Verdict) -> Verifier:
    return Verifier(
        name=verdict.name,
        kind=verdict.kind,
        server=verdict.server,
        config=verdict.config,
        description=verdict.description,
        category=None if verdict.category_inferred else verdict.category,
    )


def _same(task: Task, episode: Episode) -> Task:
    """The task, if the episode was about it. Raises InputError where its request or seeds are others now."""
    seeds = [(server.name, server.seed, server.details) for server in task.servers]
    if task.user_prompt != episode.user_prompt or seeds != [
        (s.name, s.seed, s.details) for s in episode.servers
    ]:
        raise InputError("the task of that name is another one now")
    return task


def _or_judged(fresh: Verdict, stored: tuple[Verdict, ...]) -> Verdict:
    """A judge's verdict stands, since no model is asked here."""
    if fresh.kind not in JUDGED:
        return fresh
    same = (v for v in stored if (v.kind, v.name, v.config) == (fresh.kind, fresh.name, fresh.config))
    found = next(same, None)
    judged = found is not None and (fresh.kind == "response_check" or found.details == "by the judge")
    return found if judged and found is not None else fresh
