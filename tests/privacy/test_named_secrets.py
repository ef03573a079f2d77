"""What a name announces is found, and the words that stand for a password or a key are none."""

import json

import pytest

from eops_traj.privacy.redact import REMOVED, scrub
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


@pytest.mark.parametrize(
    "word", ["aB3&xK9!mQ2z", "Q(7v,kL9#tP", "x;Y8kQ!mPz2w", "Tr0ub4dor&3xyz", "\\|1akW}P#!o", '5"zcH;<4pb']
)
def test_a_password_in_quotes_is_found_whole(word: str) -> None:
    plain = json.dumps({"password": word})
    assert json.loads(scrub(plain)) == {"password": REMOVED}
    within = json.dumps({"arguments": plain.replace('\\"', "'")})
    assert secret_kinds([{"password": {"value": word}}]) and secret_kinds({"password": word})
    assert "password" in secret_kinds(within) and word[-4:] not in scrub(within)


@pytest.mark.parametrize(
    "text",
    [
        "Please reset the password of jsmith42 and close INC0012345.",
        "The password to SAP-PRD2 has been changed, and so have the credentials of vendor_88.",
        "Credentials: AWS-SAA-C03. The password is AES-256 encrypted and was sha256-hashed.",
        'PWD=/home/u/app1, pwd: "/home/u/x", {"PWD": "/srv/app2"}, export PWD="~/x1y2z3"',
        '{"password": "[REDACTED]"}, password="{{password}}", password: "(see1Vault)"',
        'password = "generate(12,Aa1)", password="^(?=.*[A-Z]).{8,}$", "password": "name,email,Role2"',
        'url = "https://x.corvane.example/?password=none&user=Ann1", password: "a1;User=Bob"',
        "printf(&quot;Password is correct.&quot;), f(passwords=passwords,) --next-token 9d7a4e6fB0c14d2e8f3a",
        '{"pwd": "C:\\\\Users\\\\ann1"}',
    ],
)
def test_whose_password_it_is_how_it_is_kept_and_a_folder_are_no_passwords(text: str) -> None:
    assert secret_kinds({"text": text}) == [] and scrub(text) == text


@pytest.mark.parametrize(
    "text", ["reset to {}", "was changed to {}", "for ana has been set to {}", "is {}", "to be set to {}"]
)
def test_a_password_that_is_set_is_found(text: str) -> None:
    told = "The password " + text if "for" not in text else "I reset the password for ana to {}"
    assert scrub(told.format("Temp2026x")) == told.format(REMOVED)


@pytest.mark.parametrize(
    "shape",
    [
        "Your API key is {}",
        "API key: `{}`",
        "**API key:** {}",
        "| API_KEY | {} |",
        "--api-key {}",
        "my token: `{}`",
    ],
)
def test_a_key_behind_its_name_is_found_in_sentences_tables_and_options(shape: str) -> None:
    key = "Zk39aB71xQ0mTt5RwY2eAa1b"
    assert scrub(shape.format(key)) == shape.format(REMOVED)
    words = shape.format("the-one-that-the-team-has-in-its-vault")
    assert scrub(words) == words
