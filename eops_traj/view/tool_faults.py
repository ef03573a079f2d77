"""At which tools episodes went wrong: the call that each cause names, kept beside the index of texts.

Causes are found anew from whole failed episodes, which takes milliseconds each: it comes after the texts.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from eops_traj.causes.cause import Cause
from eops_traj.errors import EopsError
from eops_traj.schema import PASSED, UNVERIFIED, Episode
from eops_traj.store.arrow import from_row
from eops_traj.store.table import Table

TABLES = """
CREATE TABLE IF NOT EXISTS judged (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fault (file TEXT NOT NULL, episode_id TEXT NOT NULL, kind TEXT, tool TEXT);
CREATE INDEX IF NOT EXISTS fault_file ON fault (file);
CREATE INDEX IF NOT EXISTS fault_tool ON fault (tool, kind);
"""
BATCH = 256
"""Rows that are read at a time."""
_UNREADABLE = (AttributeError, KeyError, TypeError, ValueError, EopsError)


def faults_of(table: Table, name: str, prompt: Callable[[str], str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield file, episode, kind and tool for each cause of a data file that names a call.

    ``prompt`` gives a system prompt by its hash.
    """
    from eops_traj.causes.find import causes_of

    prompt = functools.cache(prompt)
    for row in _failed(table, name):
        try:
            episode = from_row(Episode, row)
            causes = causes_of(episode, prompt(episode.prompt_hash))
        except _UNREADABLE:
            continue
        tools = {(cause.kind, tool) for cause in causes if (tool := tool_of(episode, cause))}
        yield from ((name, episode.episode_id, kind, tool) for kind, tool in sorted(tools))


def tool_of(episode: Episode, cause: Cause) -> str | None:
    """Return the tool of the call that a cause names; None where it names none."""
    at = cause.evidence
    if at.turn is None or at.call is None or at.turn >= len(episode.turns):
        return None
    calls = episode.turns[at.turn].tool_calls
    return calls[at.call].name if at.call < len(calls) else None


def _failed(table: Table, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a data file whose episodes failed, without their changesets."""
    import polars as pl

    file = table.open_file(name)
    columns = [column for column in file.schema_arrow.names if column != "changeset"]
    for batch in file.iter_batches(batch_size=BATCH, columns=columns):
        rows = pl.DataFrame(pl.from_arrow(batch))
        yield from rows.filter(~pl.col("outcome").is_in([*PASSED, UNVERIFIED])).iter_rows(named=True)
