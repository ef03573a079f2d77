"""Conversations for TRL's SFTTrainer: ``messages`` and ``tools``, arguments as dicts, nothing filled in."""

from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.base import ChatLines
from eops_traj.export.checks import Row
from eops_traj.export.conversations import acting
from eops_traj.messages import messages


class Sft(ChatLines):
    """One line a conversation: the id, task, domain and outcome of its episode, messages and tools.

    ``datasets`` would give every call the union of all arguments, null where a call has none. As ``json``
    columns, which the card declares, each message and each tool stays as it was written. A conversation with
    a call whose arguments could not be read is left out: loss is on all that the assistant says.
    """

    title = "TRL conversations"
    features = (
        {"name": "episode_id", "dtype": "string"},
        {"name": "task_id", "dtype": "string"},
        {"name": "domain", "dtype": "string"},
        {"name": "outcome", "dtype": "string"},
        {"name": "messages", "list": "json"},
        {"name": "tools", "list": "json"},
    )

    def conversations(self, bundle: EpisodeBundle) -> list[EpisodeBundle]:
        """Return the conversations of an episode in which somebody acts; there is one in most."""
        return acting(bundle)

    def record(self, bundle: EpisodeBundle) -> dict[str, Any]:
        """Return the line of a conversation, as the episode that has it alone."""
        episode = bundle.episode
        return {
            "episode_id": episode.episode_id,
            "task_id": episode.task_id,
            "domain": episode.domain,
            "outcome": episode.outcome,
            "messages": messages(episode, bundle.system_prompt, reasoning=self.reasoning),
            "tools": bundle.tools(),
        }

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds."""
        return Row(place, record, record["messages"], record["tools"])
