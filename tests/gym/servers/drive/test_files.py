import json

import pytest

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"


def test_a_new_file_has_an_owner_a_revision_and_a_place(ask):
    reply = ask(
        "create_file", name="Plan B.tar.gz", mimeType="application/gzip", parents=["work"], description="d"
    )
    result, changed = json.loads(reply.text), [(c.table, c.operation) for c in reply.changes]
    assert (result["parents"], result["size"], result["version"], result["ownedByMe"]) == (
        ["work"],
        "0",
        "1",
        True,
    )
    assert (result["fileExtension"], result["fullFileExtension"]) == ("gz", "tar.gz")
    assert len(result["id"]) == 26 and result["createdTime"] == "2026-01-05T09:00:01.000Z"
    assert result["headRevisionId"] and result["description"] == "d" and "driveId" not in result
    tables = ["change_tokens", "changes", "files", "path_closure", "permissions", "revisions"]
    assert sorted({table for table, _ in changed}) == tables


def test_a_file_of_a_shared_drive_has_no_owner(answer, rows):
    result = answer("create_file", "ben", name="x", mimeType=FOLDER, parents=["team"])
    assert (result["parents"], result["driveId"]) == (["team"], "team")
    assert "owners" not in result and "headRevisionId" not in result
    assert rows(f"SELECT * FROM permissions WHERE file_id = '{result['id']}'") == ()


def test_a_new_file_is_shared_as_it_says(answer):
    people = [
        {"role": "writer", "type": "user", "emailAddress": "ben@x.org"},
        {"role": "reader", "type": "anyone"},
    ]
    created = answer("create_file", name="x", mimeType="text/plain", permissions=people, permissionIds=["p4"])
    listed = answer("list_permission", fileId=created["id"])["permissions"]
    assert {(p["type"], p["role"]) for p in listed} == {
        ("user", "owner"),
        ("user", "writer"),
        ("anyone", "reader"),
    }


def test_times_trash_and_hints_of_a_new_file(answer):
    state = {"trashed": True, "contentRestrictions": [{"readOnly": True}]}
    when = {"createdTime": "2020-01-01T10:00:00+02:00"}
    result = answer("create_file", name="x", mimeType="text/plain", **state, **when)
    assert (result["createdTime"], result["trashed"]) == ("2020-01-01T08:00:00.000Z", True)
    assert result["contentRestrictions"] == [{"readOnly": True}]


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"parents": ["work", "shelf"]}, (400, "invalid", "parents")),
        ({"parents": ["gold"]}, (404, "notFound", "parents")),
        ({"parents": [""]}, (404, "notFound", "parents")),
        ({"parents": ["plan"]}, (403, "parentNotAFolder", "parents")),
        ({"createdTime": "soon"}, (400, "invalid", "createdTime")),
        ({"mimeType": SHORTCUT}, (400, "required", "shortcutDetails.targetId")),
        ({"mimeType": SHORTCUT, "shortcutDetails": {"targetId": "gold"}},
         (404, "notFound", "shortcutDetails.targetId")),
        ({"permissions": [{"role": "king", "type": "user"}]}, (400, "invalid", "permissions")),
        ({"permissionIds": ["p9"]}, (404, "notFound", "permissionId")),
        ({"permissions": [{"role": [], "type": {}}]}, (400, "invalid", "permissions")),
        ({"properties": {"a": float("nan")}}, (400, "invalid", None)),
        ({"appProperties": {"a": ["\ud800"]}}, (400, "invalid", None)),
        ({"nonsense": 1}, (400, "badRequest", "nonsense")),
        ({"uploadType": "post"}, (400, "invalidParameter", "uploadType")),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_made(refused, arguments, refusal):
    assert refused("create_file", **{"name": "x", "mimeType": "text/plain"} | arguments) == refusal


def test_who_may_not_write_to_a_folder_adds_nothing(refused):
    arguments = {"name": "x", "mimeType": "text/plain", "parents": ["shelf"]}
    assert refused("create_file", "cleo", **arguments) == (403, "insufficientParentPermissions", "parents")


def test_a_copy_is_ones_own_beside_its_source(answer, rows):
    result = answer("copy_files", fileId="plan", starred=True)
    assert (result["name"], result["parents"], result["starred"]) == ("Copy of Plan", ["work"], True)
    mine = answer("copy_files", fileId="bens", name="Mine")
    assert mine["owners"][0]["me"] and "parents" not in mine
    assert answer("copy_files", "ben", fileId="book")["driveId"] == "team"
    assert rows(f"SELECT size_bytes FROM files WHERE id = '{answer('copy_files', fileId='scan')['id']}'") == (
        (20,),
    )


def test_folders_and_what_is_guarded_are_not_copied(answer, refused):
    assert refused("copy_files", fileId="work") == (403, "cannotCopyFile", "fileId")
    answer("update_drives", driveId="team", restrictions={"copyRequiresWriterPermission": True})
    assert refused("copy_files", "cleo", fileId="book") == (403, "cannotCopyFile", "fileId")
    assert refused("download_files", "cleo", fileId="book")[:2] == (403, "cannotDownloadFile")


def test_an_update_writes_what_is_given(ask, answer):
    reply = ask("update_files", fileId="scan", name="Scan 2.pdf", properties={"a": "1"})
    [change] = [c for c in reply.changes if c.table == "files"]
    assert change.after == {
        "name": "Scan 2.pdf", "properties": '{"a":"1"}', "version": 2, "modified_by": "ana",
        "modified_time": "2026-01-05 09:00:01", "modified_by_me": 1,
        "file_extension": "pdf", "full_file_extension": "pdf",
    }  # fmt: skip
    assert answer("update_files", fileId="scan", properties={"b": "2", "a": None})["properties"] == {"b": "2"}
    starred = answer("update_files", fileId="book", by="cleo", starred=True)
    assert starred["starred"] and starred["modifiedTime"] == "2025-03-06T00:00:00.000Z"


@pytest.mark.parametrize(
    ("by", "arguments", "refusal"),
    [
        (None, {"fileId": "plan"}, (400, "required", None)),
        ("cleo", {"fileId": "book", "name": "x"}, (403, "insufficientFilePermissions", None)),
        ("ben", {"fileId": "book", "trashed": True}, (403, "insufficientFilePermissions", None)),
        (None, {"fileId": "bens", "trashed": True}, (403, "insufficientFilePermissions", None)),
        (None, {"fileId": "plan", "addParents": "shelf"}, (403, "cannotAddParent", "addParents")),
        (None, {"fileId": "plan", "removeParents": "shelf"}, (404, "notFound", "removeParents")),
        (None, {"fileId": "plan", "removeParents": "root"}, (404, "notFound", "removeParents")),
        (None, {"fileId": "book", "removeParents": "team"}, (404, "notFound", "removeParents")),
        (None, {"fileId": "work", "addParents": "work"}, (400, "invalid", "addParents")),
        ("ben", {"fileId": "book", "removeParents": "shelf"}, (403, "insufficientFilePermissions", None)),
    ],
)
def test_an_update_that_is_not_allowed(refused, by, arguments, refusal):
    assert refused("update_files", by, **arguments) == refusal


def test_what_lies_at_the_top_moves_from_there_into_a_folder(answer):
    answer("update_files", fileId="shelf", addParents="root", removeParents="team")
    moved = answer("update_files", fileId="shelf", addParents="work", removeParents="root")
    assert moved["parents"] == ["work"] and "driveId" not in moved


def test_a_locked_file_is_not_renamed(answer, refused):
    created = answer(
        "create_file", name="x", mimeType="text/plain", contentRestrictions=[{"readOnly": True}]
    )["id"]
    assert refused("update_files", fileId=created, name="y")[:2] == (403, "fileContentRestricted")
    assert answer("update_files", fileId=created, description="y")["description"] == "y"


def test_the_extension_follows_the_name_but_a_document_has_none(answer):
    assert "fileExtension" not in answer("update_files", fileId="scan", name="Scan")
    assert answer("update_files", fileId="scan", name="Scan.pdf")["fileExtension"] == "pdf"
    assert "fileExtension" not in answer("update_files", fileId="plan", name="Plan v1.2")


def test_a_move_into_a_shared_drive_takes_all_below_along(answer, rows):
    inner = answer("create_file", name="Inner", mimeType=FOLDER, parents=["work"])["id"]
    answer("update_files", fileId="plan", addParents=inner, removeParents="work")
    answer("update_files", fileId="work", addParents="shelf")
    result = answer("get_files", fileId="plan")
    assert (result["driveId"], result["parents"]) == ("team", [inner]) and "owners" not in result
    assert rows("SELECT 1 FROM permissions WHERE role = 'owner' AND file_id IN ('work', 'plan')") == ()
    up = "SELECT ancestor_id, depth FROM path_closure WHERE descendant_id = 'plan' ORDER BY depth"
    assert rows(up) == (("plan", 0), (inner, 1), ("work", 2), ("shelf", 3))
    answer("update_files", fileId="work", addParents="root", removeParents="shelf")
    assert answer("get_files", fileId="plan")["owners"][0]["me"]
    assert rows(up) == (("plan", 0), (inner, 1), ("work", 2))


def test_who_takes_a_file_out_of_a_shared_drive_is_its_owner_by_one_permission(answer, database, rows):
    """Files of real shared drives have owners, too."""
    answer("create_permission", fileId="book", role="reader", type="user", emailAddress="ana@x.org")
    database.connection.execute(
        """INSERT INTO permissions (id, file_id, role, type, user_id, email_address)
        VALUES ('p9', 'book', 'owner', 'user', 'ben', 'ben@x.org')"""
    )
    moved = answer("update_files", fileId="book", addParents="root", removeParents="shelf")
    assert (moved["owners"][0]["emailAddress"], moved["shared"]) == ("ana@x.org", True)
    held = rows("SELECT user_id, role FROM permissions WHERE file_id = 'book' ORDER BY 1")
    assert held == (("ana", "owner"), ("ben", "writer"))


def test_a_folder_does_not_go_into_itself(answer, refused):
    inner = answer("create_file", name="Inner", mimeType=FOLDER, parents=["work"])["id"]
    assert refused("update_files", fileId="work", addParents=inner) == (400, "invalid", "addParents")


def test_a_folder_goes_to_the_trash_and_comes_back_with_what_went_with_it(answer, rows):
    state = "SELECT id FROM files WHERE trashed ORDER BY id"
    answer("update_files", fileId="scan", trashed=True)
    answer("update_files", fileId="work", trashed=True)
    assert rows(state) == (("plan",), ("scan",), ("work",))
    assert answer("get_files", fileId="plan")["explicitlyTrashed"] is False
    assert {f["id"] for f in answer("list_files", trashed=True)["files"]} == {"plan", "scan", "work"}
    assert [f["id"] for f in answer("list_files", trashed=False)["files"]] == ["bens"]
    answer("update_files", fileId="work", trashed=False)
    assert rows(state) == (("scan",),)


def test_what_comes_back_from_below_a_trashed_folder_is_not_emptied_with_it(answer, rows):
    answer("update_files", fileId="work", trashed=True)
    answer("update_files", fileId="shelf", trashed=True)
    assert "parents" not in answer("update_files", fileId="plan", trashed=False)
    assert answer("update_files", fileId="book", trashed=False)["parents"] == ["team"]
    answer("empty_files_trash")
    answer("empty_files_trash", driveId="team")
    left = rows("SELECT id, parent_id, parent_ids FROM files WHERE id IN ('plan', 'scan', 'book')")
    assert sorted(left) == [("book", None, "[]"), ("plan", None, "[]")]
    assert rows("SELECT ancestor_id FROM path_closure WHERE descendant_id = 'plan'") == (("plan",),)


def test_removal_takes_ones_own_and_leaves_others(answer, rows):
    answer("create_permission", fileId="work", role="writer", type="user", emailAddress="ben@x.org")
    his = answer("create_file", "ben", name="his", mimeType="text/plain", parents=["work"])["id"]
    assert answer("delete_files", fileId="work") == "Operation completed successfully"
    assert rows("SELECT id FROM files WHERE id IN ('work', 'plan', 'scan')") == ()
    assert rows(f"SELECT parent_id, parent_ids FROM files WHERE id = '{his}'") == ((None, "[]"),)
    assert rows("SELECT 1 FROM revisions WHERE file_id = 'scan'") == ()


@pytest.mark.parametrize(("by", "file"), [(None, "bens"), ("ben", "book")])
def test_only_owners_and_organizers_remove_for_good(refused, by, file):
    assert refused("delete_files", by, fileId=file)[:2] == (403, "insufficientFilePermissions")


def test_the_trash_is_emptied_of_ones_own(answer, rows, refused):
    answer("update_files", fileId="work", trashed=True)
    answer("update_files", "ben", fileId="bens", trashed=True)
    answer("update_files", fileId="book", trashed=True)
    answer("empty_files_trash")
    assert rows("SELECT id FROM files ORDER BY id") == (("bens",), ("book",), ("gold",), ("shelf",))
    assert rows("SELECT file_id, actor_id FROM trash_log ORDER BY 1")[0] == ("plan", "ana")
    assert refused("empty_files_trash", "ben", driveId="team")[0] == 403
    answer("empty_files_trash", driveId="team")
    assert rows("SELECT id FROM files WHERE drive_id = 'team'") == (("shelf",),)


def test_ids_are_given_out_once(answer, rows):
    generated = answer("generate_files_Ids", count=3)
    assert (generated["kind"], generated["space"], len(set(generated["ids"]))) == (
        "drive#generatedIds",
        "drive",
        3,
    )
    assert rows("SELECT count(*) FROM id_pool WHERE reserved") == ((3,),)


@pytest.mark.parametrize(
    ("arguments", "location"),
    [({"count": 0}, "count"), ({"count": 1001}, "count"), ({"space": "x"}, "space"), ({"type": "x"}, "type")],
)
def test_ids_that_are_not_given_out(refused, arguments, location):
    assert refused("generate_files_Ids", **arguments)[2] == location


def test_a_file_shows_its_shortcut_and_its_labels_where_asked(answer):
    link = answer("create_file", name="s", mimeType=SHORTCUT, shortcutDetails={"targetId": "scan"})
    assert link["shortcutDetails"] == {"targetId": "scan", "targetMimeType": "application/pdf"}
    answer("modify_files_labels", fileId="scan", labelModifications=[{"labelId": "l5"}])
    result = answer("get_files", fileId="scan", includeLabels="l5, l1")
    assert [label["id"] for label in result["labelInfo"]["labels"]] == ["l5"]
