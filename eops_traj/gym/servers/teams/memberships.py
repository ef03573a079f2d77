"""The tools for members of teams, which are kept in the JSON column teams.members."""

from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.people import find_person, get_person, link_target
from eops_traj.gym.servers.teams.tools import new_hex, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

MEMBER = "#microsoft.graph.aadUserConversationMember"
NO_OWNER = "At least one member must have the 'owner' role"


@tool
def add_team_member(call: Call) -> Row:
    """(teamId!, _odata_type, roles, user_odata_bind! = teams_users.user_id, visibleHistoryStartDateTime)
      -> row of teams

    Add a person to a team.
      roles: What the person is to be.
        {type: array, items: {type: string, enum: [owner, member, guest]}, default: [member]}
      visibleHistoryStartDateTime: From when on the person sees what was written. {type: string}
    @allow admin, teams_admin, user_admin, member
    @outward
    """
    members, person = read_members(call), get_person(call, call.arguments["user_odata_bind"])
    if any(m["userId"] == person["user_id"] for m in members):
        call.refuse(f"User '{person['user_id']}' is already a member of the team")
    added = new_member(call, call.arguments, person)
    _write_members(call, [*members, added])
    return _member_result(added)


@tool
def add_team_members_in_bulk(call: Call) -> Row:
    """(teamId!, values!) -> row of teams

    Add several people to a team. Whoever cannot be added is named in the answer; the others are added.
      values: The people.
        {type: array, minItems: 1, maxItems: 200, items: {type: object, required: [user_odata_bind],
        properties: {_odata_type: {type: string}, user_odata_bind: {type: string},
        roles: {type: array, items: {type: string, enum: [owner, member, guest]}},
        visibleHistoryStartDateTime: {type: string}}}}
    @allow admin, teams_admin, user_admin, member
    @outward
    """
    members, results = read_members(call), []
    for entry in call.arguments["values"]:
        problem, person = _check_addition(call, entry, members)
        if person:
            members.append(new_member(call, entry, person))
        user_id = person["user_id"] if person else link_target(entry["user_odata_bind"])
        kind = "#microsoft.graph.aadUserConversationMemberResult"
        results.append({"@odata.type": kind, "userId": user_id, "error": problem})
    _write_members(call, members)
    context = f"{GRAPH}$metadata#Collection(aadUserConversationMemberResult)"
    return {"@odata.context": context, "value": results}


@tool
def update_team_member(call: Call) -> Row:
    """(teamId!, membershipId!, roles!) -> row of teams

    Change the roles of a member. A team keeps one owner at least.
      roles: All roles from now on.
        {type: array, minItems: 1, items: {type: string, enum: [owner, member, guest]}}
    @allow admin, teams_admin, user_admin, member
    """
    members = read_members(call)
    member = _find_member(call, members)
    member["roles"] = call.arguments["roles"]
    _write_members(call, _require_owner(call, members))
    return _member_result(member)


@tool
def remove_team_member(call: Call) -> bool:
    """(teamId!, membershipId!) -> done of teams

    Take a person out of a team. A team keeps one owner at least.
    @allow admin, teams_admin, user_admin, member
    """
    members = read_members(call)
    members.remove(_find_member(call, members))
    _write_members(call, _require_owner(call, members))
    return True


def read_members(call: Call, team: str = "") -> list[Row]:
    """Return the members of the team that the call names, or of another."""
    key = team or call.arguments["teamId"]
    row = call.row("SELECT members FROM teams WHERE team_id = :team", team=key) or {}
    return list(row["members"] or [])


def new_member(call: Call, entry: Mapping[str, Any], person: Row) -> Row:
    """Return a person as a member of a team, with the roles and options of an entry."""
    return {
        "@odata.type": MEMBER, "id": f"membership_{new_hex(call)}", "roles": entry.get("roles") or ["member"],
        "displayName": person["display_name"], "userId": person["user_id"], "email": person["mail"],
        "tenantId": None, "visibleHistoryStartDateTime": entry.get("visibleHistoryStartDateTime"),
    }  # fmt: skip


def _member_result(member: Row) -> Row:
    names = ("id", "roles", "displayName", "visibleHistoryStartDateTime", "userId", "email", "tenantId")
    return {"_odata_type": MEMBER} | {name: member.get(name) for name in names}


def _write_members(call: Call, members: list[Row]) -> None:
    update(call, "teams", "team_id", call.arguments["teamId"], members=members, updated_date_time=call.now)


def _find_member(call: Call, members: Iterable[Row]) -> Row:
    key = call.arguments["membershipId"]
    member = next((m for m in members if m["id"] == key), None)
    return member or call.refuse(f"Member not found: {key}")


def _require_owner(call: Call, members: list[Row]) -> list[Row]:
    return members if any("owner" in m["roles"] for m in members) else call.refuse(NO_OWNER)


def _check_addition(call: Call, entry: Row, members: list[Row]) -> tuple[Row | None, Row | None]:
    """Return the person to add, or else the error that prevents it."""
    person = find_person(call, entry["user_odata_bind"])
    if person is None:
        message = f"User not found: {link_target(entry['user_odata_bind'])} or not from your organization"
        return {"code": "NotFound", "message": message}, None
    if any(m["userId"] == person["user_id"] for m in members):
        message = f"User '{person['user_id']}' is already a member of the team"
        return {"code": "Conflict", "message": message}, None
    return None, person
