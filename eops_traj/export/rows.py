"""A row of an export, as it is read back from the files."""

from dataclasses import dataclass
from typing import Any

from eops_traj.messages import Message


@dataclass(frozen=True)
class Row:
    """One row as the files of a format give it back; ``messages`` is the conversation that it holds."""

    place: str
    record: Any
    messages: list[Message]
    tools: list[dict[str, Any]]
