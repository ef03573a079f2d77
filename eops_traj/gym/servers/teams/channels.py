"""Channels: making them, and the people and tabs in them."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.servers.teams.chats import app, shown_app
from eops_traj.gym.servers.teams.graph import GRAPH
from eops_traj.gym.servers.teams.people import bound, person
from eops_traj.gym.servers.teams.records import insert, new_hex
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
    given, team = call.arguments, call.arguments["teamId"]
    if given["membershipType"] != "standard" and not given.get("members"):
        call.refuse(f"members are required for {given['membershipType']} channels")
    people = [(said, person(call, said["user_odata_bind"])) for said in given.get("members", ())]
    mode = given.get("_microsoft_graph_channelCreationMode")
    key = new_channel(call, team, given, mode)
    for said, row in {row["user_id"]: (said, row) for said, row in people}.values():
        join(call, key, row, said["roles"], said.get("email"))
    head = {"@odata.context": f"{GRAPH}$metadata#teams('{team}')/channels/$entity"}
    return head | {
        "@odata.type": "#microsoft.graph.channel", "id": key, "displayName": given["displayName"],
        "description": given.get("description"), "membershipType": given["membershipType"],
        "isFavoriteByDefault": given.get("isFavoriteByDefault", False), "tenantId": call.caller["tenant_id"],
        "teamId": team, "isArchived": False, "createdDateTime": call.now,
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
    """
    channel, row = call.arguments["channelId"], person(call, call.arguments["user_odata_bind"])
    if not row["account_enabled"]:
        call.refuse(
            f"User not found: {bound(call.arguments['user_odata_bind'])} or not from your organization"
        )
    if call.row(
        "SELECT 1 AS found FROM channel_members WHERE channel_id = :channelId AND user_id = :who",
        who=row["user_id"],
    ):
        call.refuse(f"User '{row['user_id']}' is already a member of the channel")
    roles = call.arguments.get("roles") or ["member"]
    return {
        "id": join(call, channel, row, roles), "roles": roles, "displayName": row["display_name"],
        "email": row["mail"], "userId": row["user_id"], "tenantId": call.caller["tenant_id"],
        "visibleHistoryStartDateTime": call.now,
    }  # fmt: skip


@tool
def add_tabs_to_channels(call: Call) -> Row:
    """(teamId!, channelId!, displayName!, teamsApp_odata_bind! = teams_apps.app_id, configuration)
      -> row of teams_channel_tabs

    Put a tab into a channel, for an app of the organization's catalog.
    @allow admin, teams_admin, user_admin, member
    """
    given = call.arguments
    shown = app(call, given["teamsApp_odata_bind"])
    key = new_tab(
        call, given["teamId"], given["channelId"], given["displayName"], shown, given.get("configuration")
    )
    context = f"{GRAPH}$metadata#teams('{given['teamId']}')/channels('{given['channelId']}')/tabs/$entity"
    found = {"@odata.context": context, "id": key, "displayName": given["displayName"]}
    found["teamsApp_odata_bind"] = f"{GRAPH}appCatalogs/teamsApps('{shown['app_id']}')"
    if "configuration" in given:
        found["configuration"] = given["configuration"]
    return found | {"teamsApp": shown_app(shown)}


def new_channel(call: Call, team: str, said: Mapping[str, Any], mode: str | None = None) -> str:
    """Make a channel as it was described, and give its id."""
    key = f"channel_{new_hex(call)}"
    insert(
        call, "channels", channel_id=key, org_id=call.caller["org_id"], team_id=team,
        display_name=said["displayName"], description=said.get("description"), migration_mode=mode,
        membership_type=said.get("membershipType", "standard"), created_date_time=call.now,
        is_favorite_by_default=said.get("isFavoriteByDefault", False),
    )  # fmt: skip
    return key


def join(call: Call, channel: str, row: Row, roles: list[str], email: str | None = None) -> int:
    """Make a person a member of a channel, and give the number of the membership."""
    insert(
        call, "channel_members", channel_id=channel, user_id=row["user_id"], roles=(roles or ["member"])[0],
        display_name=row["display_name"], email=email or row["mail"], added_at=call.now,
    )  # fmt: skip
    return int((call.row("SELECT last_insert_rowid() AS id") or {})["id"])


def new_tab(call: Call, team: str, channel: str, name: str, shown: Row, configuration: Row | None) -> str:
    """Put a tab for an app after the other tabs of a channel, and give its id."""
    key = f"tab_{new_hex(call)[:16]}"
    tabs = call.row(
        "SELECT count(*) AS n FROM teams_channel_tabs WHERE channel_id = :channel", channel=channel
    )
    insert(
        call, "teams_channel_tabs", org_id=call.caller["org_id"], team_id=team, channel_id=channel,
        tab_id=key,
        display_name=name, app_id=shown["app_id"], configuration_json=configuration, created_at=call.now,
        sort_order_index=str(10000100 + 100 * (tabs or {})["n"]), updated_at=call.now,
        web_url=f"https://teams.microsoft.com/l/entity/{shown['app_id']}/{key}",
    )  # fmt: skip
    return key
