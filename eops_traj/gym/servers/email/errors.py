"""How the Email server words its refusals: Google's error body, with the status named too."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.api_styles.google import GoogleEnvelope, GoogleRefusal, error
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.tool import Tool

_TAKEN = {
    "labels": "Label name exists or conflicts",
    "delegates": "Delegate already exists",
    "forwarding_addresses": "Forwarding address already exists",
    "send_as": "Send-as alias already exists",
    "cse_identities": "Client-side encryption identity already exists",
}


class EmailEnvelope(GoogleEnvelope):
    """Google's error body, with the mail service's sentences."""

    shows_status = True

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """The row that the call is about does not exist, or not in this mailbox."""
        return not_found()

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """The database refused the write."""
        table = message.rpartition(": ")[2].partition(".")[0]
        if message.startswith("UNIQUE") and table in _TAKEN:
            return error("ALREADY_EXISTS", _TAKEN[table])
        return super().constraint(tool, message, arguments)


def not_found() -> GoogleRefusal:
    """The refusal of an id that names nothing."""
    return error("NOT_FOUND", "Requested entity was not found.")
