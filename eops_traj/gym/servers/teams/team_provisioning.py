"""The tools that create teams with all that belongs to them, and delete them.

`create_team` is long because its docstring declares twenty arguments; what it does takes twenty lines.
"""

import json
from collections.abc import Iterable
from typing import Any

from eops_traj.gym.servers.teams.channels import insert_channel, insert_tab
from eops_traj.gym.servers.teams.chats import find_app
from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.memberships import NO_OWNER, new_member
from eops_traj.gym.servers.teams.people import directory_object, get_person, link_target
from eops_traj.gym.servers.teams.tools import insert, new_hex, new_uuid
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
"""The default settings of a new team."""


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
    arguments, key = call.arguments, f"team_{new_hex(call)}"
    template, group = _template_id(call), _group_id(call)
    descriptions = _description_columns(call, group)
    people = _distinct_people(call, _member_entries(call, group))
    members = [new_member(call, entry, person) for entry, person in people]
    if not any("owner" in m["roles"] for m in members):
        call.refuse(NO_OWNER)
    insert(
        call, "teams", team_id=key, org_id=call.caller["org_id"],
        group_id=group or _insert_group(call, people),
        template_id=template, internal_id=key, web_url=f"https://teams.microsoft.com/l/team/{key}",
        created_date_time=arguments.get("createdDateTime") or call.now, updated_date_time=call.now,
        members=members, migration_mode="_microsoft_graph_teamCreationMode" in arguments,
        **descriptions,
    )  # fmt: skip
    if "empty_team" not in call.server.quirks:
        _fill_team(call, key)
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


def _template_id(call: Call) -> str:
    key = link_target(call.arguments["template_odata_bind"])
    query = "SELECT org_id FROM teams_templates WHERE template_id = :key"
    if not any(row["org_id"] in (call.caller["org_id"], "default") for row in call.rows(query, key=key)):
        call.refuse(f"Template not found: {key}")
    if call.arguments.get("tenantId", call.caller["tenant_id"]) != call.caller["tenant_id"]:
        call.refuse(f"Tenant '{call.arguments['tenantId']}' not found or not from your organization")
    return key


def _group_id(call: Call) -> str | None:
    """Return the id of the group that the team is created around, if the call names one."""
    if "group_odata_bind" not in call.arguments:
        return None
    key = link_target(call.arguments["group_odata_bind"])
    existing = "SELECT 1 FROM groups WHERE group_id = :key AND org_id = :caller_org_id AND NOT soft_delete"
    return key if call.row(existing, key=key) else call.refuse(f"Group not found: {key}")


def _member_entries(call: Call, group: str | None) -> list[Row]:
    """Return the entries of the call's members, or else those of the group's people."""
    if entries := call.arguments.get("members"):
        return list(entries)
    group_row = call.row("SELECT members, owners FROM groups WHERE group_id = :key", key=group) or {}
    people = [
        {"user_odata_bind": person["id"], "roles": [role]}
        for role in ("owner", "member")
        for person in group_row.get(f"{role}s") or ()
    ]
    if not people:
        call.refuse(
            "members collection is required when using Application permissions. "
            "At least one member with 'owner' role must be specified."
        )
    return people


def _distinct_people(call: Call, entries: Iterable[Row]) -> list[tuple[Row, Row]]:
    """Return each person once, after the first entry that names them; an owner by any of them is one."""
    found: dict[str, tuple[Row, Row]] = {}
    for entry in entries:
        person = get_person(call, entry["user_odata_bind"])
        first, _ = found.setdefault(person["user_id"], (entry, person))
        if "owner" in (entry.get("roles") or ()) and first is not entry:
            found[person["user_id"]] = first | {"roles": ["owner"]}, person
    return list(found.values())


def _description_columns(call: Call, group: str | None) -> Row:
    """Return the columns of the team's name, its purpose and its settings."""
    arguments = call.arguments
    name = arguments.get("displayName")
    if not name and group:
        row = call.row("SELECT display_name FROM groups WHERE group_id = :key", key=group) or {}
        name = row["display_name"]
    if not (name or "").strip():
        call.refuse("displayName is required when group_odata_bind is not given")
    columns = {n: arguments.get(n) for n in ("description", "classification", "visibility", "specialization")}
    settings = {
        name.replace("Settings", "_settings"): defaults | arguments.get(name, {})
        for name, defaults in SETTINGS.items()
    }
    return columns | {"display_name": name} | settings


def _insert_group(call: Call, people: Iterable[tuple[Row, Row]]) -> str:
    """Insert the Microsoft 365 group behind a new team, and return its id."""
    key, arguments = f"group_{new_hex(call)}", call.arguments
    objects = [(entry, directory_object(person)) for entry, person in people]
    nickname = "".join(c for c in (arguments.get("displayName") or "").lower() if c.isascii() and c.isalnum())
    insert(
        call, "groups", group_id=key, org_id=call.caller["org_id"],
        display_name=arguments.get("displayName"), description=arguments.get("description"),
        mail_nickname=nickname[:64] or key[:64], visibility="Private",
        group_types=["Unified"], mail_enabled=True, resource_provisioning_options=["Team"],
        members=[person for _, person in objects], created_date_time=call.now, updated_date_time=call.now,
        owners=[person for entry, person in objects if "owner" in (entry.get("roles") or ())],
    )  # fmt: skip
    return key


def _fill_team(call: Call, team: str) -> None:
    """Insert the channels, tabs and apps of a new team."""
    arguments = call.arguments
    first = {"displayName": arguments.get("firstChannelName") or "General", "isFavoriteByDefault": True}
    for entry in (first, *arguments.get("channels", ())):
        channel = insert_channel(call, team, entry)
        for tab in entry.get("tabs", ()):
            app = find_app(call, tab.get("teamsApp_odata_bind", ""))
            name = tab.get("displayName") or app["display_name"]
            insert_tab(call, team, channel, name, app, tab.get("configuration"))
    for entry in arguments.get("installedApps", ()):
        app = find_app(call, entry["teamsApp_odata_bind"])
        insert(
            call, "installed_apps", installation_id=new_uuid(call), org_id=app["org_id"], team_id=team,
            teams_app_id=app["app_id"], teams_app_external_id=app["external_id"], created_date_time=call.now,
            teams_app_display_name=app["display_name"], teams_app_definition_version=app["version"],
            teams_app_distribution_method=app["distribution_method"],
            publishing_state=app["publishing_state"],
            azure_ad_app_id=app["azure_ad_app_id"], description=app["description"],
        )  # fmt: skip


def _operation(call: Call, team: str) -> Row:
    """Return what the API returns: not the team but the operation that created it."""
    values: dict[str, Any] = {"TeamId": team, "Messages": ["Team created"]}
    return {
        "@odata.context": f"{GRAPH}$metadata#teams('{team}')/operations/$entity", "id": team,
        "operationType": "createTeam", "createdDateTime": call.now, "status": "succeeded",
        "lastActionDateTime": call.now, "attemptsCount": 1, "targetResourceId": team,
        "targetResourceLocation": f"/teams('{team}')", "values": json.dumps(values, separators=(",", ":")),
    }  # fmt: skip
