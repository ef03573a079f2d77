"""Personal data is found by shapes that hold, and what cannot be anybody's is left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.privacy.pii import personal_data
from eops_traj.privacy.texts import texts
from tests.long_texts import linear_time
from tests.privacy.test_secret_scan import HOSTILE

FOUND = {
    "Write to Ann.Person@mail.co.uk.": ("e-mail address", "ann.person@mail.co.uk"),
    "ring +44 20 7031 3000 now": ("telephone number", "+442070313000"),
    "(415) 867-5309": ("telephone number", "+14158675309"),
    "IBAN DE89 3704 0044 0532 0130 00": ("bank account (IBAN)", "DE89370400440532013000"),
    "card 4111 1111 1111 1111": ("payment card", "4111111111111111"),
    "card 378282246310005": ("payment card", "378282246310005"),
    "SSN 536-90-4399": ("national number", "536904399"),
    "social security number 536904399": ("national number", "536904399"),
    "DE89370400440532013000 IBAN AND MORE": ("bank account (IBAN)", "DE89370400440532013000"),
    "iban gb82west12345698765432 is it": ("bank account (IBAN)", "GB82WEST12345698765432"),
    "4111 1111 1111 1111 2027": ("payment card", "4111111111111111"),
    "+1 415 867 5309 2026": ("telephone number", "+14158675309"),
    "Phone: 020 7031 3000": ("telephone number", "+442070313000"),
    "my mobile is 0151 23456789": ("telephone number", "+4915123456789"),
    "ann dot person at gmail dot com": ("e-mail address", "ann.person@gmail.com"),
    "ann (at) gmail.com": ("e-mail address", "ann@gmail.com"),
    "ann @ gmail . com": ("e-mail address", "ann@gmail.com"),
    "ann@evilexample.com": ("e-mail address", "ann@evilexample.com"),
    "ann@example.com.evil.org": ("e-mail address", "ann@example.com.evil.org"),
    "ann@latest.com": ("e-mail address", "ann@latest.com"),
    "Frag bitte info@Bücher.de, danke": ("e-mail address", "info@bücher.de"),
    "иван@почта.рф": ("e-mail address", "иван@почта.рф"),
    "写信到 ann@gmail.com谢谢": ("e-mail address", "ann@gmail.com"),
    "Ann Person, born on 12 March 1984": ("date of birth", "1984-03-12"),
    'date_of_birth: "1984-03-12"': ("date of birth", "1984-03-12"),
    "NI number AB 12 34 56 C": ("national number", "AB123456C"),
    "PAN ABCPE1234F": ("national number", "ABCPE1234F"),
    "1 85 05 78 006 084 91": ("national number", "185057800608491"),
    "NHS 9434765919": ("national number", "9434765919"),
    "(415)867-5309": ("telephone number", "+14158675309"),
    "Handynummer: 0171 2345678": ("telephone number", "+491712345678"),
    "work_phone: 0171 2345678": ("telephone number", "+491712345678"),
    "0049 30 1234567": ("telephone number", "+49301234567"),
    "00491712345678": ("telephone number", "+491712345678"),
    "phone 0043123456": ("telephone number", "+43123456"),
    "call 2025551234": ("telephone number", "+492025551234"),
    "caller 2122345678": ("telephone number", "+492122345678"),
    "git@mail.co.uk: who is it": ("e-mail address", "git@mail.co.uk"),
}
NAMED_ELSEWHERE = {
    "date of birth": [
        {"birth_date": "1984-03-12T00:00:00Z"},
        {"dob": ["1984-03-12"]},
        {"birth_dates": ["12 March 1984"]},
        {"field": "date_of_birth", "value": "1984-03-12"},
    ],
    "telephone number": [
        {"phone": ["0151 23456789"]},
        {"name": "phone", "value": "0151 23456789"},
        {"mobile": {"type": "work", "number": "0151 23456789"}},
        {"tel_no": "0171 2345678"},
        {"telNo": ["0171 2345678"]},
        {"handynummer": "0171 2345678"},
        {"customerPhone": "0171 2345678"},
        {"name": "work_phone", "value": "0171 2345678"},
    ],
    "national number": [
        {"social_security_number": "219091234"},
        {"socialSecurityNumber": "219091234"},
        {"employeeSSN": 219091234},
        {"social_insurance_number": "046454286"},
        {"sin_number": "046454286"},
        {"SINNumber": "046454286"},
        {"tax_file_number": "123456782"},
        {"passport_number": "X1234567"},
        {"passportNo": ["X1234567"]},
        {"id_number": "8001015009087"},
        {"steuer_id": "86095742719"},
        {"field": "routing_number", "new_value": "111000025"},
    ],
    "payment card": [{"x": 4111111111111111.0}, {"x": -4111111111111111}, [4111111111111111.0, 1]],
}
LEFT = [
    "ä@bücher.example, é @app.route, jörg@müller",
    "ann@corvane.example, ann@example.com, ann@host.test, $1.user@corvane.status",
    "CS-0001233 at 2026-11-22T05:58:14+00:00, 1764390033317, 12.04.2026",
    "4111 1111 1111 1112, DE89 3704 0044 0532 0130 01, 000-12-3456",
    "db_1764390033317_3qpvfeibh and 9d7a4e6f-b0c1-4d2e-8f3a-4b5c6d7e8f90",
    "@mentions, a@b, and +1 555 0100",
    "look at corvane. It is. Meet @ work. It helps. Dot your i at home.",
    "born in Lund; the birthday is public; call CS-0001233 at 10; phone 12, room 4567",
    "Call 2024051201 was closed, call_id: 2122345678, call id 2122345678, callId=2122345678",
    "SAP customer 0043123456, order 0049301234 of 12",
    "PO123456(1).pdf, A123456(4), A123456(3).pdf and AB987654(1)",
    "Serial T501234AB5XY, HXKLM523456AB5XY, HXKLM501404AB5XY",
    "class_name 219091234, businessNumber: 219091234, meeting 86095742719, liquid 499118665246",
    "ann@corvane.example.pdf, ann@example.com.json and ann@host.test-archive",
    "ann@example.com.- next, ann@example.com.-b, svc@host.in.internal, x@y.in.lan",
    "git@github.com:org/repo.git, ssh://git@github.com/org/repo.git",
    "return x\n@router.post('/a')",
    "ticket 9434765919, 536904399, case 180126955, born to be 2026",
]


@pytest.mark.parametrize("text", FOUND)
def test_what_has_the_shape_is_found_in_normal_form(text: str) -> None:
    assert [*dict.fromkeys(personal_data(text))] == [FOUND[text]]


@pytest.mark.parametrize("behind", [".pdf", ".json", ".Thanks", "-archive", ".tar.gz", "-2.x"])
def test_an_address_may_be_followed_at_once_by_what_is_none_of_it(behind: str) -> None:
    for domain in ("gmail.com", "mail.co.uk", "two-words.de"):
        assert [d.value for d in personal_data(f"to ann@{domain}{behind}, and")] == [f"ann@{domain}"]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_nobodys_is_left_alone(text: str) -> None:
    assert list(personal_data(text)) == []


@pytest.mark.parametrize(
    ("kind", "value"), [(k, value) for k, values in NAMED_ELSEWHERE.items() for value in values], ids=str
)
def test_a_name_tells_what_a_value_in_a_list_an_object_or_beside_it_is(kind: str, value: object) -> None:
    assert kind in {datum.kind for _, text in texts({"result": value}) for datum in personal_data(text)}


@pytest.mark.parametrize(
    "value",
    [
        {"businessNumber": "219091234", "class_name": "219091234", "casino_number": "046454286"},
        {"order_id": "8001015009087", "passportless": "X1234567", "hotel_no": "0171 2345678"},
        {"call_id": "2025061234", "recall_no": "2122345678", "syntax_no": "86095742719"},
        {"lines": ["return x", "@router.post('/a')"]},
    ],
    ids=str,
)
def test_a_name_in_which_a_telling_word_only_happens_to_lie_tells_nothing(value: object) -> None:
    assert [datum for _, text in texts({"result": value}) for datum in personal_data(text)] == []


JSON = st.recursive(
    st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(JSON, st.integers(0, 3))
def test_a_text_is_seen_however_deep_it_is_wrapped_in_json(value: object, depth: int) -> None:
    wrapped: object = [value, "Ann\n+14158675309"]
    for _ in range(depth):
        wrapped = json.dumps([wrapped])
    assert "Ann\n+14158675309" in [text for _, text in texts(wrapped)]


def test_keys_numbers_and_pieces_are_texts_too() -> None:
    row = {"calls": [{"ann@mail.co.uk": 4111111111111111}, {"dob": "1984-03-12"}, ["ann@ma", "il.co.uk"]]}
    assert {(place, text) for place, text in texts(row)} >= {
        ("calls[0].ann@mail.co.uk", "ann@mail.co.uk"),
        ("calls[0].ann@mail.co.uk", "4111111111111111"),
        ("calls[1].dob", 'dob: "1984-03-12"'),
        ("calls[2]", "ann@mail.co.uk"),
    }


def test_token_ids_are_no_texts_and_deep_values_end() -> None:
    deep: object = "end"
    for _ in range(5000):
        deep = [deep]
    assert [text for _, text in texts({"ids": [1, 2, 3], "deep": deep})] == ["ids", "deep", "end"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with linear_time():
        list(personal_data(text))
