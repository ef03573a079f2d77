"""Customer service management: cases, accounts, products, contracts and SLAs."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.csm.errors import CsmResponses

SERVER = Server(
    name="csm",
    gym_name="sn-csm-server",
    port=8001,
    package=__name__,
    responses=CsmResponses(),
    identity=Identity("x-user-email", 'SELECT * FROM "user" WHERE email = :value'),
)
