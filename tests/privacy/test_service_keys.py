"""Every kind of a service's key is found by its own sign, and nothing without a digit is a key."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.privacy.secret_scan import secrets
from eops_traj.privacy.service_keys import SERVICE_KEYS


@pytest.mark.parametrize("kind", SERVICE_KEYS)
def test_a_key_of_a_kind_is_found_as_one(kind: str) -> None:
    drawn = st.from_regex(re.compile(SERVICE_KEYS[kind], re.ASCII), fullmatch=True)

    @settings(max_examples=6)  # what a shape leaves out shows in the first
    @given(drawn.filter(lambda key: any(character in "0123456789" for character in key)))
    def find(key: str) -> None:
        text = f"the one that we use: {key} (for now)".encode()
        assert kind in {secret.kind for secret in secrets(text)}

    find()


def test_a_key_whose_sign_any_word_ends_with_begins_where_a_word_does() -> None:
    key = "sk" + "a1B2" * 21
    assert [secret.kind for secret in secrets(f"take {key}".encode())] == ["Sanity token"]
    assert list(secrets(f"Di{key} and sk{'disk1' * 20}".encode())) == []


@pytest.mark.parametrize("text", ["LTAI" + "abcdefghij" * 3, "pcsk_abcdef_" + "q" * 50, "API-" + "K" * 28])
def test_words_after_a_sign_are_no_key(text: str) -> None:
    assert not {secret.kind for secret in secrets(text.encode())} & SERVICE_KEYS.keys()
