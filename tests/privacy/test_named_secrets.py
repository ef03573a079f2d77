"""What a name announces is found, and the words that stand for a password or a key are none."""

import json

import pytest

from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.privacy.shape import password_value
from tests.long_texts import linear_time
from tests.privacy.test_secret_scan import HEX

PASSWORDS = [
    "$ecureP4ss!",
    "$uper-S3cret",
    "Hidden#Valley42",
    "ChangedMe2024!",
    "ExampleCorp#99",
    "Your5ecret",
]
PASSWORDS += ["Required.7z", "my-S3cret#99", "xXx_Dragon99", "$Home-2026", "%Sun4Ever"]
"""Passwords that begin as what stands for one does."""
PLACEHOLDERS = [
    "$DB_PASSWORD",
    "${DB_PASSWORD}",
    "$(pass",
    "$db_password",
    "$env:DB_PASSWORD",
    "%(password)s",
]
PLACEHOLDERS += [
    "%PGPASSWORD%",
    "your-password-here",
    "YOUR_PASSWORD",
    "example-password",
    "Hidden.",
    "Changed!",
]
PLACEHOLDERS += [
    "********",
    "xxxxxxxx",
    "xxxx1234",
    "my-secret-key",
    "required",
    "redacted-by-policy",
    "{password}",
]
NAMED_KEYS = [
    "SECRET_KEY = 'django-insecure-5g(x&2@e!b7^w#f9-q0l*z'",
    {"secret_key": "5g(x&2@e!b7^w#f9-q0l*z"},
    "APP_KEY=base64:uJ9Zk3sQ1mX7vB2nR8tY5wE0pL6oC4dF3gH9jK1aS2Q=",
    f"Ocp-Apim-Subscription-Key: {HEX}",
    {"Ocp-Apim-Subscription-Key": HEX},
    {"api_key": "abc123def456ghi789jkl012mno345pq"},
    {"access_token": "ABC123DEF456GHI789JKL012MNO345PQ"},
    f"https://api.corvane.example/data?q=Lund&appid={HEX}",
]
NO_KEYS = [
    "SECRET_KEY = 'see (2) in chapter 4 and 5!', signing_key='projects/12/secrets/3/versions/4'",
    {"secret_key": "https://x.corvane.example/a1?b=2&c=#3!"},
    "APP_KEY=base64:the-one-of-the-house, Ocp-Apim-Subscription-Key: see-the-vault-of-the-team",
    {"api_key": "production2024europe1west2"},
    {"app_key": "customerserviceportalofcorvane"},
    "https://login.corvane.example/?appid=9d7a4e6f-b0c1-4d2e-8f3a-4b5c6d7e8f90&app_id=corvane-portal",
]


@pytest.mark.parametrize("word", PASSWORDS)
def test_a_password_may_begin_as_what_stands_for_one(word: str) -> None:
    address = f"postgres://app:{word.replace('#', '')}@db:5432/app"
    for value in ({"password": word}, f"export DB_PASSWORD='{word}'", f"The password is {word}", address):
        assert secret_kinds(value)


@pytest.mark.parametrize("word", PLACEHOLDERS)
def test_what_stands_for_a_password_is_none(word: str) -> None:
    told = (f"export DB_PASSWORD='{word}'", f"The password is {word}", f"postgres://app:{word}@db:5432/app")
    assert [secret_kinds(value) for value in ({"password": word}, *told)] == [[], [], [], []]


@pytest.mark.parametrize("value", NAMED_KEYS, ids=str)
def test_a_key_behind_its_name_is_found_whatever_it_is_written_in(value: object) -> None:
    assert secret_kinds(value) and secret_kinds({"result": json.dumps(value)})


@pytest.mark.parametrize("value", NO_KEYS, ids=str)
def test_words_behind_such_a_name_are_none(value: object) -> None:
    assert secret_kinds(value) == []


def test_a_placeholder_of_many_words_takes_no_longer() -> None:
    with linear_time():
        assert password_value("your" + "loginpasswordatheme" * 5000 + "!1")
