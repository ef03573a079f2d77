"""Chats: opening them, and the apps and tabs in them."""

from typing import Any
from urllib.parse import quote

from eops_traj.gym.servers.teams.graph import entity
from eops_traj.gym.servers.teams.people import bound, person
from eops_traj.gym.servers.teams.records import insert, new_hex, new_uuid
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_TAB = '{\r\n  "context": "chat",\r\n  "chatId": "%s",\r\n  "subEntityId": null\r\n}'


def app(call: Call, reference: str) -> Row:
    """The app of the organization's catalog that a link or an id means."""
    found = call.row(
        "SELECT * FROM teams_apps WHERE org_id = :caller_org_id AND app_id = :app", app=bound(reference)
    )
    if found is None:
        call.refuse(
            f"Teams app '{bound(reference)}' not found in organization app catalog. "
            "The app must be preinstalled in the team."
        )
    return found


def shown_app(row: Row) -> Row:
    """An app as a tab shows it."""
    names = {"id": "app_id", "displayName": "display_name", "distributionMethod": "distribution_method"}
    return {name: row[column] for name, column in names.items()}


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
    """
    given = call.arguments
    people = [(said, person(call, said["user_odata_bind"])) for said in given["members"]]
    ids = sorted({row["user_id"] for _, row in people})
    if given["chatType"] == "oneOnOne":
        key = _between_two(call, ids)
    elif not (given.get("topic") or "").strip():
        call.refuse("topic is required for group chats")
    else:
        key = new_hex(call)
    if not call.row("SELECT 1 AS found FROM chats WHERE chat_id = :key", key=key):
        _open(call, key, people)
    return entity(call, {"id": key}, "chats/$entity FROM graph_chat WHERE id = :id")


@tool
def add_tab_to_chat(call: Call) -> Row:
    """(chatId!, displayName!, teamsApp_odata_bind! = teams_apps.app_id, configuration) -> row of chat_tabs

    Put a tab into a chat, for an app of the organization's catalog.
      chatId: Id of the chat. {minLength: 1}
      displayName: What the tab is called. {minLength: 1, maxLength: 256}
    """
    given, key = call.arguments, new_uuid(call)
    shown, place = app(call, given["teamsApp_odata_bind"]), _tabs(call) + 1
    context = quote(_TAB % given["chatId"], safe="").replace("%20", "+")
    link = f"https://teams.microsoft.com/l/entity/{key}?context={context}&tenantId={call.caller['tenant_id']}"
    insert(
        call, "chat_tabs", tab_id=key, org_id=call.caller["org_id"], chat_id=given["chatId"], web_url=link,
        display_name=given["displayName"], app_id=shown["app_id"], sort_order_index=str(place),
        configuration_json=given.get("configuration"), created_at=call.now,
    )  # fmt: skip
    answer: dict[str, Any] = {"id": key, "displayName": given["displayName"], "sortOrderIndex": str(place)}
    return answer | {
        "webUrl": link, "configuration": given.get("configuration"), "teamsApp": shown_app(shown)
    }  # fmt: skip


def _between_two(call: Call, ids: list[str]) -> str:
    if len(ids) != 2 or len(call.arguments["members"]) != 2:
        call.refuse("A oneOnOne chat must have exactly two different members")
    if call.arguments.get("topic"):
        call.refuse("topic must be null for oneOnOne chats")
    return "_".join(ids)


def _open(call: Call, key: str, people: list[tuple[Row, Row]]) -> None:
    given, org = call.arguments, call.caller["org_id"]
    insert(
        call, "chats", chat_id=key, org_id=org, topic=given.get("topic"), chat_type=given["chatType"],
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    for row, said in {row["user_id"]: (row, said) for said, row in people}.values():
        insert(
            call, "chat_members", chat_id=key, org_id=org, user_id=row["user_id"], added_at=call.now,
            roles=(said["roles"] or ["owner"])[0], tenant_id=said.get("tenantId"),
            display_name=row["display_name"],
        )  # fmt: skip
    for said in given.get("installedApps", ()):
        _install(call, key, said)


def _install(call: Call, key: str, said: Row) -> None:
    row = app(call, said["teamsApp_odata_bind"])
    insert(
        call, "chat_app_installations", installation_id=new_uuid(call), chat_id=key, org_id=row["org_id"],
        app_id=row["app_id"], app_display_name=row["display_name"], app_external_id=row["external_id"],
        app_distribution_method=row["distribution_method"], installed_by_user_id=call.caller["user_id"],
        installed_at=call.now, consented_permission_set=said.get("consentedPermissionSet"),
    )  # fmt: skip


def _tabs(call: Call) -> int:
    return int((call.row("SELECT count(*) AS n FROM chat_tabs WHERE chat_id = :chatId") or {})["n"])
