import json

import pytest


def test_a_new_drive_has_its_maker_for_organizer(ask, answer, rows):
    reply = ask("create_drive", requestId="q", name="New", themeId="slate")
    result = json.loads(reply.text)
    assert (result["kind"], result["colorRgb"], result["hidden"]) == ("drive#drive", "#607D8B", False)
    assert result["capabilities"]["canManageMembers"] and result["restrictions"]["driveMembersOnly"] is False
    members = f"SELECT user_id, role FROM drive_memberships WHERE drive_id = '{result['id']}'"
    assert rows(members) == (("ana", "organizer"),)
    assert answer("get_drive", driveId=result["id"]) == result


def test_a_request_is_used_once(answer, refused):
    answer("create_drive", requestId="q", name="New")
    assert refused("create_drive", requestId="q", name="Newer") == (409, "duplicate", "requestId")


def test_settings_change_as_given(ask, answer):
    reply = ask("update_drives", driveId="team", name="Crew", restrictions={"domainUsersOnly": True},
                downloadRestrictedForReaders=True)  # fmt: skip
    [change] = [c for c in reply.changes if c.table == "drives"]
    assert change.after == {"name": "Crew", "domain_users_only": 1, "download_restricted_for_readers": 1,
                            "modified_time": "2026-01-05 09:00:01"}  # fmt: skip
    result = answer("get_drive", driveId="team")["restrictions"]
    assert result["domainUsersOnly"] and result["downloadRestriction"]["restrictedForReaders"]
    assert answer("hide_drives", driveId="team")["hidden"] is True
    assert answer("unhide_drives", driveId="team")["hidden"] is False


def test_the_background_is_an_image_in_drive(answer, refused):
    crop = {"xCoordinate": 0, "yCoordinate": 0, "width": 1}
    image = answer("create_file", name="i.png", mimeType="image/png")["id"]
    result = answer("update_drives", driveId="team", backgroundImageFile={"id": image, **crop})
    assert image in result["backgroundImageLink"]
    wrong = {"driveId": "team", "backgroundImageFile": {"id": "plan", **crop}}
    assert refused("update_drives", **wrong) == (400, "invalid", "backgroundImageFile.id")
    assert refused("update_drives", driveId="team", backgroundImageFile=crop)[1] == "required"


def test_restrictions_may_be_the_administrators_own(answer, refused):
    answer("update_drives", driveId="team", restrictions={"adminManagedRestrictions": True})
    lift = {"driveId": "team", "restrictions": {"adminManagedRestrictions": False}}
    assert refused("update_drives", **lift)[0] == 403
    assert answer("update_drives", "cleo", **lift, useDomainAdminAccess=True)["id"] == "team"


@pytest.mark.parametrize(
    ("by", "name", "arguments", "status"),
    [
        (None, "update_drives", {"driveId": "team"}, 400),
        ("ben", "update_drives", {"driveId": "team", "name": "x"}, 403),
        (None, "update_drives", {"driveId": "vault", "name": "x"}, 404),
        (None, "update_drives", {"driveId": "team", "colorRgb": "red"}, 400),
        (None, "update_drives", {"driveId": "team", "themeId": "slate", "colorRgb": "#000000"}, 400),
        (None, "create_drive", {"requestId": "q", "name": "x", "themeId": "a", "colorRgb": "#000000"}, 400),
        ("ben", "hide_drives", {"driveId": "team"}, 403),
        ("ben", "delete_drive", {"driveId": "team"}, 403),
        (None, "delete_drive", {"driveId": "team"}, 403),
        (None, "delete_drive", {"driveId": "team", "allowItemDeletion": True}, 403),
        (None, "get_teamdrives", {"teamDriveId": "vault"}, 404),
        ("ben", "update_teamdrive", {"team_drive_id": "team", "name": "x"}, 403),
    ],
)  # fmt: skip
def test_what_may_not_be_done_with_a_drive(refused, by, name, arguments, status):
    assert refused(name, by, **arguments)[0] == status


def test_a_drive_goes_when_it_is_empty_but_for_the_trash(answer, refused, rows):
    answer("update_files", fileId="shelf", trashed=True)
    assert answer("delete_drive", driveId="team") == "Operation completed successfully"
    assert rows("SELECT id FROM files WHERE drive_id = 'team'") == ()
    assert rows("SELECT id FROM drive_memberships") == (("d4",),)
    assert refused("get_drive", driveId="team")[0] == 404


def test_an_administrator_removes_a_drive_with_its_items(answer, rows):
    answer("delete_drive", "cleo", driveId="vault", useDomainAdminAccess=True, allowItemDeletion=True)
    assert rows("SELECT 1 FROM files WHERE id = 'gold'") == ()


def test_team_drives_are_shared_drives(answer):
    created = answer(
        "create_teamdrives", requestId="q", name="Old", backgroundImageLink="https://x.org/i.png"
    )
    assert created["kind"] == "drive#teamDrive" and created["backgroundImageLink"] == "https://x.org/i.png"
    assert answer("update_teamdrive", team_drive_id=created["id"], name="Older")["name"] == "Older"
    listed = answer("list_teamdrives", q="name contains 'old'")
    assert (listed["kind"], [d["name"] for d in listed["teamDrives"]]) == ("drive#teamDriveList", ["Older"])
    assert answer("get_teamdrives", teamDriveId=created["id"])["name"] == "Older"
    assert answer("delete_teamdrives", teamDriveId=created["id"]) == "Operation completed successfully"
