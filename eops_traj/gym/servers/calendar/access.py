"""Access to calendars: the role that the caller has on each.

The rules are rows of ``acls``. A rule lets in one person, everyone of a domain, or everyone. This server does
not know the members of groups, so a rule for a group lets no one in by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.tools.call import Call, Row

ROLES = ("none", "freeBusyReader", "reader", "writer", "owner")
"""The roles that a rule gives, the least first."""
SEES_BUSY = ROLES[1:]
READS = ROLES[2:]
WRITES = ROLES[3:]
OWNS = ROLES[4:]

_CALENDAR = """
SELECT c.*, u.email AS owner_email FROM calendars c JOIN users u ON u.user_id = c.user_id
WHERE c.calendar_id = :calendar OR (
    c.is_primary AND (u.email = :calendar OR (lower(:calendar) = 'primary' AND c.user_id = :me))
)
ORDER BY c.calendar_id <> :calendar LIMIT 1
"""
_RULES = """
SELECT DISTINCT a.calendar_id, a.role FROM acls a JOIN scopes s ON s.id = a.scope_id
WHERE (:calendar IS NULL OR a.calendar_id = :calendar) AND (
    s.type = 'default' OR (s.type = 'user' AND lower(s.value) = lower(:email))
    OR (s.type = 'domain' AND lower(s.value) = lower(substr(:email, instr(:email, '@') + 1)))
)
"""


@dataclass(frozen=True)
class CalendarAccess:
    """A calendar, and the caller's role on it."""

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

    def has_role(self, roles: tuple[str, ...]) -> bool:
        """Check whether the caller's role is among these."""
        return self.role in roles


def caller(call: Call) -> Mapping[str, Any]:
    """Return the caller's row of ``users``."""
    if not call.caller:
        raise error("UNAUTHENTICATED", "User not found")
    return call.caller


def find_calendar(call: Call, calendar_id: str) -> Row | None:
    """Find a calendar by its id, by 'primary', or by the address of the person whose main calendar it is."""
    return call.row(_CALENDAR, calendar=calendar_id, me=caller(call)["user_id"])


def roles(call: Call, calendar_id: str | None = None) -> dict[str, str]:
    """Return the caller's role on each calendar that lets them in, or on this one."""
    best: dict[str, str] = {}
    for rule in call.rows(_RULES, calendar=calendar_id, email=caller(call)["email"]):
        best[rule["calendar_id"]] = max(rule["role"], best.get(rule["calendar_id"], "none"), key=ROLES.index)
    return best


def open_calendar(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> CalendarAccess:
    """Return the calendar, where the caller has one of the roles that the operation needs."""
    row = find_calendar(call, calendar_id)
    if row is None:
        raise error("NOT_FOUND", f"Calendar not found: {calendar_id}")
    calendar = CalendarAccess(row, roles(call, row["calendar_id"]).get(row["calendar_id"], "none"))
    if not calendar.has_role(needed):
        raise forbidden(call, calendar.id, needed, operation)
    return calendar


def forbidden(call: Call, calendar_id: str, needed: tuple[str, ...], operation: str) -> Exception:
    """Return the refusal of a caller without the needed role."""
    reason = f"lacks required roles {list(needed)} for {operation} on calendar '{calendar_id}'"
    return error("PERMISSION_DENIED", f"User '{caller(call)['user_id']}' {reason}")
