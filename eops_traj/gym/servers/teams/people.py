"""People: references to them by id or principal name, their form in lists of members, their status."""

import json
import re

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


def link_target(text: str) -> str:
    """Return what a link refers to: ``…/users('ana')``, ``…/users/ana`` and ``ana`` all mean ana."""
    match = re.search(r"\('([^']*)'\)$", text)
    return match[1] if match else text.rstrip("/").rpartition("/")[2]


def find_person(call: Call, reference: str) -> Row | None:
    """Find the person of the caller's organization that a link, an id or a principal name means."""
    return call.row(
        """SELECT * FROM teams_users WHERE (user_id = :who OR user_principal_name = :who)
        AND org_id = :caller_org_id AND NOT soft_deleted""",
        who=link_target(reference),
    )


def get_person(call: Call, reference: str) -> Row:
    """Return the person that a reference means, or refuse the call."""
    person = find_person(call, reference)
    return person or call.refuse(f"User not found: {link_target(reference)} or not from your organization")


def directory_object(person: Row) -> Row:
    """Return a person as a member or an owner of a group."""
    return {
        "@odata.type": "#microsoft.graph.user", "id": person["user_id"],
        "displayName": person["display_name"],
        "userPrincipalName": person["user_principal_name"], "mail": person["mail"],
    }  # fmt: skip


@tool
def set_user_status_message(call: Call) -> int:
    """(user_id!, statusMessage!) -> row of teams_presence_sessions

    Show a text beside a person's name; an empty one takes it away.
      user_id: Id of the person, or the name they log in with. {type: string, minLength: 1, maxLength: 320}
      statusMessage: The text, and until when it is shown. {type: object, required: [message], properties: {
        message: {type: object, required: [content, contentType], properties: {
        content: {type: string, maxLength: 280}, contentType: {type: string, enum: [text]}}},
        expiryDateTime: {type: object, required: [dateTime, timeZone], properties: {
        dateTime: {type: string}, timeZone: {type: string}}}}}
    """
    user_id = get_person(call, call.arguments["user_id"])["user_id"]
    status = call.arguments["statusMessage"]
    said = json.dumps(status) if status["message"]["content"] else None
    update = """UPDATE teams_presence_sessions SET status_message = :status, updated_at = :now
        WHERE org_id = :caller_org_id AND user_id = :who RETURNING id"""
    insert = """INSERT INTO teams_presence_sessions (org_id, user_id, status_message, updated_at)
        VALUES (:caller_org_id, :who, :status, :now)"""
    if not call.rows(update, who=user_id, status=said):
        call.rows(insert, who=user_id, status=said)
    return 200
