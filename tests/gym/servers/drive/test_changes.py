import pytest

HOOK = {"address": "https://hooks.x.org", "id": "c1"}


def test_changes_are_told_from_a_token_on(answer):
    start = answer("get_changes_start_page_token")
    assert start == {"kind": "drive#startPageToken", "startPageToken": "0"}
    answer("update_files", fileId="plan", name="New")
    token = answer("get_changes_start_page_token")["startPageToken"]
    answer("create_comments", fileId="bens", content="x")
    answer("update_files", fileId="book", by="ben", name="Newer")
    page = answer("list_changes", pageToken=token)
    [change] = page["changes"]
    assert (change["kind"], change["type"], change["file"]["name"]) == (
        "drive#change",
        "comment_created",
        "Notes",
    )
    everything = answer("list_changes", pageToken="0", includeItemsFromAllDrives=True)
    assert [c["fileId"] for c in everything["changes"]] == ["plan", "bens", "book"]
    assert everything["newStartPageToken"] == answer("get_changes_start_page_token")["startPageToken"]


def test_changes_come_in_pages(answer):
    for name in "abc":
        answer("update_files", fileId="plan", name=name)
    first = answer("list_changes", pageToken="0", pageSize=2)
    assert len(first["changes"]) == 2 and "newStartPageToken" not in first
    last = answer("list_changes", pageToken=first["nextPageToken"], pageSize=2)
    assert len(last["changes"]) == 1 and "nextPageToken" not in last


def test_changes_of_a_shared_drive_have_a_token_of_their_own(answer, refused):
    answer("update_files", fileId="plan", name="x")
    assert answer("get_changes_start_page_token", driveId="team")["startPageToken"] == "0"
    answer("update_drives", driveId="team", name="Crew")
    [change] = answer("list_changes", pageToken="0", driveId="team")["changes"]
    assert (change["changeType"], change["drive"]["name"]) == ("drive", "Crew")
    assert refused("list_changes", pageToken="0", driveId="vault")[0] == 404


def test_only_what_is_seen_is_told_and_removals_where_asked(answer):
    answer("update_files", fileId="plan", name="x")
    answer("delete_files", fileId="scan")
    assert answer("list_changes", "ben", pageToken="0")["changes"] == []
    result = answer("list_changes", pageToken="0", includeRemoved=True)["changes"]
    assert [(c["fileId"], c["removed"]) for c in result] == [("plan", False), ("scan", True)]
    assert "file" not in result[1]


def test_a_channel_is_opened_and_stopped(answer, refused, rows):
    result = answer("watch_changes", **HOOK, pageToken="0", token="s", params={"a": "b"})
    assert (result["kind"], result["id"], result["type"]) == ("api#channel", "c1", "web_hook")
    assert result["expiration"] == str(1767603601000 + 24 * 60 * 60 * 1000)
    assert refused("stop_channels", id="c1", resourceId="other")[0] == 404
    assert refused("stop_channels", id="c1", resourceId=result["resourceId"], token="x")[0] == 404
    assert refused("stop_channels", "ben", id="c1", resourceId=result["resourceId"])[0] == 404
    assert (
        answer("stop_channels", id="c1", resourceId=result["resourceId"])
        == "Operation completed successfully"
    )
    assert rows("SELECT active, user_id FROM channels") == ((0, "ana"),)


def test_a_channel_of_either_type_is_opened(answer, rows):
    for number, kind in enumerate(("web_hook", "webhook")):
        hook = HOOK | {"id": f"c{number}", "type": kind}
        assert answer("watch_changes", **hook, pageToken="0")["type"] == kind
    assert rows("SELECT type FROM channels ORDER BY id") == (("web_hook",), ("webhook",))


@pytest.mark.parametrize("expiration", ["2026-01-06T09:00:00Z", "1767690000000"])
def test_a_file_is_watched_until_a_time(answer, expiration):
    resource = {"resourceId": "r", "resourceUri": "https://x.org/plan", "expiration": expiration}
    assert answer("watch_files", fileId="plan", **HOOK, **resource)["expiration"] == "1767690000000"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"address": "http://x.org"}, "push.webhookUrlNotHttps"), ({"type": "pigeon"}, "channelUnknown"),
        ({"expiration": 5}, "invalid"), ({"pageToken": "none"}, "invalid"),
        ({"driveId": "vault"}, "notFound"),
    ],
)  # fmt: skip
def test_a_channel_that_is_not_opened(refused, arguments, reason):
    assert refused("watch_changes", **{"pageToken": "0", **HOOK} | arguments)[1] == reason


def test_a_channel_has_an_id_of_its_own(answer, refused):
    answer("watch_changes", pageToken="0", **HOOK)
    assert refused("watch_changes", pageToken="0", **HOOK)[1] == "channelIdNotUnique"


def test_a_change_that_names_no_drive_is_in_that_of_its_file(answer, database):
    """As the rows of a real database have it."""
    answer("update_files", fileId="book", by="ben", name="Newer")
    answer("update_files", fileId="plan", name="x")
    database.connection.execute("UPDATE changes SET drive_id = NULL")
    [change] = answer("list_changes", pageToken="0", driveId="team")["changes"]
    assert (change["fileId"], change["driveId"]) == ("book", "team")
    [change] = answer("list_changes", pageToken="0")["changes"]
    assert change["fileId"] == "plan" and "driveId" not in change
