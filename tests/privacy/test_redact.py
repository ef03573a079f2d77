"""Secrets do not reach what is stored or logged; everything else does, as it was."""

import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.hashing import canonical_json
from eops_traj.privacy import redact
from eops_traj.privacy.redact import (
    REMOVED,
    ScrubbedLogs,
    Scrubber,
    scrub,
    scrub_shared,
    stored_headers,
    stored_servers,
)
from eops_traj.privacy.secret_scan import secret_places, text_kinds
from eops_traj.privacy.secret_shapes import SHAPES
from eops_traj.schema import Json, Prompt, Run, Server, ToolCall, Turn
from tests.episodes import EPISODE
from tests.privacy.secret_samples import LOGIN, samples

SHAPED = {
    "OpenAI": "sk-proj-" + "a1B2" * 10,
    "Anthropic": "sk-ant-api03-" + "a1_B" * 10,
    "Google": "AIza" + "a1B2_" * 7,
    "Hugging Face": "hf_" + "aB" * 17,
    "AWS": "AKIA" + "A1B2" * 4,
    "GitHub": "ghp_" + "a1" * 18,
    "Slack": "xoxb-" + "123456789012-abcdefgh",
    "a web token": ".".join(["eyJ" + "a" * 20, "eyJ" + "b" * 20, "c" * 20]),
    "Stripe": "sk_live_" + "a1B2" * 6,
    "GitHub, fine-grained": "github_pat_" + "a1B2" * 20,
    "Google OAuth": "ya29." + "a1_B" * 30,
    "a private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
}

INNOCENT = (
    "KB0000257 task-20251207_174704 sk-learn ghp_ hf_token CS-0001233 admin_token_marcus_2024_secure",
    "risk-assessment-and-mitigation-plan-for-q3 disk-encryption-enabled-everywhere",
    "AKIA is an airport; xoxo; msg_3f2b8c1d9e7a4f60b5c2d1e0f9a8b7c6; 1781513440926",
    "Bearer authentication-and-authorization is explained below",
    "sk-learn-pipelines-and-how-to-run-them",
)

PRINTABLE = st.characters(exclude_categories=("C", "Z")) | st.just(" ")
SECRETS = st.text(PRINTABLE, min_size=12).filter(lambda text: text not in REMOVED)


@pytest.mark.parametrize("kind", SHAPED)
def test_what_is_shaped_like_a_key_goes(kind: str) -> None:
    assert scrub(f"key={SHAPED[kind]}, or so") == f"key={REMOVED}, or so"
    held = canonical_json({"error": [f"wrong key {SHAPED[kind]}"]})
    assert json.loads(scrub(held)) == {"error": [f"wrong key {REMOVED}"]}


NAMED = {
    "Authorization: Bearer {}": "a1B2" * 9,
    "aws_secret_access_key = {}": "aB3/" * 10,
    "client_secret={}": "aB3d" * 8,
    "postgres://ops:{}@db:5432/": "hunter22",
    "The password is {} from now on": "Temp!2026-Infra",
    "PASSWORD={}": "letmein-now",
}


@pytest.mark.parametrize("shape", NAMED)
def test_what_stands_behind_a_word_for_it_goes(shape: str) -> None:
    assert scrub(shape.format(NAMED[shape])) == shape.format(REMOVED)
    held = canonical_json({"text": canonical_json({"note": shape.format(NAMED[shape])})})
    assert json.loads(json.loads(scrub(held))["text"]) == {"note": shape.format(REMOVED)}


def test_a_password_among_arguments_goes_and_they_stay_json() -> None:
    arguments = {"userPrincipalName": "a", "passwordProfile": {"password": "Temp!2026-Infra", "force": True}}
    expected = {"userPrincipalName": "a", "passwordProfile": {"password": REMOVED, "force": True}}
    assert json.loads(scrub(canonical_json(arguments))) == expected


def test_in_a_changeset_a_key_becomes_as_many_asterisks() -> None:
    key = SHAPED["GitHub"].encode()
    assert scrub(b"\x00\xff" + key + b"\x01") == b"\x00\xff" + b"*" * len(key) + b"\x01"


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_not_stays(text: str) -> None:
    assert scrub(text) is text


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "HF_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"])
def test_values_of_secret_variables_go(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "Grüße/an+alle=1")
    for quoted in ("Grüße/an+alle=1", json.dumps("Grüße/an+alle=1"), "Gr%C3%BC%C3%9Fe/an%2Balle%3D1"):
        assert scrub(f"x {quoted} y").replace('"', "") == f"x {REMOVED} y"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_TOKENS", "a-long-enough-value"),
        ("TOKENIZERS_PARALLELISM", "a-long-enough-value"),
        ("HOME", "a-long-enough-value"),
        ("API_KEY", "short"),
        ("API_KEY", "password"),
        ("API_KEY", "1234567890"),
        ("TOKEN_FILE", "/usr/bin/env"),
    ],
)
def test_what_would_be_found_everywhere_is_no_secret(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert value not in redact.known_secrets()


def test_a_variable_that_a_config_names_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_GATEWAY", "letmein-42-please")
    monkeypatch.setattr(redact, "SECRET_VARIABLES", set())
    assert scrub("letmein-42-please") == "letmein-42-please"
    redact.SECRET_VARIABLES.add("MY_GATEWAY")
    assert scrub("letmein-42-please") == REMOVED


def test_a_record_is_cleaned_through_and_through() -> None:
    secret = 'k"ey\\with\nall of it 123'
    scrubber = Scrubber([secret])
    call = ToolCall(
        id="c", name="t", arguments=Json(canonical_json({"note": secret})), result=secret, raw=f"<{secret}>",
        envelope=Json(canonical_json({"text": canonical_json({"in": secret})})),
    )  # fmt: skip
    turn = Turn(text=f"It is {secret}.", tool_calls=(call,), token_ids=(1, 2), logprobs=(-0.5,))
    dirty = replace(EPISODE, turns=(turn,), error=secret, changeset=b"\x00" + secret.encode() + b"\x01")
    clean = scrubber.clean(dirty)
    assert secret not in repr(clean) and canonical_json(secret)[1:-1] not in str(clean.turns)
    assert json.loads(clean.turns[0].tool_calls[0].arguments) == {"note": REMOVED}
    envelope = clean.turns[0].tool_calls[0].envelope
    assert envelope is not None and json.loads(json.loads(envelope)["text"]) == {"in": REMOVED}
    assert clean.changeset == b"\x00" + b"*" * len(secret.encode()) + b"\x01"
    assert (clean.turns[0].token_ids, clean.turns[0].logprobs) == ((1, 2), (-0.5,))


MORE = [
    f'auth: "{LOGIN}"',
    "AKC" + "a1B2" * 4,
    "5H" + "a1B2" * 12 + "a",
    "L" + "a1B2" * 12 + "abc",
    f"key {'a1b2' * 16}",
    "SSWS " + "a1B2" * 10,
    "sk" + "a1B2" * 21,
]
"""Secrets whose shapes begin or end with a text, and of which the samples have none."""


def test_what_is_found_in_a_text_alone_is_found_between_other_texts() -> None:
    """Wherever a text begins: a record is searched as one text, in which no other begins."""
    texts = (text[start:] for text in [*samples(7).values(), *MORE] for start in range(len(text)))
    alone = [text for text in texts if secret_places(text.encode())]
    kinds = {kind for text in alone for kind in text_kinds(text)}
    assert {kind for kind, shape in SHAPES.items() if "^|" in shape.pattern or "|$" in shape.pattern} <= kinds
    assert [text for text in alone if scrub(("before", text, "after"))[1] == text] == []


def test_a_record_without_secrets_is_the_same_object() -> None:
    run = Run(run_id="r", kind="collect", config=Json('{"model":"m"}'), version="1")
    assert scrub(EPISODE) is EPISODE and scrub(run) is run


@settings(max_examples=20)
@given(SECRETS, st.recursive(SECRETS | st.integers(), lambda v: st.lists(v) | st.dictionaries(SECRETS, v)))
def test_json_text_stays_json_and_holds_no_secret(secret: str, value: Any) -> None:
    scrubber = Scrubber([secret])
    text = scrubber.text(canonical_json({"before": secret, "value": value, secret: 1}))
    assert secret not in json.dumps(json.loads(text), ensure_ascii=False)
    assert json.loads(text)["before"] == REMOVED


def test_headers_are_stored_by_an_allow_list() -> None:
    headers = {
        "X-Request-Id": "r1",
        "Set-Cookie": "s=1",
        "Authorization": "Bearer x",
        "x-ratelimit-limit": "9",
    }
    assert stored_headers(headers) == {"x-request-id": "r1", "x-ratelimit-limit": "9"}


def test_so_are_those_that_tell_a_server_who_is_calling() -> None:
    context = {"x-user-email": "a@b", "X-Itsm-User-Token": "t", "authorization": "Bearer x", "cookie": "c"}
    server = Server(name="csm", seed="", context=Json(canonical_json(context)))
    (stored,) = stored_servers([server])
    assert json.loads(stored.context) == {"x-user-email": "a@b", "X-Itsm-User-Token": "t"}
    assert stored_servers([stored])[0] is stored


def test_logs_hold_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("tests.secrets")
    log.addFilter(ScrubbedLogs())
    try:
        raise ValueError(SHAPED["OpenAI"])
    except ValueError:
        log.exception("asked with %s", SHAPED["Anthropic"])
    assert caplog.text.count(REMOVED) == 2 and "sk-" not in caplog.text


def test_what_is_kept_of_a_shared_record_holds_for_the_secrets_that_were_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prompt = Prompt.of("Ask for hunter2-hunter2 at the door.")
    assert scrub_shared(prompt) is prompt
    monkeypatch.setenv("DOOR_PASSWORD", "hunter2-hunter2")
    assert scrub_shared(prompt).text == f"Ask for {REMOVED} at the door."
    assert scrub_shared(prompt) is scrub_shared(replace(prompt))
