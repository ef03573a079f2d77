"""The tools for chats, their apps and their tabs."""

from typing import Any
from urllib.parse import quote

from eops_traj.gym.servers.teams.graph import entity
from eops_traj.gym.servers.teams.people import get_person, link_target
from eops_traj.gym.servers.teams.tools import insert, new_hex, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_TAB = '{\r\n  "context": "chat",\r\n  "chatId": "%s",\r\n  "subEntityId": null\r\n}'


def find_app(call: Call, reference: str) -> Row:
    """Return the app of the organization's catalog that a link or an id means; refuse any other."""
    app = call.row(
        "SELECT * FROM teams_apps WHERE org_id = :caller_org_id AND app_id = :app", app=link_target(reference)
    )
    if app is None:
        call.refuse(
            f"Teams app '{link_target(reference)}' not found in organization app catalog. "
            "The app must be preinstalled in the team."
        )
    return app


def tab_app(app: Row) -> Row:
    """Return an app as a tab shows it."""
    names = {"id": "app_id", "displayName": "display_name", "distributionMethod": "distribution_method"}
    return {name: app[column] for name, column in names.items()}


@tool
def create_chat(call: Call) -> Row:
    """(chatType!, topic, members!, installedApps) -> row of chats

    Open a chat. Two people have one chat at most: if it is there already, it is given back.
      topic: What a group chat is about. {maxLength: 255}
      members: Who takes part, the caller too.
        {type: array, minItems: 2, items: {type: object, required: [_odata_type, roles, user_odata_bind],
        properties: {_odata_type: {type: string}, user_odata_bind: {type: string}, tenantId: {type: string},
        roles: {type: array, items: {type: string, enum: [owner, guest]}}}}}
      installedApps: Apps to install in it.
        {type: array, items: {type: object, required: [teamsApp_odata_bind], properties: {
        teamsApp_odata_bind: {type: string}, consentedPermissionSet: {type: object}}}}
    @outward
    """
    arguments = call.arguments
    members = [(entry, get_person(call, entry["user_odata_bind"])) for entry in arguments["members"]]
    ids = sorted({row["user_id"] for _, row in members})
    if arguments["chatType"] == "oneOnOne":
        key = _one_on_one_id(call, ids)
    elif not (arguments.get("topic") or "").strip():
        call.refuse("topic is required for group chats")
    else:
        key = new_hex(call)
    if not call.row("SELECT 1 FROM chats WHERE chat_id = :key", key=key):
        _insert_chat(call, key, members)
    return entity(call, {"id": key}, "chats/$entity FROM graph_chat WHERE id = :id")


@tool
def add_tab_to_chat(call: Call) -> Row:
    """(chatId!, displayName!, teamsApp_odata_bind! = teams_apps.app_id, configuration) -> row of chat_tabs

    Put a tab into a chat, for an app of the organization's catalog.
      chatId: Id of the chat. {minLength: 1}
      displayName: What the tab is called. {minLength: 1, maxLength: 256}
    """
    arguments, key = call.arguments, new_uuid(call)
    app = find_app(call, arguments["teamsApp_odata_bind"])
    tabs = call.row("SELECT count(*) AS n FROM chat_tabs WHERE chat_id = :chatId") or {}
    order = str(tabs["n"] + 1)
    context = quote(_TAB % arguments["chatId"], safe="").replace("%20", "+")
    link = f"https://teams.microsoft.com/l/entity/{key}?context={context}&tenantId={call.caller['tenant_id']}"
    insert(
        call, "chat_tabs", tab_id=key, org_id=call.caller["org_id"], chat_id=arguments["chatId"],
        web_url=link, display_name=arguments["displayName"], app_id=app["app_id"], sort_order_index=order,
        configuration_json=arguments.get("configuration"), created_at=call.now,
    )  # fmt: skip
    tab: dict[str, Any] = {"id": key, "displayName": arguments["displayName"], "sortOrderIndex": order}
    return tab | {
        "webUrl": link, "configuration": arguments.get("configuration"), "teamsApp": tab_app(app)
    }  # fmt: skip


def _one_on_one_id(call: Call, ids: list[str]) -> str:
    if len(ids) != 2 or len(call.arguments["members"]) != 2:
        call.refuse("A oneOnOne chat must have exactly two different members")
    if call.arguments.get("topic"):
        call.refuse("topic must be null for oneOnOne chats")
    return "_".join(ids)


def _insert_chat(call: Call, key: str, members: list[tuple[Row, Row]]) -> None:
    arguments, org = call.arguments, call.caller["org_id"]
    insert(
        call, "chats", chat_id=key, org_id=org, topic=arguments.get("topic"), chat_type=arguments["chatType"],
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    for person, entry in {person["user_id"]: (person, entry) for entry, person in members}.values():
        insert(
            call, "chat_members", chat_id=key, org_id=org, user_id=person["user_id"], added_at=call.now,
            roles=(entry["roles"] or ["owner"])[0], tenant_id=entry.get("tenantId"),
            display_name=person["display_name"],
        )  # fmt: skip
    for entry in arguments.get("installedApps", ()):
        app = find_app(call, entry["teamsApp_odata_bind"])
        insert(
            call, "chat_app_installations", installation_id=new_uuid(call), chat_id=key,
            org_id=app["org_id"], app_id=app["app_id"], app_display_name=app["display_name"],
            app_external_id=app["external_id"], app_distribution_method=app["distribution_method"],
            installed_by_user_id=call.caller["user_id"], installed_at=call.now,
            consented_permission_set=entry.get("consentedPermissionSet"),
        )  # fmt: skip
