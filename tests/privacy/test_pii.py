"""Personal data is found by shapes that hold, and what cannot be anybody's is left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.privacy.pii import personal_data
from eops_traj.publish.content_scan import json_texts

FOUND = {
    "Write to Ann.Person@mail.co.uk.": ("e-mail address", "ann.person@mail.co.uk"),
    "ring +44 20 7031 3000 now": ("telephone number", "+442070313000"),
    "(415) 867-5309": ("telephone number", "+14158675309"),
    "IBAN DE89 3704 0044 0532 0130 00": ("bank account (IBAN)", "DE89370400440532013000"),
    "card 4111 1111 1111 1111": ("payment card", "4111111111111111"),
    "card 378282246310005": ("payment card", "378282246310005"),
    "SSN 536-90-4399": ("US social security number", "536-90-4399"),
}
LEFT = [
    "ann@corvane.example, ann@example.com, ann@host.test, $1.user@corvane.status",
    "CS-0001233 at 2026-11-22T05:58:14+00:00, 1764390033317, 12.04.2026",
    "4111 1111 1111 1112, DE89 3704 0044 0532 0130 01, 000-12-3456",
    "db_1764390033317_3qpvfeibh and 9d7a4e6f-b0c1-4d2e-8f3a-4b5c6d7e8f90",
    "@mentions, a@b, and +1 555 0100",
]


@pytest.mark.parametrize("text", FOUND)
def test_what_has_the_shape_is_found_in_normal_form(text: str) -> None:
    assert list(personal_data(text)) == [FOUND[text]]


@pytest.mark.parametrize("text", LEFT)
def test_what_is_nobodys_is_left_alone(text: str) -> None:
    assert list(personal_data(text)) == []


JSON = st.recursive(
    st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(JSON, st.integers(0, 3))
def test_a_text_is_seen_however_deep_it_is_wrapped_in_json(value: object, depth: int) -> None:
    wrapped: object = [value, "Ann\n+14158675309"]
    for _ in range(depth):
        wrapped = json.dumps([wrapped])
    assert "Ann\n+14158675309" in [text for _, text in json_texts(wrapped)]
