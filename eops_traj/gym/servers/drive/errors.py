"""The refusals of the Drive server."""

from typing import Any

from eops_traj.gym.api_styles.google import GoogleRefusal, GoogleResponses, error
from eops_traj.gym.tools.errors import Refusal
from eops_traj.gym.tools.tool import Tool

_RESOURCE_NAMES = {
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


class DriveResponses(GoogleResponses):
    """Google's error body, with Drive's sentence for what does not exist."""

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Return the refusal of a call about a row that does not exist."""
        return not_found(argument, value)


def not_found(argument: str, value: Any) -> GoogleRefusal:
    """Return the refusal of an id that names nothing, or nothing that the caller may see."""
    return error(
        "NOT_FOUND", f"{_RESOURCE_NAMES.get(argument, 'Resource')} not found: {value}.", location=argument
    )
