"""IT service management: incidents, problems, changes, configuration items, services, SLAs and knowledge."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.itsm.errors import ItsmResponses

SERVER = Server(
    name="itsm",
    gym_name="gym-itsm-mcp",
    port=8006,
    package=__name__,
    responses=ItsmResponses(),
    identity=Identity(
        "x-itsm-user-token",
        "SELECT * FROM users WHERE static_token = :value"
        " OR (:value IS NULL AND user_id = (SELECT min(user_id) FROM users WHERE role = 'admin'))",
        required=False,
    ),
    empty_text="drop",
    parse_datetimes=True,
    converted_types=frozenset({"BOOLEAN", "DATETIME"}),
)
