"""The refusals of the Email server: Google's error body, with the status named too."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.api_styles.google import GoogleRefusal, GoogleResponses, error
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.tool import Tool

_DUPLICATES = {
    "labels": "Label name exists or conflicts",
    "delegates": "Delegate already exists",
    "forwarding_addresses": "Forwarding address already exists",
    "send_as_aliases": "Send-as alias already exists",
    "cse_identities": "Client-side encryption identity already exists",
}


class EmailResponses(GoogleResponses):
    """Google's error body, with the mail service's sentences."""

    shows_status = True

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Return the refusal of a call about a row that does not exist, or not in this mailbox."""
        return not_found()

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """Return the refusal of a write that the database refused."""
        table = message.rpartition(": ")[2].partition(".")[0]
        if message.startswith("UNIQUE") and table in _DUPLICATES:
            return error("ALREADY_EXISTS", _DUPLICATES[table])
        return super().constraint(tool, message, arguments)


def not_found() -> GoogleRefusal:
    """Return the refusal of an id that names nothing."""
    return error("NOT_FOUND", "Requested entity was not found.")
