"""What the formats for planners have in common: a prompt that asks for a plan, and plans that are proven.

::

    {"task_id", "task_hashes", "domain", "episode_ids", ...,
     "prompt": [system, user], "completion": [assistant]}

``prompt`` and replies are chat messages, as TRL reads them; each reply is the text of one plan.
"""

import functools
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines, Options
from eops_traj.export.checks import Check
from eops_traj.export.plan_checks import PlanChecks
from eops_traj.export.row_masks import REPLIES, ReplyMask
from eops_traj.export.rows import Row
from eops_traj.messages import Message
from eops_traj.planner.plan_dataset import Asked, Planned, Prover
from eops_traj.planner.prompt import Shown, planner_messages
from eops_traj.schema import Episode

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class PlannerOptions(Shown, Options):
    """What the planner is shown, in what form the plans are, and where the seeds of the tasks are."""

    reasons: bool = Field(
        True, description="Whether steps keep their reasons; a plan without them is a third shorter."
    )
    prune: bool = Field(
        True, description="Whether plans read off episodes lose the calls that their outcome does not need."
    )
    seeds: Path | None = Field(
        None, exclude=True, description="The folder that seed files are named from, where tasks have any."
    )

    @field_validator("prompt")
    @classmethod
    def _known(cls, prompt: str) -> str:
        planner_messages("", "", (), Shown(prompt=prompt))
        return prompt

    @property
    def shown(self) -> Shown:
        """What the planner is shown."""
        return Shown(**{name: getattr(self, name) for name in Shown.model_fields})

    def recorded(self) -> dict[str, Any]:
        """The options, those of `Shown` under ``shown``: training evaluates with the same."""
        others = self.model_dump(mode="json", exclude=set(Shown.model_fields))
        return {"shown": self.shown.model_dump(mode="json"), **others}


class PlannerRows(JsonLines):
    """Formats whose rows ask for a plan."""

    keeps_reasoning = False
    takes: ClassVar[type[Options]] = PlannerOptions
    options: PlannerOptions
    rows: ClassVar[str]
    """What rows of this kind are called."""

    @abstractmethod
    def records(self, asked: Asked) -> Iterator[dict[str, Any]]:
        """The rows of a prompt."""

    def lacking(self, records: Sequence[dict[str, Any]]) -> str | None:
        """What the rows lack to be trained on; None where they lack nothing."""
        return None if records else self.rows

    def _look(self, sample: EpisodeBundle, planned: Planned) -> None:
        """Add what an episode has to tell, or count why it has nothing."""
        self.counts["episodes"] += 1
        if sample.episode.outcome == "error":
            self.counts["episodes that ended in error"] += 1
            return
        try:
            self.prover.meet(sample)
        except InputError as error:
            self.counts[f"episodes whose task cannot be opened: {error}"] += 1
        else:
            self.add(sample, planned)

    def kind(self, record: dict[str, Any]) -> str:
        """What rows are counted by; nothing for rows of one kind."""
        return ""

    def add(self, sample: EpisodeBundle, planned: Planned) -> None:
        """Add what an episode has to tell."""
        planned.add(sample)

    @functools.cached_property
    def prover(self) -> Prover:
        """Where plans are run, for writing and for the checks."""
        return Prover(self.options.seeds)

    def prompts(self, planned: Planned) -> list[Asked]:
        """The prompts with the plans that rows are made of."""
        return list(planned.asked())

    def checks(self) -> Mapping[str, Check]:
        """What every row is checked for: its plans by execution, above all."""
        return PlanChecks(self.prover).of([column["name"] for column in self.features or ()])

    def write(self, samples: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the rows, prompt by prompt, in the order in which they come."""
        options = self.options
        planned = Planned(options.shown, self.prover, self.counts, options.reasons, options.prune)
        for sample in samples:
            self._look(sample, planned)
        prompts = self.prompts(planned)
        records = [record for asked in prompts for record in self.records(asked)]
        if lacking := self.lacking(records):
            raise InputError(f"no {lacking} to make: {_tally(prompts)} ({_told(self.counts)})")
        self.counts[self.rows] = len(records)
        self.counts.update(f"{self.rows}, {kind}" for kind in map(self.kind, records) if kind)
        self.write_lines(records, folder)
        return [record["episode_ids"][0] for record in records]

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """The row that a line holds; its conversation is the prompt with the first of its replies."""
        replies: list[list[Message]] = [record[side] for side in REPLIES if side in record]
        return Row(place, record, [*record["prompt"], *(replies[0] if replies else [])], [])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """A plan is text: there is no call in its row."""
        return []

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> ReplyMask:
        """Loss on the text of the plan."""
        return ReplyMask.of(tokenizer, name)


def _tally(prompts: Sequence[Asked]) -> str:
    """What there is of prompts and plans, where it is not enough."""
    passing, failing = sum(bool(a.passed()) for a in prompts), sum(bool(a.failed()) for a in prompts)
    both = sum(bool(a.passed() and a.failed()) for a in prompts)
    return (
        f"of {len(prompts)} prompts {passing} have a plan that is proven to pass, {failing} one that is"
        f" proven to fail, {both} both"
    )


def _told(counts: Mapping[str, int]) -> str:
    """What became of the episodes, in words."""
    return ", ".join(f"{n} {what}" for what, n in counts.items())


def reply(text: str) -> list[Message]:
    """A plan as the assistant's message."""
    return [{"role": "assistant", "content": text}]


def about(asked: Asked, episodes: Iterable[str]) -> dict[str, Any]:
    """The columns that say where a row is from; ``task_id`` is the first of the prompt's tasks."""
    task = next(iter(asked.tasks.values()))
    return {
        "task_id": task.task_id,
        "task_hashes": list(asked.tasks),
        "domain": task.domain,
        "episode_ids": list(dict.fromkeys(episodes)),
    }


def text_column(name: str) -> dict[str, Any]:
    """A column of text, as a card declares it."""
    return {"name": name, "dtype": "string"}


def message_column(name: str) -> dict[str, Any]:
    """A column of messages that are text alone."""
    return {"name": name, "list": [text_column("role"), text_column("content")]}


ABOUT: tuple[dict[str, Any], ...] = (
    text_column("task_id"),
    {"name": "task_hashes", "list": "string"},
    text_column("domain"),
    {"name": "episode_ids", "list": "string"},
)
"""The columns of :func:`about`."""
