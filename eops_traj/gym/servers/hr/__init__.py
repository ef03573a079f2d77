"""HR service delivery: employees, cases and their tasks, services, knowledge and notifications."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.hr.errors import HrResponses

SERVER = Server(
    name="hr",
    gym_name="sn-hr-internal",
    port=8008,
    package=__name__,
    responses=HrResponses(),
    identity=Identity(
        "x-hr-user-token",
        "SELECT u.*, coalesce((SELECT r.name FROM user_role h JOIN role r USING (role_id)"
        " WHERE h.user_id = u.user_id ORDER BY role_id LIMIT 1), u.role) AS role FROM user u"
        " WHERE u.static_token = :value OR (:value IS NULL AND u.role = 'admin' AND u.active)"
        " ORDER BY u.user_id LIMIT 1",
        required=False,
    ),
    empty_text="drop",
    converted_types=frozenset({"BOOLEAN", "JSON"}),
    parse_datetimes=True,
    scope="org_id",
)
