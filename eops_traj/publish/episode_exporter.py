"""The configuration ``episodes``: whole trajectories, verdicts and changed rows included, a row each.

The columns are those of the store (:class:`eops_traj.schema.Episode`) with the policy and the tools beside
them, and JSON text where values are of many types. Left out is what a reader of text cannot check: token ids,
SQLite changesets, and the addresses at which servers were running.
"""

import dataclasses
import functools
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.base import ChatLines, Options
from eops_traj.export.checks import Row
from eops_traj.messages import function_tools, messages
from eops_traj.publish.features import Column, to_columns
from eops_traj.schema import Episode, Json, ToolSet
from eops_traj.store.arrow import arrow_schema, field_types, from_row, to_row

if TYPE_CHECKING:
    from collections.abc import Sequence

UNREADABLE = ("changeset", "prompt_token_ids", "token_ids", "logprobs")
"""Columns of numbers and bytes in which no scan finds a secret; their text is in other columns."""


class EpisodeExporter(ChatLines):
    """The exporter of whole episodes, a line each."""

    title = "Whole episodes"
    trains = teaches = imitates = False
    keeps_raw = True

    def __init__(self, options: Options | None = None, *, reasoning: bool = True) -> None:
        """Set up the format; reasoning is always part of an episode."""
        super().__init__(options, reasoning=True)
        type(self).features = episode_columns()  # made late: it takes Arrow

    def record(self, bundle: EpisodeBundle) -> dict[str, Any]:
        """Build the line of an episode; what is not known is left out."""
        episode = replace(
            bundle.episode,
            servers=tuple(replace(server, url=None) for server in bundle.episode.servers),
            turns=tuple(
                replace(turn, prompt_token_ids=None, token_ids=None, logprobs=None)
                for turn in bundle.episode.turns
            ),
        )
        own = {"system_prompt": bundle.system_prompt, "tools": bundle.toolset.tools}
        record = {**_readable_row(to_row(episode)), **own, "tools_origin": bundle.toolset.origin}
        return {name: value for name, value in record.items() if value is not None}

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return every call as its columns have it: what could not be read stands in one of its own."""
        return [(call.name, json.loads(call.arguments)) for call in episode.tool_calls()]

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Read the row of a line, with its conversation built again."""
        columns = dict.fromkeys(column["name"] for column in episode_columns()) | record
        episode = from_row(Episode, columns)
        conversation = messages(episode, columns["system_prompt"], reasoning=True)
        toolset = ToolSet(toolset_hash="", origin=columns["tools_origin"], tools=Json(columns["tools"]))
        return Row(place, record, conversation, function_tools(toolset))


@functools.cache
def episode_columns() -> tuple[Column, ...]:
    """Return the columns of the configuration ``episodes``."""
    stored = list(_readable_columns(to_columns(arrow_schema(Episode))))
    return (
        *stored,
        *({"name": name, "dtype": "string"} for name in ("system_prompt", "tools", "tools_origin")),
    )


def _readable_columns(columns: "Sequence[Column]") -> Iterator[Column]:
    """Yield the columns, on every level, that a scan can read."""
    for column in columns:
        if column["name"] not in UNREADABLE:
            inner = column.get("list")
            yield {**column, "list": list(_readable_columns(inner))} if isinstance(inner, list) else column


def _readable_row(row: dict[str, Any]) -> dict[str, Any]:
    turns = [{name: v for name, v in turn.items() if name not in UNREADABLE} for turn in row["turns"]]
    return {**{name: v for name, v in row.items() if name not in UNREADABLE}, "turns": turns}


def find_damage(bundle: EpisodeBundle) -> str | None:
    """Find the first text of an episode that should be JSON and is not, by its place; None where all are."""
    for field, text in _json_texts(bundle.episode):
        try:
            json.loads(text)
        except ValueError as error:
            return f"{field} is not JSON ({error})"
    return None


def _json_texts(record: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a record that the schema declares as JSON, with its place."""
    for name, kind in field_types(cast(type, type(record))).items():
        value, place = getattr(record, name), f"{field}.{name}" if field else name
        if kind is Json and value is not None:
            yield place, value
        elif isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            for number, part in enumerate(value):
                yield from _json_texts(part, f"{place}[{number}]")
