from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eops_traj.gym.servers.email import query, search
from eops_traj.gym.servers.email.query import Joined, Not, QuerySyntaxError, Term
from eops_traj.gym.servers.email.search import Candidate, Mailbox
from tests.gym.servers.email.conftest import Mail
from tests.gym.servers.email.query_text import render

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
BOX = Mailbox(NOW, {"inbox": "INBOX", "unread": "UNREAD", "vendor-contracts": "Label_1"})


def letter(**row):
    empty = dict.fromkeys(
        ("subject", "from_name", "from_email", "to_emails", "cc_emails", "bcc_emails", "body"), ""
    )
    sent = int(row.pop("when", NOW).timestamp() * 1000)
    labels, files = row.pop("labels", ()), row.pop("files", ())
    fixed = {"internal_date": sent, "size_estimate": 3_000_000, "rfc822_message_id": "<a@x>"}
    return Candidate(empty | fixed | row, frozenset(labels), files)


LETTERS = [
    letter(
        subject="Quarterly report", from_name="Amy Pond", from_email="amy@x.org", labels=("INBOX", "UNREAD")
    ),
    letter(subject="Reporting", from_email="david@x.org", to_emails="amy@x.org", files=("plan-b.pdf",)),
    letter(subject="Dinner", body="a movie, then dinner", labels=("INBOX", "Label_1", "STARRED")),
    letter(subject="Old", when=datetime(2024, 2, 29, tzinfo=UTC), cc_emails="rory@x.org", size_estimate=10),
]


def hits(text: str) -> list[int]:
    test = search.compile_query(text, BOX)
    return [n for n, each in enumerate(LETTERS) if test(each)]


def test_words_fields_and_labels():
    assert hits("report") == [0]
    assert hits("from:amy") == [0] and hits("from:amy@x.org") == [0] and hits("to:amy") == [1]
    assert hits("to:rory") == [3] and hits("cc:rory") == [3]
    assert hits('"then dinner"') == [2] and hits('"dinner then"') == []
    assert hits("label:vendor-contracts") == [2] and hits('label:"Vendor Contracts"') == [2]
    assert hits("is:unread") == [0] and hits("is:read") == [1, 2, 3] and hits("in:inbox") == [0, 2]
    assert (
        hits("has:attachment") == [1] and hits("filename:pdf") == [1] and hits("filename:plan-b.pdf") == [1]
    )
    assert hits("has:userlabels") == [2] and hits("has:nouserlabels") == [0, 1, 3]
    assert hits("rfc822msgid:<a@x>") == [0, 1, 2, 3]


def test_dates_and_sizes():
    assert hits("before:2024/03/01") == [3] and hits("after:2024-03-01") == [0, 1, 2]
    assert hits("after:2024/02/29") == [0, 1, 2, 3] and hits("older:02/29/2024") == []
    assert hits("older_than:1y") == [3] and hits("newer_than:7d") == [0, 1, 2]
    assert hits("smaller:1k") == [3] and hits("larger:2M") == [0, 1, 2] and hits("size:10") == [0, 1, 2, 3]


def test_or_binds_tighter_than_one_after_the_other():
    assert hits("in:inbox subject:dinner OR subject:quarterly") == [0, 2]
    assert hits("{from:amy from:david}") == [0, 1]
    assert hits("subject:(quarterly report)") == [0] and hits("from:(amy OR david)") == [0, 1]
    assert hits("in:inbox -(dinner OR old)") == [0]
    assert hits("-in:inbox AND -has:attachment") == [3]
    assert hits("re:report 10:30 http://x") == []


@pytest.mark.parametrize(
    "text",
    [
        "(",
        ")",
        "a)",
        "{a",
        "()",
        "from:",
        "subject:()",
        "-",
        "a OR",
        "OR a",
        '"',
        'from:"',
        '""',
        "before:soon",
        "before:2026/02/30",
        "larger:big",
        "older_than:3x",
        "is:blue",
        "has:wings",
        "category:all",
        "from:(to:x)",
        "***",
        "(" * 40 + "a" + ")" * 40,
        "a " * 101,
    ],
)
def test_what_does_not_parse_is_refused(mail: Mail, text: str):
    assert mail.refused("list_messages", userId="me", q=text)["errors"][0]["location"] == "q"


def test_spam_and_trash_are_found_when_asked_for(mail: Mail):
    me = mail.people[0]
    plain = set(mail.search(me, "", maxResults=500))
    every = set(mail.search(me, "", maxResults=500, includeSpamTrash=True))
    trashed = set(mail.search(me, "in:trash")) | set(mail.search(me, "in:spam"))
    assert trashed and every == plain | trashed and not plain & trashed
    assert set(mail.search(me, "in:anywhere", maxResults=500)) == every


WORDS = st.sampled_from(
    ["report", "amy", "dinner", "x.org", "OR", "-x", "a b", "movie!", "10:30", "from:amy", "é"]
)
TERMS = st.one_of(
    st.builds(Term, st.sampled_from(["", "from", "to", "subject", "cc", "label", "filename"]), WORDS),
    st.builds(Term, st.just("is"), st.sampled_from(["unread", "read", "starred"])),
    st.builds(Term, st.just("larger"), st.sampled_from(["5", "1K", "2m"])),
    st.builds(Term, st.sampled_from(["before", "after"]), st.sampled_from(["2024/03/01", "2026-01-05"])),
)
NODES = st.recursive(
    TERMS,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=12,
)


def means(node) -> list[bool]:
    """What a tree means, said in another way than the server says it."""
    if isinstance(node, Term):
        return [search.compile_query(render(node), BOX)(each) for each in LETTERS]
    if isinstance(node, Not):
        return [not held for held in means(node.term)]
    together = all if node.word == "and" else any
    return [together(held) for held in zip(*map(means, node.terms), strict=True)]


@given(NODES)
def test_rendered_and_parsed_means_the_same(node):
    text = render(node)
    assert query.parse(text) == node
    assert [search.compile_query(text, BOX)(each) for each in LETTERS] == means(node)


@given(st.text(alphabet='ab -(){}":|OR@/from\t', max_size=30))
@example("from:from:a")
def test_any_text_is_read_or_refused(text):
    try:
        node = query.parse(text)
    except QuerySyntaxError:
        return
    assert query.parse(render(node)) == node
