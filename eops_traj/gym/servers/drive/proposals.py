"""Requests for access to files: someone asks, and anyone who may share the file decides.

The recipient of a request is the one who is asked, as in the rows of the real server (Google's own
reference calls so whoever is to be let in): what is accepted is given to the requester.
"""

from eops_traj.gym.api_styles.google import error, invalid, listing, resource, rfc3339
from eops_traj.gym.servers.drive import access, sharing
from eops_traj.gym.servers.drive.access import RANKS
from eops_traj.gym.servers.drive.errors import not_found
from eops_traj.gym.servers.drive.resources import Resource
from eops_traj.gym.servers.drive.sharing_rules import SharedItem, Terms
from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.tool import tool

_ROLES = ("writer", "commenter", "reader")


@tool
def list_accessproposals(call: Call) -> Resource:
    """(fileId! = file_id, pageToken, pageSize) -> rows of access_proposals

    The requests for access to a file that wait for a decision, oldest first. Only whoever may share it sees
    them.
    @closed
    """
    item = _open_shareable(call)
    assert item.file is not None
    sql = """SELECT * FROM access_proposals WHERE file_id = :fileId AND status = 'pending'
        ORDER BY created_at, id"""
    return listing(call, None, "accessProposals", call.rows(sql), _resource)


@tool
def get_accessproposals(call: Call) -> Resource:
    """(fileId! = file_id, proposalId! = id) -> row of access_proposals

    One request for access to a file.
    @closed
    """
    _open_shareable(call)
    return _resource(_proposal_row(call))


@tool
def resolve_accessproposals(call: Call) -> bool:
    """(fileId! = file_id, proposalId! = id, action!, role[], view, sendNotification)
      -> done of access_proposals

    Accept a request for access, which gives the role, or deny it. What is decided stays so.
      action: What to do. {type: string, enum: [ACTION_UNSPECIFIED, ACCEPT, DENY]}
      role: The roles to give, of which the highest counts - writer, commenter or reader. ACCEPT needs one.
        {type: array, items: {type: string}}
      view: The view that the request belongs to; only published exists. {type: string}
      sendNotification: Whether the one who asked is told. {type: boolean, default: true}
    @closed
    @outward
    """
    item, proposal, action = _open_shareable(call), _proposal_row(call), call.arguments["action"]
    if proposal["status"] != "pending":
        raise error("FAILED_PRECONDITION", "The access proposal is already resolved.", location="proposalId")
    if action == "ACTION_UNSPECIFIED":
        raise invalid("action", "The action has to be ACCEPT or DENY.")
    if action == "ACCEPT":
        _accept(call, item, proposal)
    call.rows(
        """UPDATE access_proposals
        SET status = :status, resolved_at = :time, resolved_by_email = :caller_email
        WHERE id = :proposalId RETURNING id""",
        status="approved" if action == "ACCEPT" else "denied",
        time=rfc3339(call.now),
    )
    return True


def _accept(call: Call, item: SharedItem, proposal: Row) -> None:
    roles, view = call.arguments.get("role") or [], call.arguments.get("view")
    if not roles:
        raise error("INVALID_ARGUMENT", "ACCEPT needs a role.", "required", "role")
    if strays := [role for role in roles if role not in _ROLES]:
        raise invalid("role", f"The role {strays[0]} cannot be given on request.")
    if view not in (None, "published"):
        raise invalid("view")
    address = proposal["requester_email"]
    kind = "group" if call.row("SELECT 1 FROM groups WHERE email = :email", email=address) else "user"
    grantee = sharing.find_grantee(call, kind, address, None)
    sharing.grant(call, item, grantee, Terms(max(roles, key=lambda role: RANKS[role]), view=view))


def _open_shareable(call: Call) -> SharedItem:
    """Return the file of the call, if the caller may decide who gets in."""
    item = sharing.item_of(call, access.open_file(call))
    if not item.may_share:
        raise item.denied()
    return item


def _proposal_row(call: Call) -> Row:
    row = call.row("SELECT * FROM access_proposals WHERE file_id = :fileId AND id = :proposalId")
    if row is None:
        raise not_found("proposalId", call.arguments["proposalId"])
    return row


def _resource(row: Row) -> Resource:
    roles = [{"role": role, "view": row["proposed_view"]} for role in row["proposed_roles"] or ()]
    told = {name: row[name] for name in ("file_id", "request_message")}
    return resource(told, recipientEmailAddress=row["recipient_email"]) | {
        "proposalId": row["id"],
        "requesterEmailAddress": row["requester_email"],
        "rolesAndViews": [{k: v for k, v in entry.items() if v is not None} for entry in roles],
        "createTime": row["created_at"],
    }
