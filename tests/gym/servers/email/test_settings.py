import pytest

from tests.gym.servers.email.conftest import Mail, written

COLOUR = {"textColor": "#000000", "backgroundColor": "#ffffff"}
PEM = "-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n"


def test_a_label_from_beginning_to_end(mail: Mail):
    created = mail("create_label", userId="me", name="Zoo", color=COLOUR)
    assert created == {
        "id": created["id"],
        "name": "Zoo",
        "type": "user",
        "messageListVisibility": "show",
        "labelListVisibility": "labelShow",
        "color": COLOUR,
    }
    ids = mail.search("me", "is:unread", maxResults=2)
    mail("batch_modify_messages", ids=ids, addLabelIds=[created["id"]])
    seen = mail("get_label", userId="me", id=created["id"])
    assert (seen["messagesTotal"], seen["messagesUnread"]) == (2, 2)
    assert mail("patch_label", userId="me", id=created["id"], name="Zoo 2")["color"] == COLOUR
    whole = {"name": "Zoo", "messageListVisibility": "hide", "labelListVisibility": "labelHide"}
    assert mail("update_label", userId="me", id=created["id"], **whole) == whole | {
        "id": created["id"],
        "type": "user",
    }
    mail("delete_label", userId="me", id=created["id"])
    assert mail.search("me", "label:zoo") == [] and mail("get_message", id=ids[0])


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("create_label", {"name": "inbox"}, 409),
        ("create_label", {"name": "BOARD"}, 409),
        ("create_label", {"name": ""}, 400),
        ("create_label", {"name": "Z", "color": {"textColor": "#000000"}}, 400),
        ("create_label", {"name": "Z", "color": COLOUR | {"textColor": "#123456"}}, 400),
        ("delete_label", {"id": "INBOX"}, 400),
        ("patch_label", {"id": "SENT", "name": "Z"}, 400),
        ("delete_label", {"id": "Label_99999"}, 404),
        ("get_label", {"id": "nope"}, 404),
    ],
)
def test_labels_that_are_refused(mail: Mail, tool: str, arguments: dict, code: int):
    assert mail.refused(tool, userId="me", **arguments)["code"] == code
    assert mail.database.changes() == ()


def test_labels_are_told_apart_without_the_case_of_any_letter(mail: Mail):
    kept, other = (mail("create_label", userId="me", name=name)["id"] for name in ("Zürich", "Øst"))
    whole = {"messageListVisibility": "show", "labelListVisibility": "labelShow"}
    for tool, more in (
        ("create_label", {}),
        ("patch_label", {"id": other}),
        ("update_label", whole | {"id": other}),
    ):
        assert mail.refused(tool, userId="me", name="zÜRICH", **more)["code"] == 409
    assert mail("patch_label", userId="me", id=kept, name="ZÜRICH")["name"] == "ZÜRICH"


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (
            "imap_settings",
            {"enabled": False, "autoExpunge": False, "expungeBehavior": "trash", "maxFolderSize": "1000"},
        ),
        ("pop_settings", {"accessWindow": "allMail", "disposition": "archive"}),
        ("language_settings", {"displayLanguage": "pt-BR"}),
    ],
)
def test_simple_settings_are_what_they_were_set_to(mail: Mail, kind: str, arguments: dict):
    assert mail(f"update_{kind}", userId="me", **arguments) == arguments == mail(f"get_{kind}", userId="me")


def test_delegates_are_colleagues_who_work_here(mail: Mail):
    owner, one = mail.people[20], mail.people[25]
    created = mail("email_create_delegate", userId=owner, delegateEmail=one)
    assert created == {"delegateEmail": one, "verificationStatus": "accepted"}
    gone = mail.sql("SELECT email FROM users WHERE NOT active")[0][0]
    for address, code in ((one, 409), (owner, 400), (gone, 400), ("x@elsewhere.example", 404)):
        assert mail.refused("email_create_delegate", userId=owner, delegateEmail=address)["code"] == code
    assert created in mail("email_list_delegates", userId=owner)["delegates"]
    mail("email_delete_delegate", userId=owner, delegateEmail=one)
    assert mail.refused("email_get_delegate", userId=owner, delegateEmail=one)["code"] == 404


def test_an_alias_becomes_the_default_and_hides_its_password(mail: Mail):
    relay = {"host": "smtp.x.example", "port": 587, "username": "u", "password": "p", "securityMode": "ssl"}
    new = {
        "sendAsEmail": "Press@corvane.example",
        "smtpMsa": relay,
        "signature": '<b onclick="x()">P</b><script>x</script>',
    }
    created = mail("create_send_as_alias", isDefault=True, **new)
    assert created["smtpMsa"] == {"host": "smtp.x.example", "port": 587, "securityMode": "ssl"}
    assert created["signature"] == "<b>P</b>" and created["verificationStatus"] == "accepted"
    defaults = [
        a["sendAsEmail"] for a in mail("list_send_as_aliases", userId="me")["sendAs"] if a["isDefault"]
    ]
    assert defaults == ["press@corvane.example"]
    assert (
        mail.refused("delete_send_as_alias", userId="me", sendAsEmail="press@corvane.example")["code"] == 400
    )
    mail("patch_send_as_alias", userId="me", sendAsEmail=mail.people[0], isDefault=True)
    mail("delete_send_as_alias", userId="me", sendAsEmail="press@corvane.example")
    assert mail.refused("create_send_as_alias", sendAsEmail=mail.people[0])["status"] == "ALREADY_EXISTS"


def test_an_alias_outside_waits_for_its_owner(mail: Mail):
    created = mail("create_send_as_alias", sendAsEmail="x@y.example")
    assert created["verificationStatus"] == "pending"
    arguments = {"sendAsEmail": "x@y.example", "userId": "me"}
    assert mail.refused("patch_send_as_alias", isDefault=True, **arguments)["status"] == "FAILED_PRECONDITION"
    kept = mail("patch_send_as_alias", verificationStatus="accepted", displayName="X", **arguments)
    assert (kept["verificationStatus"], kept["displayName"]) == ("pending", "X")
    mail("verify_send_as_alias", **arguments)
    assert mail.refused("verify_send_as_alias", userId="me", sendAsEmail=mail.people[0])["code"] == 400
    assert mail.refused("verify_send_as_alias", userId="me", sendAsEmail="z@y.example")["code"] == 404


def test_a_name_of_two_lines_is_sent_in_one(mail: Mail):
    mail("patch_send_as_alias", userId="me", sendAsEmail=mail.people[0], displayName="Jo\nSales: EMEA")
    sent = mail("send_message", userId="me", raw=written(mail.people[1], "Zebra"))["id"]
    headers = mail("get_message", userId="me", id=sent)["payload"]["headers"]
    assert {"name": "From", "value": f'"Jo Sales: EMEA" <{mail.people[0]}>'} in headers


def test_one_certificate_of_an_alias_is_the_default(mail: Mail):
    address, new = mail.people[0], {"issuerCn": "CA", "expiration": "1798761600000", "pkcs12": "QUJD"}
    one, two = (mail("insert_smime_config", userId="me", sendAsEmail=address, **new) for _ in range(2))
    assert (one["isDefault"], two["isDefault"], "pkcs12" in one) == (True, False, False)
    mail("set_default_smime_config", userId="me", sendAsEmail=address, id=two["id"])
    listed = mail("list_smime_configs", userId="me", sendAsEmail=address)["smimeInfo"]
    assert {c["id"]: c["isDefault"] for c in listed} == {one["id"]: False, two["id"]: True}
    mail("delete_smime_config", userId="me", sendAsEmail=address, id=one["id"])
    assert mail.refused("get_smime_config", userId="me", sendAsEmail=address, id=one["id"])["code"] == 404
    assert (
        mail.refused("set_default_smime_config", userId="me", sendAsEmail=address, id=one["id"])["code"]
        == 404
    )
    assert mail.refused("insert_smime_config", userId="me", sendAsEmail="x@y.example", **new)["code"] == 404


def test_a_key_pair_is_destroyed_only_after_thirty_days_off(mail: Mail):
    pairs = mail("email_list_cse_keypairs", userId="me", pageSize=1)
    assert len(pairs["cseKeyPairs"]) == 1 and pairs["nextPageToken"]
    created = mail("email_create_cse_keypair", userId="me", pkcs7=PEM)["keyPairId"]
    for tool in ("email_obliterate_cse_keypair", "email_enable_cse_keypair"):
        assert mail.refused(tool, userId="me", keyPairId=created)["status"] == "FAILED_PRECONDITION"
    assert mail("email_disable_cse_keypair", userId="me", keyPairId=created)["enablementState"] == "disabled"
    assert mail.refused("email_obliterate_cse_keypair", userId="me", keyPairId=created)["code"] == 400
    (old,) = mail.sql(
        "SELECT key_pair_id FROM cse_keypairs WHERE user_id = 'user_001' AND disable_time < '2025-12-01'"
    )[0]
    assert mail("email_obliterate_cse_keypair", userId="me", keyPairId=old).startswith("Operation")
    assert mail.refused("email_create_cse_keypair", userId="me", pkcs7="key")["code"] == 400


def test_an_encryption_identity_needs_keys_that_are_on(mail: Mail):
    me, arguments = mail.people[0], {"userId": "me", "emailAddress": mail.people[0]}
    mail("delete_cse_identity", userId="me", cseEmailAddress=me)
    pair = mail("email_create_cse_keypair", userId="me", pkcs7=PEM)["keyPairId"]
    both = {"signingKeyPairId": pair, "encryptionKeyPairId": pair}
    assert (
        mail("create_cse_identity", signAndEncryptKeyPairs=both, **arguments)["signAndEncryptKeyPairs"]
        == both
    )
    assert mail.refused("create_cse_identity", primaryKeyPairId=pair, **arguments)["code"] == 409
    mail("email_disable_cse_keypair", userId="me", keyPairId=pair)
    assert (
        mail.refused("patch_cse_identity", primaryKeyPairId=pair, **arguments)["status"]
        == "FAILED_PRECONDITION"
    )
    assert mail.refused("create_cse_identity", userId="me", emailAddress=mail.people[1])["code"] == 400
    assert mail("get_cse_identity", userId="me", cseEmailAddress=me)["emailAddress"] == me


def test_a_watch_ends_by_itself_or_when_stopped(mail: Mail):
    watch = {"topicName": "projects/corvane/topics/mail", "labelIds": ["INBOX"]}
    created = mail("watch_user_mailbox", userId="me", **watch)
    assert created["historyId"] == mail("get_user_profile", userId="me")["historyId"]
    assert int(created["expiration"]) - 1767603600000 == pytest.approx(7 * 24 * 3600 * 1000, abs=60_000)
    mail("watch_user_mailbox", userId="me", labelFilterBehavior="exclude", **watch)
    assert mail.sql("SELECT user_id, label_filter_behavior FROM watches") == [("user_001", "exclude")]
    mail("stop_user_watch", userId="me")
    assert mail("stop_user_watch", userId="me") and mail.sql("SELECT * FROM watches") == []
    assert mail.refused("watch_user_mailbox", userId="me", topicName="mail", labelIds=[])["code"] == 400
