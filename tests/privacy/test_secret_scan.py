"""Secrets are found by their shape, and ids are left alone."""

import json
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from eops_traj.privacy.secret_scan import may_hold_secret, secret_kinds, secrets
from eops_traj.privacy.secret_shapes import NAMED, SHAPES
from eops_traj.privacy.signed_keys import SIGNED
from tests.long_texts import linear_time
from tests.privacy.secret_samples import KEYS, samples

KEY = "AKIA" + "IOSFODNN7EXAMPL3"
KNOWN = {
    "AWS Access Key": KEY,
    "GitHub Token": "ghp_" + "a1B2" * 9,
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "password in an address": "https://ops:hunter2@example.com/",
    "password": '{"password": "hunter-2"}',
    "password in words": "the password is Temp!2026-Infra.",
    "bearer token": "Bearer " + "a1B2" * 9,
    "AWS secret key": 'aws_secret_access_key = "' + "aB3/" * 10 + '"',
}
WORD = "Tr0ub4dor&3x"
HEX, BASE64 = "a8f5f167f44f4964" * 2, "wJalrXUtnFEMI/K7MDENG" + "bPxRfiCYzzzzzzKEY90"
NAMED_ELSEWHERE = [
    {"password": [WORD]},
    {"passwords": [[WORD]]},
    {"password": {"value": WORD}},
    {"password": {"old": {"plain": [WORD]}}},
    {"name": "DB_PASSWORD", "value": WORD},
    {"Key": "DB_PASSWORD", "Value": [WORD]},
    {"name": "API_KEY", "value": HEX},
    {"field": "api_key", "new_value": HEX},
    {"Name": "aws_secret_access_key", "Value": BASE64},
    ["--password", WORD],
    ["mysql", "--db-password", WORD, "main"],
    ["password", WORD],
    ["SecretAccessKey", BASE64],
]
NAMES_ALONE = [
    {
        "password": {
            "type": "string",
            "format": "base64",
            "description": "Base64-encoded, at least 12 characters",
        }
    },
    {"password": {"$ref": "#/definitions/Password", "updated_at": "2026-01-02T03:04:05"}},
    {"required": ["password", "address1"]},
    {"passwordProfile": {"required": ["password", "forceChangePasswordNextSignIn"]}},
    {"columns": ["id", "password", "oauth2-enabled", "Phone2"]},
    {"name": "password_policy", "value": "12-characters"},
    {"name": "password", "value": "Lantern-3942"},
    {"name": "password", "description": "Temp!2026-Infra of the user"},
    ["--password", "--user2=x"],
    {"tokens": ["Hello", "W0rld!"], "key": {"sys_id": HEX}},
]
LEFT = [
    "PAY_KEY=service-desk-and-support-2026, pw: see above, pw=changed, ATBB stands for a bank, cookie: a=1",
    "author: Ann, auth: none, an order of EAAA, machine 5 login page password reset, dp.pt.",
    "VALUES = [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25], ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "| password | phone2 | and | password | required |, <password>unchanged</password>, --password-file /x1",
    "password reset for user1, password p-2, the password OAuth2 needs, -u 1000:1000, password -> changed",
    "channel_3f2b8c1e9d7a4e6fb0c1d2e3f4a5b6c7 CS-0001233 01J9ZQ6X4T5V7W8Y9Z0A1B2C3D +49-170-555-0100",
    "The password was changed. A password is required. Passwords: never in mail. password reset: done",
    '{"password": {"type": "string"}, "smtp_password": null, "passwordPolicies": "None"}',
    '{"password": "string", "new_password": "<your password>"}',
    '{"passwordProfile": {"password": "Lantern-3942"}} and first password: Copper-1234.',
    '{"x-access-token": "drive_token_margert.terrell", "nextPageToken": "CAEQABoMCKj0"}',
    "basic troubleshooting-and-configuration, bearer of-bad-news-from-the-board",
    "see http://localhost:8003/ and mailto:ops@corvane.example",
    "Le mot de passe est oublié, contraseña: requerida, senha é obrigatória, Das Kennwort lautet anders.",
    "x-client-secret: see-the-vault-of-the-team, mysql -u root -p corvane, mysqldump -portland, echo done",
    '{"kty": "RSA", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtV", "e": "AQAB"}',
    '{"changeset": "VAoBEAAAAAAAAAAAAB1c2VyABcAAQAAAAAAAAAIAAAAAxArOTEtMjI2LTU1NS0xNzc2AAAAAAMTMjAyNi0w"}',
    "on EAAA-the-branch-of-a-long-name-in-which-there-is-no-digit-and-no-key-at-all it is",
    "task-20251207_174704 sk-learn-pipelines-and-how-to-run-them disk-encryption-enabled-everywhere",
]


@pytest.mark.parametrize("kind", KNOWN)
def test_a_secret_is_named_by_its_kind_wherever_it_lies(kind: str) -> None:
    assert kind in secret_kinds(
        {"messages": [{"content": "hello"}, {"calls": [{"x": f"key {KNOWN[kind]} here"}]}]}
    )


@pytest.mark.parametrize(("kind", "text"), [(k, text) for k, text in samples(7).items() if k in KEYS])
def test_every_kind_of_key_is_found_in_a_sentence_and_as_a_key(kind: str, text: str) -> None:
    assert secret_kinds({"text": f"Take {text} now"}) and secret_kinds({"calls": [{text: 1}]})
    assert secret_kinds({"text": f"It is {text}."})


@pytest.mark.parametrize("text", LEFT)
def test_ids_hashes_and_plain_text_are_no_secrets(text: str) -> None:
    assert secret_kinds({"text": text}) == []


@pytest.mark.parametrize("value", NAMED_ELSEWHERE, ids=str)
def test_a_name_tells_what_a_value_in_a_list_an_object_or_beside_it_is(value: object) -> None:
    assert secret_kinds({"result": value}) and secret_kinds(json.dumps({"result": value}))


@pytest.mark.parametrize("value", NAMES_ALONE, ids=str)
def test_what_describes_a_password_is_none(value: object) -> None:
    assert secret_kinds({"result": value}) == []


def test_a_secret_is_found_behind_what_is_no_character_and_behind_lines() -> None:
    assert may_hold_secret(f"\ud800 and {KEY}".encode("utf-8", "surrogatepass"))
    assert may_hold_secret(f"one\n\x00 {KEY}".encode())


def test_a_key_of_an_object_is_a_text_too() -> None:
    assert secret_kinds({"calls": [{f"for {KEY}": 1}]}) == ["AWS Access Key"]
    assert secret_kinds({"smtp_password": "letmein-now"}) == ["password"]


def detect_secrets_patterns() -> list[str]:
    """Return the patterns of detect-secrets that know a shape, without those that guess."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class as plugins

    guessing = {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector"}
    shaped = (plugin for plugin in plugins().values() if plugin.__name__ not in guessing)
    patterns = [p for plugin in shaped for p in plugin().denylist]
    return [f"(?i){p.pattern}" if p.flags & re.IGNORECASE else p.pattern for p in patterns]


LOOSER = ("eyJ[", "[a-z]{24}", "/api.softlayer")
"""Three of them take words for keys: `eyJ.a`, any 24 letters, and any sign for a dot. Ours are stricter."""


@pytest.mark.parametrize(
    "pattern", [p for p in detect_secrets_patterns() if not any(part in p for part in LOOSER)]
)
def test_what_detect_secrets_finds_is_found(pattern: str) -> None:
    printable = st.characters(codec="ascii", exclude_categories=("Cc",), exclude_characters='"\\')
    missed = []

    @settings(max_examples=5, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.from_regex(pattern, fullmatch=True, alphabet=printable))
    def look(sample: str) -> None:
        missed.extend([] if may_hold_secret(f" {sample} ".encode()) else [sample])

    look()
    assert missed == []


HOSTILE = [
    *(
        "sk-",
        "eyJ",
        "eyJa1.",
        "://a:",
        "//a/:_authToken=",
        "password: ",
        "pwd=",
        "Bearer ",
        "aws secret key = ",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "key=key:token ",
        "Authorization: Basic ",
        "1234567890:",
        "a",
        "A1",
        "a b ",
        "<password>",
        "<password>a",
        "--password ",
        " -u a:",
        "password | a",
        "password a",
        "password a!",
    ),
    *("+1 ", "1-", "a@", "a@b.", "call 0", "born ", " dot ", "\\", "%25", "&amp;", "\n ", "{", "é", "\u200b"),
]
"""Pieces that expressions like these trip over, one after the other."""


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with linear_time():
        list(secrets(text.encode()))


def test_every_shape_has_one_name() -> None:
    assert len(SHAPES) == len(SIGNED) + len(NAMED)
