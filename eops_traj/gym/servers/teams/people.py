"""Who is meant: people named by id or principal name, and what they are in lists of members."""

import json
import re

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool


def bound(text: str) -> str:
    """What a link refers to: ``…/users('ana')``, ``…/users/ana`` and ``ana`` all mean ana."""
    found = re.search(r"\('([^']*)'\)$", text)
    return found[1] if found else text.rstrip("/").rpartition("/")[2]


def find(call: Call, reference: str) -> Row | None:
    """The person of the caller's organization that a link, an id or a principal name means."""
    return call.row(
        """SELECT * FROM teams_users WHERE (user_id = :who OR user_principal_name = :who)
        AND org_id = :caller_org_id AND NOT soft_deleted""",
        who=bound(reference),
    )


def person(call: Call, reference: str) -> Row:
    """The same, who has to exist."""
    found = find(call, reference)
    return found or call.refuse(f"User not found: {bound(reference)} or not from your organization")


def directory_object(row: Row) -> Row:
    """A person as a member or an owner of a group."""
    return {
        "@odata.type": "#microsoft.graph.user", "id": row["user_id"], "displayName": row["display_name"],
        "userPrincipalName": row["user_principal_name"], "mail": row["mail"],
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
    who = person(call, call.arguments["user_id"])["user_id"]
    said = call.arguments["statusMessage"]
    call.rows(
        """INSERT INTO teams_presence_sessions (org_id, user_id, status_message, updated_at)
        VALUES (:caller_org_id, :who, :said, :now)
        ON CONFLICT (org_id, user_id) DO UPDATE
        SET status_message = excluded.status_message, updated_at = excluded.updated_at""",
        who=who, said=json.dumps(said) if said["message"]["content"] else None,
    )  # fmt: skip
    return 200
