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
from eops_traj.interchange.episode_from_conversation import UNKNOWN, Told, diagnosed, foreign
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
        """The runs of the model's own tokens."""
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
        """It has the ids of a prompt and of a completion."""
        return "prompt_ids" in record and "completion_ids" in record

    def bare(self, record: Record) -> EpisodeBundle:
        """The episode of a row that is one alone."""
        return join_rows([record])

    def read(self, path: Path) -> "list[EpisodeBundle]":
        """The episodes of one file. Raises FormatError naming the line and what is wrong with it."""
        found = list(records(path))
        for place, record in found:
            self.at(place, record)
        parts = groupby(enumerate(record for _, record in found), _whose)
        return [scrub(join_rows([record for _, record in part])) for _, part in parts]


def _whose(numbered: tuple[int, Record]) -> str | int:
    """The episode that a row names; one that names none is one of its own."""
    number, row = numbered
    named = row.get("episode_id")
    return named if isinstance(named, str) else number


def join_rows(rows: Sequence[Record]) -> EpisodeBundle:
    """The episode of its rows. Raises pydantic's ValidationError for a row that is none."""
    found = [_Row.model_validate(row) for row in rows]
    said = Conversation()
    for row in found:
        for turn in row.turns():
            said.reply(turn)
    if not said.turns:
        raise FormatError("no token of it is a model's")
    first = found[0]
    details = {"rows": [row.model_extra for row in found if row.model_extra], "episode_id": first.episode_id}
    told = Told("token_ids", list(rows), model=first.model or UNKNOWN, details=details, task_id=first.task_id)
    return diagnosed(foreign(said, told))
