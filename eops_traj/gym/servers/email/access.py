"""Whose mailbox a call is about, and whether the caller may use it.

A caller without a token stands for the domain's own service account: any mailbox is open, and ``me`` is
the first person's. A token makes the caller one person, who may use the own mailbox, those of colleagues who
made them a delegate (the mail in it, not the settings) and, as an administrator, every mailbox.
"""

from collections.abc import Mapping
from typing import Any, Final

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.engine.database import Database
from eops_traj.gym.tools.tool import Tool

MAIL: Final = frozenset({"users", "messages", "threads", "drafts", "labels", "history", "attachments"})
"""The tables whose tools a delegate may use."""

_OWNER = "SELECT id, active FROM users WHERE lower(email) = lower(:named) OR id = :named"
_DELEGATED = """SELECT 1 FROM delegates
WHERE user_id = :owner AND delegate_email = :email AND verification_status = 'accepted'"""


def mailbox(database: Database, tool: Tool, named: str, caller: Mapping[str, Any]) -> str:
    """The id of the mailbox that ``userId`` names: an address, an id, or ``me``."""
    if named == "me" and not caller:
        raise error("UNAUTHENTICATED", "Login Required.", "required")
    wanted = caller["id"] if named == "me" else named
    found = database.connection.execute(_OWNER, {"named": wanted}).fetchone()
    if found is None:
        raise error("NOT_FOUND", f"No mailbox {named}.", location="userId")
    owner, active = found
    if not _may_use(database, tool, str(owner), caller):
        raise error("PERMISSION_DENIED", f"Delegation denied for {caller.get('email')}", location="userId")
    if not active:
        raise error("FAILED_PRECONDITION", "Mail service not enabled", location="userId")
    return str(owner)


def _may_use(database: Database, tool: Tool, owner: str, caller: Mapping[str, Any]) -> bool:
    if not caller or caller["domain_wide"] or caller["id"] == owner or caller["role"] == "admin":
        return True
    if tool.table is None or tool.table.name not in MAIL:
        return False
    bound = {"owner": owner, "email": caller["email"]}
    return database.connection.execute(_DELEGATED, bound).get is not None
