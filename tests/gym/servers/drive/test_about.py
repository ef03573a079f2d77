import json

import pytest

from eops_traj.gym.api_styles.google import GoogleRefusal
from eops_traj.gym.servers.drive import about

VALUE = {"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 3, "g": 4}], "h": 5}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("*", VALUE), ("h", {"h": 5}), ("a(b),h", {"a": {"b": 1}, "h": 5}), ("a/c/d", {"a": {"c": {"d": 2}}}),
        ("a.b , a.c", {"a": {"b": 1, "c": {"d": 2}}}), ("e(f)", {"e": [{"f": 3}]}),
        ("a(*)", {"a": VALUE["a"]}),
        ("a(b,c(d))", {"a": VALUE["a"]}),
    ],
)  # fmt: skip
def test_fields_select_what_is_shown(text, result):
    assert about.select_fields(VALUE, text) == result


@pytest.mark.parametrize(
    "text", ["", "a(", "a)", "a()", "a,,b", "a/", "z", "a(z)", "h(b)", "(a)", "a b", "a(" * 300]
)
def test_a_selection_that_selects_nothing(text):
    with pytest.raises(GoogleRefusal, match="Invalid field selection"):
        about.select_fields(VALUE, text)


def test_about_tells_of_the_caller_and_their_storage(answer, refused, database):
    database.connection.execute("UPDATE files SET quota_bytes_used = 7 WHERE id IN ('scan', 'bens')")
    result = answer("get_about")
    assert result.keys() == {"kind", "user", "storageQuota"} and result["storageQuota"]["usage"] == "7"
    assert answer("get_about", fields="user.displayName,storageQuota(limit)") == {
        "user": {"displayName": "Ana Ruiz"},
        "storageQuota": {"limit": str(30 * 2**30)},
    }
    assert "exportFormats" in answer("get_about", fields="*")
    assert refused("get_about", fields="shoeSize") == (400, "invalidParameter", "fields")


def test_apps_are_found_by_what_they_open(drive):
    database = drive.template().open()

    def answer(name, **arguments):
        return json.loads(drive.call(database, name, arguments).text)

    listed = answer("list_apps")
    assert (listed["kind"], len(listed["items"])) == ("drive#appList", 6)
    assert [a["name"] for a in answer("list_apps", appFilterExtensions=".CSV, xyz")["items"]] == [
        "Spreadsheets"
    ]
    assert {a["name"] for a in answer("list_apps", appFilterMimeTypes="video/mp4")["items"]} == {
        "Framewright"
    }
    app = listed["items"][0]
    assert answer("get_app", appId=app["id"]) == app and app["kind"] == "drive#app"
    assert answer("get_app", appId="none")["error"]["errors"][0]["location"] == "appId"


def test_about_says_who_may_open_drives(answer):
    results = {
        who: answer("get_about", who, fields="canCreateDrives")["canCreateDrives"] for who in ("ben", "cleo")
    }
    assert results == {"ben": False, "cleo": True}
