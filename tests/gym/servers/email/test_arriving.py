from typing import Any

import pytest

from tests.gym.servers.email.conftest import Mail, written

NOTHING = {
    "from": "",
    "to": "",
    "subject": "",
    "query": "",
    "negatedQuery": "",
    "hasAttachment": False,
    "excludeChats": False,
    "size": 0,
    "sizeComparison": "unspecified",
}
ONE, TWO = 20, 25  # places of people whose mailboxes the seed leaves alone


def vacation(**arguments: Any) -> dict[str, Any]:
    texts = {"responseSubject": "Away.", "responseBodyPlainText": "Back soon.", "responseBodyHtml": ""}
    switches = {"enableAutoReply": True, "restrictToContacts": False, "restrictToDomain": False}
    return switches | texts | {"startTime": "", "endTime": ""} | arguments


def arrived(mail: Mail, sender: str, to: str, subject: str, text: str = "x") -> set[str]:
    mail("send_message", userId=sender, raw=written(to, subject, text))
    (copy,) = mail.search(to, f'subject:"{subject}" -in:sent', includeSpamTrash=True)
    return set(mail("get_message", userId=to, id=copy)["labelIds"])


@pytest.mark.parametrize(
    ("criteria", "subject", "fits"),
    [
        ({"subject": "zebra crossing"}, "A zebra crossing", True),
        ({"subject": "zebra crossing"}, "crossing zebra", False),
        ({"from": "nobody OR corvane"}, "any", True),
        ({"query": "zebra -horse"}, "zebra horse", False),
        ({"negatedQuery": "horse"}, "zebra", True),
        ({"hasAttachment": True}, "zebra", False),
        ({"size": 10, "sizeComparison": "larger"}, "zebra", True),
        ({"size": 10, "sizeComparison": "smaller"}, "zebra", False),
    ],
)
def test_a_filter_sorts_what_fits(mail: Mail, criteria: dict, subject: str, fits: bool):
    to = mail.people[ONE]
    label = mail("create_label", userId=to, name="Zoo")["id"]
    action = {"addLabelIds": [label], "removeLabelIds": ["INBOX"]}
    created = mail("create_filter", userId=to, criteria=NOTHING | criteria, action=action)
    assert created["criteria"] == criteria and created["action"] == action
    arrival = arrived(mail, mail.people[TWO], to, subject)
    assert (label in arrival, "INBOX" in arrival) == (fits, not fits)


@pytest.mark.parametrize(
    ("criteria", "action", "results"),
    [
        ({}, {"addLabelIds": ["STARRED"]}, "ask for nothing"),
        ({"from": "a"}, {}, "does nothing"),
        ({"from": "a"}, {"addLabelIds": ["Nope"]}, "Invalid label"),
        ({"query": "("}, {"addLabelIds": ["STARRED"]}, "query"),
        ({"from": "a"}, {"addLabelIds": ["SENT"]}, "cannot use"),
        ({"from": "a"}, {"forward": "x@y.org"}, "Unrecognized"),
    ],
)
def test_filters_that_are_refused(mail: Mail, criteria: dict, action: dict, results: str):
    assert (
        results
        in mail.refused("create_filter", userId="me", criteria=NOTHING | criteria, action=action)["message"]
    )


def test_the_same_filter_twice(mail: Mail):
    filter_ = {"criteria": NOTHING | {"from": "a"}, "action": {"addLabelIds": ["STARRED"]}}
    created = mail("create_filter", userId="me", **filter_)
    assert mail.refused("create_filter", userId="me", **filter_)["status"] == "ALREADY_EXISTS"
    assert mail("get_filter", userId="me", id=created["id"]) == created
    mail("delete_filter", userId="me", id=created["id"])
    assert created not in mail("list_filters", userId="me")["filter"]


def test_forwarding_sends_on_and_disposes_of_the_copy(mail: Mail):
    one, two, sender = mail.people[ONE], mail.people[TWO], mail.people[0]
    new = {"userId": one, "enabled": True, "emailAddress": two, "disposition": "archive"}
    assert mail.refused("update_auto_forwarding", **new)["status"] == "FAILED_PRECONDITION"
    assert (
        mail("create_forwarding_address", userId=one, forwardingEmail=two)["verificationStatus"] == "accepted"
    )
    assert mail("update_auto_forwarding", **new)["emailAddress"] == two
    assert "INBOX" not in arrived(mail, sender, one, "Zebra")
    assert len(mail.search(two, "subject:zebra")) == 1
    assert mail.refused("delete_forwarding_address", userId=one, forwardingEmail=two)["code"] == 400
    outside = mail("create_forwarding_address", userId=one, forwardingEmail="x@y.example")
    assert outside["verificationStatus"] == "pending"


def test_two_who_forward_to_each_other_get_it_once_more_at_most(mail: Mail):
    one, two = mail.people[ONE], mail.people[TWO]
    for owner, other in ((one, two), (two, one)):
        mail("create_forwarding_address", userId=owner, forwardingEmail=other)
        on = {"enabled": True, "emailAddress": other, "disposition": "leaveInInbox"}
        mail("update_auto_forwarding", userId=owner, **on)
    mail("send_message", userId=mail.people[0], raw=written(one, "Zebra"))
    assert (len(mail.search(one, "subject:zebra")), len(mail.search(two, "subject:zebra"))) == (2, 1)


def test_someone_away_answers_each_sender_once(mail: Mail):
    away, sender = mail.people[ONE], mail.people[TWO]
    mail("update_vacation_settings", userId=away, **vacation())
    for _ in range(2):
        mail("send_message", userId=sender, raw=written(away, "Zebra"))
    (reply,) = mail.search(sender, f"from:{away} subject:(away re zebra)")
    assert mail("get_message", userId=sender, id=reply)["snippet"] == "Back soon."
    mail("update_vacation_settings", userId=sender, **vacation())
    mail("send_message", userId=mail.people[0], raw=written(f"{away}, {sender}", "Horse"))
    assert len(mail.search("me", "subject:horse in:inbox")) == 2  # and the two leave each other alone
    assert len(mail.search(away, "subject:horse in:inbox")) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"enableAutoReply": False},
        {"startTime": "2026-02-01T00:00:00Z"},
        {"endTime": "2026-01-05T08:00:00Z"},
        {"restrictToContacts": True},
    ],
)
def test_someone_who_is_not_away_for_this_sender_does_not_answer(mail: Mail, arguments: dict):
    away, sender = mail.people[ONE], mail.people[TWO]
    mail("update_vacation_settings", userId=away, **vacation(**arguments))
    mail("send_message", userId=sender, raw=written(away, "Zebra"))
    assert mail.search(sender, "subject:zebra in:inbox") == []


@pytest.mark.parametrize("subject", ["Away\nuntil Monday", "Away\nBack: Monday", "Away\r\n\r\nMonday"])
def test_an_answer_has_its_subject_in_one_line(mail: Mail, subject: str):
    away, sender = mail.people[ONE], mail.people[TWO]
    mail("update_vacation_settings", userId=away, **vacation(responseSubject=subject))
    mail("send_message", userId=sender, raw=written(away, "Zebra"))
    (reply,) = mail.search(sender, f"from:{away} subject:zebra")
    headers = mail("get_message", userId=sender, id=reply)["payload"]["headers"]
    assert {"name": "Subject", "value": f"{' '.join(subject.split())} Re: Zebra"} in headers


def test_a_contact_has_the_whole_address(mail: Mail):
    away, sender = mail.people[ONE], mail.people[TWO]
    mail("update_vacation_settings", userId=away, **vacation(restrictToContacts=True))
    mail("send_message", userId=away, raw=written(f"jo{sender}", "Horse", Cc=f"{sender}.org"))
    mail("send_message", userId=sender, raw=written(away, "Zebra"))
    assert mail.search(sender, f"from:{away} in:inbox") == []
    mail("send_message", userId=away, raw=written(f"jo{sender}", "Cow", Cc=sender))
    mail("send_message", userId=sender, raw=written(away, "Zebra"))
    assert len(mail.search(sender, f"from:{away} subject:zebra")) == 1


@pytest.mark.parametrize(
    ("arguments", "location"),
    [
        ({"startTime": "2026-02-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z"}, "endTime"),
        ({"startTime": "soon"}, "startTime"),
        ({"responseSubject": "", "responseBodyPlainText": " "}, "responseSubject"),
    ],
)
def test_vacations_that_are_refused(mail: Mail, arguments: dict, location: str):
    error = mail.refused("update_vacation_settings", userId="me", **vacation(**arguments))
    assert error["errors"][0]["location"] == location
