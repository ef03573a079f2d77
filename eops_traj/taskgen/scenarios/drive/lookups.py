"""Parts that the scenarios of Drive share: queries, pickers, infeasible variants and look-ups."""

from typing import Any

from eops_traj.gym.company.names import DEPARTMENTS
from eops_traj.taskgen.result_ref import ResultRef, count
from eops_traj.taskgen.scenarios.reasons import LEFT, MISSING, SEVERAL, known_as
from eops_traj.taskgen.scene import Row, Scene
from eops_traj.taskgen.wording import vary

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
CLOSED_DEPARTMENTS = ("Executive", "Human Resources", "Finance", "Legal")
OUTWARD_DEPARTMENTS = (
    "IT Operations", "Customer Support", "Field Services", "Engineering", "Product", "Sales", "Marketing",
)  # fmt: skip
"""The departments that work with partners."""
DEPARTMENT_NAMES = tuple(department.name for department in DEPARTMENTS)
_NAMES = ", ".join(f"'{name}'" for name in DEPARTMENT_NAMES)
_ADMINS = """(SELECT m.user_id FROM group_memberships m JOIN groups g ON g.id = m.group_id
    WHERE g.name = 'Drive Administrators')"""

ADMINS = f"SELECT * FROM users WHERE id IN {_ADMINS}"
UNIQUE_NAME = "(SELECT COUNT(*) FROM users v WHERE v.display_name = u.display_name) = 1"
"""The condition that no other user has the name of the user `u`."""

SENSITIVE = """(p.name IN ('Contracts', 'Confidential', 'Audits') OR f.name LIKE '%contract%'
    OR f.name LIKE '%audit%' OR f.name LIKE '%lease%')"""
"""The file `f` in the folder `p` is at least confidential, whatever else is said of it."""

LABEL_VALUE = """(SELECT coalesce(x.value_enum, x.value_number, x.value_date) FROM file_labels x
    JOIN labels l ON l.id = x.label_id WHERE x.file_id = f.id AND l.key = '{}')"""
CLASSIFICATION = LABEL_VALUE.format("classification")
"""The classification of the file `f`, if it has one."""
REVIEW_DUE = LABEL_VALUE.format("review_due")
"""The date on which its review is due, if that is noted."""

PREEXISTING = "f.created_time < '2026-01-05'"
"""The file `f` was there before the work began."""

LIVE_FILE = f"{PREEXISTING} AND f.trashed IS NOT 1 AND f.is_shortcut IS NOT 1 AND f.mime_type <> '{FOLDER}'"
FILES = f"""
    SELECT f.*, p.name AS folder, {CLASSIFICATION} AS class, {SENSITIVE} AS sensitive
    FROM files f JOIN files p ON p.id = f.parent_id
    WHERE {LIVE_FILE} AND f.drive_id = :drive
    AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.drive_id = f.drive_id
        AND g.trashed IS NOT 1) = 1"""
"""The files of a shared drive that go by a name of their own there."""

NOT_FINAL = "coalesce(json_extract(f.properties, '$.stage'), '') <> 'final'"
"""The file `f` may be renamed and moved."""

OWN_FILES = f"""
    SELECT f.*, (SELECT name FROM files WHERE id = f.parent_id) AS folder, {CLASSIFICATION} AS class
    FROM files f WHERE {LIVE_FILE} AND f.drive_id IS NULL AND f.created_by = :me
    AND (SELECT COUNT(*) FROM files g WHERE g.name = f.name AND g.created_by = :me AND g.drive_id IS NULL
        AND g.trashed IS NOT 1) = 1"""
"""The files in a person's My Drive that go by a name of their own there."""

MEMBERS = f"""
    SELECT u.*, m.role AS drive_role, m.id AS membership FROM drive_memberships m JOIN users u ON u.id =
    m.user_id WHERE m.drive_id = :drive AND {UNIQUE_NAME} AND u.display_name NOT LIKE '%(left)'"""
"""People who work in a shared drive and go by a name of their own."""

WITH_COMMENTERS = f"EXISTS ({MEMBERS.replace(':drive', 'd.id')} AND m.role = 'commenter')"
"""The condition that someone in the shared drive `d` may only comment there."""

WITH_CHANGES = "EXISTS (SELECT 1 FROM change_tokens t WHERE t.scope = 'drive:' || d.id)"
"""The condition that something has changed in the shared drive `d`, so that its token is its own."""

_MANAGED_DRIVES = f"""
    FROM users u JOIN drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id
    WHERE d.name IN ({_NAMES}) AND u.id NOT IN {_ADMINS} AND m.role IN """
_FIELDS = {
    "classification": "setSelectionValues", "region": "setSelectionValues", "approved": "setSelectionValues",
    "retention_years": "setIntegerValues", "review_due": "setDateValues", "reference": "setTextValues",
}  # fmt: skip


DEPARTMENT_DRIVES = f"""
    SELECT d.* FROM drives d JOIN drive_memberships m ON m.drive_id = d.id WHERE d.name IN
    ({_NAMES})"""
"""The shared drives of departments, by their members `m`."""

FILE_OWNERS = f"""
    SELECT u.* FROM users u JOIN drive_memberships m ON m.user_id = u.id JOIN drives d ON d.id = m.drive_id
    WHERE d.name IN ({_NAMES}) AND u.display_name NOT LIKE '%(left)' AND (SELECT COUNT(*) FROM files f WHERE
    f.created_by = u.id AND f.drive_id IS NULL AND {LIVE_FILE}) > 1"""
"""People who have files of their own beside what lies in the drive of the department."""


NO_WORDS = (
    "The usual notification is enough.", "The system tells them, no words of mine are needed.",
    "They get the usual notification and nothing from me.", "A plain notification without a message will do.",
    "I have nothing to add to the mail that Drive sends.", "Drive's own mail says all there is to say.",
    "Leave the message of the notification empty.", "No personal note goes with it.",
    "They are expecting it, so the standard mail suffices.", "Nothing has to be explained in the mail.",
    "It was agreed by telephone, hence no message.", "The notice may go out as it is.",
)  # fmt: skip
"""Sentences by which a request wants a notification without a message in it."""
STRANGERS = ("harborline.example", "tidewater.example", "lakeshore.example", "quarryoffice.example")
"""Domains of other companies."""


# Who asks


def pick_managed_drive(s: Scene, *roles: str, where: str = "1") -> Row:
    """Pick a caller with one of these roles in a department's shared drive `d` that fits; return it."""
    role_names = ", ".join(f"'{role}'" for role in roles or ("organizer", "fileOrganizer"))
    where = f"{_MANAGED_DRIVES}({role_names}) AND {where}"
    s.pick_caller(f"SELECT u.* {where}")
    return s.pick(f"SELECT d.*, m.role AS role {where} AND u.id = :me", me=s.caller["id"])


_CLASSIFY = """INSERT INTO file_labels (id, file_id, label_id, value_enum, created_time) SELECT :id,
    :file, id, :level, '2025-12-01 09:00:00' FROM labels l WHERE key = 'classification' AND NOT EXISTS
    (SELECT 1 FROM file_labels x WHERE x.file_id = :file AND x.label_id = l.id)"""


def classify_before(s: Scene, *files: Row) -> None:
    """Give files without a classification one beforehand, so that it matters whose labels are read."""
    for number, file in enumerate(files):
        level = ("internal", "restricted")[number % 2]
        s.arrange(_CLASSIFY, id=f"01KE000000000000000000LC{number}", file=file["id"], level=level)


def demote_caller(s: Scene, drive: Row, role: str) -> None:
    """Leave the caller no more than this role in the drive, as a perturbation."""
    s.perturb(
        "no_right", "UPDATE drive_memberships SET role = :role WHERE drive_id = :drive AND user_id = :me",
        role=role, drive=drive["id"], me=s.caller["id"],
    )  # fmt: skip


def mark_as_left(s: Scene, person: Row) -> None:
    """Mark a person as having left, as a perturbation."""
    s.perturb(
        "inactive_person", "UPDATE users SET display_name = display_name || ' (left)' WHERE id = :id",
        id=person["id"],
    )  # fmt: skip


def join_words(names: list[str]) -> str:
    """Join names with commas and a last ``and``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def say(s: Scene, wording: str, **slots: Any) -> str:
    """Return a sentence of the request, its alternatives chosen and its slots filled in."""
    return " ".join(vary(s.rng, wording).format(**slots).split())


# What the work begins with


def find_drive(s: Scene, name: str) -> ResultRef:
    """Look up a shared drive of the caller's."""
    drives = s.do("list_drives", f"the shared drive {name}", q=f"name = '{name}'")
    s.require(count(drives["drives"]), "==", 1, f"there is no shared drive {name} that you are in",
              names=(name, MISSING))  # fmt: skip
    return drives["drives"][0]


_THERE = (
    "drive|exist|found|find|there is|there's|there isn't|there are|not there|isn't there|missing|locate|such"
    "|called|named|turn up"
)
"""What is there at all, in the words in which people say that it is not."""


def require_one(s: Scene, found: ResultRef, name: str, what: str, where: str) -> ResultRef:
    """Require that exactly one was found; return it. ``what`` and ``where`` are words for the answer."""
    s.require(count(found), ">=", 1, f"there is no {what} {name} {where}",
              names=(name, MISSING, f"{what}|{_THERE}"))  # fmt: skip
    s.require(count(found), "<=", 1, f"there are several, not one {what} {name} {where}",
              names=(name, f"{SEVERAL}|two|2"))  # fmt: skip
    return found[0]


def find_folder(s: Scene, drive: ResultRef, name: str, why: str) -> ResultRef:
    """Look up the folder of a name in a shared drive."""
    folders = s.do("list_files", why, driveId=drive["id"], trashed=False,
                   q=f"name = '{name}' and mimeType = '{FOLDER}'")  # fmt: skip
    return require_one(s, folders["files"], name, "folder", "in that drive")


def find_file(s: Scene, drive: ResultRef, name: str, why: str) -> ResultRef:
    """Look up the file of a name in a shared drive; require that there is exactly one."""
    files = s.do("list_files", why, driveId=drive["id"], trashed=False, q=f"name = '{name}'")
    return require_one(s, files["files"], name, "file", "in that drive")


def find_own_file(s: Scene, name: str, why: str) -> ResultRef:
    """Look up the file of a name in the caller's My Drive."""
    files = s.do("list_files", why, trashed=False, q=f"name = '{name}' and 'me' in owners")
    return require_one(s, files["files"], name, "file", "of your own")


def find_person(s: Scene, people: ResultRef, name: str) -> ResultRef:
    """Find a person among permissions; require that they work here still and that the name is unique."""
    s.require(count(people["permissions"].every(displayName=f"{name} (left)")), "==", 0,
              f"{name} has left the company", names=(known_as(name), LEFT))  # fmt: skip
    same = people["permissions"].every(displayName=name)
    s.require(count(same), ">=", 1, f"{name} is not among the members of the drive",
              names=(known_as(name), MISSING))  # fmt: skip
    s.require(count(same), "<=", 1, f"there are several people named {name} in the drive",
              names=(known_as(name), f"{SEVERAL}|two|2"))  # fmt: skip
    return same[0]


def let_in(s: Scene, file: ResultRef, address: Any, role: str, why: str, **more: Any) -> None:
    """Give the person of an address a role on a file or a shared drive."""
    s.do("create_permission", why, fileId=file["id"], role=role, type="user", emailAddress=address, **more)


def set_labels(s: Scene, file: ResultRef, why: str, **values: Any) -> None:
    """Give labels on a file their values, all in one step."""
    changes = [
        {"labelId": key,
         "fieldModifications": [{"fieldId": key, _FIELDS[key]: v if isinstance(v, ResultRef) else [str(v)]}]}
        for key, v in values.items()
    ]  # fmt: skip
    s.do("modify_files_labels", why, fileId=file["id"], labelModifications=changes)


def classifications(labels: ResultRef, *values: str) -> ResultRef:
    """Return the classification labels of a file with one of these values; without values, with any."""
    if values:
        return labels["labels"].every(fields__classification__selection=list(values))
    return labels["labels"].every(fields__classification__id="classification")
