"""Team drives: what shared drives were called before. Their tools do the same under older names."""

from eops_traj.gym.api_styles.google import listing
from eops_traj.gym.servers.drive import access, drives
from eops_traj.gym.servers.drive.resources import Resource, drive_resource
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_NAMES = {
    "canRenameDrive": "canRenameTeamDrive",
    "canChangeDriveBackground": "canChangeTeamDriveBackground",
    "canDeleteDrive": "canDeleteTeamDrive",
    "driveMembersOnly": "teamMembersOnly",
}
"""What is called otherwise in a team drive."""


@tool
def create_teamdrives(call: Call) -> Resource:
    """(requestId! = request_id, name!, colorRgb = color_rgb, themeId = theme_id,
      backgroundImageLink = background_image_link, hidden) -> row of drives

    Open a shared drive by its old name, team drive.
      name: {minLength: null}
    @closed
    @allow admin, manager
    """
    return _team_drive(drives.create(call))


@tool
def get_teamdrives(call: Call) -> Resource:
    """(teamDriveId! = drives.id) -> row of drives

    One shared drive by its old name, team drive.
    @closed
    """
    return _team_drive(access.open_drive(call, location="teamDriveId"))


@tool
def list_teamdrives(call: Call) -> Resource:
    """(pageSize, pageToken, q) -> rows of drives

    Your shared drives by their old name, team drives.
      pageSize: How many to show at most. {minimum: null, maximum: null, default: 10}
      q: A query over name, createdTime, hidden, memberCount, organizerCount and orgUnitId.
        {type: string, examples: ["name contains 'Project'"]}
    @closed
    """
    rows = drives.visible(call)
    return listing(call, "drive#teamDriveList", "teamDrives", rows, _team_drive)


@tool
def update_teamdrive(call: Call) -> Resource:
    """(team_drive_id! = drives.id, name, color_rgb, theme_id, background_image_file, use_domain_admin_access)
      -> row of drives

    Change the name or the looks of a shared drive by its old name, team drive. It takes an organizer.
      team_drive_id: Id of the shared drive. {type: string, minLength: 1}
      color_rgb: {pattern: "^#[0-9A-Fa-f]{6}$"}
      background_image_file: An image in Drive for the background, and the part of it that is shown.
        {type: object, required: [id, x_coordinate, y_coordinate, width], properties: {id: {type: string},
        x_coordinate: {type: number, minimum: 0, maximum: 1}, y_coordinate: {type: number, minimum: 0,
        maximum: 1}, width: {type: number, minimum: 0, maximum: 1}}}
      use_domain_admin_access: Whether to act as an administrator of the domain.
        {type: boolean, default: false}
    @closed
    """
    drive = access.open_drive(call, "organizer", location="team_drive_id")
    return _team_drive(drives.update(call, drive, drives.background(call, "background_image_file")))


@tool
def delete_teamdrives(call: Call) -> bool:
    """(teamDriveId! = drives.id) -> done of drives

    Remove a shared drive for good by its old name, team drive. Nothing may lie in it outside the trash.
    @closed
    @allow admin
    """
    return drives.delete(call, access.open_drive(call, "organizer", location="teamDriveId"), False)


def _team_drive(row: Row) -> Resource:
    """Return a shared drive as a team drive, which cannot be hidden."""
    drive = drive_resource(row, "drive#teamDrive")
    renamed = {
        group: {_NAMES.get(name, name): value for name, value in drive[group].items()}
        for group in ("capabilities", "restrictions")
    }
    return {name: value for name, value in drive.items() if name != "hidden"} | renamed
