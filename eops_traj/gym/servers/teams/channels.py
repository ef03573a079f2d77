"""The tools for channels, their members and their tabs."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.servers.teams.chats import find_app, tab_app
from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.people import get_person, link_target
from eops_traj.gym.servers.teams.tools import insert, new_hex
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


@tool
def create_channel(call: Call) -> Row:
    """(teamId!, displayName!, description, membershipType, members, isFavoriteByDefault,
      _microsoft_graph_channelCreationMode) -> row of channels

    Make a channel in a team. A private or shared one has just the members given.
      membershipType: Whose channel it is. {default: standard}
      members: Its members.
        {type: array, items: {type: object, required: [user_odata_bind, roles], properties: {
        user_odata_bind: {type: string}, displayName: {type: string}, email: {type: string},
        roles: {type: array, items: {type: string, enum: [owner, member, guest]}}}}}
      isFavoriteByDefault: Whether members see it without looking for it. {default: false}
      _microsoft_graph_channelCreationMode: Set to fill it from another service.
        {type: string, enum: [migration]}
    @allow admin, teams_admin, user_admin, member
    """
    arguments, team = call.arguments, call.arguments["teamId"]
    if arguments["membershipType"] != "standard" and not arguments.get("members"):
        call.refuse(f"members are required for {arguments['membershipType']} channels")
    members = [(entry, get_person(call, entry["user_odata_bind"])) for entry in arguments.get("members", ())]
    mode = arguments.get("_microsoft_graph_channelCreationMode")
    key = insert_channel(call, team, arguments, mode)
    for entry, row in {row["user_id"]: (entry, row) for entry, row in members}.values():
        insert_channel_member(call, key, row, entry["roles"], entry.get("email"))
    head = {"@odata.context": f"{GRAPH}$metadata#teams('{team}')/channels/$entity"}
    return head | {
        "@odata.type": "#microsoft.graph.channel", "id": key, "displayName": arguments["displayName"],
        "description": arguments.get("description"), "membershipType": arguments["membershipType"],
        "isFavoriteByDefault": arguments.get("isFavoriteByDefault", False),
        "tenantId": call.caller["tenant_id"], "teamId": team, "isArchived": False,
        "createdDateTime": call.now,
    }  # fmt: skip


@tool
def add_channel_member(call: Call) -> Row:
    """(teamId!, channelId!, _odata_type, user_odata_bind! = teams_users.user_id, roles) -> row of channels

    Add a person to a private or shared channel. A standard one has the members of its team.
      roles: owner, or nothing for a plain member.
        {type: array, items: {type: string, enum: [owner]}, default: []}
    @allow admin, teams_admin, user_admin, member
    @refuse Members can only be added to private or shared channels WHEN EXISTS (
        SELECT 1 FROM channels WHERE channel_id = :channelId AND membership_type = 'standard')
    @outward
    """
    channel, person = call.arguments["channelId"], get_person(call, call.arguments["user_odata_bind"])
    if not person["account_enabled"]:
        call.refuse(
            f"User not found: {link_target(call.arguments['user_odata_bind'])} or not from your organization"
        )
    existing = "SELECT 1 FROM channel_members WHERE channel_id = :channelId AND user_id = :who"
    if call.row(existing, who=person["user_id"]):
        call.refuse(f"User '{person['user_id']}' is already a member of the channel")
    roles = call.arguments.get("roles") or ["member"]
    return {
        "id": insert_channel_member(call, channel, person, roles), "roles": roles,
        "displayName": person["display_name"], "email": person["mail"], "userId": person["user_id"],
        "tenantId": call.caller["tenant_id"], "visibleHistoryStartDateTime": call.now,
    }  # fmt: skip


@tool
def add_tabs_to_channels(call: Call) -> Row:
    """(teamId!, channelId!, displayName!, teamsApp_odata_bind! = teams_apps.app_id, configuration)
      -> row of teams_channel_tabs

    Put a tab into a channel, for an app of the organization's catalog.
    @allow admin, teams_admin, user_admin, member
    """
    arguments = call.arguments
    team, channel, name = (arguments[key] for key in ("teamId", "channelId", "displayName"))
    app = find_app(call, arguments["teamsApp_odata_bind"])
    key = insert_tab(call, team, channel, name, app, arguments.get("configuration"))
    context = f"{GRAPH}$metadata#teams('{team}')/channels('{channel}')/tabs/$entity"
    tab = {"@odata.context": context, "id": key, "displayName": name}
    tab["teamsApp_odata_bind"] = f"{GRAPH}appCatalogs/teamsApps('{app['app_id']}')"
    if "configuration" in arguments:
        tab["configuration"] = arguments["configuration"]
    return tab | {"teamsApp": tab_app(app)}


def insert_channel(call: Call, team: str, channel: Mapping[str, Any], mode: str | None = None) -> str:
    """Insert a channel as it was described, and return its id."""
    key = f"channel_{new_hex(call)}"
    insert(
        call, "channels", channel_id=key, org_id=call.caller["org_id"], team_id=team,
        display_name=channel["displayName"], description=channel.get("description"), migration_mode=mode,
        membership_type=channel.get("membershipType", "standard"), created_date_time=call.now,
        is_favorite_by_default=channel.get("isFavoriteByDefault", False),
    )  # fmt: skip
    return key


def insert_channel_member(
    call: Call, channel: str, person: Row, roles: list[str], email: str | None = None
) -> int:
    """Make a person a member of a channel, and return the number of the membership."""
    insert(
        call, "channel_members", channel_id=channel, user_id=person["user_id"],
        roles=(roles or ["member"])[0], display_name=person["display_name"],
        email=email or person["mail"], added_at=call.now,
    )  # fmt: skip
    return int((call.row("SELECT last_insert_rowid() AS id") or {})["id"])


def insert_tab(call: Call, team: str, channel: str, name: str, app: Row, configuration: Row | None) -> str:
    """Put a tab for an app after the other tabs of a channel, and return its id."""
    key = f"tab_{new_hex(call)[:16]}"
    tabs = call.row(
        "SELECT count(*) AS n FROM teams_channel_tabs WHERE channel_id = :channel", channel=channel
    )
    insert(
        call, "teams_channel_tabs", org_id=call.caller["org_id"], team_id=team, channel_id=channel,
        tab_id=key, display_name=name, app_id=app["app_id"], configuration_json=configuration,
        created_at=call.now, sort_order_index=str(10000100 + 100 * (tabs or {})["n"]),
        updated_at=call.now, web_url=f"https://teams.microsoft.com/l/entity/{app['app_id']}/{key}",
    )  # fmt: skip
    return key
