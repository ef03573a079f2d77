"""The company's Drive: its people and groups, a shared drive for each department and project, and files.

Built to be searched with care: files of people who left, drafts and copies under nearly the same name, a
document of one title in two folders, shortcuts, things in the trash, shares that have ended or reach outside.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from random import Random
from typing import Any, Final

from eops_traj.gym.company.company import Company, Person, company
from eops_traj.gym.engine.clock import START
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.drive import seed_files, seed_records, seed_texts
from eops_traj.gym.servers.drive.seed_store import Record, SeedStore

_TABLES: Final = (
    "users", "groups", "group_memberships", "drives", "drive_memberships", "blobs", "files", "revisions",
    "permissions", "comments", "replies", "changes", "change_tokens", "uploads", "thumbnails", "labels",
    "file_labels", "share_links", "path_closure", "id_pool", "trash_log", "drive_channels", "subscriptions",
    "webhook_deliveries", "access_proposals", "operations", "apps", "channels",
)  # fmt: skip
_NOT_ADMINISTERED: Final = ("Executive", "Human Resources", "Finance", "Legal")
_FOUNDED: Final = datetime(2024, 2, 5, 9, tzinfo=START.tzinfo)
_COLORS: Final = ("#4285F4", "#0F9D58", "#F4B400", "#DB4437", "#8E24AA", "#00897B")


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    store = SeedStore(rng, corvane)
    _add_users(store, corvane)
    _add_groups(store, corvane)
    _add_drives(store, corvane)
    seed_files.fill_files(store)
    seed_records.fill_records(store)
    for table in _TABLES:
        yield table, store.tables.get(table, [])


def _add_users(store: SeedStore, corvane: Company) -> None:
    acting = [p for p in corvane.people if p.role == "admin" and p.active][-1]
    for person in corvane.people:
        joined = max(_FOUNDED, datetime(*person.hired.timetuple()[:3], 8, tzinfo=START.tzinfo))
        row = store.add("users", joined, {
            "display_name": person.name if person.active else f"{person.name} (left)",
            "email": person.email,
            "photo_url": f"https://photos.{corvane.domain}/{person.user_name}.jpg",
            "auth_token": f"drive_token_{person.user_name}", "me": person is acting,
        })  # fmt: skip
        row["permission_id"] = f"perm_{row['id']}"
        store.user_ids[person.number] = row["id"]
    store.acting = acting


def _add_groups(store: SeedStore, corvane: Company) -> None:
    """Add the company's groups, everyone, and those who administer Drive."""
    admins = [p.number for p in corvane.people if p.role == "admin" and p.active]
    staff = [p.number for p in corvane.people if p.active]
    for group in corvane.groups:
        _add_group(store, group.name, group.email, group.manager, group.members)
    _add_group(store, "Drive Administrators", f"drive-admins@{corvane.domain}", admins[0], admins)
    _add_group(store, "All Staff", f"all-staff@{corvane.domain}", 1, staff)


def _add_group(store: SeedStore, name: str, email: str, manager: int, members: Iterable[int]) -> None:
    row = store.add("groups", _FOUNDED, {"name": name, "email": email})
    store.group_ids[name] = row["id"]
    for number in members:
        role = "owner" if number == manager else "member"
        values = {"group_id": row["id"], "user_id": store.user_ids[number], "role": role}
        store.add("group_memberships", store.later(_FOUNDED), values)


def _add_drives(store: SeedStore, corvane: Company) -> None:
    """Add a shared drive for each department, and some that cut across."""
    for department, folders in seed_texts.FOLDERS.items():
        staff = corvane.of(department)
        drive = _add_drive(store, department, staff[0], domain_users_only=department in ("Finance", "Legal"))
        _add_members(store, drive, [(p, _member_role(n)) for n, p in enumerate(staff) if p.active or n % 2])
        if department not in _NOT_ADMINISTERED:
            _add_member(store, drive, "group", "organizer", group_id=store.group_ids["Drive Administrators"])
        seed_files.fill_drive(store, drive, folders, staff)
    _add_projects(store, corvane)
    _add_drive(store, "Sales Enablement", corvane.of("Marketing")[0], hidden=True)


def _add_projects(store: SeedStore, corvane: Company) -> None:
    product, engineering = corvane.of("Product"), corvane.of("Engineering")
    team = [*product[:3], *engineering[:4], corvane.of("Finance")[1], corvane.of("Legal")[1]]
    for name, folders in seed_texts.PROJECTS.items():
        everyone = name == "Company Policies"
        lead = corvane.of("Human Resources")[0] if everyone else product[0]
        drive = _add_drive(
            store, name, lead, hidden=name.endswith("Archive"), drive_members_only=not everyone
        )
        members = [*corvane.of("Human Resources")[:2], store.acting] if everyone else team
        _add_members(store, drive, [(p, _member_role(n)) for n, p in enumerate(members) if p.active])
        if everyone:
            _add_member(store, drive, "group", "reader", group_id=store.group_ids["All Staff"])
        seed_files.fill_drive(store, drive, folders, tuple(members))


def _add_drive(store: SeedStore, name: str, lead: Person, **settings: Any) -> Record:
    created = store.later(_FOUNDED, 120)
    row = store.add("drives", created, {
        "name": name, "color_rgb": store.rng.choice(_COLORS),
        "modified_time": store.text(store.later(created)),
        "restricted_to_domain": True,
        "copy_requires_writer_permission": name in ("Human Resources", "Executive"),
        "sharing_folders_requires_organizer_permission": name in ("Human Resources", "Security"),
        "admin_managed_restrictions": name == "Security", "hidden": False, "domain_users_only": False,
        "drive_members_only": False, **settings,
    })  # fmt: skip
    _add_member(store, row, "user", "organizer", user_id=store.user_ids[lead.number])
    return row


def _add_members(store: SeedStore, drive: Record, members: Iterable[tuple[Person, str]]) -> None:
    """Add the members after the lead, who is in already; a department's group joins as one."""
    for person, role in list(members)[1:]:
        _add_member(store, drive, "user", role, user_id=store.user_ids[person.number])
    for group in store.company.groups:
        if group.department == drive["name"]:
            _add_member(store, drive, "group", "commenter", group_id=store.group_ids[group.name])


def _add_member(store: SeedStore, drive: Record, type: str, role: str, **grantee: str) -> None:
    values = {"drive_id": drive["id"], "type": type, "role": role, **grantee}
    store.add("drive_memberships", store.later(_FOUNDED, 300), values)


def _member_role(n: int) -> str:
    """Return the role of the nth member of a department in its drive."""
    return ("organizer", "fileOrganizer")[n] if n < 2 else ("writer", "writer", "commenter")[n % 3]
