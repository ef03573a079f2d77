"""Mail: messages, threads, labels and drafts, and all the settings of a mailbox, after the Gmail API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.engine.database import Database
from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.email.access import mailbox
from eops_traj.gym.servers.email.errors import EmailEnvelope
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import Tool

_CALLER = """SELECT users.*, :value IS NULL AS domain_wide
FROM users WHERE static_token = :value OR (:value IS NULL AND id = 'user_001')"""


@dataclass(frozen=True)
class EmailServer(Server):
    """A server whose tools all name a mailbox: by the time one runs, ``userId`` is the id of its owner."""

    def _call(
        self, tool: Tool, database: Database, arguments: dict[str, Any], caller: Mapping[str, Any]
    ) -> Call:
        owner = mailbox(database, tool, arguments.get("userId", "me"), caller)
        return super()._call(tool, database, arguments | {"userId": owner}, dict(caller))


SERVER = EmailServer(
    name="email",
    gym_name="gym-email-mcp",
    port=8004,
    package=__name__,
    envelope=EmailEnvelope(),
    identity=Identity("x-email-user-token", _CALLER, required=False),
    reads=frozenset({"BOOLEAN", "JSON"}),
)
