import json

import pytest


@pytest.mark.parametrize(
    ("by", "file", "can"),
    [
        (None, "plan", "canDelete"), (None, "book", "canDelete"), ("ben", "book", "canEdit"),
        ("cleo", "book", None),
        ("ben", "gold", "canDelete"), (None, "bens", "canComment"),
    ],
)  # fmt: skip
def test_a_role_comes_from_the_file_its_folders_and_its_drive(answer, by, file, can):
    capabilities = answer("get_files", by, fileId=file)["capabilities"]
    order = ("canDelete", "canEdit", "canComment")
    assert next((name for name in order if capabilities[name]), None) == can


@pytest.mark.parametrize(
    ("by", "file"), [("ben", "plan"), ("dov", "book"), (None, "gold"), (None, "nothing")]
)
def test_what_is_not_seen_does_not_exist(refused, by, file):
    assert refused("get_files", by, fileId=file) == (404, "notFound", "fileId")


def test_a_share_of_a_folder_opens_what_is_in_it(answer, refused):
    answer("create_permission", fileId="work", role="reader", type="user", emailAddress="ben@x.org")
    assert answer("get_files", "ben", fileId="plan")["capabilities"]["canEdit"] is False
    answer("update_files", fileId="plan", removeParents="work")
    assert refused("get_files", "ben", fileId="plan")[0] == 404


def test_an_owner_of_a_folder_only_writes_to_what_others_own_in_it(answer):
    answer("create_permission", fileId="work", role="writer", type="user", emailAddress="ben@x.org")
    created = answer("create_file", "ben", name="x", mimeType="text/plain", parents=["work"])
    result = answer("get_files", fileId=created["id"])
    assert result["owners"][0]["emailAddress"] == "ben@x.org" and result["ownedByMe"] is False
    assert (result["capabilities"]["canEdit"], result["capabilities"]["canDelete"]) == (True, False)


def test_a_file_may_be_closed_to_those_above_but_for_organizers(answer, refused):
    answer("create_permission", fileId="book", role="reader", type="user", emailAddress="dov@other.org",
         inheritedPermissionsDisabled=True)  # fmt: skip
    assert refused("get_files", "cleo", fileId="book")[0] == 404
    assert answer("get_files", "dov", fileId="book")["name"] == "Book"
    assert answer("get_files", fileId="book")["capabilities"]["canDelete"]


def test_a_group_a_domain_and_a_link_let_in(answer, refused, rows):
    answer("create_permission", fileId="plan", role="reader", type="group", emailAddress="ops@x.org")
    assert answer("get_files", "cleo", fileId="plan")["capabilities"]["canEdit"] is False
    answer("create_permission", fileId="scan", role="commenter", type="domain", domain="x.org")
    assert answer("get_files", "ben", fileId="scan")["capabilities"]["canComment"]
    assert refused("get_files", "dov", fileId="scan")[0] == 404
    answer("create_permission", fileId="scan", role="reader", type="anyone")
    assert answer("get_files", "dov", fileId="scan")["name"] == "Scan.pdf"
    assert answer("list_files", "dov", corpora="allDrives")["files"] == []  # a link is no entry in a list


def test_a_permission_ends_when_it_says(answer, refused, database):
    answer("create_permission", fileId="plan", role="reader", type="user", emailAddress="ben@x.org",
         expirationTime="2026-01-05T09:00:03Z")  # fmt: skip
    assert answer("get_files", "ben", fileId="plan")["id"] == "plan"
    answer("get_about")
    assert refused("get_files", "ben", fileId="plan")[0] == 404


def test_an_administrator_is_an_organizer_where_they_say_so(answer, refused):
    assert refused("get_drive", "cleo", driveId="vault")[0] == 404
    result = answer("get_drive", "cleo", driveId="vault", useDomainAdminAccess=True)
    assert result["capabilities"]["canManageMembers"]
    assert refused("get_drive", "ben", driveId="vault", useDomainAdminAccess=True)[:2] == (
        403,
        "domainPolicy",
    )
    assert [d["id"] for d in answer("list_drives", "cleo", useDomainAdminAccess=True)["drives"]] == [
        "team",
        "vault",
    ]


def test_without_administrators_whoever_says_so_is_one(drive):
    """Real seeds know none."""
    seed = """INSERT INTO users (id, display_name, email, me) VALUES ('a', 'A', 'a@x.org', 1);
        INSERT INTO drives (id, name) VALUES ('d', 'D');"""
    database = drive.template(seed).open()
    reply = drive.call(database, "get_drive", {"driveId": "d", "useDomainAdminAccess": True})
    assert json.loads(reply.text)["name"] == "D"


def test_who_calls_is_told_by_a_token_or_is_me(drive, database, answer):
    assert answer("get_about")["user"] == {
        "kind": "drive#user", "displayName": "Ana Ruiz", "me": True, "permissionId": "perm_ana",
        "emailAddress": "ana@x.org",
    }  # fmt: skip
    assert answer("get_about", "ben")["user"]["displayName"] == "Ben Okoro"
    error = json.loads(drive.call(database, "get_about", {}, "t-nobody").text)["error"]
    assert (error["code"], error["errors"][0]["reason"]) == (401, "authError")


@pytest.mark.parametrize(("by", "may"), [("ben", False), ("cleo", True)])
def test_shared_drives_are_opened_by_managers_when_permissions_are_strict(drive, database, by, may):
    arguments = {"requestId": "r", "name": "New"}
    reply = drive.call(database, "create_drive", arguments, f"t-{by}", strict_permissions=True)
    assert reply.is_error != may
