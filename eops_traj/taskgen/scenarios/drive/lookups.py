"""What the scenarios of Drive share: who may ask, what holds, and look-ups that most of them make."""

from typing import Any

from eops_traj.gym.company.names import DEPARTMENTS
from eops_traj.taskgen.result_ref import Found, count
from eops_traj.taskgen.scene import Row, Scene

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
CLOSED = ("Executive", "Human Resources", "Finance", "Legal")
OUTWARD = (
    "IT Operations",
    "Customer Support",
    "Field Services",
    "Engineering",
    "Product",
    "Sales",
    "Marketing",
)
"""The departments that work with partners."""
DEPARTMENTAL = tuple(department.name for department in DEPARTMENTS)
_NAMES = ", ".join(f"'{name}'" for name in DEPARTMENTAL)
_ADMINS = """(SELECT m.user_id FROM group_memberships m JOIN groups g ON g.id = m.group_id
    WHERE g.name = 'Drive Administrators')"""

ADMINS = f"SELECT * FROM users WHERE id IN {_ADMINS}"
ALONE = "(SELECT COUNT(*) FROM users v WHERE v.display_name = u.display_name) = 1"
"""Nobody else bears the name of the user `u`."""

SENSITIVE = """(p.name IN ('Contracts', 'Confidential', 'Audits') OR f.name LIKE '%contract%'
    OR f.name LIKE '%audit%' OR f.name LIKE '%lease%')"""
"""The file `f` in the folder `p` is at least confidential, whatever else is said of it."""

LABEL = """(SELECT coalesce(x.value_enum, x.value_number, x.value_date) FROM file_labels x
    JOIN labels l ON l.id = x.label_id WHERE x.file_id = f.id AND l.key = '{}')"""
CLASS = LABEL.format("classification")
"""How the file `f` is classified, if it is."""
DATE = LABEL.format("review_due")
"""When its review is due, if that is noted."""

OLD = "f.created_time < '2026-01-05'"
"""The file `f` was there before the work began."""

LIVE = f"{OLD} AND f.trashed IS NOT 1 AND f.is_shortcut IS NOT 1 AND f.mime_type <> '{FOLDER}'"
FILES = f"""
    SELECT f.*, p.name AS folder, {CLASS} AS class, {SENSITIVE} AS sensitive
    FROM files f JOIN files p ON p.id = f.parent_id
    WHERE {LIVE} AND f.drive_id = :drive
    AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.drive_id = f.drive_id
        AND g.trashed IS NOT 1) = 1"""
"""The files of a shared drive that go by a name of their own there."""

OPEN_STAGE = "coalesce(json_extract(f.properties, '$.stage'), '') <> 'final'"
"""The file `f` may be renamed and moved."""

OWN_FILES = f"""
    SELECT f.*, (SELECT name FROM files WHERE id = f.parent_id) AS folder, {CLASS} AS class
    FROM files f WHERE {LIVE} AND f.drive_id IS NULL AND f.created_by = :me
    AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.created_by = :me AND g.drive_id IS NULL
        AND g.trashed IS NOT 1) = 1"""
"""The files in somebody's My Drive that go by a name of their own there."""

MEMBERS = f"""
    SELECT u.*, m.role AS drive_role, m.id AS membership FROM drive_memberships m JOIN users u ON u.id =
    m.user_id WHERE m.drive_id = :drive AND {ALONE} AND u.display_name NOT LIKE '%(left)'"""
"""Who works in a shared drive and goes by a name of their own."""

WITH_COMMENTERS = f"EXISTS ({MEMBERS.replace(':drive', 'd.id')} AND m.role = 'commenter')"
"""Somebody in the shared drive `d` may only comment there."""

_SHELVES = f"""
    FROM users u JOIN drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id
    WHERE d.name IN ({_NAMES}) AND u.id NOT IN {_ADMINS} AND m.role IN """
_FIELDS = {
    "classification": "setSelectionValues", "region": "setSelectionValues", "approved": "setSelectionValues",
    "retention_years": "setIntegerValues", "review_due": "setDateValues", "reference": "setTextValues",
}  # fmt: skip


HOME = f"""
    SELECT d.* FROM drives d JOIN drive_memberships m ON m.drive_id = d.id WHERE d.name IN
    ({_NAMES})"""
"""The shared drives of departments, by their members `m`."""

OWNERS = f"""
    SELECT u.* FROM users u JOIN drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id
    WHERE d.name IN ({_NAMES}) AND u.display_name NOT LIKE '%(left)' AND (SELECT COUNT(*) FROM files f WHERE
    f.created_by = u.id AND f.drive_id IS NULL AND {LIVE}) > 1"""
"""Who has files of their own beside what lies in the drive of the department."""


# Who asks


def in_charge(s: Scene, *roles: str, where: str = "1") -> Row:
    """The caller has one of these roles in a department's shared drive `d` that fits; the drive."""
    held = ", ".join(f"'{role}'" for role in roles or ("organizer", "fileOrganizer"))
    where = f"{_SHELVES}({held}) AND {where}"
    s.caller(f"SELECT u.* {where}")
    return s.pick(f"SELECT d.*, m.role AS role {where} AND u.id = :me", me=s.speaker["id"])


def demote(s: Scene, drive: Row, role: str) -> None:
    """The twist by which the one who asks has no more than this role in the drive."""
    s.twist(
        "no_right", "UPDATE drive_memberships SET role = :role WHERE drive_id = :drive AND user_id = :me",
        role=role, drive=drive["id"], me=s.speaker["id"],
    )  # fmt: skip


def leave(s: Scene, person: Row) -> None:
    """The twist by which a person has left."""
    s.twist(
        "inactive_person", "UPDATE users SET display_name = display_name || ' (left)' WHERE id = :id",
        id=person["id"],
    )  # fmt: skip


def double(s: Scene, file: Row) -> None:
    """The twist by which another file of the same folder goes by the same name."""
    s.twist("two_namesakes", "UPDATE files SET name = :name WHERE id = :id",
            name=file["name"], id=sibling(s, file)["id"])  # fmt: skip


def sibling(s: Scene, file: Row) -> Row:
    """Another file in the same folder of a shared drive, or of the same owner."""
    place = "f.parent_id = :parent" if file["drive_id"] else "f.drive_id IS NULL AND f.created_by = :owner"
    return s.pick(
        f"SELECT f.* FROM files f WHERE {LIVE} AND {place} AND f.name <> :name",
        parent=file["parent_id"], owner=file["created_by"], name=file["name"],
    )  # fmt: skip


def listed(names: list[str]) -> str:
    """Names one after another, as people say them."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


# What the work begins with


def find_drive(s: Scene, name: str) -> Found:
    """A shared drive of the caller's."""
    found = s.do("list_drives", f"the shared drive {name}", q=f"name = '{name}'")
    s.require(count(found["drives"]), "==", 1, f"there is no shared drive {name} that you are in")
    return found["drives"][0]


def find_folder(s: Scene, place: Found, name: str, why: str) -> Found:
    """The folder of a name in a shared drive."""
    found = s.do("list_files", why, driveId=place["id"], trashed=False,
                 q=f"name = '{name}' and mimeType = '{FOLDER}'")  # fmt: skip
    s.require(count(found["files"]), "==", 1, f"there is not exactly one folder {name} in that drive")
    return found["files"][0]


def find_file(s: Scene, place: Found, name: str, why: str) -> Found:
    """The file of a name in a shared drive; there has to be one alone."""
    found = s.do("list_files", why, driveId=place["id"], trashed=False, q=f"name = '{name}'")
    s.require(count(found["files"]), "==", 1, f"there is not exactly one file {name} in that drive")
    return found["files"][0]


def find_own_file(s: Scene, name: str, why: str) -> Found:
    """The file of a name in the caller's My Drive."""
    found = s.do("list_files", why, trashed=False, q=f"name = '{name}' and 'me' in owners")
    s.require(count(found["files"]), "==", 1, f"there is not exactly one {name} among your own files")
    return found["files"][0]


def find_person(s: Scene, people: Found, name: str) -> Found:
    """A person among permissions, who works here still and has the name alone."""
    s.require(count(people["permissions"].every(displayName=f"{name} (left)")), "==", 0,
              f"{name} has left the company")  # fmt: skip
    same = people["permissions"].every(displayName=name)
    s.require(count(same), "==", 1, f"there is not exactly one {name} among those who are in")
    return same[0]


def set_labels(s: Scene, file: Found, why: str, **values: Any) -> None:
    """Give labels on a file their values, all in one step."""
    changes = [
        {"labelId": key,
         "fieldModifications": [{"fieldId": key, _FIELDS[key]: v if isinstance(v, Found) else [str(v)]}]}
        for key, v in values.items()
    ]  # fmt: skip
    s.do("modify_files_labels", why, fileId=file["id"], labelModifications=changes)


def classes(labels: Found, *values: str) -> Found:
    """The classification among the labels of a file, if it is one of these values; without values, any."""
    if values:
        return labels["labels"].every(fields__classification__selection=list(values))
    return labels["labels"].every(fields__classification__id="classification")
