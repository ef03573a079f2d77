import pytest


def test_revisions_have_the_shape_of_the_api(answer, refused):
    listed = answer("list_revisions", fileId="scan")
    assert [(r["id"], r["size"]) for r in listed["revisions"]] == [("r1", "10"), ("r2", "20")]
    assert listed["kind"] == "drive#revisionList" and listed["revisions"][0]["kind"] == "drive#revision"
    assert answer("get_revisions", fileId="scan", revisionId="r1") == listed["revisions"][0]
    assert refused("get_revisions", fileId="scan", revisionId="r3") == (404, "notFound", "revisionId")
    assert refused("list_revisions", "cleo", fileId="book")[0] == 403


def test_a_revision_is_kept_or_published(answer, rows):
    assert answer("update_revisions", fileId="scan", revisionId="r1", keepForever=True)["keepForever"]
    result = answer("update_revisions", fileId="plan", revisionId="r3", published=True, publishAuto=True)
    assert result["published"] and result["publishedLink"].endswith("/plan/pub")
    result = answer("update_revisions", fileId="plan", revisionId="r3", published=False)
    assert "publishedLink" not in result and result["publishAuto"]


@pytest.mark.parametrize(
    ("file", "revision", "arguments", "reason"),
    [
        ("plan", "r3", {"keepForever": True}, "cannotKeepRevisionForever"),
        ("scan", "r1", {"published": True}, "cannotPublishRevision"),
        ("scan", "r1", {}, "required"),
    ],
)
def test_a_change_that_a_revision_does_not_take(refused, file, revision, arguments, reason):
    assert refused("update_revisions", fileId=file, revisionId=revision, **arguments)[1] == reason


def test_a_deleted_revision_keeps_its_row(answer, refused, rows):
    answer("delete_revisions", fileId="scan", revisionId="r1")
    assert rows("SELECT deleted FROM revisions WHERE id = 'r1'") == ((1,),)
    assert refused("get_revisions", fileId="scan", revisionId="r1")[0] == 404
    for file, revision in (("scan", "r2"), ("plan", "r3")):
        refusal = refused("delete_revisions", fileId=file, revisionId=revision)
        assert refusal[1] == "revisionDeletionNotSupported"


def test_a_download_is_an_operation_that_can_be_asked_after(answer, rows):
    started = answer("download_files", fileId="plan", mimeType="application/pdf")
    assert started["done"] and "mimeType=application/pdf" in started["response"]["downloadUri"]
    assert answer("get_operations", name=started["name"]) == started
    assert rows("SELECT operation_type, status FROM operations") == (("download", "done"),)


def test_an_operation_is_found_with_its_prefix_whether_its_row_has_that_or_not(answer, database):
    database.connection.execute(
        "INSERT INTO operations (id, name, status) VALUES ('x', 'move_all', 'done'),"
        " ('y', 'operations/sort', 'running')"
    )
    found = [answer("get_operations", name=f"operations/{name}") for name in ("move_all", "sort", "x")]
    assert [(f["name"], f["done"]) for f in found] == [
        ("operations/move_all", True), ("operations/sort", False), ("operations/move_all", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "refusal"),
    [
        ("download_files", {"fileId": "plan"}, (400, "badRequest", "mimeType")),
        ("download_files", {"fileId": "scan", "mimeType": "text/plain"}, (400, "badRequest", "mimeType")),
        ("download_files", {"fileId": "scan", "revisionId": "r9"}, (404, "notFound", "revisionId")),
        ("download_files", {"fileId": "work"}, (403, "fileNotDownloadable", "fileId")),
        ("export_files", {"fileId": "scan", "mimeType": "text/plain"}, (403, "fileNotExportable", "fileId")),
        ("export_files", {"fileId": "plan", "mimeType": "video/mp4"}, (400, "badRequest", "mimeType")),
        ("get_files", {"fileId": "plan", "alt": "media"}, (403, "fileNotDownloadable", "alt")),
        ("get_files", {"fileId": "plan", "alt": "xml"}, (400, "invalid", "alt")),
        ("get_operations", {"name": "operations/none"}, (404, "notFound", None)),
        ("get_operations", {"name": "none"}, (400, "invalidParameter", "name")),
    ],
)
def test_content_that_is_not_to_be_had(refused, name, arguments, refusal):
    assert refused(name, **arguments) == refusal


def test_an_export_tells_where_and_text_where_it_is_known(answer):
    created = answer("create_file", name="T", mimeType="application/vnd.google-apps.document",
                contentHints={"indexableText": "hello"})["id"]  # fmt: skip
    assert answer("export_files", fileId=created, mimeType="text/plain")["content"] == "hello"
    assert "content" not in answer("export_files", fileId=created, mimeType="application/pdf")
    assert answer("get_files", fileId="scan", alt="media")["size"] == "20"


def test_what_may_not_be_downloaded_is_not(answer, refused):
    closed = {"name": "x.txt", "mimeType": "text/plain", "downloadRestrictions": {"restricted": True}}
    ben = {"role": "reader", "type": "user", "emailAddress": "ben@x.org"}
    created = answer("create_file", **closed, permissions=[ben])["id"]
    assert refused("download_files", "ben", fileId=created)[1] == "cannotDownloadFile"
    assert answer("download_files", fileId=created)["done"]
