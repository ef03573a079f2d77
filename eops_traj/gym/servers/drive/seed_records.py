"""The seeded records on and beside files: comments, labels, requests, changes, channels, apps."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from eops_traj.gym.api_styles.google import rfc3339
from eops_traj.gym.engine.clock import START
from eops_traj.gym.servers.drive import seed_texts
from eops_traj.gym.servers.drive.access import FOLDER
from eops_traj.gym.servers.drive.resources import DOCUMENTS
from eops_traj.gym.servers.drive.seed_store import Record, SeedStore

_RECENT: Final = START - timedelta(days=70)


def fill_records(store: SeedStore) -> None:
    """Add all records for the files so far."""
    files = [f for f in store.tables["files"] if f["mime_type"] != FOLDER and not f["is_shortcut"]]
    for part in (_add_comments, _add_labels, _add_access_proposals, _add_thumbnails_and_uploads):
        part(store, files)
    _add_paths(store)
    _add_changes(store)
    _add_channels(store)
    _add_operations(store, files)
    _add_apps(store)


def _add_comments(store: SeedStore, files: list[Record]) -> None:
    people = [p for p in store.company.people if p.active]
    for file in store.rng.sample(files, len(files) // 3):
        for _ in range(store.rng.choice((1, 1, 2))):
            when, text = (store.later(store.created(file), 150), store.rng.choice(seed_texts.COMMENTS))
            comment = _add_comment(
                store, "comments", when, text, store.user_id(store.rng.choice(people)), file_id=file["id"]
            )
            comment |= {"resolved": False, "anchor": json.dumps({"r": f"p{store.rng.randrange(1, 30)}"})}
            for number in range(store.rng.choice((0, 1, 1, 2))):
                when, author = store.later(when, 20), store.user_id(store.rng.choice(people))
                resolves = number == 1
                _add_comment(store, "replies", when, store.rng.choice(seed_texts.REPLIES), author,
                     comment_id=comment["id"], action="resolve" if resolves else None)  # fmt: skip
                comment |= {"resolved": resolves, "modified_time": store.text(when)}


def _add_comment(store: SeedStore, table: str, when: datetime, text: str, author: str, **more: Any) -> Record:
    values = {"author_id": author, "content": text, "html_content": f"<p>{text}</p>", **more}
    deleted = {"deleted": store.chance(0.04)}
    return store.add(table, when, values | deleted, "created_time", "modified_time")


def _add_labels(store: SeedStore, files: list[Record]) -> None:
    created = START - timedelta(days=600)
    labels = [
        store.add("labels", created, {"key": key, "name": name, "type": kind, "required": required,
                                   "options": json.dumps(options) if options else None})
        for key, name, kind, options, required in seed_texts.LABELS
    ]  # fmt: skip
    for file in store.rng.sample(files, len(files) // 3):
        for label in store.rng.sample(labels, store.rng.choice((1, 1, 2))):
            value = {f"value_{label['type']}": _label_value(store, label)}
            store.add(
                "file_labels",
                store.later(store.created(file), 60),
                {"file_id": file["id"], "label_id": label["id"]} | value,
            )


def _label_value(store: SeedStore, label: Record) -> Any:
    values: dict[str, Callable[[], Any]] = {
        "enum": lambda: store.rng.choice(json.loads(label["options"])),
        "number": lambda: store.rng.choice((2, 5, 7, 10)),
        "date": lambda: f"2026-{store.rng.randrange(1, 13):02d}-01",
        "boolean": lambda: store.chance(0.5),
        "string": lambda: f"REF-{store.rng.randrange(1000, 9999)}",
    }
    return values[label["type"]]()


def _add_access_proposals(store: SeedStore, files: list[Record]) -> None:
    """Add requests for access; most of them are pending."""
    mine, asked = [f for f in files if not f["trashed"]], _deciders(store, files)
    for number, file in enumerate(store.rng.sample(mine, 60)):
        person, when = store.rng.choice(store.company.people), store.later(_RECENT)
        outside = number % 8 == 5
        email = "m.sato@tidewater.example" if outside else person.email
        status = ("pending", "pending", "approved", "denied")[number % 4]
        decided = {} if status == "pending" else {
            "resolved_at": rfc3339(store.text(when + timedelta(days=1))),
            "resolved_by_email": store.acting.email,
        }  # fmt: skip
        store.tables.setdefault("access_proposals", []).append({
            "id": store.new_id(when), "file_id": file["id"], "status": status,
            "requester_email": email,
            "recipient_email": next((one for one in asked[file["id"]] if one != email), email),
            "proposed_roles": json.dumps([store.rng.choice(("reader", "commenter", "writer"))]),
            "request_message": store.rng.choice(seed_texts.REQUESTS),
            "created_at": rfc3339(store.text(when)), **decided,
        })  # fmt: skip


def _deciders(store: SeedStore, files: list[Record]) -> dict[str, list[str]]:
    """Return the addresses of those who may be asked for access to each file: organizers, or its owner."""
    emails = {store.user_id(person): person.email for person in store.company.people}
    organizers: dict[str, list[str]] = {}
    for member in store.tables["drive_memberships"]:
        if member["role"] == "organizer" and member.get("user_id"):
            organizers.setdefault(member["drive_id"], []).append(emails[member["user_id"]])
    return {f["id"]: organizers[f["drive_id"]] if f["drive_id"] else [emails[f["created_by"]]] for f in files}


def _add_thumbnails_and_uploads(store: SeedStore, files: list[Record]) -> None:
    """Add thumbnails and uploads of files with content of their own."""
    own = [f for f in files if not f["mime_type"].startswith(DOCUMENTS)]
    for file in own[::4]:
        store.add("thumbnails", store.created(file), {
            "file_id": file["id"], "revision_id": file["head_revision_id"], "kind": file["file_extension"],
            "width": 220, "height": 160,
        })  # fmt: skip
    for number, file in enumerate(own[::6]):
        total, state = file["size_bytes"], ("completed", "completed", "in_progress")[number % 3]
        store.add("uploads", store.created(file), {
            "file_id": file["id"], "intended_mime": file["mime_type"], "total_size": total, "state": state,
            "received_bytes": total if state == "completed" else 262144, "chunk_size": 262144,
        }, "created_time", "updated_time")  # fmt: skip


def _add_paths(store: SeedStore) -> None:
    parents = {f["id"]: f["parent_id"] for f in store.tables["files"]}
    rows = store.tables.setdefault("path_closure", [])
    for file_id in parents:
        above, depth = file_id, 0
        while above:
            rows.append({"ancestor_id": above, "descendant_id": file_id, "depth": depth})
            above, depth = parents[above], depth + 1


def _add_changes(store: SeedStore) -> None:
    """Add the changes of the last weeks, in order, and the newest token of each scope."""
    events: list[tuple[str, str, Record]] = []
    for file in store.tables["files"]:
        events.append((file["created_time"], "file_created", file))
        if file["modified_time"] > file["created_time"]:
            events.append((file["modified_time"], "file_updated", file))
    latest: dict[str, str] = {}
    for when, change, file in sorted(events, key=lambda event: (*event[:2], event[2]["id"])):
        if when < store.text(_RECENT):
            continue
        token = store.new_id(datetime.fromisoformat(when).replace(tzinfo=START.tzinfo))
        store.tables.setdefault("changes", []).append({
            "token": token, "change_time": when, "file_id": file["id"], "drive_id": file["drive_id"],
            "change_type": change, "payload": json.dumps({"mime_type": file["mime_type"]}),
        })  # fmt: skip
        for scope in ("global", f"user:{file['modified_by']}", f"drive:{file['drive_id']}"):
            latest[scope] = token
    rows = [{"scope": scope, "last_token": token} for scope, token in latest.items() if scope != "drive:None"]
    store.tables["change_tokens"] = rows


def _add_channels(store: SeedStore) -> None:
    """Add channels that are open, have ended or were stopped, and deliveries of the older kind."""
    for number in range(6):
        opened = store.later(_RECENT)
        ends = opened + timedelta(days=90 if number % 3 else 1)
        target = {"resource_id": f"res{store.rng.getrandbits(64):016x}", "token": f"secret-{number}"}
        uri = "https://www.googleapis.com/drive/v3/changes"
        address = f"https://hooks.{store.company.domain}/drive/{number}"
        store.add("channels", opened, target | {
            "resource_uri": uri, "type": "web_hook", "address": address, "payload": True,
            "active": number != 4,
            "expiration": str(int(ends.timestamp() * 1000)), "user_id": store.user_id(store.acting),
        })  # fmt: skip
        if number < 3:
            _add_subscription(
                store, opened, target | {"resource_uri": uri, "address": address, "type": "web_hook"}
            )


def _add_subscription(store: SeedStore, opened: datetime, channel: Record) -> None:
    row = store.add("drive_channels", opened, channel)
    values = {
        "channel_id": row["id"],
        "resource_type": "changes",
        "callback_url": channel["address"],
        "active": True,
    }
    subscription = store.add("subscriptions", opened, values)
    for status in ("delivered", "failed"):
        change = store.rng.choice(store.tables["changes"])
        store.add("webhook_deliveries", opened, {
            "subscription_id": subscription["id"], "channel_id": row["id"], "change_token": change["token"],
            "status": status, "attempts": 1 if status == "delivered" else 5,
            "last_error": None if status == "delivered" else "HTTP 503",
        }, "created_time", "updated_time")  # fmt: skip


def _add_operations(store: SeedStore, files: list[Record]) -> None:
    """Add long-running operations, reserved ids, and files that are gone."""
    for number, file in enumerate(store.rng.sample(files, 8)):
        kind, status = (
            ("export", "download", "copy")[number % 3],
            ("done", "done", "running", "error")[number % 4],
        )
        when = store.later(_RECENT)
        store.add("operations", when, {
            "name": f"operations/{kind}_file_{number + 1}", "operation_type": kind, "status": status,
            "operation_metadata": json.dumps({"fileId": file["id"], "name": file["name"]}),
            "response_data": json.dumps({"downloadUri": file["web_view_link"]}) if status == "done" else None,
            "error_data": json.dumps({"code": 8, "message": "quota exceeded"}) if status == "error" else None,
            "completed_at": None if status == "running" else store.text(when + timedelta(minutes=2)),
        }, "created_at")  # fmt: skip
    for _ in range(5):
        store.add("id_pool", store.later(_RECENT), {"reserved": True}, "reserved_time")
        when = store.later(_RECENT)
        store.add(
            "trash_log",
            when,
            {"file_id": store.new_id(when), "actor_id": store.user_id(store.acting)},
            "emptied_time",
        )


def _add_apps(store: SeedStore) -> None:
    for name, kind, own, others in seed_texts.APPS:
        slug, when = name.lower().replace(" ", "-"), store.later(START - timedelta(days=500), 100)
        mime = [f"{DOCUMENTS}{kind}"] if kind in ("document", "spreadsheet", "presentation") else []
        url = f"https://apps.{store.company.domain}/{slug}"
        store.add("apps", when, {
            "name": name, "object_type": kind, "product_id": str(store.rng.randrange(10**9, 10**10)),
            "product_url": url, "supports_create": bool(mime), "supports_import": bool(mime),
            "supports_multi_open": kind == "viewer", "installed": True, "authorized": True,
            "use_by_default": bool(mime) or kind == "viewer", "primary_mime_types": json.dumps(mime),
            "secondary_mime_types": json.dumps(_mime_types(others)),
            "primary_file_extensions": json.dumps(own),
            "secondary_file_extensions": json.dumps(others), "create_url": f"{url}/new" if mime else None,
            "open_url_template": f"{url}/open?ids={{ids}}",
            "short_description": f"Opens {', '.join(own)} files.",
            "icons": json.dumps([{"category": "application", "size": 16, "iconUrl": f"{url}/16.png"}]),
            "installed_by": store.user_id(store.acting),
        }, "created_at", "updated_at")  # fmt: skip


def _mime_types(extensions: tuple[str, ...]) -> list[str]:
    known = {
        "pdf": "application/pdf",
        "png": "image/png",
        "mp4": "video/mp4",
        "csv": "text/csv",
        "txt": "text/plain",
    }
    return [known[extension] for extension in extensions if extension in known]
