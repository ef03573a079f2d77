"""Two files of one name, between which nothing that the request says can decide."""

import json
from collections.abc import Sequence

from eops_traj.taskgen.scenarios.drive.lookups import LIVE_FILE
from eops_traj.taskgen.scene import Row, Scene

_SAME = (
    "UPDATE files SET name = :name, mime_type = :type WHERE id = :other",
    "DELETE FROM file_labels WHERE file_id = :other",
    """INSERT INTO file_labels (id, file_id, label_id, value_string, value_number, value_boolean, value_date,
    value_enum, created_time) SELECT '01CPY' || substr(id, 6), :other, label_id, value_string, value_number,
    value_boolean, value_date, value_enum, created_time FROM file_labels WHERE file_id = :file""",
)
SAME_THREADS = (
    """INSERT INTO comments (id, file_id, author_id, content, html_content, resolved, created_time,
    modified_time) SELECT '01CPY' || substr(id, 6), :other, author_id, content, html_content, resolved,
    created_time, modified_time FROM comments WHERE file_id = :file AND deleted IS NOT 1""",
    """INSERT INTO replies (id, comment_id, author_id, content, html_content, created_time, modified_time)
    SELECT '01CPY' || substr(r.id, 6), '01CPY' || substr(c.id, 6), r.author_id, r.content, r.html_content,
    r.created_time, r.modified_time FROM replies r JOIN comments c ON c.id = r.comment_id WHERE c.file_id =
    :file AND c.deleted IS NOT 1""",
)
"""What puts the comments of a file, and the answers to them, on the other one too."""
SAME_VERSIONS = (
    """INSERT INTO revisions (id, file_id, revision_number, md5_checksum, size_bytes, mime_type, created_time,
    modified_time, last_modifying_user_id) SELECT '01CPY' || substr(id, 6), :other, revision_number,
    md5_checksum, size_bytes, mime_type, created_time, modified_time, last_modifying_user_id FROM revisions
    WHERE file_id = :file""",
)
"""What gives the other one the versions of a file too."""
SAME_ACCESS = (
    "DELETE FROM permissions WHERE file_id = :other AND role <> 'owner'",
    """INSERT INTO permissions (id, file_id, role, type, user_id, group_id, email_address, domain,
    allow_file_discovery, created_time, updated_time, expiration_time) SELECT '01CPY' || substr(id, 6),
    :other, role, type, user_id, group_id, email_address, domain, allow_file_discovery, created_time,
    updated_time, expiration_time FROM permissions WHERE file_id = :file AND role <> 'owner'""",
)
"""What opens the other one to those whom a file is open to, and to nobody else."""


def add_namesake(s: Scene, file: Row, *but: Row, alike: Sequence[str] = ()) -> None:
    """Give another file of the same folder, none of these, the same name as a perturbation.

    Its type and its labels become the same, and what these statements make ``alike``: what the request says
    of the file must not tell the two apart.
    """
    other = _pick_sibling(s, file, *but)
    for statement in (*_SAME, *alike):
        s.perturb("two_namesakes", statement, name=file["name"], type=file["mime_type"], file=file["id"],
                  other=other["id"])  # fmt: skip


def _pick_sibling(s: Scene, file: Row, *but: Row) -> Row:
    """Pick another file in the same folder of a shared drive, or of the same owner; none of these."""
    same_place = (
        "f.parent_id = :parent" if file["drive_id"] else "f.drive_id IS NULL AND f.created_by = :owner"
    )
    return s.pick(
        f"SELECT f.* FROM files f WHERE {LIVE_FILE} AND {same_place} AND f.name <> :name"
        " AND f.id NOT IN (SELECT value FROM json_each(:but))",
        but=json.dumps([other["id"] for other in but]),
        parent=file["parent_id"], owner=file["created_by"], name=file["name"],
    )  # fmt: skip
