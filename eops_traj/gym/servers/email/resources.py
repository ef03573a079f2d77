"""Rows as Gmail's resources: messages and threads in their formats, labels, filters and settings."""

import json
from collections.abc import Sequence
from typing import Any

from eops_traj.gym.api_styles.google import page, resource
from eops_traj.gym.servers.email import mime, store
from eops_traj.gym.tools.call import Call, Row

Resource = dict[str, Any]


def message(call: Call, row: Row, form: str = "full", wanted: Sequence[str] = ()) -> Resource:
    """A message: ``minimal``, with its ``raw`` bytes, all its parts, or the ``metadata`` of its headers."""
    shown = brief(call, row) | {
        "snippet": row["snippet"],
        "historyId": str(row["history_id"]),
        "internalDate": str(row["internal_date"]),
        "sizeEstimate": row["size_estimate"],
    }
    if form == "raw":
        return shown | {"raw": row["raw"]}
    if form == "minimal":
        return shown
    parsed = mime.parse(mime.decode(row["raw"]))
    if form == "metadata":
        return shown | {"payload": {"mimeType": row["mime_type"], "headers": mime.headers(parsed, wanted)}}
    sql = "SELECT part_id, id FROM attachments WHERE message_id = :message"
    files = {file["part_id"]: file["id"] for file in call.rows(sql, message=row["id"])}
    return shown | {"payload": mime.payload(parsed, files)}


def brief(call: Call, row: Row) -> Resource:
    """A message by its ids and labels, as most changes answer."""
    return {"id": row["id"], "threadId": row["thread_id"], "labelIds": store.labels_of(call, row["id"])}


def draft(call: Call, row: Row, form: str = "minimal") -> Resource:
    """A draft with the message in it; `row` has ids of both."""
    inner = store.message(call, row["message_id"])
    shown = brief(call, inner) if form == "minimal" else message(call, inner, form)
    return {"id": row["id"], "message": shown}


def estimated(call: Call, key: str, rows: Sequence[Any]) -> Resource:
    """One page of a list, with the number of all that were found."""
    arguments = call.arguments
    shown, following = page(rows, arguments.get("maxResults", 100), arguments.get("pageToken"))
    more = {"nextPageToken": following} if following else {}
    return {key: list(shown)} | more | {"resultSizeEstimate": len(rows)}


# settings


def label(row: Row) -> Resource:
    """A label; its colours together."""
    colour = {"textColor": row["text_color"], "backgroundColor": row["background_color"]}
    return resource(
        row, "user_id", "text_color", "background_color", color=colour if row["text_color"] else None
    )


def alias(row: Row) -> Resource:
    """A send-as alias with its relay, of which neither name nor password is ever shown."""
    fields = ("host", "port", "security_mode")
    relay = resource({field: row[f"smtp_{field}"] for field in fields}) or None
    hidden = [name for name in row if name.startswith("smtp_")]
    return resource(row, "user_id", *hidden, smtpMsa=relay)


def certificate(row: Row) -> Resource:
    """An S/MIME certificate, without what opens its key."""
    return resource(row, "user_id", "send_as_email", "encrypted_key_password", "pkcs12")


def identity(row: Row) -> Resource:
    """A client-side encryption identity: one key pair, or one that signs and one that encrypts."""
    both = {
        "signingKeyPairId": row["signing_key_pair_id"],
        "encryptionKeyPairId": row["encryption_key_pair_id"],
    }
    pairs = {name: value for name, value in both.items() if value}
    return resource(
        row, "user_id", "signing_key_pair_id", "encryption_key_pair_id", signAndEncryptKeyPairs=pairs or None
    )


def keypair(row: Row) -> Resource:
    """A key pair of client-side encryption."""
    return resource(row, "user_id", "pkcs7", pem=row["pem"] or row["pkcs7"])


def plain(row: Row) -> Resource:
    """Any other row, without its owner."""
    return resource(row, "user_id", "created_at")


SHAPES = {
    "labels": label, "send_as": alias, "smime_info": certificate, "cse_identities": identity,
    "cse_keypairs": keypair,
}  # fmt: skip
"""How the rows of a table are shown, where `plain` will not do."""


def shown(table: str, row: Row) -> Resource:
    """A row of this table as its resource."""
    return SHAPES.get(table, plain)(row)


def change(call: Call, row: Row) -> Resource:
    """A history record: what happened to which message, under the name that Gmail gives it."""
    plural = {"messageAdded": "messagesAdded", "messageDeleted": "messagesDeleted"}
    kind = plural.get(row["history_type"], row["history_type"].replace("label", "labels"))
    labels = row["label_ids"] if isinstance(row["label_ids"], list) else json.loads(row["label_ids"])
    short = {"id": row["message_id"], "threadId": row["thread_id"]}
    now = short | {
        "labelIds": labels if kind in plural.values() else store.labels_of(call, row["message_id"])
    }
    told = {"message": now} | ({} if kind in plural.values() else {"labelIds": labels})
    return {"id": str(row["id"]), "messages": [short], kind: [told]}
