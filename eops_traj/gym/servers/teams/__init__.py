"""Teams: people, chats, teams, channels, groups, calls, webinars and town halls, as in Microsoft Graph.

Its quirks (``gym serve --quirk NAME``, ``open_session(..., quirks=[...])``):

- ``townhall_reply``  a new town hall is written, and the reply is an error all the same
- ``empty_team``  a new team has no channels, not even those that the call names
"""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.teams.errors import TeamsResponses

_CALLER = """
SELECT u.*, o.tenant_id, o.domain_name, r.role,
    json_object('application', NULL, 'device', NULL, 'user', json_object(
    'id', u.user_id, 'displayName', u.display_name, 'userIdentityType', 'aadUser')) AS sender
FROM teams_users u JOIN teams_orgs o USING (org_id) JOIN user_role r USING (org_id, user_id)
WHERE (u.static_token = :value OR u.user_principal_name = :value OR :value IS NULL)
    AND u.account_enabled AND NOT u.soft_deleted
ORDER BY r.role = 'admin' DESC, u.rowid LIMIT 1
"""
"""By token or principal name; without one, the first Global Administrator, for whom the real tasks act."""

SERVER = Server(
    name="teams",
    gym_name="gym-teams-mcp",
    port=8002,
    package=__name__,
    responses=TeamsResponses(),
    identity=Identity("x-teams-access-token", _CALLER, required=False),
    time_format="%Y-%m-%dT%H:%M:%S.%fZ",
    converted_types=frozenset({"BOOLEAN", "JSON"}),
    known_quirks=("empty_team", "townhall_reply"),
)
