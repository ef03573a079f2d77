"""The tools on access rules: whom a calendar lets in, and how far."""

import re
from collections.abc import Mapping
from typing import Any

from eops_traj.gym.api_styles.google import error, listing
from eops_traj.gym.servers.calendar import access, channels, tokens
from eops_traj.gym.servers.calendar.access import OWNS, WRITES, Place
from eops_traj.gym.servers.calendar.records import change, drop, etag, insert, uuid
from eops_traj.gym.servers.calendar.times import utc
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_RULE = """
SELECT a.*, s.type AS scope_type, s.value AS scope_value FROM acls a JOIN scopes s ON s.id = a.scope_id
WHERE a.calendar_id = :calendar
"""
_EMAIL = re.compile(r"[\w.%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}", re.ASCII)
_DOMAIN = re.compile(r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}", re.ASCII)
_TYPES = ("default", "user", "group", "domain")


@tool
def get_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id) -> row of acls

    One access rule of a calendar.
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "read ACL rule")
    return _resource(_rule(call, place))


@tool
def list_acl_rules(call: Call) -> dict[str, Any]:
    """(calendarId!, maxResults, pageToken, showDeleted, syncToken) -> row of acls

    The access rules of a calendar, the oldest first.
      maxResults: {minimum: 1, maximum: 250, default: 100}
      showDeleted: Whether to show rules of the role none, too. {type: boolean}
    """
    place = access.place(call, call.arguments["calendarId"], WRITES, "list ACL rules")
    rules = call.rows(f"{_RULE} ORDER BY a.created_at, a.id", calendar=place.id)
    if "syncToken" in call.arguments:
        after = tokens.moment(call.arguments["syncToken"])
        rules = [rule for rule in rules if utc(rule["updated_at"] or "1900-01-01") > after]
    elif not call.arguments.get("showDeleted"):
        rules = [rule for rule in rules if rule["role"] != "none"]
    shown = listing(call, "calendar#acl", "items", rules, _resource, size="maxResults")
    more = {} if "nextPageToken" in shown else {"nextSyncToken": tokens.sync_token(call)}
    return {"kind": shown.pop("kind"), "etag": etag([r["etag"] for r in rules])} | more | shown


@tool
def insert_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId!, scope!, role!, sendNotifications) -> row of acls

    Let a person, a group, a domain or everybody into a calendar. Whom a rule lets in already gets the new
    role.
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], OWNS, "insert ACL rule")
    scope = _scope(call, call.arguments["scope"])
    known = call.row(f"{_RULE} AND a.scope_id = :wanted", calendar=place.id, wanted=scope)
    if known:
        return _change(call, place, known, role=call.arguments["role"])
    rule_id = uuid(call)
    insert(
        call, "acls", id=rule_id, calendar_id=place.id, user_id=access.me(call)["user_id"], scope_id=scope,
        role=call.arguments["role"], etag=f'"{uuid(call)}"', created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    return _told(call, place, rule_id)


@tool
def update_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id, scope!, role, sendNotifications) -> row of acls

    Replace whom an access rule lets in, and how far.
    @allow member
    """
    return _changed(call)


@tool
def patch_acl_rule(call: Call) -> dict[str, Any]:
    """(calendarId! = calendar_id, ruleId! = id, scope, role, sendNotifications) -> row of acls

    Change the fields given of an access rule.
    @allow member
    """
    return _changed(call)


@tool
def delete_acl_rule(call: Call) -> bool:
    """(calendarId! = calendar_id, ruleId! = id) -> done of acls

    Take an access rule away. The owner's own rule stays.
    @allow member
    """
    place = access.place(call, call.arguments["calendarId"], OWNS, "delete ACL rule")
    rule = _rule(call, place)
    _spare_owner(place, rule)
    drop(call, "acls", "id", rule["id"])
    channels.notify(call, place.id)
    return True


def scope_of(call: Call, kind: str, value: str | None) -> str:
    """The id of a scope, made if there is none yet."""
    sql = "SELECT id FROM scopes WHERE type = :kind AND (type = 'default' OR lower(value) = lower(:value))"
    known = call.row(sql, kind=kind, value=value)
    if known:
        return str(known["id"])
    scope_id = uuid(call)
    insert(call, "scopes", id=scope_id, type=kind, value=value if kind != "default" else "public")
    return scope_id


def _scope(call: Call, given: Mapping[str, Any]) -> str:
    """The scope that is given. People must be in the directory, groups in a rule or scope already."""
    kind, value = given.get("type"), given.get("value")
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
    return scope_of(call, kind, value)


def _check_address(call: Call, kind: str, value: str) -> None:
    if not _EMAIL.fullmatch(value):
        raise error("INVALID_ARGUMENT", f"scope.value must be a valid email address for type '{kind}'")
    known = {
        "user": "SELECT 1 FROM users WHERE lower(email) = lower(:value) AND is_active",
        "group": "SELECT 1 FROM scopes WHERE type = 'group' AND lower(value) = lower(:value)",
    }
    if not call.row(known[kind], value=value):
        raise error("INVALID_ARGUMENT", f"Scope ({kind}, {value}) not found")


def _changed(call: Call) -> dict[str, Any]:
    place = access.place(call, call.arguments["calendarId"], OWNS, "update ACL rule")
    rule = _rule(call, place)
    columns: dict[str, Any] = {}
    if "role" in call.arguments:
        columns["role"] = call.arguments["role"]
    if call.arguments.get("scope"):
        columns["scope_id"] = _scope(call, call.arguments["scope"])
    return _change(call, place, rule, **columns)


def _change(call: Call, place: Place, rule: Row, **columns: Any) -> dict[str, Any]:
    different = {name: value for name, value in columns.items() if rule[name] != value}
    if different:
        _spare_owner(place, rule)
        stamps = {"etag": f'"{uuid(call)}"', "updated_at": call.now}
        change(call, "acls", "id", rule["id"], **different, **stamps)
    return _told(call, place, rule["id"])


def _spare_owner(place: Place, rule: Row) -> None:
    """A calendar is never left without its owner."""
    own = rule["scope_type"] == "user" and rule["scope_value"] == place.row["owner_email"]
    if own and rule["role"] == "owner":
        raise error("PERMISSION_DENIED", f"The owner's access to calendar '{place.id}' cannot be changed")


def _told(call: Call, place: Place, rule_id: str) -> dict[str, Any]:
    """The rule as it is now, after those who watch have been told."""
    if call.arguments.get("sendNotifications", True):
        channels.notify(call, place.id)
    row = call.row(f"{_RULE} AND a.id = :rule", calendar=place.id, rule=rule_id)
    assert row is not None
    return _resource(row)


def _rule(call: Call, place: Place) -> Row:
    row = call.row(f"{_RULE} AND a.id = :ruleId", calendar=place.id)
    if row is None:
        raise error("NOT_FOUND", f"ACL rule '{call.arguments['ruleId']}' not found for calendar '{place.id}'")
    return row


def _resource(row: Row) -> dict[str, Any]:
    value = {} if row["scope_type"] == "default" else {"value": row["scope_value"]}
    return {
        "kind": "calendar#aclRule",
        "etag": row["etag"],
        "id": row["id"],
        "calendar_id": row["calendar_id"],
        "user_id": row["user_id"],
        "scope": {"type": row["scope_type"]} | value,
        "role": row["role"],
    }
