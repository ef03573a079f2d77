import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eops_traj.gym.servers.email import mime
from eops_traj.gym.servers.email.composing import compose
from eops_traj.gym.servers.email.mime import MimeError

LINES = st.sampled_from(
    [
        b"To: a@x.org",
        b"Subject: =?utf-8?q?caf=C3=A9?=",
        b"Subject: =?what?z?x?=",
        b" folded",
        b"",
        b"From x",
        b"--b",
        b"Content-Type: multipart/mixed; boundary=b",
        b"Content-Type: text/plain; charset=nonsense",
        b"--b--",
        b"\xff\xfe",
        b"Content-Transfer-Encoding: base64",
        b"Content-Type: message/rfc822",
        b"hello",
        b"Date: tomorrow",
        b"\0",
        b"a: b\rc",
        b"Content-Disposition: attachment; filename*=utf-9''x",
        b'To: undisclosed:;, "x',
        b"Content-Type: ;;",
    ]
)
RAW = st.one_of(
    st.binary(max_size=60), st.lists(LINES, max_size=12).map(b"\r\n".join), st.lists(LINES).map(b"\n".join)
)


@given(RAW)
@example(b"To: a\rSubject: b\r\rtext")
def test_bytes_are_read_or_refused(raw):
    try:
        message = mime.parse(raw)
    except MimeError:
        return
    row = mime.columns(raw, message)
    assert row["size_estimate"] == len(raw) and mime.decode(row["raw"]) == raw
    files = {number: number for number, *_ in mime.attachments(message)}
    assert mime.payload(message, files)["headers"]
    str(row).encode()
    again = mime.parse(mime.edited(raw, add={"X-Added": "yes"}))
    assert mime.header(again, "X-Added") == "yes"


def test_a_header_that_nobody_encoded_is_taken_for_utf_8():
    head = "To: Jörg <B@x.org>\r\nSubject: Grüße ✓ =?utf-8?q?caf=C3=A9?=\r\n"
    file = 'Content-Disposition: attachment; filename="Übersicht.txt"\r\n\r\nx'
    message = mime.parse((head + file).encode())
    assert mime.header(message, "Subject") == "Grüße ✓ café"
    assert mime.people(message, "To") == [("Jörg", "b@x.org")] and mime.filename(message) == "Übersicht.txt"
    assert mime.header(mime.parse(b"Subject: Gr\xfc\xdfe\r\n\r\n"), "Subject") == "Gr\ufffd\ufffde"


def test_headers_change_and_nothing_else():
    raw = b"Bcc: secret@x.org,\r\n other@x.org\r\nTo: a@x.org\r\nSubject: Hi\r\n\r\nBcc: stays\r\n"
    assert (
        mime.edited(raw, drop=("bcc",), add={"Subject": "Ho"})
        == b"Subject: Ho\r\nTo: a@x.org\r\n\r\nBcc: stays\r\n"
    )


@given(st.binary(max_size=40))
def test_base64url_there_and_back(data):
    text = mime.encode(data)
    assert mime.decode(text) == mime.decode(text.rstrip("=")) == data


@pytest.mark.parametrize("text", ["a", "not base64!", "ü", "abcde"])
def test_what_is_no_base64url_is_refused(text):
    with pytest.raises(MimeError):
        mime.decode(text)


def test_a_payload_becomes_a_message():
    parts = [
        {"mimeType": "text/plain", "body": {"data": mime.encode("Grüße".encode())}},
        {"mimeType": "application/pdf", "filename": "plän.pdf", "body": {"data": mime.encode(b"%PDF")}},
    ]
    headers = [{"name": "To", "value": "José <j@x.org>, b@x.org"}, {"name": "Subject", "value": "Größe"}]
    message = mime.parse(compose({"mimeType": "multipart/mixed", "headers": headers, "parts": parts}))
    assert mime.people(message, "To") == [("José", "j@x.org"), ("", "b@x.org")]
    assert (mime.header(message, "Subject"), mime.text_of(message)) == ("Größe", "Grüße")
    assert mime.attachments(message) == [("1", "plän.pdf", "application/pdf", b"%PDF")]


@pytest.mark.parametrize("data", ["Done", "Hello", "See you on Monday.", "Thanks"])
def test_text_that_was_not_encoded_is_taken_as_it_stands(data):
    message = mime.parse(compose({"headers": [{"name": "To", "value": "a@x.org"}], "body": {"data": data}}))
    assert mime.text_of(message) == data


JSON = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.just("\ud800")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["mimeType", "headers", "body", "parts", "filename", "name", "value", "data"]),
            inner,
        ),
    ),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from(["mimeType", "body", "parts", "filename"]), JSON))
def test_any_payload_is_composed_or_refused(given_):
    try:
        raw = compose({"headers": [{"name": "To", "value": "a@x.org"}], **given_})
    except MimeError:
        return
    assert mime.header(mime.parse(raw), "To") == "a@x.org"
