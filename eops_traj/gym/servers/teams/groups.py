"""The tools for tags of teams and for groups of the directory that take more than one statement."""

import re

from eops_traj.gym.servers.teams.graph import entity
from eops_traj.gym.servers.teams.memberships import read_members
from eops_traj.gym.servers.teams.people import directory_object, get_person
from eops_traj.gym.servers.teams.tools import insert, new_hex, new_uuid, update
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


@tool
def create_teamwork_tag(call: Call) -> Row:
    """(team_id!, displayName!, description, members) -> row of teamwork_tags

    Make a tag by which several members of a team can be mentioned at once.
      displayName: Name by which its people are mentioned. {maxLength: 40}
      members: Who has it; members of the team.
        {type: array, maxItems: 25, items: {type: object, required: [userId], properties: {
        userId: {type: string}, displayName: {type: string}}}}
    @allow admin, teams_admin, user_admin, member
    """
    arguments, key = call.arguments, new_uuid(call)
    people = _team_people(call, [entry["userId"] for entry in arguments.get("members", ())])
    insert(
        call, "teamwork_tags", id=key, team_id=arguments["team_id"], display_name=arguments["displayName"],
        description=arguments.get("description"), tag_type="standard",
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    for row in people:
        _insert_tag_member(call, key, row)
    return _read_tag(call, key)


@tool
def update_teamwork_tag(call: Call) -> Row:
    """(team_id!, tag_id! = id, displayName, description, members) -> row of teamwork_tags

    Change the fields given of a tag; the members given take the place of all it had.
      displayName: Name by which its people are mentioned. {maxLength: 40}
      members: Who has it from now on.
        {type: array, maxItems: 25, items: {type: object, required: [userId], properties: {
        userId: {type: string}, displayName: {type: string}}}}
    @allow admin, teams_admin, user_admin, member
    @some displayName, description, members
    """
    arguments, key = call.arguments, call.arguments["tag_id"]
    columns = {"displayName": "display_name", "description": "description"}
    update(
        call, "teamwork_tags", "id", key, updated_at=call.now,
        **{column: arguments[name] for name, column in columns.items() if name in arguments},
    )  # fmt: skip
    if "members" in arguments:
        people = _team_people(call, [entry["userId"] for entry in arguments["members"]])
        call.rows('DELETE FROM teamwork_tag_members WHERE "tagId" = :tag_id')
        for row in people:
            _insert_tag_member(call, key, row)
    return _read_tag(call, key)


@tool
def create_teamwork_tag_member(call: Call) -> Row:
    """(team_id!, tag_id! = id, userId! = teams_users.user_id) -> row of teamwork_tags

    Give a tag to one more member of the team.
    @allow admin, teams_admin, user_admin, member
    """
    (row,) = _team_people(call, [call.arguments["userId"]])
    query = 'SELECT 1 FROM teamwork_tag_members WHERE "tagId" = :tag_id AND "userId" = :who'
    if call.row(query, who=row["user_id"]):
        call.refuse(f"User '{row['user_id']}' already has the tag")
    key = _insert_tag_member(call, call.arguments["tag_id"], row)
    return {
        "@odata.type": "#microsoft.graph.teamworkTagMember", "id": key,
        "tenantId": call.caller["tenant_id"], "userId": row["user_id"], "displayName": row["display_name"],
    }  # fmt: skip


@tool
def create_group(call: Call) -> Row:
    """(displayName!, mailEnabled!, mailNickname!, securityEnabled!, description, groupTypes, visibility,
      classification, assignedLabels, membershipRule, membershipRuleProcessingState, isAssignableToRole,
      isManagementRestricted, preferredDataLocation, preferredLanguage, resourceBehaviorOptions,
      resourceProvisioningOptions, theme, owners_odata_bind, members_odata_bind) -> row of groups

    Make a group in the directory: for Microsoft 365, for security, or for mail.
      groupTypes: Unified for a Microsoft 365 group, DynamicMembership for one by rule; otherwise nothing.
        {type: array, items: {type: string}}
      preferredLanguage: Its language, such as en-GB. {pattern: null}
      assignedLabels: Sensitivity labels. {type: array, items: {type: object}}
      resourceBehaviorOptions: How it behaves. {type: array, items: {type: string}}
      resourceProvisioningOptions: What is made along with it, such as Team.
        {type: array, items: {type: string}}
      owners_odata_bind: Its owners, as https://graph.microsoft.com/v1.0/users/id.
        {type: array, items: {type: string}}
      members_odata_bind: Its members, likewise, 20 at most.
        {type: array, items: {type: string}, maxItems: 20}
    @allow admin, user_admin
    @refuse mailNickname '{mailNickname}' is already in use WHEN EXISTS (SELECT 1 FROM groups
        WHERE NOT soft_delete AND org_id = :caller_org_id AND lower(mail_nickname) = lower(:mailNickname))
    """
    arguments, key = call.arguments, f"group_{new_hex(call)}"
    if re.search(r'[@()\\\[\]";:<>, ]|[^\x00-\x7f]', arguments["mailNickname"]):
        call.refuse(f"mailNickname '{arguments['mailNickname']}' contains characters that are not allowed")
    if not arguments["mailEnabled"] and not arguments["securityEnabled"]:
        call.refuse("A group must be mail-enabled or security-enabled")
    columns = {a.target: arguments[a.name] for a in call.tool.arguments if a.column and a.name in arguments}
    kinds = ("owners", "members")
    people = {kind: _directory_objects(call, arguments.get(f"{kind}_odata_bind", ())) for kind in kinds}
    mail = f"{arguments['mailNickname']}@{call.caller['domain_name']}"
    insert(
        call, "groups", group_id=key, org_id=call.caller["org_id"], **columns, **people,
        mail=mail if arguments["mailEnabled"] else None,
        created_date_time=call.now, updated_date_time=call.now,
    )  # fmt: skip
    return entity(call, {"id": key}, "groups/$entity FROM graph_group WHERE id = :id")


@tool
def add_group_owner(call: Call) -> bool:
    """(groupId!, _odata_id! = teams_users.user_id) -> done of groups

    Make a person an owner of a group.
      _odata_id: The person, as https://graph.microsoft.com/v1.0/users/id. {type: string}
    @allow admin, user_admin
    """
    (new,) = _directory_objects(call, [call.arguments["_odata_id"]])
    group = call.row("SELECT owners FROM groups WHERE group_id = :groupId") or {}
    owners = group["owners"] or []
    if any(owner["id"] == new["id"] for owner in owners):
        call.refuse(f"User '{new['id']}' is already an owner of the group")
    key, owners = call.arguments["groupId"], [*owners, new]
    update(call, "groups", "group_id", key, owners=owners, updated_date_time=call.now)
    return True


def _directory_objects(call: Call, references: list[str]) -> list[Row]:
    rows = [get_person(call, reference) for reference in references]
    return [directory_object(row) for row in {row["user_id"]: row for row in rows}.values()]


def _team_people(call: Call, references: list[str]) -> list[Row]:
    """Return these people; refuse anyone who is not a member of the team."""
    member_ids = {m["userId"] for m in read_members(call, call.arguments["team_id"])}
    rows = [get_person(call, reference) for reference in references]
    if stranger := next((row for row in rows if row["user_id"] not in member_ids), None):
        call.refuse(f"User '{stranger['user_id']}' is not a member of the team")
    return list({row["user_id"]: row for row in rows}.values())


def _insert_tag_member(call: Call, tag: str, row: Row) -> str:
    key = new_uuid(call)
    insert(
        call, "teamwork_tag_members", id=key, tenantId=call.caller["tenant_id"], tagId=tag,
        teamId=call.arguments["team_id"], userId=row["user_id"], displayName=row["display_name"],
    )  # fmt: skip
    return key


def _read_tag(call: Call, key: str) -> Row:
    tag = call.row("SELECT * FROM graph_tag WHERE id = :key", key=key) or {}
    names = ("displayName", "description", "tagType", "teamId", "id", "memberCount")
    members = [{name: m[name] for name in ("userId", "displayName")} for m in tag["+members"]]
    return {name: tag[name] for name in names} | {"members": members}
