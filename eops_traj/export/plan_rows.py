"""The common part of the formats for planners: a prompt that asks for a plan, and plans that are proven.

::

    {"task_id", "task_hashes", "domain", "episode_ids", ...,
     "prompt": [system, user], "completion": [assistant]}

``prompt`` and replies are chat messages, as TRL reads them; each reply is the text of one plan.
"""

import functools
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines, Options
from eops_traj.export.checks import Check, Row
from eops_traj.export.plan_checks import PlanChecks, content_hash
from eops_traj.export.row_masks import REPLIES, ReplyMask
from eops_traj.messages import Message
from eops_traj.planner.plan_dataset import PlanDataset, PlanPrompt, Proofs
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.plan_origin import is_reactive
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.schema import Episode
from eops_traj.workers.engine import HERE

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


Bundles = list[EpisodeBundle]
TOGETHER = 8
"""Episodes whose plans a worker proves at once: those of one task often follow one another."""


class PlannerOptions(PlannerView, Options):
    """The planner's view, the form of the plans, and the folder of the tasks' seeds."""

    reasons: bool = Field(
        True, description="Whether steps keep their reasons; a plan without them is a third shorter."
    )
    prune: bool = Field(
        True, description="Whether plans read off episodes lose the calls that their outcome does not need."
    )
    seeds: Path | None = Field(
        None, exclude=True, description="The folder that seed files are named from, where tasks have any."
    )

    defective_tasks: bool = Field(False, description="Whether episodes of defective tasks are used too.")

    @field_validator("prompt")
    @classmethod
    def _known(cls, prompt: str) -> str:
        planner_messages("", "", (), PlannerView(prompt=prompt))
        return prompt

    @property
    def view(self) -> PlannerView:
        """The part of policy and tools that the planner is shown."""
        return PlannerView(**{name: getattr(self, name) for name in PlannerView.model_fields})

    def recorded(self) -> dict[str, Any]:
        """Return the options, those of `PlannerView` under ``shown``: training evaluates with the same."""
        others = self.model_dump(mode="json", exclude=set(PlannerView.model_fields))
        return {"shown": self.view.model_dump(mode="json"), **others}


class PlannerRows(JsonLines):
    """Formats whose rows ask for a plan."""

    imitates = False  # no row is an episode as it stands: each plan is run and proven
    keeps_reasoning = False
    takes: ClassVar[type[Options]] = PlannerOptions
    options: PlannerOptions
    rows: ClassVar[str]
    """The name of rows of this kind."""

    @abstractmethod
    def records(self, prompt: PlanPrompt) -> Iterator[dict[str, Any]]:
        """Yield the rows of a prompt."""

    def lacking(self, records: Sequence[dict[str, Any]]) -> str | None:
        """Return what the rows lack to be trained on; None where they lack nothing."""
        return None if records else self.rows

    def _dataset(self) -> PlanDataset:
        options = self.options
        return PlanDataset(options.view, self.evaluator, self.counts, options.reasons, options.prune)

    def _add_all(self, bundles: Iterable[EpisodeBundle], dataset: PlanDataset) -> None:
        """Add what is of use in episodes, in their order; the engine's workers prove it ahead."""
        left = iter(bundles)
        for batch, proofs in self._proven(iter(lambda: list(islice(left, TOGETHER)), [])):
            if proofs is not None:
                dataset.learn(proofs)
            for bundle in batch:
                self._add_or_count(bundle, dataset)

    def _proven(self, batches: Iterator[Bundles]) -> Iterator[tuple[Bundles, Proofs | None]]:
        """Yield batches with their proofs, where others than this process make them."""
        if self.engine == HERE:
            return ((batch, None) for batch in batches)
        work = partial(prove, format=type(self), options=self.options)
        batches, ahead = tee(batches)
        return zip(batches, self.engine.map(work, ahead), strict=True)

    def proofs_of(self, bundles: Iterable[EpisodeBundle]) -> Proofs:
        """Return what adding these episodes proves."""
        dataset = self._dataset()
        for bundle in bundles:
            self._add_or_count(bundle, dataset)
        return dataset.proofs()

    def _add_or_count(self, bundle: EpisodeBundle, dataset: PlanDataset) -> None:
        """Add what is of use in an episode, or count why nothing is."""
        self.counts["episodes"] += 1
        if is_reactive(bundle.episode):
            self.counts["episodes of work that no plan can do"] += 1
            return
        if bundle.episode.outcome == "error":
            self.counts["episodes that ended in error"] += 1
            return
        if bundle.episode.task_defect and not self.options.defective_tasks:
            self.counts["episodes of defective tasks"] += 1
            return
        try:
            self.evaluator.add_task(bundle)
        except InputError as error:
            self.counts[f"episodes whose task cannot be opened: {error}"] += 1
        else:
            self.add(bundle, dataset)

    def kind(self, record: dict[str, Any]) -> str:
        """Return the kind by which a row is counted: its plan's outcome; empty where it has no plan."""
        return str(record.get("outcome", ""))

    def add(self, bundle: EpisodeBundle, dataset: PlanDataset) -> None:
        """Add what is of use in an episode."""
        dataset.add(bundle)

    @functools.cached_property
    def evaluator(self) -> PlanEvaluator:
        """The evaluator of plans, for writing and for the checks."""
        return PlanEvaluator(self.options.seeds, self.options.view)

    def prompts(self, dataset: PlanDataset) -> list[PlanPrompt]:
        """Return the prompts with the plans that rows are made of."""
        return list(dataset.prompts())

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every row: its plans by execution, above all."""
        return PlanChecks(self.evaluator).of([column["name"] for column in self.features or ()])

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the rows, prompt by prompt, in the order of the prompts."""
        dataset = self._dataset()
        self._add_all(bundles, dataset)
        prompts = self.prompts(dataset)
        records = self._distinct(record for prompt in prompts for record in self.records(prompt))
        if lacking := self.lacking(records):
            episodes = ", ".join(f"{n} {what}" for what, n in self.counts.items())
            raise InputError(f"no {lacking} to make: {_prompt_counts(prompts)} ({episodes})")
        self.counts[self.rows] = len(records)
        self.counts.update(f"{self.rows}, {kind}" for kind in map(self.kind, records) if kind)
        self.write_lines(records, folder)
        return [record["episode_ids"][0] for record in records]

    def _distinct(self, records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Leave out what says the same as a row before it, as requests do whose values are not shown."""
        kept: dict[str, dict[str, Any]] = {}
        for record in records:
            if kept.setdefault(content_hash(record), record) is not record:
                self.counts[f"{self.rows} that say what one before says"] += 1
        return list(kept.values())

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds; its conversation is the prompt with the first of its replies."""
        replies: list[list[Message]] = [record[side] for side in REPLIES if side in record]
        return Row(place, record, [*record["prompt"], *(replies[0] if replies else [])], [])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return no call: a plan is text, so there is none in its row."""
        return []

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> ReplyMask:
        """Return the mask with loss on the text of the plan."""
        return ReplyMask.of(tokenizer, name)


def prove(bundles: Sequence[EpisodeBundle], format: type[PlannerRows], options: PlannerOptions) -> Proofs:
    """Return what adding these episodes to a format's rows proves."""
    return format(options).proofs_of(bundles)


def _prompt_counts(prompts: Sequence[PlanPrompt]) -> str:
    """Describe how many prompts have plans, where they are not enough."""
    passing, failing = sum(bool(p.passed()) for p in prompts), sum(bool(p.failed()) for p in prompts)
    both = sum(bool(p.passed() and p.failed()) for p in prompts)
    return (
        f"of {len(prompts)} prompts {passing} have a plan that is proven to pass, {failing} one that is"
        f" proven to fail, {both} both"
    )


def reply_messages(text: str) -> list[Message]:
    """Return a plan as the assistant's message."""
    return [{"role": "assistant", "content": text}]


def origin_columns(prompt: PlanPrompt, episodes: Iterable[str]) -> dict[str, Any]:
    """Return the columns of a row's origin; ``task_id`` is the first of the prompt's tasks."""
    task = next(iter(prompt.tasks.values()))
    return {
        "task_id": task.task_id,
        "task_hashes": list(prompt.tasks),
        "domain": task.domain,
        "episode_ids": list(dict.fromkeys(episodes)),
    }


def text_column(name: str) -> dict[str, Any]:
    """Return a column of text, as a card declares it."""
    return {"name": name, "dtype": "string"}


def message_column(name: str) -> dict[str, Any]:
    """Return a column of messages that are text alone."""
    return {"name": name, "list": [text_column("role"), text_column("content")]}


ABOUT: tuple[dict[str, Any], ...] = (
    text_column("task_id"),
    {"name": "task_hashes", "list": "string"},
    text_column("domain"),
    {"name": "episode_ids", "list": "string"},
)
"""The columns of :func:`origin_columns`."""
