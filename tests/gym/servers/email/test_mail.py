import pytest

from eops_traj.gym.servers.email import mime
from tests.gym.servers.email.conftest import Mail, written


def labels(mail: Mail, owner: str, message: str) -> list[str]:
    return mail("get_message", userId=owner, id=message, format="minimal")["labelIds"]


def test_a_message_reaches_everyone_inside_once(mail: Mail):
    me, one, two = mail.people[0], mail.people[6], mail.people[8]
    raw = written(f"{one}, Two <{two}>", "Plain plan", Cc=one, Bcc="x@elsewhere.example")
    sent = mail("send_message", userId=me, raw=raw)
    assert sent["labelIds"] == ["SENT"]
    for reader in (one, two):
        (copy,) = mail.search(reader, 'subject:"plain plan"')
        assert {"INBOX", "UNREAD"} <= set(labels(mail, reader, copy))
        headers = {h["name"] for h in mail("get_message", userId=reader, id=copy)["payload"]["headers"]}
        assert {"From", "Date", "Message-ID"} <= headers and "Bcc" not in headers
    assert mail("get_message", userId=me, id=sent["id"], format="metadata", metadataHeaders=["bcc"])[
        "payload"
    ]["headers"] == [{"name": "Bcc", "value": "x@elsewhere.example"}]


def test_an_answer_joins_the_conversation_on_both_sides(mail: Mail):
    me, other = mail.people[0], mail.people[6]
    first = mail("send_message", userId=me, raw=written(other, "Plain plan"))
    (copy,) = mail("list_threads", userId=other, q='subject:"plain plan"')["threads"]
    answer = mail("send_message", userId=other, threadId=copy["id"], raw=written(me, "Re: Plain plan"))
    assert answer["threadId"] == copy["id"]
    messages = mail("get_thread", userId=me, id=first["threadId"], format="minimal")["messages"]
    assert [m["labelIds"] for m in messages] == [["SENT"], ["INBOX", "UNREAD"]]
    unrelated = mail("send_message", userId=other, raw=written(me, "Other", In_Reply_To="<x@y>"))
    assert unrelated["threadId"] == unrelated["id"]


@pytest.mark.parametrize(
    ("arguments", "results"),
    [
        ({}, "Give the message"),
        ({"raw": written("a@x.org"), "payload": {}}, "Give the message"),
        ({"raw": "not base64!"}, "Base64 decoding failed"),
        ({"raw": mime.encode(b"just some text")}, "cannot be parsed"),
        ({"raw": mime.encode(b"To: a@x.org\r\nContent-Type: multipart/mixed\r\n\r\nx")}, "cannot be parsed"),
        ({"raw": written("")}, "Recipient address required"),
        ({"raw": written("nobody")}, "Invalid To header"),
        ({"payload": {"headers": [], "body": {"data": "x", "size": 1}}}, "headers is empty"),
        ({"raw": written("a@x.org"), "labelIds": ["Label_999999"]}, "Invalid label: Label_999999"),
        ({"raw": written("a@x.org"), "threadId": "nope"}, "not found"),
    ],
)
def test_what_cannot_be_sent_changes_nothing(mail: Mail, arguments: dict, results: str):
    assert results in mail.refused("send_message", userId="me", **arguments)["message"]
    assert mail.database.changes() == ()


def test_the_sender_is_an_address_of_the_mailbox(mail: Mail):
    owner, alias = mail.sql(
        "SELECT u.email, send_as_email FROM send_as_aliases s JOIN users u ON u.id = s.user_id"
        " WHERE treat_as_alias AND active"
    )[0]
    for arguments, result in ((alias, alias), ("boss@elsewhere.example", owner)):
        sent = mail("send_message", userId=owner, raw=written("x@y.org", From=arguments))
        assert mail.sql("SELECT from_email FROM messages WHERE id = ?", sent["id"]) == [(result,)]


def test_mail_to_a_group_reaches_those_in_it_and_mail_to_nobody_comes_back(mail: Mail):
    me = mail.people[0]
    (group, size), *_ = mail.sql(
        "SELECT send_as_email, count(*) FROM send_as_aliases JOIN users u ON u.id = user_id"
        " WHERE treat_as_alias AND active GROUP BY 1"
    )
    mail("send_message", userId=me, raw=written(f"{group}, nobody@corvane.example", "Zebra"))
    assert mail.sql("SELECT count(*) FROM messages WHERE subject = 'Zebra'") == [(size + 1,)]
    (notice,) = mail.search(me, "from:mailer-daemon nobody")
    assert "INBOX" in labels(mail, me, notice)


def test_a_message_to_oneself_is_one_message(mail: Mail):
    sent = mail("send_message", userId="me", raw=written(mail.people[0], "Note"))
    assert sent["labelIds"] == ["INBOX", "SENT", "UNREAD"] and mail.search("me", "subject:note") == [
        sent["id"]
    ]


def test_a_draft_keeps_its_id_and_leaves_as_a_new_message(mail: Mail):
    other = mail.people[4]
    draft = mail("create_draft", message={"raw": written("", "Zebra")})
    first = draft["message"]["id"]
    changed = mail("update_draft", id=draft["id"], message={"raw": written(other, "Zebra", "Second version")})
    assert changed["id"] == draft["id"] and changed["message"]["threadId"] == draft["message"]["threadId"]
    assert mail.refused("get_message", id=first)["code"] == 404
    assert [d["id"] for d in mail("list_drafts", q="second version")["drafts"]] == [draft["id"]]
    sent = mail("send_draft", id=draft["id"], message={})
    assert sent["labelIds"] == ["SENT"] and sent["threadId"] == draft["message"]["threadId"]
    assert mail.refused("get_draft", id=draft["id"])["code"] == 404
    assert (
        mail.search("me", "in:drafts subject:zebra") == [] and len(mail.search(other, "second version")) == 1
    )


def test_a_draft_without_a_reader_is_not_sent_and_stays(mail: Mail):
    draft = mail("create_draft", message={"raw": written("", "Zebra")})
    before = mail.database.changes()
    assert mail.refused("send_draft", id=draft["id"], message={})["message"] == "Recipient address required"
    assert mail.database.changes() == before
    assert mail("delete_draft", id=draft["id"]).startswith("Operation")
    assert mail.sql("SELECT count(*) FROM messages WHERE subject = 'Zebra'") == [(0,)]


def test_attachments_are_fetched_by_id(mail: Mail):
    (message, *_) = mail.search("me", "has:attachment filename:pdf")
    parts = mail("get_message", id=message)["payload"]["parts"]
    (file,) = [part for part in parts if part["filename"]]
    got = mail("get_attachment", userId="me", messageId=message, id=file["body"]["attachmentId"])
    assert len(mime.decode(got["data"])) == got["size"] == file["body"]["size"]
    assert (
        mail.refused("get_attachment", userId=mail.people[9], messageId=message, id=got["attachmentId"])[
            "code"
        ]
        == 404
    )


def test_pages_come_to_the_same_as_all_at_once(mail: Mail):
    every, token, seen = mail.search("me", "", maxResults=500), None, []
    while token is not None or not seen:
        page = mail("list_messages", userId="me", maxResults=40, **({"pageToken": token} if token else {}))
        assert page["resultSizeEstimate"] == len(every)
        seen += [m["id"] for m in page["messages"]]
        token = page.get("nextPageToken")
    assert seen == every
    assert (
        mail.refused("list_messages", userId="me", pageToken="zzz!")["errors"][0]["location"] == "pageToken"
    )


def test_labels_change_and_history_tells(mail: Mail):
    (message, *_) = mail.search("me", "is:unread in:inbox")
    start = mail("get_user_profile", userId="me")["historyId"]
    mail("modify_message", userId="me", id=message, addLabelIds=["STARRED"], removeLabelIds=["UNREAD"])
    mail("trash_message", userId="me", id=message)
    mail("untrash_message", userId="me", id=message)
    assert {"STARRED"} <= set(labels(mail, "me", message)) and "INBOX" not in labels(mail, "me", message)
    mail("delete_message", id=message)
    answer = mail("list_history", userId="me", startHistoryId=start)
    kinds = [
        next(key for key in record if key.endswith(("ed", "Added", "Removed", "Deleted")) and key != "id")
        for record in answer["history"]
    ]
    assert kinds == ["labelsAdded", "labelsRemoved"] * 2 + ["labelsRemoved", "messagesDeleted"]
    assert answer["historyId"] == answer["history"][-1]["id"]
    only = mail("list_history", userId="me", startHistoryId=start, historyTypes=["messageDeleted"])
    assert len(only["history"]) == 1
    assert mail.refused("list_history", userId="me", startHistoryId="soon")["code"] == 400


@pytest.mark.parametrize(
    ("add", "remove", "results"),
    [
        ([], [], "No label"),
        (["Nope"], [], "Invalid label: Nope"),
        (["INBOX"], ["INBOX"], "both add and remove"),
        (["SENT"], [], "Invalid label: SENT"),
        ([], ["DRAFT"], "Invalid label: DRAFT"),
    ],
)
def test_label_changes_that_make_no_sense(mail: Mail, add: list, remove: list, results: str):
    ids = mail.search("me", "", maxResults=2)
    error = mail.refused(
        "batch_modify_messages", userId="me", ids=ids, addLabelIds=add, removeLabelIds=remove
    )
    assert results in error["message"]


def test_many_at_once_pass_over_what_is_not_there(mail: Mail):
    ids = mail.search("me", "", maxResults=3)
    mail("batch_modify_messages", ids=[*ids, "nope"], addLabelIds=["STARRED"])
    assert set(ids) <= set(mail.search("me", "is:starred", maxResults=500))
    foreign = mail.search(mail.people[6], "", maxResults=1)
    mail("batch_delete_messages", userId="me", ids=[*ids, *foreign])
    assert mail.search(mail.people[6], "", maxResults=1) == foreign
    assert not set(ids) & set(mail.search("me", "in:anywhere", maxResults=500))


def test_a_thread_is_all_of_its_messages(mail: Mail):
    (thread,) = mail.sql(
        "SELECT thread_id FROM messages WHERE user_id = 'user_001' GROUP BY 1 HAVING count(*) > 2 LIMIT 1"
    )[0]
    assert len(mail("trash_thread", userId="me", id=thread)["messages"]) > 2
    assert thread not in [t["id"] for t in mail("list_threads", userId="me", maxResults=500)["threads"]]
    mail("untrash_thread", userId="me", id=thread)
    mail("modify_thread", userId="me", id=thread, addLabelIds=["INBOX"])
    assert all(
        "INBOX" in m["labelIds"]
        for m in mail("get_thread", userId="me", id=thread, format="minimal")["messages"]
    )
    mail("delete_thread", userId="me", id=thread)
    assert mail.sql("SELECT 1 FROM messages WHERE thread_id = ?", thread) == []
    assert mail.refused("get_thread", userId="me", id=thread)["code"] == 404


def test_insert_keeps_what_import_sorts(mail: Mail):
    raw = written("me@x.org", "Board pack March", Date="Tue, 04 Mar 2025 10:00:00 +0100")
    inserted = mail("insert_message", raw=raw, internalDateSource="dateHeader")
    assert inserted["labelIds"] == []
    assert mail("get_message", id=inserted["id"], format="raw")["raw"] == raw
    assert mail("get_message", id=inserted["id"])["internalDate"] == "1741078800000"
    imported = mail("import_message", raw=raw)["labelIds"]
    assert {"INBOX", "UNREAD"} < set(imported) and any(label.startswith("Label_") for label in imported)
    gone = mail("import_message", raw=raw, deleted=True)
    assert mail.refused("get_message", id=gone["id"])["code"] == 404
    assert mail.refused("insert_message", raw=raw, internalDate="yesterday")["code"] == 400
