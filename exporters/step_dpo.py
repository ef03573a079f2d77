"""Pairs of single decisions: where siblings part, that of the one that ended well, and the other's."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, PositiveInt

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines, Options
from eops_traj.export.checks import Check, Row
from eops_traj.export.decisions import Decision, decisions, shown_as_made
from eops_traj.export.row_masks import ReplyMask
from eops_traj.export.step_pairs import Pairing, Require, Siblings, StepChecks, StepPair, pair_key
from eops_traj.export.unread_calls import UNREAD_DECISIONS
from eops_traj.schema import Episode

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class StepDpoOptions(Options):
    """The pairs to make."""

    max_pairs: PositiveInt = Field(4, description="The most pairs of a task.")
    siblings: Siblings = Field("any", description="Any attempts at a task, those of one agent, or branches.")
    require: Require = Field(
        "decisive",
        description="Rejected decisions: those that ended the episode, were refused, or changed what the good"
        " sibling did not; or any.",
    )
    defective_tasks: bool = Field(False, description="Whether episodes of defective tasks are used too.")


class StepDpo(JsonLines):
    """One line a pair: the conversation up to a decision, and two replies to it, one message each.

    Several turns in a reply would put tool results into the loss, since DPO masks nothing inside it. Episodes
    whose changes were not recorded are left out: their states are unknown. So are decisions at or after a
    call whose arguments could not be read: the conversation cannot be shown as it was. The others are in
    memory until all are read.
    """

    title = "Pairs of single decisions"
    imitates = False
    takes = StepDpoOptions
    options: StepDpoOptions
    features = (
        {"name": "task_id", "dtype": "string"},
        {"name": "task_hash", "dtype": "string"},
        {"name": "domain", "dtype": "string"},
        {"name": "episode_ids", "list": "string"},
        {"name": "turns", "list": "int64"},
        {"name": "prefix_hash", "dtype": "string"},
        {"name": "state_hash", "dtype": "string"},
        {"name": "chosen_outcome", "dtype": "string"},
        {"name": "rejected_outcome", "dtype": "string"},
        {"name": "prompt", "list": "json"},
        {"name": "chosen", "list": "json"},
        {"name": "rejected", "list": "json"},
        {"name": "tools", "list": "json"},
    )

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format."""
        super().__init__(options, reasoning=reasoning)
        self._written: dict[tuple[Any, ...], StepPair] = {}

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the pairs, task by task. Raises InputError where there is none."""
        by_task: dict[str, list[Decision]] = defaultdict(list)
        tools: dict[str, list[dict[str, Any]]] = {}
        for bundle in filter(self._usable, bundles):
            made = decisions(bundle, reasoning=self.reasoning)
            by_task[bundle.episode.task_hash] += shown_as_made(made, self.counts)
            tools[bundle.toolset.toolset_hash] = bundle.tools()
        pairing = Pairing(self.options.siblings, self.options.require, self.options.max_pairs)
        pairs = [pair for task in by_task.values() for pair in pairing.pairs(task)]
        if not pairs:
            raise InputError(f"no pair of decisions to make: {self._shortage(len(by_task))}")
        self.counts["pairs of decisions"] = len(pairs)
        self.write_lines((self._record(pair, tools) for pair in pairs), folder)
        return [pair.chosen.episode.episode_id for pair in pairs]

    def _usable(self, bundle: EpisodeBundle) -> bool:
        """Check whether an episode can be of use, and count it."""
        episode = bundle.episode
        why = "episodes used"
        if episode.outcome == "error":
            why = "episodes that ended in error"
        elif episode.task_defect and not self.options.defective_tasks:
            why = "episodes of defective tasks"
        elif episode.changeset is None:
            why = "episodes whose changes were not recorded"
        self.counts.update(["episodes", why])
        return why == "episodes used"

    def _shortage(self, tasks: int) -> str:
        """Describe why there may be no pair."""
        unread = self.counts[UNREAD_DECISIONS]
        left = f"; {unread} {UNREAD_DECISIONS}" if unread else ""
        return (
            f"of {self.counts['episodes used']} episodes of {tasks} tasks no two came to the same place and"
            f" parted there, the one to end well, the other badly (siblings={self.options.siblings},"
            f" require={self.options.require}){left}"
        )

    def _record(self, pair: StepPair, tools: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
        chosen, rejected = pair
        episode = chosen.episode
        record = {
            "task_id": episode.task_id,
            "task_hash": episode.task_hash,
            "domain": episode.domain,
            "episode_ids": [episode.episode_id, rejected.episode.episode_id],
            "turns": [chosen.turn, rejected.turn],
            "prefix_hash": chosen.prefix_hash,
            "state_hash": chosen.state_hash,
            "chosen_outcome": episode.outcome,
            "rejected_outcome": rejected.episode.outcome,
            "prompt": list(chosen.prompt),
            "chosen": [chosen.reply],
            "rejected": [rejected.reply],
            "tools": tools[episode.toolset_hash],
        }
        self._written[pair_key(record)] = pair
        return record

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every pair."""
        return StepChecks(self._written).all()

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds; its conversation is the prompt with the chosen reply."""
        return Row(place, record, [*record["prompt"], *record["chosen"]], record["tools"])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return no call: a row holds no whole episode; its own calls are checked with the replies."""
        return []

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> ReplyMask:
        """Return the mask with loss on the reply, calls included."""
        return ReplyMask.of(tokenizer, name, plain=False)
