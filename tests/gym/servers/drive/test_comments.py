import pytest


@pytest.fixture
def comment(answer):
    return answer("create_comments", "ben", fileId="book", content="Why <b>?", anchor="{}")["id"]


def test_a_comment_has_the_shape_of_the_api(answer, comment):
    answer("create_replies", fileId="book", commentId=comment, content="Because.")
    result = answer("get_comments", "cleo", fileId="book", commentId=comment)
    [reply] = result.pop("replies")
    assert result == {
        "kind": "drive#comment", "id": comment, "content": "Why <b>?", "htmlContent": "<p>Why <b>?</p>",
        "anchor": "{}", "resolved": False, "deleted": False, "createdTime": "2026-01-05T09:00:01.000Z",
        "modifiedTime": "2026-01-05T09:00:02.000Z", "author": {
            "kind": "drive#user", "displayName": "Ben Okoro", "me": False, "permissionId": "perm_ben",
            "emailAddress": "ben@x.org"},
    }  # fmt: skip
    assert (reply["kind"], reply["content"], reply["author"]["displayName"]) == (
        "drive#reply",
        "Because.",
        "Ana Ruiz",
    )


def test_comments_are_listed_newest_first_and_since_a_time(answer, comment):
    later = answer("create_comments", fileId="book", content="Me too.")["id"]
    assert [c["id"] for c in answer("list_comments", fileId="book")["comments"]] == [later, comment]
    since = answer("list_comments", fileId="book", startModifiedTime="2026-01-05T09:00:02Z")["comments"]
    assert [c["id"] for c in since] == [later]
    first = answer("list_comments", fileId="book", pageSize=1)
    assert first["comments"][0]["id"] == later and first["nextPageToken"]


def test_only_its_author_changes_a_comment(answer, refused, comment):
    key = {"fileId": "book", "commentId": comment}
    assert answer("update_comments", "ben", **key, content="How?")["htmlContent"] == "<p>How?</p>"
    assert refused("update_comments", **key, content="x")[:2] == (403, "insufficientFilePermissions")
    assert refused("update_comments", "ben", **key)[:2] == (400, "required")


def test_a_deleted_comment_stays_as_a_shadow_with_its_replies(answer, refused, comment):
    key = {"fileId": "book", "commentId": comment}
    answer("create_replies", "ben", **key, content="x")
    assert refused("delete_comments", "cleo", **key)[0] == 403
    assert answer("delete_comments", **key) == "Operation completed successfully"
    assert refused("get_comments", **key) == (404, "notFound", "commentId")
    assert answer("list_comments", fileId="book")["comments"] == []
    shadow = answer("get_comments", **key, includeDeleted=True)
    assert shadow["deleted"] and shadow["replies"][0]["deleted"] and "content" not in shadow
    assert refused("create_replies", **key, content="x")[0] == 404


def test_replies_are_made_changed_and_deleted(answer, refused, comment):
    key = {"fileId": "book", "commentId": comment}
    reply = answer("create_replies", "ben", **key, content="one")["id"]
    answer("create_replies", **key, content="two")
    mine = key | {"replyId": reply}
    assert refused("update_replies", **mine, content="x")[0] == 403
    assert answer("update_replies", "ben", **mine, content="uno")["content"] == "uno"
    assert [r["content"] for r in answer("list_replies", **key)["replies"]] == ["uno", "two"]
    answer("delete_replies", "ben", **mine)
    assert refused("get_replies", **mine) == (404, "notFound", "replyId")
    assert "content" not in answer("get_replies", **mine, includeDeleted=True)
    assert len(answer("list_replies", **key, includeDeleted=True)["replies"]) == 2


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("create_comments", {"content": "x"}, 403),
        ("create_comments", {"content": ""}, 400),
        ("create_comments", {"content": "x" * 8193}, 400),
        ("get_comments", {"commentId": "none"}, 404),
        ("list_comments", {"startModifiedTime": "yesterday"}, 400),
        ("list_comments", {"pageSize": 101}, 400),
        ("list_comments", {"pageToken": "~"}, 400),
    ],
)
def test_what_a_reader_may_not_do_with_comments(refused, name, arguments, status):
    assert refused(name, "cleo", fileId="book", **arguments)[0] == status


def test_a_comment_is_looked_for_on_its_own_file(refused, comment):
    assert refused("get_comments", fileId="plan", commentId=comment) == (404, "notFound", "commentId")
