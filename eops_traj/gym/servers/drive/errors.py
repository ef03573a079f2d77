"""How the Drive server words its refusals."""

from typing import Any

from eops_traj.gym.api_styles.google import GoogleEnvelope, GoogleRefusal, error
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.tool import Tool

_THINGS = {
    "fileId": "File",
    "commentId": "Comment",
    "replyId": "Reply",
    "revisionId": "Revision",
    "permissionId": "Permission",
    "proposalId": "Access proposal",
    "driveId": "Shared drive",
    "teamDriveId": "Shared drive",
    "team_drive_id": "Shared drive",
    "labelId": "Label",
    "appId": "App",
}


class DriveEnvelope(GoogleEnvelope):
    """Google's error body, with Drive's sentence for what does not exist."""

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """The row that the call is about does not exist."""
        return not_found(argument, value)


def not_found(argument: str, value: Any) -> GoogleRefusal:
    """The refusal of an id that names nothing, or nothing that the caller may see."""
    return error("NOT_FOUND", f"{_THINGS.get(argument, 'Resource')} not found: {value}.", location=argument)
