"""Keys that spaces break up are found, and sentences without their spaces are none."""

import re
from collections.abc import Callable
from random import Random

import pytest

from eops_traj.privacy.broken_keys import broken_keys
from tests.long_texts import linear_time
from tests.privacy.secret_samples import KEYS, drawn

STRONG = (
    *(
        "OpenAI project",
        "Anthropic",
        "GitHub",
        "GitHub fine-grained",
        "AWS id",
        "Slack bot",
        "JSON Web Token",
    ),
    *("Hugging Face", "Google", "Vault", "DigitalOcean", "npm", "Zapier webhook", "Slack webhook", "Shopify"),
)
SHORT = ("Twilio", "Telegram", "Mailchimp")
"""Kinds whose sign any text has: a space may stand in their second half."""
BROKEN: dict[str, Callable[[str], str]] = {
    "at its end": lambda key: f"{key[:-6]} {key[-6:]}",
    "letter by letter": " ".join,
    "by lines": lambda key: "\n\n".join(re.findall(".{1,20}", key)),
}
IN_PIECES: dict[str, Callable[[str], str]] = BROKEN | {
    "behind its sign": lambda key: f"{key[:8]} {key[8:]}",
    "in pieces of nine": lambda key: "  ".join(re.findall(".{1,9}", key)),
}
AROUND = ("{}", "Take {} and send it to the 3 people of the board before 12 March 2025", '"{}", he said')
MARCH = "12 March 2025 with the whole marketing team and the external agency about the new campaign budget"
WORDS = [
    "Ticket 10024531: Customer reports that the login page does not load",
    "Invoice 20240315: Consulting services for the month of March and April",
    "Ticket 10024531: INC0012345 and INC0012346 wait for KB0000257 and CS-0001233 since Q3",
    "Ticket 10024531: RequestID 01J9ZQ6X4T5V7W8Y9Z0A1B2C3D was open",
    "Please fix the AC in room 204 on floor 12 before the guests arrive on Monday",
    "the AC 3f2b8c1d 9e7a4f60 b5c2d1e0 f9a8b7c6 is one of SK 3f2b8c1d9e7a4f60b5c2d1e0f9a8b7c6",
    f"Create a task for the meeting on {MARCH}",
    f"risk register entry for {MARCH}, Ask the vendor of {MARCH}",
    f"The sk-proj- is the sign of keys since {MARCH}",
    f"Use ghp_ and hf_ with {MARCH}",
    "ASIA Q4 2025 EMEA Q1 2026 APAC FY27 AKIA REGION 2024 SALES 123",
    "abcdef0123456789 abcdef012345678 team-us12 10am 11am",
]


@pytest.mark.parametrize("how", IN_PIECES)
@pytest.mark.parametrize("kind", STRONG)
def test_a_key_is_found_however_spaces_break_it(kind: str, how: str) -> None:
    key = IN_PIECES[how](drawn(KEYS[kind], Random(11)))
    assert all(list(broken_keys(around.format(key))) for around in AROUND)


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("kind", SHORT)
def test_so_is_one_with_a_short_sign_where_its_first_piece_tells(kind: str, how: str) -> None:
    key = BROKEN[how](drawn(KEYS[kind], Random(11)))
    assert all(list(broken_keys(around.format(key))) for around in AROUND)


@pytest.mark.parametrize("text", WORDS)
def test_words_and_numbers_make_no_key(text: str) -> None:
    assert list(broken_keys(text)) == []


def test_a_key_begins_where_a_word_does() -> None:
    key = "ghp_ " + "a1B2" * 9
    assert list(broken_keys(f"a ({key}")) == ["GitHub Token"] and list(broken_keys(f"a12{key}")) == []


@pytest.mark.parametrize("piece", ["ghp_" + "a1 " * 20, "AC a1 ", "a ", "1234567890: a1B2 ", "sk-proj- aB1 "])
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with linear_time():
        list(broken_keys(text))
