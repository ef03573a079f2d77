"""The seeded files in shared drives and in My Drive, with their revisions and permissions."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from eops_traj.gym.company.company import Person
from eops_traj.gym.engine.clock import START
from eops_traj.gym.servers.drive import seed_texts
from eops_traj.gym.servers.drive.access import FOLDER
from eops_traj.gym.servers.drive.create_files import derived_columns
from eops_traj.gym.servers.drive.resources import DOCUMENTS, SHORTCUT
from eops_traj.gym.servers.drive.seed_store import Record, SeedStore

_KINDS: Final = {"d": "document", "s": "spreadsheet", "p": "presentation"}
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_TYPES: Final = {
    "pdf": "application/pdf", "png": "image/png", "mp4": "video/mp4",
    "docx": f"{_OFFICE}wordprocessingml.document", "xlsx": f"{_OFFICE}spreadsheetml.sheet",
}  # fmt: skip


def fill_drive(
    store: SeedStore, drive: Record, folders: Mapping[str, Sequence[str]], staff: Sequence[Person]
) -> None:
    """Fill a shared drive with folders and files that its people wrote."""
    for name, titles in folders.items():
        created = store.later(store.created(drive), 60)
        folder = _add(store, name, FOLDER, staff[0], created, drive=drive)
        for title in titles:
            author = staff[store.rng.randrange(len(staff))]
            file = _add_document(store, title, author, store.later(created), drive=drive, folder=folder)
            if store.chance(0.15) and not (drive["domain_users_only"] or drive["drive_members_only"]):
                _share(store, file, store.rng.choice(store.company.people))


def fill_files(store: SeedStore) -> None:
    """Add the files of My Drive, what happens to some of them, and what every file has."""
    for person in store.company.people:
        if person.number % 3 == 2 or not person.active:
            _add_my_drive(store, person)
    for _ in range(3):
        _add_my_drive(store, store.acting)
    _share_widely(store)
    _add_copies_and_trash(store)
    for row in store.tables["files"]:
        if row["mime_type"] not in (FOLDER, SHORTCUT):
            _add_revisions(store, row)


def _add(
    store: SeedStore, name: str, mime_type: str, owner: Person, created: datetime,
    drive: Record | None = None, folder: Record | None = None, **more: Any,
) -> Record:  # fmt: skip
    file_id, parents = store.new_id(created), [folder["id"]] if folder else []
    mine = owner is store.acting
    row = derived_columns(file_id, name, mime_type) | {
        "id": file_id, "drive_id": drive and drive["id"], "name": name, "mime_type": mime_type,
        "parent_id": folder and folder["id"], "parent_ids": json.dumps(parents),
        "starred": store.chance(0.05), "trashed": False, "trashed_time": None,
        "created_by": store.user_id(owner), "modified_by": store.user_id(owner),
        "created_time": store.text(created), "modified_time": store.text(created), "properties": None,
        "is_shortcut": mime_type == SHORTCUT, "shared": drive is not None,
        "owned_by_me": mine and drive is None,
        "viewed_by_me": mine, "modified_by_me": mine, "explicitly_trashed": False, "version": 1,
        "head_revision_id": None, **more,
    }  # fmt: skip
    store.tables.setdefault("files", []).append(row)
    if drive is None:
        values = {"file_id": file_id, "role": "owner", "type": "user", "user_id": store.user_id(owner)}
        store.add(
            "permissions", created, values | {"email_address": owner.email}, "created_time", "updated_time"
        )
    return row


def _add_document(store: SeedStore, title: str, owner: Person, created: datetime, **location: Any) -> Record:
    """Add a file of this title, with a sentence as its text."""
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
    return _add(store, name, mime_type, owner, created, **location, **more)


def _add_my_drive(store: SeedStore, person: Person) -> None:
    """Add a folder and some files of one person, shared here and there; a leaver's stay as they were."""
    began = datetime(2024, 6, 3, 9, tzinfo=START.tzinfo)
    name = store.rng.choice(("Work", "Personal", "Projects"))
    folder = _add(store, name, FOLDER, person, store.later(began, 100))
    if name != "Personal":
        _share_with_administrators(store, folder)
    for title in store.rng.sample(seed_texts.PERSONAL, 4):
        inside = store.chance(0.6)
        created = store.later(began if not inside else store.created(folder))
        file = _add_document(store, title, person, created, **({"folder": folder} if inside else {}))
        for _ in range(store.rng.choice((0, 0, 1, 1, 2))):
            _share(store, file, store.rng.choice(store.company.people))


def _share_with_administrators(store: SeedStore, folder: Record) -> None:
    """Let administrators write to work folders, so that they can be handed over when someone leaves."""
    values = {
        "file_id": folder["id"], "type": "group", "role": "writer",
        "group_id": store.group_ids["Drive Administrators"],
        "email_address": f"drive-admins@{store.company.domain}",
    }  # fmt: skip
    store.add("permissions", store.created(folder), values, "created_time", "updated_time")
    folder["shared"] = True


def _share(store: SeedStore, file: Record, person: Person) -> None:
    permissions = [p for p in store.tables.get("permissions", ()) if p["file_id"] == file["id"]]
    if store.user_id(person) in (file["created_by"], *(p.get("user_id") for p in permissions)):
        return
    when = store.later(store.created(file), 90)
    ended = store.text(store.later(when, 60)) if store.chance(0.1) else None
    values = {
        "file_id": file["id"], "type": "user",
        "role": store.rng.choice(("reader", "reader", "commenter", "writer")),
        "user_id": store.user_id(person), "email_address": person.email, "expiration_time": ended,
    }  # fmt: skip
    store.add("permissions", when, values, "created_time", "updated_time")
    file["shared"] = True


def _share_widely(store: SeedStore) -> None:
    """Share with groups, with the domain, with everyone who has a link, and with people outside."""
    mine = [f for f in store.tables["files"] if f["drive_id"] is None and f["mime_type"] != FOLDER]
    groups = [(g.email, store.group_ids[g.name]) for g in store.company.groups]
    for number, file in enumerate(store.rng.sample(mine, 32)):
        email, group_id = store.rng.choice(groups)
        grantee: Record = (
            {"type": "group", "group_id": group_id, "email_address": email},
            {"type": "domain", "domain": store.company.domain, "allow_file_discovery": number % 8 == 1},
            {"type": "anyone"},
            {
                "type": "user",
                "email_address": f"{store.rng.choice(('j.doyle', 'm.sato', 'ana.pires'))}@tidewater.example",
            },
        )[number % 4]
        values = {"file_id": file["id"], "role": "commenter" if number % 3 else "writer", **grantee}
        store.add(
            "permissions", store.later(store.created(file), 120), values, "created_time", "updated_time"
        )
        file["shared"] = True
        if grantee["type"] == "anyone":
            link = {
                "file_id": file["id"],
                "permission_role": values["role"],
                "created_by": file["created_by"],
            }
            token = f"{store.rng.getrandbits(96):024x}"
            store.add(
                "share_links", store.created(file), link | {"link_token": token, "allow_discovery": False}
            )


def _add_copies_and_trash(store: SeedStore) -> None:
    """Add copies and shortcuts, and move some files to the trash."""
    files = [f for f in store.tables["files"] if f["mime_type"] not in (FOLDER, SHORTCUT)]
    people = {store.user_id(p): p for p in store.company.people}
    for number, file in enumerate(store.rng.sample(files, 28)):
        created, owner = store.later(store.created(file), 200), people[file["created_by"]]
        if number % 4 == 0:
            target = {"shortcut_target_id": file["id"], "shortcut_target_mime": file["mime_type"]}
            _add(store, file["name"], SHORTCUT, store.acting if number % 8 else owner, created, **target)
        elif number % 4 == 1:
            _add(
                store,
                f"Copy of {file['name']}",
                file["mime_type"],
                owner,
                created,
                size_bytes=file.get("size_bytes"),
            )
        else:
            when = store.text(store.later(created, 60))
            file |= {
                "trashed": True,
                "explicitly_trashed": True,
                "trashed_time": when,
                "version": file["version"] + 1,
            }


def _add_revisions(store: SeedStore, file: Record) -> None:
    """Add the revisions of a file; each but the first by someone who may write to it."""
    document, when, author = (
        file["mime_type"].startswith(DOCUMENTS),
        store.created(file),
        file["created_by"],
    )
    count = store.rng.choice((1, 1, 1, 2, 2, 3))
    for number in range(1, count + 1):
        row = store.add("revisions", when, {
            "file_id": file["id"], "revision_number": number, "mime_type": file["mime_type"],
            "last_modifying_user_id": author, "keep_forever": not document and store.chance(0.1),
            "published": document and number == count and store.chance(0.05),
        } | ({} if document else _add_blob(store, file, when)), "created_time", "modified_time")  # fmt: skip
        file |= {"head_revision_id": row["id"], "modified_time": row["modified_time"], "version": number + 1}
        file["modified_by"] = author
        if not document:
            file |= {name: row[name] for name in ("size_bytes", "md5_checksum")}
        when = store.later(when, 120)


def _add_blob(store: SeedStore, file: Record, when: datetime) -> Record:
    """Add the stored bytes of a revision, and return its columns about them."""
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
