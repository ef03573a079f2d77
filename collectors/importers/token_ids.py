"""Episodes from token-id rows: the turns as ids alone, since without their tokenizer they have no words.

A turn is a run of tokens that the mask gives to the model; its prompt is all that stands before. Rows that
follow each other and name one episode are its parts.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, ConfigDict, model_validator

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.conversation import Conversation
from eops_traj.interchange.episode_from_conversation import (
    UNKNOWN,
    ForeignRecord,
    foreign_episode,
    with_failure_modes,
)
from eops_traj.interchange.reader import Reader, Record, records
from eops_traj.privacy.redact import scrub
from eops_traj.schema import Turn


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow")
    episode_id: str | None = None
    task_id: str | None = None
    model: str | None = None
    prompt_ids: list[int]
    completion_ids: list[int]
    mask: list[int]
    logprobs: list[float] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "_Row":
        for name, values in (("mask", self.mask), ("logprobs", self.logprobs)):
            if values is not None and len(values) != len(self.completion_ids):
                raise ValueError(f"{len(self.completion_ids)} completion_ids, but {len(values)} in {name}")
        return self

    def turns(self) -> list[Turn]:
        """Return the model's turns: the runs of its own tokens."""
        ids, turns = (*self.prompt_ids, *self.completion_ids), []
        begin = len(self.prompt_ids)
        for ours, run in groupby(self.mask):
            end = begin + len(list(run))
            if ours:
                turns.append(self._turn(ids, begin, end))
            begin = end
        return turns

    def _turn(self, ids: tuple[int, ...], begin: int, end: int) -> Turn:
        before = len(self.prompt_ids)
        logprobs = None if self.logprobs is None else tuple(self.logprobs[begin - before : end - before])
        return Turn(text="", prompt_token_ids=ids[:begin], token_ids=ids[begin:end], logprobs=logprobs)


class TokenIdsReader(Reader):
    """Reads token-id rows."""

    name = "token_ids"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has the ids of a prompt and of a completion."""
        return "prompt_ids" in record and "completion_ids" in record

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a row that is one alone."""
        return join_rows([record])

    def read(self, path: Path) -> "list[EpisodeBundle]":
        """Read the episodes of one file. Raises FormatError naming the line and what is wrong with it."""
        numbered = list(records(path))
        for place, record in numbered:
            self.at(place, record)
        parts = groupby(enumerate(record for _, record in numbered), _episode_key)
        return [scrub(join_rows([record for _, record in part])) for _, part in parts]


def _episode_key(numbered: tuple[int, Record]) -> str | int:
    """Return the episode that a row names; a row that names none is one of its own."""
    number, row = numbered
    episode_id = row.get("episode_id")
    return episode_id if isinstance(episode_id, str) else number


def join_rows(rows: Sequence[Record]) -> EpisodeBundle:
    """Join the rows of an episode. Raises pydantic's ValidationError for a row that is none."""
    parts = [_Row.model_validate(row) for row in rows]
    conversation = Conversation()
    for row in parts:
        for turn in row.turns():
            conversation.reply(turn)
    if not conversation.turns:
        raise FormatError("no token of it is a model's")
    first = parts[0]
    details = {"rows": [row.model_extra for row in parts if row.model_extra], "episode_id": first.episode_id}
    foreign_record = ForeignRecord(
        "token_ids", list(rows), model=first.model or UNKNOWN, details=details, task_id=first.task_id
    )
    return with_failure_modes(foreign_episode(conversation, foreign_record))
