"""Who may do what on which calendar.

The rules are rows of ``acls``. A rule lets in one person, everybody of a domain, or everybody; whom a group
holds this server does not know, so a rule for a group lets nobody in by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.tools.call import Call, Row

ROLES = ("none", "freeBusyReader", "reader", "writer", "owner")
"""What a rule gives, least first."""
SEES_BUSY = ROLES[1:]
READS = ROLES[2:]
WRITES = ROLES[3:]
OWNS = ROLES[4:]

_FIND = """
SELECT c.*, u.email AS owner_email FROM calendars c JOIN users u ON u.user_id = c.user_id
WHERE c.calendar_id = :wanted OR (
    c.is_primary AND (u.email = :wanted OR (lower(:wanted) = 'primary' AND c.user_id = :me))
)
ORDER BY c.calendar_id <> :wanted LIMIT 1
"""
_RULES = """
SELECT DISTINCT a.calendar_id, a.role FROM acls a JOIN scopes s ON s.id = a.scope_id
WHERE (:calendar IS NULL OR a.calendar_id = :calendar) AND (
    s.type = 'default' OR (s.type = 'user' AND lower(s.value) = lower(:email))
    OR (s.type = 'domain' AND lower(s.value) = lower(substr(:email, instr(:email, '@') + 1)))
)
"""


@dataclass(frozen=True)
class Place:
    """A calendar, and what the caller is on it."""

    row: Row
    role: str

    @property
    def id(self) -> str:
        """The calendar's id."""
        return str(self.row["calendar_id"])

    @property
    def zone(self) -> str:
        """The calendar's time zone."""
        return str(self.row["time_zone"])

    def gives(self, roles: tuple[str, ...]) -> bool:
        """Whether the caller's role is among these."""
        return self.role in roles


def me(call: Call) -> Mapping[str, Any]:
    """The caller's row of ``users``."""
    if not call.caller:
        raise error("UNAUTHENTICATED", "User not found")
    return call.caller


def found(call: Call, calendar_id: str) -> Row | None:
    """A calendar by its id, by 'primary', or by the address of the person whose main calendar it is."""
    return call.row(_FIND, wanted=calendar_id, me=me(call)["user_id"])


def roles(call: Call, calendar_id: str | None = None) -> dict[str, str]:
    """What the caller is on each calendar that lets them in, or on this one."""
    best: dict[str, str] = {}
    for rule in call.rows(_RULES, calendar=calendar_id, email=me(call)["email"]):
        best[rule["calendar_id"]] = max(rule["role"], best.get(rule["calendar_id"], "none"), key=ROLES.index)
    return best


def place(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> Place:
    """The calendar, where it exists and the caller has one of the roles that the operation needs."""
    row = found(call, calendar_id)
    if row is None:
        raise error("NOT_FOUND", f"Calendar not found: {calendar_id}")
    here = Place(row, roles(call, row["calendar_id"]).get(row["calendar_id"], "none"))
    if not here.gives(needed):
        raise forbidden(call, here.id, needed, operation)
    return here


def forbidden(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> Exception:
    """The refusal for want of a role."""
    wanted = f"lacks required roles {list(needed)} for {operation} on calendar '{calendar_id}'"
    return error("PERMISSION_DENIED", f"User '{me(call)['user_id']}' {wanted}")
