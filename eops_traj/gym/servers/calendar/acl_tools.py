"""The tools on access rules, which let someone into a calendar with a role."""

from collections.abc import Mapping
from typing import Any

import re2

from eops_traj.gym.api_styles.google import error, listing
from eops_traj.gym.servers.calendar import access, channel_tools, times
from eops_traj.gym.servers.calendar.access import OWNS, WRITES, CalendarAccess
from eops_traj.gym.servers.calendar.records import delete, etag, insert, new_uuid, update
from eops_traj.gym.servers.calendar.times import utc
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_RULE = """
SELECT a.*, s.type AS scope_type, s.value AS scope_value FROM acls a JOIN scopes s ON s.id = a.scope_id
WHERE a.calendar_id = :calendar
"""
_EMAIL = re2.compile(r"[\w.%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}")
_DOMAIN = re2.compile(r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}")
_TYPES = ("default", "user", "group", "domain")


@tool
def get_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id) -> row of acls

    One access rule of a calendar.
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "read ACL rule")
    return _resource(_rule(call, calendar))


@tool
def list_acl_rules(call: Call) -> dict[str, Any]:
    """(calendarId!, maxResults, pageToken, showDeleted, syncToken) -> row of acls

    The access rules of a calendar, the oldest first.
      maxResults: {minimum: 1, maximum: 250, default: 100}
      showDeleted: Whether to show rules of the role none, too. {type: boolean}
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], WRITES, "list ACL rules")
    rules = call.rows(f"{_RULE} ORDER BY a.created_at, a.id", calendar=calendar.id)
    if "syncToken" in call.arguments:
        after = times.sync_token_time(call.arguments["syncToken"])
        rules = [rule for rule in rules if utc(rule["updated_at"] or "1900-01-01") > after]
    elif not call.arguments.get("showDeleted"):
        rules = [rule for rule in rules if rule["role"] != "none"]
    page = listing(call, "calendar#acl", "items", rules, _resource, size="maxResults")
    more = {} if "nextPageToken" in page else {"nextSyncToken": times.sync_token(call)}
    return {"kind": page.pop("kind"), "etag": etag([r["etag"] for r in rules])} | more | page


@tool
def insert_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId!, scope!, role!, sendNotifications) -> row of acls

    Let a person, a group, a domain or everybody into a calendar. Whom a rule lets in already gets the new
    role.
    @allow member
    @outward scope_id
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], OWNS, "insert ACL rule")
    scope = _scope_argument(call, call.arguments["scope"])
    known = call.row(f"{_RULE} AND a.scope_id = :scope_id", calendar=calendar.id, scope_id=scope)
    if known:
        return _update_rule(call, calendar, known, role=call.arguments["role"])
    rule_id = new_uuid(call)
    insert(
        call, "acls", id=rule_id, calendar_id=calendar.id, user_id=access.caller(call)["user_id"],
        scope_id=scope, role=call.arguments["role"], etag=f'"{new_uuid(call)}"',
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    return _finish_change(call, calendar, rule_id)


@tool
def update_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id, scope!, role, sendNotifications) -> row of acls

    Replace whom an access rule lets in, and how far.
    @allow member
    """
    return _change_rule(call)


@tool
def patch_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id, scope, role, sendNotifications) -> row of acls

    Change the fields given of an access rule.
    @allow member
    """
    return _change_rule(call)


@tool
def delete_acl_rule(call: Call) -> bool:
    """(calendarId! = calendar_id, ruleId! = id) -> done of acls

    Take an access rule away. The owner's own rule stays.
    @allow member
    """
    calendar = access.open_calendar(call, call.arguments["calendarId"], OWNS, "delete ACL rule")
    rule = _rule(call, calendar)
    _check_not_owner_rule(calendar, rule)
    delete(call, "acls", "id", rule["id"])
    channel_tools.notify(call, calendar.id)
    return True


def find_or_add_scope(call: Call, kind: str, value: str | None) -> str:
    """Return the id of a scope, added if there is none yet."""
    sql = "SELECT id FROM scopes WHERE type = :kind AND (type = 'default' OR lower(value) = lower(:value))"
    known = call.row(sql, kind=kind, value=value)
    if known:
        return str(known["id"])
    scope_id = new_uuid(call)
    insert(call, "scopes", id=scope_id, type=kind, value=value if kind != "default" else "public")
    return scope_id


def _scope_argument(call: Call, scope: Mapping[str, Any]) -> str:
    """Return the scope that is given. People must be in the directory, groups in a rule or scope already."""
    kind, value = scope.get("type"), scope.get("value")
    if kind not in _TYPES:
        choices = ", ".join(f"'{name}'" for name in _TYPES)
        raise error(
            "INVALID_ARGUMENT", f"Invalid scope.type value '{kind}'. Acceptable values are: {choices}"
        )
    if (kind == "default") != (value is None):
        why = "must be omitted for type 'default'" if value else f"is required for type '{kind}'"
        raise error("INVALID_ARGUMENT", f"scope.value {why}")
    if kind == "domain" and not _DOMAIN.fullmatch(str(value)):
        raise error("INVALID_ARGUMENT", "scope.value must be a valid domain name for type 'domain'")
    if kind in ("user", "group"):
        _check_address(call, kind, str(value))
    return find_or_add_scope(call, kind, value)


def _check_address(call: Call, kind: str, value: str) -> None:
    if not _EMAIL.fullmatch(value):
        raise error("INVALID_ARGUMENT", f"scope.value must be a valid email address for type '{kind}'")
    known = {
        "user": "SELECT 1 FROM users WHERE lower(email) = lower(:value) AND is_active",
        "group": "SELECT 1 FROM scopes WHERE type = 'group' AND lower(value) = lower(:value)",
    }
    if not call.row(known[kind], value=value):
        raise error("INVALID_ARGUMENT", f"Scope ({kind}, {value}) not found")


def _change_rule(call: Call) -> dict[str, Any]:
    calendar = access.open_calendar(call, call.arguments["calendarId"], OWNS, "update ACL rule")
    rule = _rule(call, calendar)
    columns: dict[str, Any] = {}
    if "role" in call.arguments:
        columns["role"] = call.arguments["role"]
    if call.arguments.get("scope"):
        columns["scope_id"] = _scope_argument(call, call.arguments["scope"])
    return _update_rule(call, calendar, rule, **columns)


def _update_rule(call: Call, calendar: CalendarAccess, rule: Row, **columns: Any) -> dict[str, Any]:
    different = {name: value for name, value in columns.items() if rule[name] != value}
    if different:
        _check_not_owner_rule(calendar, rule)
        stamps = {"etag": f'"{new_uuid(call)}"', "updated_at": call.now}
        update(call, "acls", "id", rule["id"], **different, **stamps)
    return _finish_change(call, calendar, rule["id"])


def _check_not_owner_rule(calendar: CalendarAccess, rule: Row) -> None:
    """Refuse to change the owner's own rule, so that a calendar always keeps its owner."""
    is_owner_rule = rule["scope_type"] == "user" and rule["scope_value"] == calendar.row["owner_email"]
    if is_owner_rule and rule["role"] == "owner":
        raise error("PERMISSION_DENIED", f"The owner's access to calendar '{calendar.id}' cannot be changed")


def _finish_change(call: Call, calendar: CalendarAccess, rule_id: str) -> dict[str, Any]:
    """Notify the channels that watch the rules, and return the rule as it is now."""
    if call.arguments.get("sendNotifications", True):
        channel_tools.notify(call, calendar.id)
    row = call.row(f"{_RULE} AND a.id = :rule", calendar=calendar.id, rule=rule_id)
    assert row is not None
    return _resource(row)


def _rule(call: Call, calendar: CalendarAccess) -> Row:
    row = call.row(f"{_RULE} AND a.id = :ruleId", calendar=calendar.id)
    if row is None:
        raise error(
            "NOT_FOUND", f"ACL rule '{call.arguments['ruleId']}' not found for calendar '{calendar.id}'"
        )
    return row


def _resource(row: Row) -> dict[str, Any]:
    value = {} if row["scope_type"] == "default" else {"value": row["scope_value"]}
    return {
        "kind": "calendar#aclRule",
        "etag": row["etag"],
        "id": row["id"],
        "scope": {"type": row["scope_type"]} | value,
        "role": row["role"],
    }
