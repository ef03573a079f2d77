"""Rows as Gmail's resources: messages and threads in their formats, labels, filters and settings."""

import json
from collections.abc import Sequence
from typing import Any

from eops_traj.gym.api_styles.google import page, resource
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.tools.call import Call, Row

Resource = dict[str, Any]


def message(call: Call, row: Row, form: str = "full", headers: Sequence[str] = ()) -> Resource:
    """Return a message: ``minimal``, ``raw`` bytes, ``full`` with all parts, or ``metadata`` of headers."""
    short = brief_message(call, row) | {
        "snippet": row["snippet"],
        "historyId": str(row["history_id"]),
        "internalDate": str(row["internal_date"]),
        "sizeEstimate": row["size_estimate"],
    }
    if form == "raw":
        return short | {"raw": row["raw"]}
    if form == "minimal":
        return short
    parsed = mime.parse(mime.decode(row["raw"]))
    if form == "metadata":
        return short | {"payload": {"mimeType": row["mime_type"], "headers": mime.headers(parsed, headers)}}
    sql = "SELECT part_id, id FROM attachments WHERE message_id = :message"
    files = {file["part_id"]: file["id"] for file in call.rows(sql, message=row["id"])}
    return short | {"payload": mime.payload(parsed, files)}


def brief_message(call: Call, row: Row) -> Resource:
    """Return a message by its ids and labels, as most changes answer."""
    return {"id": row["id"], "threadId": row["thread_id"], "labelIds": store.labels_of(call, row["id"])}


def draft(call: Call, row: Row, form: str = "minimal") -> Resource:
    """Return a draft with the message in it; `row` has ids of both."""
    inner = store.message(call, row["message_id"])
    short = brief_message(call, inner) if form == "minimal" else message(call, inner, form)
    return {"id": row["id"], "message": short}


def page_resource(call: Call, key: str, rows: Sequence[Any]) -> Resource:
    """Return one page of a list, with the number of all matches."""
    arguments = call.arguments
    part, following = page(rows, arguments.get("maxResults", 100), arguments.get("pageToken"))
    more = {"nextPageToken": following} if following else {}
    return {key: list(part)} | more | {"resultSizeEstimate": len(rows)}


# settings


def label(row: Row) -> Resource:
    """Return a label, with its colours together."""
    colour = {"textColor": row["text_color"], "backgroundColor": row["background_color"]}
    return resource(
        row, "user_id", "text_color", "background_color", color=colour if row["text_color"] else None
    )


def alias(row: Row) -> Resource:
    """Return a send-as alias with its relay, but never the name and password of the relay."""
    fields = ("host", "port", "security_mode")
    relay = resource({field: row[f"smtp_{field}"] for field in fields}) or None
    hidden = [name for name in row if name.startswith("smtp_")]
    return resource(row, "user_id", *hidden, smtpMsa=relay)


def certificate(row: Row) -> Resource:
    """Return an S/MIME certificate, without the secrets that open its key."""
    return resource(row, "user_id", "send_as_email", "encrypted_key_password", "pkcs12")


def identity(row: Row) -> Resource:
    """Return a client-side encryption identity: one key pair, or one that signs and one that encrypts."""
    both = {
        "signingKeyPairId": row["signing_key_pair_id"],
        "encryptionKeyPairId": row["encryption_key_pair_id"],
    }
    pairs = {name: value for name, value in both.items() if value}
    return resource(
        row, "user_id", "signing_key_pair_id", "encryption_key_pair_id", signAndEncryptKeyPairs=pairs or None
    )


def keypair(row: Row) -> Resource:
    """Return a key pair of client-side encryption."""
    return resource(row, "user_id", "pkcs7", pem=row["pem"] or row["pkcs7"])


def plain(row: Row) -> Resource:
    """Return any other row, without its owner."""
    return resource(row, "user_id", "created_at")


RESOURCES = {
    "labels": label, "send_as_aliases": alias, "smime_info": certificate, "cse_identities": identity,
    "cse_keypairs": keypair,
}  # fmt: skip
"""The functions that make resources of the rows of a table, where `plain` will not do."""


def row_resource(table: str, row: Row) -> Resource:
    """Return a row of this table as its resource."""
    return RESOURCES.get(table, plain)(row)


def history_record(call: Call, row: Row) -> Resource:
    """Return a history record: the change of a message, under the name that Gmail gives it."""
    plural = {"messageAdded": "messagesAdded", "messageDeleted": "messagesDeleted"}
    kind = plural.get(row["history_type"], row["history_type"].replace("label", "labels"))
    labels = row["label_ids"] if isinstance(row["label_ids"], list) else json.loads(row["label_ids"])
    short = {"id": row["message_id"], "threadId": row["thread_id"]}
    now = short | {
        "labelIds": labels if kind in plural.values() else store.labels_of(call, row["message_id"])
    }
    entry = {"message": now} | ({} if kind in plural.values() else {"labelIds": labels})
    return {"id": str(row["id"]), "messages": [short], kind: [entry]}
