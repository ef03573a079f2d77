"""The page of an episode, and what stands there of one that cannot be read."""

import json
from collections import defaultdict
from typing import Any

from starlette.responses import Response

from eops_traj.errors import EopsError, InputError
from eops_traj.schema import Episode
from eops_traj.verify.failure_modes import Finding, diagnose
from eops_traj.view.data import Source
from eops_traj.view.index import Index
from eops_traj.view.plan_alignment import Planned, planned
from eops_traj.view.query import Query
from eops_traj.view.rows import siblings
from eops_traj.view.templating import page

BROKEN = (AttributeError, KeyError, TypeError, ValueError)
"""What reading a row raises that is not as the schema says: fields missing, null or of another type."""
RAW = 200_000
"""Characters of an unreadable row that its page shows."""


class Unreadable(InputError):
    """A row that is no episode, with its values as far as they could be read."""

    def __init__(self, reason: str, raw: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.raw = raw


def read_episode(index: Index, row: int) -> Episode:
    """The episode at a place. Raises Unreadable where the row is not one."""
    import polars as pl

    from eops_traj.store.arrow import from_row

    try:
        raw = index.whole(row)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Unreadable(f"the data file cannot be read there: {error}") from error
    try:
        episode = from_row(Episode, raw)
        _check(episode)
    except BROKEN as error:
        raise Unreadable(f"not as the schema says: {error}", raw) from error
    return episode


def _check(episode: Episode) -> None:
    """Check that what is a list is one, down to the calls. Raises TypeError."""
    for turn in episode.turns:
        for call in turn.tool_calls:
            len(call.changes)
    len(episode.verdicts) + len(episode.servers) + len(episode.failure_modes)


def unreadable(episode_id: str, error: Unreadable) -> Response:
    """The page of an episode that cannot be read: why, and its values as they are."""
    raw = None if error.raw is None else json.dumps(error.raw, indent=1, default=repr, ensure_ascii=False)
    return page("unreadable.html", 500, episode_id=episode_id, reason=str(error), raw=(raw or "")[:RAW])


def show_episode(source: Source, index: Index, row: int, query: Query) -> Response:
    """The page of the episode at a place, opened from the list of a query."""
    try:
        episode = read_episode(index, row)
    except Unreadable as error:
        return unreadable(str(index.frame["episode_id"][row]), error)
    problems: list[str] = []
    policy = _policy(source, episode, problems)
    return page(
        "episode.html",
        episode=episode,
        policy=policy,
        marks=_marks(episode, policy, problems),
        planned=_planned(episode, problems),
        siblings=siblings(index, episode.task_hash),
        fates=_fates(source, index, row),
        problems=problems,
        query=query,
        **_neighbours(source, index, row, query),
    )


def _policy(source: Source, episode: Episode, problems: list[str]) -> str:
    """The system prompt; where the store lacks it, nothing, and a problem more."""
    try:
        return source.prompt(episode.prompt_hash)
    except EopsError as error:
        problems.append(f"The policy is not there: {error}")
        return ""


def _marks(episode: Episode, policy: str, problems: list[str]) -> dict[int, list[Finding]]:
    """The findings of each turn, from 1."""
    found = defaultdict(list)
    try:
        for finding in diagnose(episode, policy):
            found[finding.turn + 1].append(finding)
    except BROKEN as error:
        problems.append(f"Failure modes could not be told: {error}")
    return dict(found)


def _planned(episode: Episode, problems: list[str]) -> Planned | None:
    try:
        return planned(episode)
    except BROKEN as error:
        problems.append(f"The plan could not be held beside what was done: {error}")
        return None


def _fates(source: Source, index: Index, row: int) -> list[dict[str, Any]]:
    """What each selection that saw the episode made of it."""
    fates = [
        {"name": name, **source.reasons(index, name).row(row, named=True)} for name in source.selections()
    ]
    return [fate for fate in fates if fate["reason"] is not None]


def _neighbours(source: Source, index: Index, row: int, query: Query) -> dict[str, Any]:
    """The episodes before and after this one in the list, and its number there; None where there is none."""
    import polars as pl

    listed = source.listed(index, query)
    at = listed.to_frame("row").select(pl.arg_where(pl.col("row") == row)).to_series()
    if not len(at):
        return {"before": None, "after": None, "number": None, "of": len(listed)}
    place, ids = int(at[0]), index.frame["episode_id"]
    return {
        "before": ids[int(listed[place - 1])] if place else None,
        "after": ids[int(listed[place + 1])] if place + 1 < len(listed) else None,
        "number": place + 1,
        "of": len(listed),
    }
