"""The page of an episode, and the page of one that cannot be read."""

import json
from collections import defaultdict
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eops_traj.causes.cause import KINDS, Cause
from eops_traj.causes.find import causes_of
from eops_traj.errors import EopsError, InputError
from eops_traj.schema import LABELS, Episode
from eops_traj.verify.failure_modes import Finding, diagnose
from eops_traj.view.cause_lines import by_turn, by_verdict
from eops_traj.view.course import course_of
from eops_traj.view.data import EpisodeSource
from eops_traj.view.index import Index
from eops_traj.view.plan_alignment import PlanAlignment, align_plan
from eops_traj.view.query import PAGE_SIZE, Query
from eops_traj.view.templating import render_page
from eops_traj.view.turns_with import turns_with

ROW_ERRORS = (AttributeError, KeyError, TypeError, ValueError)
"""The errors of reading a row that is not as the schema says: fields missing, null or of another type."""
MAX_RAW = 200_000
"""Characters of an unreadable row that its page shows."""
MOST_ATTEMPTS = 50
"""Other attempts at a task that the page of an episode lists."""


class UnreadableRow(InputError):
    """A row that is no episode, with its values as far as they could be read."""

    def __init__(self, reason: str, raw: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.raw = raw


def _read_row(index: Index, row: int) -> dict[str, Any]:
    """Read a row of the index. Raises UnreadableRow where that cannot be."""
    import polars as pl
    import pyarrow as pa

    try:
        return index.files.read_row(row)
    except (pl.exceptions.PolarsError, pa.ArrowException, OSError) as error:
        raise UnreadableRow(f"the data file cannot be read there: {error}") from error


def _episode_of(raw: dict[str, Any]) -> Episode:
    """Return the episode of a row. Raises UnreadableRow where the row is none."""
    from eops_traj.store.arrow import from_row

    try:
        episode = from_row(Episode, raw)
        _check_lists(episode)
    except ROW_ERRORS as error:
        raise UnreadableRow(f"not as the schema says: {error}", raw) from error
    return episode


def _check_lists(episode: Episode) -> None:
    """Check that each list is one, down to the calls. Raises TypeError."""
    for turn in episode.turns:
        for call in turn.tool_calls:
            len(call.changes)
    len(episode.verdicts) + len(episode.servers) + len(episode.failure_modes)


def unreadable_page(episode_id: str, error: UnreadableRow) -> Response:
    """Render the page of an episode that cannot be read: the reason, and its values as they are."""
    raw = None if error.raw is None else json.dumps(error.raw, indent=1, default=repr, ensure_ascii=False)
    return render_page(
        "unreadable.html", 500, episode_id=episode_id, reason=str(error), raw=(raw or "")[:MAX_RAW]
    )


def find_episode(source: EpisodeSource, index: Index, episode_id: str) -> Episode:
    """Return an episode of the store, be it that it came after the index, or waits in the journal.

    Raises HTTPException where there is none, UnreadableRow where its row is none.
    """
    row = index.row_of(episode_id)
    raw = source.unlisted_row(episode_id) if row is None else _read_row(index, row)
    if raw is None:
        raise HTTPException(404, f"The store has no episode {episode_id}.")
    return _episode_of(raw)


def episode(source: EpisodeSource, request: Request) -> Response:
    """Render an episode, with its neighbours in the list that it was opened from."""
    query = Query.of(request.query_params)
    return _page(source, source.index(), request.path_params["episode_id"], query)


def _page(source: EpisodeSource, index: Index, episode_id: str, query: Query) -> Response:
    """Render the page of an episode, opened from the list of a query. Raises HTTPException without one."""
    try:
        episode = find_episode(source, index, episode_id)
    except UnreadableRow as error:
        return unreadable_page(episode_id, error)
    row, problems = index.row_of(episode_id), list[str]()
    policy = _policy(source, episode, problems)
    causes = _causes(episode, policy, problems)
    return render_page(
        "episode.html",
        episode=episode,
        policy=policy,
        marks=_findings_by_turn(episode, policy, problems),
        causes=causes,
        causes_by_turn=by_turn(causes),
        causes_by_verdict=by_verdict(causes),
        course=course_of(episode),
        alignment=_alignment(episode, problems),
        reasons=[] if row is None else _selection_reasons(source, index, row),
        problems=problems,
        query=query,
        found_in=turns_with(episode, query.text, query.part),
        reader=source.reader,
        label_forms=[label_form(source, episode, n) for n in (None, *range(len(episode.turns)))],
        **_attempts_at(index, episode),
        **_neighbours(source, index, row, query),
    )


def label_form(source: EpisodeSource, episode: Episode, turn: int | None) -> dict[str, Any]:
    """Return what the form of a label shows: what readers said there, and the call that was made."""
    said = [one for one in source.labels() if (one.episode_id, one.turn) == (episode.episode_id, turn)]
    calls = episode.turns[turn].tool_calls if turn is not None else ()
    call = f'{{"name": {json.dumps(calls[0].name)}, "arguments": {calls[0].arguments}}}' if calls else ""
    return {
        "episode_id": episode.episode_id,
        "turn": turn,
        "said": said,
        "reader": source.reader,
        "call": call,
        "kinds": tuple(KINDS),
        "values": LABELS,
    }


def _policy(source: EpisodeSource, episode: Episode, problems: list[str]) -> str:
    """Return the system prompt; where the store lacks it, an empty text, and note the problem."""
    try:
        return source.prompt(episode.prompt_hash)
    except EopsError as error:
        problems.append(f"The policy is not there: {error}")
        return ""


def _findings_by_turn(episode: Episode, policy: str, problems: list[str]) -> dict[int, list[Finding]]:
    """Return the findings of each turn, from 1."""
    findings = defaultdict(list)
    try:
        for finding in diagnose(episode, policy):
            findings[finding.turn + 1].append(finding)
    except ROW_ERRORS as error:
        problems.append(f"Failure modes could not be told: {error}")
    return dict(findings)


def _causes(episode: Episode, policy: str, problems: list[str]) -> list[Cause]:
    """Return why the episode failed; where that cannot be told, nothing, and note the problem."""
    try:
        return list(causes_of(episode, policy))
    except ROW_ERRORS as error:
        problems.append(f"Causes could not be told: {error}")
        return []


def _alignment(episode: Episode, problems: list[str]) -> PlanAlignment | None:
    try:
        return align_plan(episode)
    except ROW_ERRORS as error:
        problems.append(f"The plan could not be held beside what was done: {error}")
        return None


def _selection_reasons(source: EpisodeSource, index: Index, row: int) -> list[dict[str, Any]]:
    """Return the result of each selection that saw the episode."""
    reasons = ({"name": n, **source.reasons(index, n).row(row, named=True)} for n in source.selections())
    return [reason for reason in reasons if reason["reason"] is not None]


def _attempts_at(index: Index, episode: Episode) -> dict[str, Any]:
    """Return the first other attempts at an episode's task, of any agent, with its own; and their number."""
    import polars as pl

    attempts = index.frame.filter(pl.col("task_hash") == episode.task_hash)
    own = pl.col("episode_id") == episode.episode_id
    others = attempts.filter(~own)
    shown = pl.concat([attempts.filter(own), others.head(MOST_ATTEMPTS)])
    return {
        "siblings": shown.sort("model", "attempt", "episode_id").to_dicts(),
        "others": others.height,
        "more": max(0, others.height - MOST_ATTEMPTS),
    }


def _neighbours(source: EpisodeSource, index: Index, row: int | None, query: Query) -> dict[str, Any]:
    """Find the episodes before and after this one in the list, its number and page there; or None."""
    import polars as pl

    rows = source.matching_rows(index, query)
    is_it = pl.lit(False) if row is None else pl.col("row") == row
    positions = rows.to_frame("row").select(pl.arg_where(is_it)).to_series()
    if not len(positions):
        return {"before": None, "after": None, "number": None, "of": len(rows), "page": query.page}
    position, ids = int(positions[0]), index.frame["episode_id"]
    return {
        "before": ids[int(rows[position - 1])] if position else None,
        "after": ids[int(rows[position + 1])] if position + 1 < len(rows) else None,
        "number": position + 1,
        "of": len(rows),
        "page": position // PAGE_SIZE + 1,
    }
