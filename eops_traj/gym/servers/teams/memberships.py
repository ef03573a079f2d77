"""Members of teams, which are kept in the JSON column teams.members."""

from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.people import bound, find, person
from eops_traj.gym.servers.teams.records import new_hex, update
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
    """
    members, row = read(call), person(call, call.arguments["user_odata_bind"])
    if any(m["userId"] == row["user_id"] for m in members):
        call.refuse(f"User '{row['user_id']}' is already a member of the team")
    new = member(call, call.arguments, row)
    _keep(call, [*members, new])
    return _shown(new)


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
    """
    members, results = read(call), []
    for said in call.arguments["values"]:
        problem, row = _addable(call, said, members)
        if row:
            members.append(member(call, said, row))
        who = row["user_id"] if row else bound(said["user_odata_bind"])
        kind = "#microsoft.graph.aadUserConversationMemberResult"
        results.append({"@odata.type": kind, "userId": who, "error": problem})
    _keep(call, members)
    return {
        "@odata.context": f"{GRAPH}$metadata#Collection(aadUserConversationMemberResult)",
        "value": results,
    }


@tool
def update_team_member(call: Call) -> Row:
    """(teamId!, membershipId!, roles!) -> row of teams

    Change the roles of a member. A team keeps one owner at least.
      roles: All roles from now on.
        {type: array, minItems: 1, items: {type: string, enum: [owner, member, guest]}}
    @allow admin, teams_admin, user_admin, member
    """
    members = read(call)
    found = _find(call, members)
    found["roles"] = call.arguments["roles"]
    _keep(call, _owned(call, members))
    return _shown(found)


@tool
def remove_team_member(call: Call) -> bool:
    """(teamId!, membershipId!) -> done of teams

    Take a person out of a team. A team keeps one owner at least.
    @allow admin, teams_admin, user_admin, member
    """
    members = read(call)
    members.remove(_find(call, members))
    _keep(call, _owned(call, members))
    return True


def read(call: Call, team: str = "") -> list[Row]:
    """The members of the team that the call names, or of another."""
    key = team or call.arguments["teamId"]
    found = call.row("SELECT members FROM teams WHERE team_id = :team", team=key) or {}
    return list(found["members"] or [])


def member(call: Call, said: Mapping[str, Any], row: Row) -> Row:
    """A person as a member of a team, with the roles that were said."""
    return {
        "@odata.type": MEMBER, "id": f"membership_{new_hex(call)}", "roles": said.get("roles") or ["member"],
        "displayName": row["display_name"], "userId": row["user_id"], "email": row["mail"], "tenantId": None,
        "visibleHistoryStartDateTime": said.get("visibleHistoryStartDateTime"),
    }  # fmt: skip


def _shown(found: Row) -> Row:
    names = ("id", "roles", "displayName", "visibleHistoryStartDateTime", "userId", "email", "tenantId")
    return {"_odata_type": MEMBER} | {name: found.get(name) for name in names}


def _keep(call: Call, members: list[Row]) -> None:
    update(call, "teams", "team_id", call.arguments["teamId"], members=members, updated_date_time=call.now)


def _find(call: Call, members: Iterable[Row]) -> Row:
    key = call.arguments["membershipId"]
    found = next((m for m in members if m["id"] == key), None)
    return found or call.refuse(f"Member not found: {key}")


def _owned(call: Call, members: list[Row]) -> list[Row]:
    return members if any("owner" in m["roles"] for m in members) else call.refuse(NO_OWNER)


def _addable(call: Call, said: Row, members: list[Row]) -> tuple[Row | None, Row | None]:
    """The person to add, or what stands against it."""
    row = find(call, said["user_odata_bind"])
    if row is None:
        message = f"User not found: {bound(said['user_odata_bind'])} or not from your organization"
        return {"code": "NotFound", "message": message}, None
    if any(m["userId"] == row["user_id"] for m in members):
        message = f"User '{row['user_id']}' is already a member of the team"
        return {"code": "Conflict", "message": message}, None
    return None, row
