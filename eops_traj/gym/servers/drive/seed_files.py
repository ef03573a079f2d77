"""The seeded files: in shared drives and in My Drive, with their revisions and with whom they are shared."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from eops_traj.gym.company.company import Person
from eops_traj.gym.engine.clock import START
from eops_traj.gym.servers.drive import seed_texts
from eops_traj.gym.servers.drive.access import FOLDER
from eops_traj.gym.servers.drive.create_files import derived
from eops_traj.gym.servers.drive.resources import DOCUMENTS, SHORTCUT
from eops_traj.gym.servers.drive.seed_store import Record, Store

_KINDS: Final = {"d": "document", "s": "spreadsheet", "p": "presentation"}
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_TYPES: Final = {
    "pdf": "application/pdf", "png": "image/png", "mp4": "video/mp4",
    "docx": f"{_OFFICE}wordprocessingml.document", "xlsx": f"{_OFFICE}spreadsheetml.sheet",
}  # fmt: skip


def shelve(
    store: Store, drive: Record, folders: Mapping[str, Sequence[str]], staff: Sequence[Person]
) -> None:
    """Fill a shared drive with folders and files that its people wrote."""
    for name, titles in folders.items():
        made = store.day(store.made(drive), 60)
        folder = _add(store, name, FOLDER, staff[0], made, drive=drive)
        for title in titles:
            author = staff[store.rng.randrange(len(staff))]
            file = _document(store, title, author, store.day(made), drive=drive, folder=folder)
            if store.chance(0.15) and not (drive["domain_users_only"] or drive["drive_members_only"]):
                _share(store, file, store.rng.choice(store.company.people))


def fill(store: Store) -> None:
    """The files of My Drive, what happens to some of them, and what every file has."""
    for person in store.company.people:
        if person.number % 3 == 2 or not person.active:
            _my_drive(store, person)
    for _ in range(3):
        _my_drive(store, store.acting)
    _share_widely(store)
    _throw_away(store)
    for row in store.tables["files"]:
        if row["mime_type"] not in (FOLDER, SHORTCUT):
            _revise(store, row)


def _add(
    store: Store, name: str, mime_type: str, owner: Person, made: datetime, drive: Record | None = None,
    folder: Record | None = None, **more: Any,
) -> Record:  # fmt: skip
    file_id, parents = store.new_id(made), [folder["id"]] if folder else []
    mine = owner is store.acting
    row = derived(file_id, name, mime_type) | {
        "id": file_id, "drive_id": drive and drive["id"], "name": name, "mime_type": mime_type,
        "parent_id": folder and folder["id"], "parent_ids": json.dumps(parents),
        "starred": store.chance(0.05), "trashed": False, "trashed_time": None,
        "created_by": store.user(owner), "modified_by": store.user(owner),
        "created_time": store.text(made), "modified_time": store.text(made), "properties": None,
        "is_shortcut": mime_type == SHORTCUT, "shared": drive is not None,
        "owned_by_me": mine and drive is None,
        "viewed_by_me": mine, "modified_by_me": mine, "explicitly_trashed": False, "version": 1,
        "head_revision_id": None, **more,
    }  # fmt: skip
    store.tables.setdefault("files", []).append(row)
    if drive is None:
        values = {"file_id": file_id, "role": "owner", "type": "user", "user_id": store.user(owner)}
        store.add(
            "permissions", made, values | {"email_address": owner.email}, "created_time", "updated_time"
        )
    return row


def _document(store: Store, title: str, owner: Person, made: datetime, **where: Any) -> Record:
    """A file of this title; what it says is told in a sentence."""
    name, _, kind = title.partition("~")
    mime_type = DOCUMENTS + _KINDS[kind] if kind else _TYPES[name.rpartition(".")[2]]
    text = f"{name.rpartition('.')[0] or name}, kept by {owner.name} of {owner.department}."
    more: dict[str, Any] = {"indexable_text": text}
    if not kind:
        size = store.rng.randrange(20_000, 9_000_000)
        more |= {"size_bytes": size, "quota_bytes_used": size}
    if store.chance(0.2):
        more["properties"] = json.dumps({"stage": store.rng.choice(("draft", "review", "final"))})
    if store.chance(0.3):
        more["description"] = (
            f"{owner.department}: {store.rng.choice(('working copy', 'approved', 'for reference'))}"
        )
    return _add(store, name, mime_type, owner, made, **where, **more)


def _my_drive(store: Store, person: Person) -> None:
    """A folder and some files of one person, shared here and there; a leaver's stay as they were."""
    began = datetime(2024, 6, 3, 9, tzinfo=START.tzinfo)
    name = store.rng.choice(("Work", "Personal", "Projects"))
    folder = _add(store, name, FOLDER, person, store.day(began, 100))
    if name != "Personal":
        _leave_door_open(store, folder)
    for title in store.rng.sample(seed_texts.PERSONAL, 4):
        inside = store.chance(0.6)
        made = store.day(began if not inside else store.made(folder))
        file = _document(store, title, person, made, **({"folder": folder} if inside else {}))
        for _ in range(store.rng.choice((0, 0, 1, 1, 2))):
            _share(store, file, store.rng.choice(store.company.people))


def _leave_door_open(store: Store, folder: Record) -> None:
    """Administrators may write to what is work, so that it can be handed over when somebody leaves."""
    values = {
        "file_id": folder["id"], "type": "group", "role": "writer",
        "group_id": store.group_ids["Drive Administrators"],
        "email_address": f"drive-admins@{store.company.domain}",
    }  # fmt: skip
    store.add("permissions", store.made(folder), values, "created_time", "updated_time")
    folder["shared"] = True


def _share(store: Store, file: Record, person: Person) -> None:
    given = [p for p in store.tables.get("permissions", ()) if p["file_id"] == file["id"]]
    if store.user(person) in (file["created_by"], *(p.get("user_id") for p in given)):
        return
    when = store.day(store.made(file), 90)
    ended = store.text(store.day(when, 60)) if store.chance(0.1) else None
    values = {
        "file_id": file["id"], "type": "user",
        "role": store.rng.choice(("reader", "reader", "commenter", "writer")),
        "user_id": store.user(person), "email_address": person.email, "expiration_time": ended,
    }  # fmt: skip
    store.add("permissions", when, values, "created_time", "updated_time")
    file["shared"] = True


def _share_widely(store: Store) -> None:
    """Shares with groups, with the domain, with everyone who has a link, and with people outside."""
    mine = [f for f in store.tables["files"] if f["drive_id"] is None and f["mime_type"] != FOLDER]
    groups = [(g.email, store.group_ids[g.name]) for g in store.company.groups]
    for number, file in enumerate(store.rng.sample(mine, 32)):
        email, group_id = store.rng.choice(groups)
        whom: Record = (
            {"type": "group", "group_id": group_id, "email_address": email},
            {"type": "domain", "domain": store.company.domain, "allow_file_discovery": number % 8 == 1},
            {"type": "anyone"},
            {
                "type": "user",
                "email_address": f"{store.rng.choice(('j.doyle', 'm.sato', 'ana.pires'))}@tidewater.example",
            },
        )[number % 4]
        values = {"file_id": file["id"], "role": "commenter" if number % 3 else "writer", **whom}
        store.add("permissions", store.day(store.made(file), 120), values, "created_time", "updated_time")
        file["shared"] = True
        if whom["type"] == "anyone":
            link = {
                "file_id": file["id"],
                "permission_role": values["role"],
                "created_by": file["created_by"],
            }
            token = f"{store.rng.getrandbits(96):024x}"
            store.add("share_links", store.made(file), link | {"link_token": token, "allow_discovery": False})


def _throw_away(store: Store) -> None:
    """Copies, shortcuts, and what lies in the trash."""
    files = [f for f in store.tables["files"] if f["mime_type"] not in (FOLDER, SHORTCUT)]
    people = {store.user(p): p for p in store.company.people}
    for number, file in enumerate(store.rng.sample(files, 28)):
        made, owner = store.day(store.made(file), 200), people[file["created_by"]]
        if number % 4 == 0:
            target = {"shortcut_target_id": file["id"], "shortcut_target_mime": file["mime_type"]}
            _add(store, file["name"], SHORTCUT, store.acting if number % 8 else owner, made, **target)
        elif number % 4 == 1:
            _add(
                store,
                f"Copy of {file['name']}",
                file["mime_type"],
                owner,
                made,
                size_bytes=file.get("size_bytes"),
            )
        else:
            when = store.text(store.day(made, 60))
            file |= {
                "trashed": True,
                "explicitly_trashed": True,
                "trashed_time": when,
                "version": file["version"] + 1,
            }


def _revise(store: Store, file: Record) -> None:
    """The revisions of a file; each but the first by somebody who may write to it."""
    document, when, author = file["mime_type"].startswith(DOCUMENTS), store.made(file), file["created_by"]
    count = store.rng.choice((1, 1, 1, 2, 2, 3))
    for number in range(1, count + 1):
        row = store.add("revisions", when, {
            "file_id": file["id"], "revision_number": number, "mime_type": file["mime_type"],
            "last_modifying_user_id": author, "keep_forever": not document and store.chance(0.1),
            "published": document and number == count and store.chance(0.05),
        } | ({} if document else _content(store, file, when)), "created_time", "modified_time")  # fmt: skip
        file |= {"head_revision_id": row["id"], "modified_time": row["modified_time"], "version": number + 1}
        file["modified_by"] = author
        if not document:
            file |= {name: row[name] for name in ("size_bytes", "md5_checksum")}
        when = store.day(when, 120)


def _content(store: Store, file: Record, when: datetime) -> Record:
    """The stored bytes of a revision, and what it says of them."""
    size, key = store.rng.randrange(20_000, 9_000_000), f"{file['id']}/{when:%Y%m%d%H%M%S}"
    digest = hashlib.sha256(key.encode()).hexdigest()
    values = {"digest": f"sha256:{digest}", "size_bytes": size, "storage": "GCS", "key": key}
    blob = store.add("blobs", when, values)
    return {
        "blob_id": blob["id"],
        "size_bytes": size,
        "md5_checksum": digest[:32],
        "original_filename": file["name"],
    }
