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
        "SELECT * FROM user WHERE static_token = :value OR (:value IS NULL AND role = 'admin' AND active) "
        "ORDER BY user_id LIMIT 1",
        required=False,
    ),
    empty_text="drop",
    converted_types=frozenset({"BOOLEAN", "JSON"}),
    parse_datetimes=True,
    scope="org_id",
)
