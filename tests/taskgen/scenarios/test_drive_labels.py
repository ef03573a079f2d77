"""Labels of Drive families: what is refused cannot be done, and namesakes are not told apart."""

import re

import pytest

from eops_traj.taskgen.draft import Draft
from tests.taskgen.scenarios.played import drafts

_ALIKE = """SELECT {} FROM files o JOIN files f ON f.name = o.name AND f.drive_id IS o.drive_id AND
    (f.drive_id IS NOT NULL OR f.created_by = o.created_by) AND f.trashed IS o.trashed {}
    WHERE o.id = :other"""
_COMMENTED = _ALIKE.format(
    "COUNT(DISTINCT f.id)", "JOIN comments c ON c.file_id = f.id AND c.deleted IS NOT 1 {}"
)
_ANSWERS = "(SELECT COUNT(*) FROM replies r WHERE r.comment_id = c.id AND r.author_id = :me)"
_VERSIONS = _ALIKE.format("COUNT(*)", "AND (SELECT COUNT(*) FROM revisions WHERE file_id = f.id) > 1")
_IN_ONE_FOLDER = _ALIKE.format("COUNT(*) / COUNT(DISTINCT f.parent_id)", "AND f.trashed")
_LABELLED = _ALIKE.format(
    """COUNT(*) / COUNT(DISTINCT f.mime_type || coalesce((SELECT value_enum FROM file_labels x JOIN labels l
    ON l.id = x.label_id WHERE l.key = 'classification' AND x.file_id = f.id), ''))""",
    "",
)
_OPEN_OUTSIDE = _ALIKE.format(
    "COUNT(DISTINCT f.id)",
    """JOIN permissions p ON p.file_id = f.id AND (p.type = 'anyone' OR p.type = 'user' AND p.email_address
    NOT LIKE '%@corvane.example') AND coalesce(p.expiration_time > '2026-01-06', 1)""",
)
_NOT_OPEN_TO_WHO = _ALIKE.format(
    "COUNT(*)",
    """AND NOT EXISTS (SELECT 1 FROM permissions p JOIN users u ON u.id = p.user_id WHERE p.file_id = f.id AND
    instr(:request, u.display_name))""",
)


@pytest.mark.parametrize(
    ("family", "sql"),
    [
        ("correct_remark", _COMMENTED.format("AND c.author_id = :me AND instr(:request, c.content)")),
        ("tidy_answers", _COMMENTED.format(f"AND instr(:request, c.content) AND {_ANSWERS} = 2")),
        ("answer_all", _COMMENTED.format("AND NOT c.resolved")),
        ("drop_first_version", _VERSIONS),
        ("take_back", _IN_ONE_FOLDER),
        ("share_file", _LABELLED),
        ("share_file", _NOT_OPEN_TO_WHO),
        ("publish_page", _LABELLED),
        ("export_document", _LABELLED),
        ("raise_classification", _LABELLED),
        ("raise_classification", _OPEN_OUTSIDE),
    ],
)
def test_what_the_request_says_of_a_file_holds_for_its_namesake_too(family: str, sql: str) -> None:
    twins = drafts("drive", family, "two_namesakes", 24)
    assert len(twins) > 3 and [_found(twin, sql) for twin in twins] == [2] * len(twins)


def _found(twin: Draft, sql: str) -> int:
    """Return what a query finds on the start state; ``:other`` is the file that was given the name."""
    ((other,),) = [change.key for _, change in twin.scene.perturbed_rows if change.table == "files"]
    values = {"other": other, "me": twin.scene.caller["id"], "request": twin.request}
    with twin.scene.start_state().open() as session:
        return int(session.database("drive").connection.execute(sql, values).get)


def test_who_is_taken_out_of_one_of_two_files_is_not_named() -> None:
    twins = drafts("drive", "give_away", "two_namesakes", 16)
    assert len(twins) > 3 and not [twin for twin in twins if "can do without it" in twin.request]


def test_the_share_of_who_has_left_matters_where_it_would_grow() -> None:
    twins = drafts("drive", "adjust_share", "inactive_person", 16)
    for twin in twins:
        ((_, change),) = twin.scene.perturbed_rows
        with twin.scene.start_state().open() as session:
            sql = "SELECT role FROM permissions WHERE user_id = ? AND id LIKE '%PM1'"
            assert session.database("drive").connection.execute(sql, change.key).get == "reader"
    assert len(twins) > 3


def test_a_request_that_was_decided_is_forbidden_and_a_file_that_is_gone_is_missing() -> None:
    for kind, table in (("policy_forbids", "access_proposals"), ("missing_entity", "files")):
        twins = drafts("drive", "answer_request", kind, 8)
        changed = {change.table for twin in twins for _, change in twin.scene.perturbed_rows}
        assert len(twins) > 3 and changed == {table}


def test_a_team_drive_that_is_not_for_members_alone_is_said_to_be_for_no_project() -> None:
    said = {draft.request for draft in drafts("drive", "open_team_drive", None, 12)}
    assert len(said) > 6 and not [
        words for words in said if not re.search(r"(no|not for a) project|scanne|scans|prin", words)
    ]
