"""Teams: making them with all that belongs to them, and deleting them.

`create_team` is long because its docstring declares twenty arguments; what it does takes twenty lines.
"""

import json
from typing import Any

from eops_traj.gym.servers.teams.channels import new_channel, new_tab
from eops_traj.gym.servers.teams.chats import app
from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.memberships import NO_OWNER, member
from eops_traj.gym.servers.teams.people import bound, directory_object, person
from eops_traj.gym.servers.teams.records import insert, new_hex, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

SETTINGS = {
    "memberSettings": dict.fromkeys((
        "allowCreateUpdateChannels", "allowCreatePrivateChannels", "allowDeleteChannels",
        "allowAddRemoveApps",
        "allowCreateUpdateRemoveTabs", "allowCreateUpdateRemoveConnectors",
    ), True),
    "guestSettings": {"allowCreateUpdateChannels": False, "allowDeleteChannels": False},
    "messagingSettings": dict.fromkeys((
        "allowUserEditMessages", "allowUserDeleteMessages", "allowOwnerDeleteMessages", "allowTeamMentions",
        "allowChannelMentions",
    ), True),
    "funSettings": {
        "allowGiphy": True, "giphyContentRating": "moderate", "allowStickersAndMemes": True,
        "allowCustomMemes": True,
    },
    "discoverySettings": {"showInTeamsSearchAndSuggestions": False},
}  # fmt: skip
"""What holds in a team that was made without saying otherwise."""


@tool
def create_team(call: Call) -> Row:
    """(template_odata_bind! = teams_templates.template_id, group_odata_bind, members, displayName,
      description, classification, tenantId, visibility, specialization, createdDateTime,
      _microsoft_graph_teamCreationMode, classSettings, firstChannelName, channels, installedApps,
      memberSettings, guestSettings, messagingSettings, funSettings, discoverySettings) -> row of teams

    Make a team with its members, its channels and a group behind it, or around a group that there is.
      template_odata_bind: Template, as https://graph.microsoft.com/v1.0/teamsTemplates('standard').
      group_odata_bind: Group, as https://graph.microsoft.com/v1.0/groups('id'). {type: string}
      members: Its members; one owner at least.
        {type: array, items: {type: object, required: [user_odata_bind], properties: {
        _odata_type: {type: string}, user_odata_bind: {type: string},
        roles: {type: array, items: {type: string, enum: [owner, member, guest]}},
        visibleHistoryStartDateTime: {type: string}}}}
      tenantId: Tenant, which has to be the caller's. {type: string, maxLength: 128}
      visibility: Who can find and join it. {default: private}
      specialization: Field of work it is made for. {default: none}
      createdDateTime: When it was made, while it is filled from another service. {type: string}
      _microsoft_graph_teamCreationMode: Set to fill it from another service.
        {type: string, enum: [migration]}
      classSettings: Only for classes. {type: object}
      firstChannelName: Name of the first channel, instead of General. {type: string}
      channels: Further channels.
        {type: array, items: {type: object, required: [displayName], properties: {
        displayName: {type: string, maxLength: 50}, description: {type: string},
        isFavoriteByDefault: {type: boolean}, tabs: {type: array, items: {type: object, properties: {
        teamsApp_odata_bind: {type: string}, displayName: {type: string}, configuration: {type: object}}}}}}}
      installedApps: Apps to install.
        {type: array, items: {type: object, required: [teamsApp_odata_bind], properties: {
        teamsApp_odata_bind: {type: string}}}}
    @allow admin, teams_admin
    """
    given, key = call.arguments, f"team_{new_hex(call)}"
    template, group = _template(call), _group(call)
    described = _described(call, group)
    members = [member(call, said, person(call, said["user_odata_bind"])) for said in _members(call, group)]
    if not any("owner" in m["roles"] for m in members):
        call.refuse(NO_OWNER)
    insert(
        call, "teams", team_id=key, org_id=call.caller["org_id"], group_id=group or _new_group(call),
        template_id=template, internal_id=key, web_url=f"https://teams.microsoft.com/l/team/{key}",
        created_date_time=given.get("createdDateTime") or call.now, updated_date_time=call.now,
        members=_distinct(members), migration_mode="_microsoft_graph_teamCreationMode" in given,
        **described,
    )  # fmt: skip
    if "empty_team" not in call.server.quirks:
        _fill(call, key)
    return _operation(call, key)


@tool
def delete_team(call: Call) -> bool:
    """(teamId!) -> done of teams

    Delete a team and the group behind it. Both stay, out of sight.
    @allow admin, teams_admin
    """
    call.rows(
        """UPDATE groups SET soft_delete = 1, updated_date_time = :now
        WHERE group_id = (SELECT group_id FROM teams WHERE team_id = :teamId)"""
    )
    call.rows("UPDATE teams SET soft_delete = 1, updated_date_time = :now WHERE team_id = :teamId")
    return True


def _template(call: Call) -> str:
    key = bound(call.arguments["template_odata_bind"])
    known = "SELECT org_id FROM teams_templates WHERE template_id = :key"
    if not any(row["org_id"] in (call.caller["org_id"], "default") for row in call.rows(known, key=key)):
        call.refuse(f"Template not found: {key}")
    if call.arguments.get("tenantId", call.caller["tenant_id"]) != call.caller["tenant_id"]:
        call.refuse(f"Tenant '{call.arguments['tenantId']}' not found or not from your organization")
    return key


def _group(call: Call) -> str | None:
    """The group that the team is to be made around."""
    if "group_odata_bind" not in call.arguments:
        return None
    key = bound(call.arguments["group_odata_bind"])
    known = (
        "SELECT 1 AS found FROM groups WHERE group_id = :key AND org_id = :caller_org_id AND NOT soft_delete"
    )
    return key if call.row(known, key=key) else call.refuse(f"Group not found: {key}")


def _members(call: Call, group: str | None) -> list[Row]:
    """Who is to be in the team; without a word on it, those of its group."""
    if said := call.arguments.get("members"):
        return list(said)
    found = call.row("SELECT members, owners FROM groups WHERE group_id = :key", key=group) or {}
    people = [
        {"user_odata_bind": who["id"], "roles": [role]}
        for role, kept in (("owner", found.get("owners")), ("member", found.get("members")))
        for who in kept or ()
    ]
    if not people:
        call.refuse(
            "members collection is required when using Application permissions. "
            "At least one member with 'owner' role must be specified."
        )
    return people


def _distinct(members: list[Row]) -> list[Row]:
    return list({m["userId"]: m for m in reversed(members)}.values())[::-1]


def _described(call: Call, group: str | None) -> Row:
    """The columns that say what the team is called, what it is for and what is allowed in it."""
    given = call.arguments
    name = given.get("displayName")
    if not name and group:
        name = (call.row("SELECT display_name FROM groups WHERE group_id = :key", key=group) or {})[
            "display_name"
        ]
    if not (name or "").strip():
        call.refuse("displayName is required when group_odata_bind is not given")
    found = {n: given.get(n) for n in ("description", "classification", "visibility", "specialization")}
    columns = {name: name.replace("Settings", "_settings") for name in SETTINGS}
    return found | {"display_name": name} | {c: SETTINGS[n] | given.get(n, {}) for n, c in columns.items()}


def _new_group(call: Call) -> str:
    """The Microsoft 365 group behind a new team."""
    key, given = f"group_{new_hex(call)}", call.arguments
    people = [(s, directory_object(person(call, s["user_odata_bind"]))) for s in given["members"]]
    nickname = "".join(c for c in (given.get("displayName") or "").lower() if c.isascii() and c.isalnum())
    insert(
        call, "groups", group_id=key, org_id=call.caller["org_id"], display_name=given.get("displayName"),
        description=given.get("description"), mail_nickname=nickname[:64] or key[:64], visibility="Private",
        group_types=["Unified"], mail_enabled=True, resource_provisioning_options=["Team"],
        members=[who for _, who in people], created_date_time=call.now, updated_date_time=call.now,
        owners=[who for said, who in people if "owner" in said.get("roles", ())],
    )  # fmt: skip
    return key


def _fill(call: Call, team: str) -> None:
    """The channels, tabs and apps of a new team."""
    given = call.arguments
    first = {"displayName": given.get("firstChannelName") or "General", "isFavoriteByDefault": True}
    for said in (first, *given.get("channels", ())):
        channel = new_channel(call, team, said)
        for tab in said.get("tabs", ()):
            shown = app(call, tab.get("teamsApp_odata_bind", ""))
            name = tab.get("displayName") or shown["display_name"]
            new_tab(call, team, channel, name, shown, tab.get("configuration"))
    for said in given.get("installedApps", ()):
        row = app(call, said["teamsApp_odata_bind"])
        insert(
            call, "installed_apps", installation_id=new_uuid(call), org_id=row["org_id"], team_id=team,
            teams_app_id=row["app_id"], teams_app_external_id=row["external_id"], created_date_time=call.now,
            teams_app_display_name=row["display_name"], teams_app_definition_version=row["version"],
            teams_app_distribution_method=row["distribution_method"],
            publishing_state=row["publishing_state"],
            azure_ad_app_id=row["azure_ad_app_id"], description=row["description"],
        )  # fmt: skip


def _operation(call: Call, team: str) -> Row:
    """What the API answers: not the team but the operation that made it."""
    done: dict[str, Any] = {"TeamId": team, "Messages": ["Team created"]}
    return {
        "@odata.context": f"{GRAPH}$metadata#teams('{team}')/operations/$entity", "id": team,
        "operationType": "createTeam", "createdDateTime": call.now, "status": "succeeded",
        "lastActionDateTime": call.now, "attemptsCount": 1, "targetResourceId": team,
        "targetResourceLocation": f"/teams('{team}')", "values": json.dumps(done, separators=(",", ":")),
    }  # fmt: skip
