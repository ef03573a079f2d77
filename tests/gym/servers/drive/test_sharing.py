import pytest

BEN = {"type": "user", "emailAddress": "ben@x.org"}


def share(answer, file, role, by=None, **more):
    return answer("create_permission", by, fileId=file, role=role, **BEN | more)


def test_a_permission_has_the_shape_of_the_api(answer):
    result = share(answer, "plan", "commenter", expirationTime="2026-03-01T00:00:00Z")
    assert {name: value for name, value in result.items() if name != "id"} == {
        "kind": "drive#permission", "type": "user", "role": "commenter", "emailAddress": "ben@x.org",
        "displayName": "Ben Okoro", "allowFileDiscovery": False, "deleted": False, "pendingOwner": False,
        "expirationTime": "2026-03-01T00:00:00.000Z",
        "permissionDetails": [{"permissionType": "file", "role": "commenter", "inherited": False}],
    }  # fmt: skip
    assert answer("get_permission", fileId="plan", permissionId=result["id"]) == result
    assert answer("get_permission", "ben", fileId="plan", permissionId=result["id"]) == result


def test_sharing_again_changes_the_role(answer, rows):
    first = share(answer, "plan", "reader")
    assert share(answer, "plan", "writer") == first | {"role": "writer", "permissionDetails": [
        {"permissionType": "file", "role": "writer", "inherited": False}]}  # fmt: skip
    assert rows("SELECT shared, version FROM files WHERE id = 'plan'") == ((1, 3),)


def test_permissions_from_above_are_listed_as_inherited(answer, refused):
    permission = share(answer, "work", "writer")["id"]
    listed = answer("list_permission", fileId="plan")["permissions"]
    assert [(p["id"], p["permissionDetails"][0].get("inheritedFrom")) for p in listed] == [
        ("p2", None),
        (permission, "work"),
    ]
    for name in ("delete_permission", "update_permission"):
        more = {"role": "reader"} if name == "update_permission" else {}
        refusal = refused(name, fileId="plan", permissionId=permission, **more)
        assert refusal[:2] == (403, "cannotModifyInheritedPermission")


def test_members_of_a_drive_are_its_permissions(answer, rows):
    listed = answer("list_permission", fileId="team")["permissions"]
    assert {(p["displayName"], p["role"]) for p in listed} == {
        ("Ana Ruiz", "organizer"),
        ("Ben Okoro", "writer"),
        ("Operations", "reader"),
    }
    assert listed[0]["permissionDetails"][0]["permissionType"] == "member"
    created = answer(
        "create_permission", fileId="team", role="fileOrganizer", type="user", emailAddress="cleo@x.org"
    )
    members = "SELECT user_id, role FROM drive_memberships WHERE drive_id = 'team' ORDER BY 1"
    assert ("cleo", "fileOrganizer") in rows(members)
    answer("update_permission", fileId="team", permissionId=created["id"], role="commenter")
    answer("update_permission", fileId="team", permissionId="d2", role="reader")
    assert rows(members) == ((None, "reader"), ("ana", "organizer"), ("ben", "reader"), ("cleo", "commenter"))
    for permission in (created["id"], "d2"):
        answer("delete_permission", fileId="team", permissionId=permission)
    assert rows(members) == ((None, "reader"), ("ana", "organizer"))


def test_a_drive_keeps_an_organizer_and_a_file_its_owner(refused):
    assert refused("delete_permission", fileId="team", permissionId="d1")[:2] == (
        403,
        "cannotRemoveLastOrganizer",
    )
    assert refused("update_permission", fileId="team", permissionId="d1", role="reader")[0] == 403
    assert refused("delete_permission", fileId="plan", permissionId="p2")[:2] == (403, "cannotRemoveOwner")


def test_ownership_goes_over_when_it_is_confirmed(answer, refused, rows):
    arguments = {"fileId": "plan", "role": "owner", **BEN}
    assert refused("create_permission", **arguments) == (403, "forbidden", "transferOwnership")
    result = answer("create_permission", **arguments, transferOwnership=True, moveToNewOwnersRoot=True)
    assert result["role"] == "owner"
    assert rows("SELECT user_id, role FROM permissions WHERE file_id = 'plan' ORDER BY 1") == (
        ("ana", "writer"),
        ("ben", "owner"),
    )
    assert rows("SELECT parent_id, owned_by_me FROM files WHERE id = 'plan'") == ((None, 0),)
    assert answer("get_files", "ben", fileId="plan")["ownedByMe"]


@pytest.mark.parametrize("held", [None, "reader"])
def test_an_owner_without_a_permission_becomes_a_writer_too(answer, database, rows, held):
    """As in real databases, where who made a file owns it without a row that says so."""
    if held:
        database.connection.execute(
            """INSERT INTO permissions (id, file_id, role, type, user_id, email_address)
            VALUES ('p9', 'scan', ?, 'user', 'ana', 'ana@x.org')""",
            (held,),
        )
    share(answer, "scan", "owner", transferOwnership=True, moveToNewOwnersRoot=True)
    permissions = "SELECT user_id, role FROM permissions WHERE file_id = 'scan' ORDER BY 1"
    assert rows(permissions) == (("ana", "writer"), ("ben", "owner"))
    assert answer("get_files", fileId="scan")["capabilities"]["canEdit"]
    to_cleo = {"type": "user", "emailAddress": "cleo@x.org", "transferOwnership": True}
    answer("create_permission", "ben", fileId="scan", role="owner", **to_cleo)
    assert rows(permissions) == (("ana", "writer"), ("ben", "writer"), ("cleo", "owner"))


@pytest.mark.parametrize("tool", ["create_permission", "update_permission"])
def test_who_is_the_owner_already_gives_nobody_access_by_saying_so(answer, rows, tool):
    owner = share(answer, "plan", "owner", transferOwnership=True)["id"]
    permissions = "SELECT id, user_id, role FROM permissions WHERE file_id = 'plan' ORDER BY role"
    for permission, user, _ in rows(permissions):
        if user != "ben":
            answer("delete_permission", "ben", fileId="plan", permissionId=permission)
    left = rows(permissions)
    assert left == ((owner, "ben", "owner"),)
    named = (
        {"permissionId": owner}
        if tool == "update_permission"
        else {"type": "user", "emailAddress": "ben@x.org"}
    )
    answer(tool, "ben", fileId="plan", role="owner", transferOwnership=True, **named)
    assert rows(permissions) == left


def test_who_was_asked_to_become_the_owner_accepts(answer, refused):
    request = share(answer, "plan", "writer", pendingOwner=True)
    assert request["pendingOwner"]
    mine = {"fileId": "plan", "permissionId": request["id"], "role": "owner", "transferOwnership": True}
    other = share(answer, "scan", "writer")["id"]
    assert refused("update_permission", "ben", **mine | {"fileId": "scan", "permissionId": other})[0] == 403
    result = answer("update_permission", "ben", **mine)
    assert (result["role"], result["pendingOwner"]) == ("owner", False)


def test_one_may_leave_what_one_was_let_into(answer, refused):
    assert refused("delete_permission", "ben", fileId="bens", permissionId="p3")[0] == 403
    answer("delete_permission", fileId="bens", permissionId="p4")
    assert refused("get_files", fileId="bens")[0] == 404


@pytest.mark.parametrize(
    ("by", "file", "arguments", "refusal"),
    [
        (None, "plan", {"role": "organizer", **BEN}, "organizerOnNonTeamDriveNotSupported"),
        (None, "plan", {"role": "fileOrganizer", **BEN}, "fileOrganizerOnNonTeamDriveNotSupported"),
        (None, "book", {"role": "organizer", **BEN}, "organizerOnNonTeamDriveItemNotSupported"),
        (None, "book", {"role": "owner", "transferOwnership": True, **BEN},
         "ownerOnTeamDriveItemNotSupported"),
        ("ben", "book", {"role": "fileOrganizer", **BEN}, "insufficientFilePermissions"),
        ("ben", "shelf", {"role": "reader", **BEN}, "insufficientFilePermissions"),
        ("cleo", "book", {"role": "reader", **BEN}, "insufficientFilePermissions"),
        ("ben", "team", {"role": "reader", **BEN}, "insufficientFilePermissions"),
        (None, "bens", {"role": "reader", **BEN}, "insufficientFilePermissions"),
        (None, "team", {"role": "reader", "type": "anyone"},
         "cannotShareTeamDriveTopFolderWithAnyoneOrDomains"),
        (None, "plan", {"role": "reader", "type": "user"}, "required"),
        (None, "plan", {"role": "reader", "type": "domain"}, "required"),
        (None, "plan", {"role": "reader", "type": "group", "emailAddress": "ben@x.org"},
         "invalidSharingRequest"),
        (None, "plan", {"role": "reader", "type": "user", "emailAddress": "eve@x.org"},
         "invalidSharingRequest"),
        (None, "plan", {"role": "reader", "type": "user", "emailAddress": "nobody"}, "invalidParameter"),
        (None, "plan", {"role": "reader", "expirationTime": "2025-01-01", **BEN}, "cannotSetExpiration"),
        (None, "plan", {"role": "reader", "expirationTime": "2028-01-01", **BEN}, "cannotSetExpiration"),
        (None, "plan", {"role": "reader", "expirationTime": "never", **BEN}, "invalid"),
        (None, "nope", {"role": "reader", **BEN}, "notFound"),
        (None, "plan", {"role": "king", **BEN}, "invalidParameter"),
    ],
)  # fmt: skip
def test_what_may_not_be_shared(refused, by, file, arguments, refusal):
    assert refused("create_permission", by, fileId=file, **arguments)[1] == refusal


def test_restrictions_of_a_shared_drive_hold(answer, refused):
    outside = {"fileId": "book", "role": "reader", "type": "user", "emailAddress": "eve@away.org"}
    assert answer("create_permission", **outside)["emailAddress"] == "eve@away.org"
    answer("update_drives", driveId="team", restrictions={"domainUsersOnly": True})
    assert refused("create_permission", **outside)[1] == "teamDriveDomainUsersOnlyRestriction"
    answer("update_drives", driveId="team", restrictions={"domainUsersOnly": False, "driveMembersOnly": True})
    assert refused("create_permission", **outside)[1] == "teamDriveTeamMembersOnlyRestriction"
    assert answer("create_permission", fileId="book", role="writer", **BEN)["role"] == "writer"


def test_readers_do_not_see_who_else_is_in(answer, refused):
    share(answer, "plan", "reader")
    assert refused("list_permission", "ben", fileId="plan")[0] == 403
    assert len(answer("list_permission", "cleo", fileId="team")["permissions"]) == 3


def test_an_end_is_taken_away_and_a_role_is_needed(answer, refused):
    permission = share(answer, "plan", "reader", expirationTime="2026-02-01")["id"]
    key = {"fileId": "plan", "permissionId": permission}
    assert refused("update_permission", **key) == (400, "required", "permission.role")
    assert "expirationTime" not in answer("update_permission", **key, removeExpiration=True)
    assert refused("update_permission", fileId="plan", permissionId="p9", role="reader")[0] == 404


def test_a_permission_without_an_address_shows_that_of_its_person_or_group(answer, database):
    """As the rows of a real database have it."""
    database.connection.execute(
        """UPDATE permissions SET email_address = NULL, "view" = 'published';
        INSERT INTO permissions (id, file_id, role, type, group_id, "view")
        VALUES ('p8', 'plan', 'reader', 'group', 'ops', 'published')"""
    )
    held = answer("list_permission", fileId="plan")["permissions"]
    shown = {(p["emailAddress"], p["displayName"], p["role"]) for p in held}
    assert shown == {("ana@x.org", "Ana Ruiz", "owner"), ("ops@x.org", "Operations", "reader")}
    raised = answer("update_permission", fileId="plan", permissionId="p8", role="commenter")
    assert (raised["emailAddress"], raised["role"]) == ("ops@x.org", "commenter")


# requests for access


def test_only_those_who_may_share_see_requests_and_only_open_ones(answer, refused):
    [request] = answer("list_accessproposals", fileId="plan")["accessProposals"]
    assert request == {
        "fileId": "plan", "proposalId": "a1", "requesterEmailAddress": "ben@x.org",
        "recipientEmailAddress": "ana@x.org", "rolesAndViews": [{"role": "writer"}],
        "createTime": "2026-01-02T00:00:00.000Z",
    }  # fmt: skip
    decided = answer("get_accessproposals", fileId="plan", proposalId="a2")
    assert decided["proposalId"] == "a2" and "recipientEmailAddress" not in decided
    assert refused("list_accessproposals", "cleo", fileId="book")[0] == 403


def test_a_request_that_is_accepted_gives_the_requester_the_highest_role(answer, rows):
    decision = {"fileId": "plan", "proposalId": "a1", "action": "ACCEPT", "role": ["reader", "commenter"]}
    assert answer("resolve_accessproposals", **decision) == "Operation completed successfully"
    assert answer("get_files", "ben", fileId="plan")["capabilities"]["canComment"]
    held = rows("SELECT user_id, role FROM permissions WHERE file_id = 'plan' ORDER BY 1")
    assert held == (("ana", "owner"), ("ben", "commenter"))
    assert rows("SELECT status, resolved_by_email, resolved_at FROM access_proposals WHERE id = 'a1'") == (
        ("approved", "ana@x.org", "2026-01-05T09:00:01.000Z"),
    )


def test_a_request_that_is_denied_gives_nothing(answer, refused, rows):
    answer("resolve_accessproposals", fileId="plan", proposalId="a1", action="DENY")
    assert rows("SELECT status FROM access_proposals WHERE id = 'a1'") == (("denied",),)
    assert refused("get_files", "ben", fileId="plan")[0] == 404


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"action": "ACCEPT"}, (400, "required", "role")),
        ({"action": "ACCEPT", "role": ["owner"]}, (400, "invalid", "role")),
        ({"action": "ACCEPT", "role": ["reader"], "view": "x"}, (400, "invalid", "view")),
        ({"action": "ACTION_UNSPECIFIED"}, (400, "invalid", "action")),
        ({"action": "DENY", "proposalId": "a2"}, (400, "failedPrecondition", "proposalId")),
        ({"action": "DENY", "proposalId": "a9"}, (404, "notFound", "proposalId")),
    ],
)
def test_a_decision_that_is_none(refused, arguments, refusal):
    assert refused("resolve_accessproposals", **{"fileId": "plan", "proposalId": "a1"} | arguments) == refusal
