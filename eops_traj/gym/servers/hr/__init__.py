"""HR service delivery: employees, cases and their tasks, services, knowledge and notifications."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.hr.errors import HrEnvelope

SERVER = Server(
    name="hr",
    gym_name="sn-hr-internal",
    port=8008,
    package=__name__,
    envelope=HrEnvelope(),
    identity=Identity(
        "x-hr-user-token",
        "SELECT * FROM user WHERE static_token = :value OR (:value IS NULL AND role = 'admin' AND active) "
        "ORDER BY user_id LIMIT 1",
        required=False,
    ),
    blank="drop",
    reads=frozenset({"BOOLEAN", "JSON"}),
    moments=True,
    scope="org_id",
)
