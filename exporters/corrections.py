"""Calls that a reader would have made otherwise: the better call, and the reply that was made."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import InputError
from eops_traj.export.base import JsonLines
from eops_traj.export.checks import CHECKS, Check, CheckedRow, Row
from eops_traj.export.decisions import Decision, decisions, prefix_hash, shown_as_made
from eops_traj.export.plan_checks import EVERY_ROW
from eops_traj.export.row_masks import ReplyMask
from eops_traj.export.step_pairs import one_decision
from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.review.labels import better_call, latest
from eops_traj.schema import Episode, Label

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class Corrections(JsonLines):
    """One line a correction: the conversation up to a turn, the call that a reader named, and what was done.

    Who the reader was stays in the store.
    """

    title = "Calls that readers corrected"
    imitates = False
    features = (
        {"name": "task_id", "dtype": "string"},
        {"name": "task_hash", "dtype": "string"},
        {"name": "domain", "dtype": "string"},
        {"name": "episode_ids", "list": "string"},
        {"name": "turns", "list": "int64"},
        {"name": "prefix_hash", "dtype": "string"},
        {"name": "rejected_outcome", "dtype": "string"},
        {"name": "prompt", "list": "json"},
        {"name": "chosen", "list": "json"},
        {"name": "rejected", "list": "json"},
        {"name": "tools", "list": "json"},
    )

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the corrections of each episode. Raises InputError where no reader named a better call."""
        self._decisions: dict[tuple[str, int], Decision] = {}
        ids: list[str] = []

        def records() -> Iterator[dict[str, Any]]:
            for bundle in bundles:
                self.counts["episodes"] += 1
                for record in self._records(bundle):
                    ids.append(bundle.episode.episode_id)
                    yield record

        self.write_lines(records(), folder)
        if not ids:
            raise InputError(
                f"of {self.counts['episodes']} episodes none has a turn for which a reader named a better"
                " call; `eops-traj view --review NAME` takes them in"
            )
        self.counts["corrections"] = len(ids)
        return ids

    def _records(self, bundle: EpisodeBundle) -> Iterator[dict[str, Any]]:
        """Yield a row for each call that another was named for, two readers' same call once."""
        found = decisions(bundle, reasoning=self.reasoning)
        made = {one.turn: one for one in shown_as_made(found, self.counts)}
        done: set[str] = set()
        for label in latest(bundle.labels):
            decision, chosen = made.get(label.turn if label.turn is not None else -1), _reply(label)
            if decision is None or chosen is None:
                continue
            key = digest(label.turn, chosen["tool_calls"][0]["function"])
            if key in done or digest([chosen["tool_calls"][0]["function"]]) == decision.did:
                continue
            done.add(key)
            self._decisions[bundle.episode.episode_id, decision.turn] = decision
            yield _record(bundle, decision, chosen)

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every correction."""
        own: dict[str, Check] = {
            "same_prefix": self.same_prefix,
            "rejected_as_made": self.rejected_as_made,
            "one_decision": one_decision,
        }
        return {**own, **{name: CHECKS[name] for name in EVERY_ROW}}

    def same_prefix(self, checked: CheckedRow) -> str | None:
        """The conversation before the reply is the row's, to the letter but for the ids of calls."""
        record = checked.as_read.record
        actual = prefix_hash(record["prompt"], record["tools"])
        wanted = self._decision(checked).prefix_hash
        return None if actual == record["prefix_hash"] == wanted else f"its prompt has the hash {actual}"

    def rejected_as_made(self, checked: CheckedRow) -> str | None:
        """What is rejected comes back from the row as the episode has it, every argument included."""
        made = digest([self._decision(checked).reply])
        return (
            None if digest(checked.as_read.record["rejected"]) == made else "it is not what the episode has"
        )

    def _decision(self, checked: CheckedRow) -> Decision:
        record = checked.row.record
        return self._decisions[record["episode_ids"][0], record["turns"][0]]

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds; its conversation is the prompt with the chosen reply."""
        return Row(place, record, [*record["prompt"], *record["chosen"]], record["tools"])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return no call: a row holds no whole episode; what it rejects is checked by itself."""
        return []

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> ReplyMask:
        """Return the mask with loss on the reply, calls included."""
        return ReplyMask.of(tokenizer, name, plain=False)


def _reply(label: Label) -> Message | None:
    """Return the reply that makes the call a reader named; None where none is named."""
    call = better_call(label)
    if call is None:
        return None
    function = {"name": call[0], "arguments": call[1]}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
    }


def _record(bundle: EpisodeBundle, decision: Decision, chosen: Message) -> dict[str, Any]:
    episode = bundle.episode
    return {
        "task_id": episode.task_id,
        "task_hash": episode.task_hash,
        "domain": episode.domain,
        "episode_ids": [episode.episode_id],
        "turns": [decision.turn],
        "prefix_hash": decision.prefix_hash,
        "rejected_outcome": episode.outcome,
        "prompt": list(decision.prompt),
        "chosen": [chosen],
        "rejected": [decision.reply],
        "tools": bundle.tools(),
    }
