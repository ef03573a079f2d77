"""Google Drive: files, folders and shared drives, access to them, and comments on them."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.drive.access import ADMINISTRATORS
from eops_traj.gym.servers.drive.errors import DriveResponses

_CALLER = f"""
SELECT users.*, substr(email, instr(email, '@') + 1) AS domain, CASE
    WHEN EXISTS (SELECT 1 FROM group_memberships m JOIN groups g ON g.id = m.group_id
        WHERE m.user_id = users.id AND g.email LIKE '{ADMINISTRATORS}%') THEN 'admin'
    WHEN EXISTS (SELECT 1 FROM group_memberships m
        WHERE m.user_id = users.id AND m.role IN ('owner', 'manager')) THEN 'manager'
    ELSE 'employee' END AS role
FROM users WHERE auth_token = :value OR (:value IS NULL AND me) ORDER BY id LIMIT 1"""  # noqa: S608

SERVER = Server(
    name="drive",
    gym_name="gym-google-drive-mcp",
    port=8009,
    package=__name__,
    responses=DriveResponses(),
    identity=Identity("x-drive-access-token", _CALLER, required=False),
    converted_types=frozenset({"BOOLEAN", "JSON"}),
)
