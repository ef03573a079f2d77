"""Mail: messages, threads, labels and drafts, and all the settings of a mailbox, after the Gmail API.

A caller without a token stands for the domain's own service account: any mailbox is open, and ``me`` is
the first person's. A token makes the caller one person, who may use the own mailbox, those of colleagues who
made them a delegate (the mail in it, not the settings) and, as an administrator, every mailbox.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.engine.database import Database
from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.email.errors import EmailResponses
from eops_traj.gym.tools.call import Call
from eops_traj.gym.tools.tool import Tool

_MAIL_TABLES: Final = frozenset(
    {"users", "messages", "threads", "drafts", "labels", "history", "attachments"}
)
"""The tables whose tools a delegate may use."""

_OWNER = "SELECT id, active FROM users WHERE lower(email) = lower(:named) OR id = :named"
_DELEGATED = """SELECT 1 FROM delegates
WHERE user_id = :owner AND delegate_email = :email AND verification_status = 'accepted'"""
_CALLER = """SELECT users.*, :value IS NULL AS domain_wide
FROM users WHERE static_token = :value OR (:value IS NULL AND id = 'user_001')"""


def _mailbox_owner(database: Database, tool: Tool, named: str, caller: Mapping[str, Any]) -> str:
    """Return the id of the mailbox that ``userId`` names: an address, an id, or ``me``."""
    if named == "me" and not caller:
        raise error("UNAUTHENTICATED", "Login Required.", "required")
    key = caller["id"] if named == "me" else named
    row = database.connection.execute(_OWNER, {"named": key}).fetchone()
    if row is None:
        raise error("NOT_FOUND", f"No mailbox {named}.", location="userId")
    owner, active = row
    if not _may_use(database, tool, str(owner), caller):
        raise error("PERMISSION_DENIED", f"Delegation denied for {caller.get('email')}", location="userId")
    if not active:
        raise error("FAILED_PRECONDITION", "Mail service not enabled", location="userId")
    return str(owner)


def _may_use(database: Database, tool: Tool, owner: str, caller: Mapping[str, Any]) -> bool:
    if not caller or caller["domain_wide"] or caller["id"] == owner or caller["role"] == "admin":
        return True
    if tool.table is None or tool.table.name not in _MAIL_TABLES:
        return False
    values = {"owner": owner, "email": caller["email"]}
    return database.connection.execute(_DELEGATED, values).get is not None


@dataclass(frozen=True)
class EmailServer(Server):
    """A server whose tools all name a mailbox: by the time one runs, ``userId`` is the id of its owner."""

    def _call(
        self, tool: Tool, database: Database, arguments: dict[str, Any], caller: Mapping[str, Any]
    ) -> Call:
        owner = _mailbox_owner(database, tool, arguments.get("userId", "me"), caller)
        return super()._call(tool, database, arguments | {"userId": owner}, dict(caller))


SERVER = EmailServer(
    name="email",
    gym_name="gym-email-mcp",
    port=8004,
    package=__name__,
    responses=EmailResponses(),
    identity=Identity("x-email-user-token", _CALLER, required=False),
    converted_types=frozenset({"BOOLEAN", "JSON"}),
)
