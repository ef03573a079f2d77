"""Secrets are found by their shape, and ids are left alone."""

import pytest

from eops_traj.privacy.secret_scan import detectors, secret_kinds

KEY = "AKIA" + "IOSFODNN7EXAMPL3"
KNOWN = {
    "AWS Access Key": KEY,
    "GitHub Token": "ghp_" + "a1B2" * 9,
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "Basic Auth Credentials": "https://ops:hunter2@example.com/",
}


@pytest.mark.parametrize("kind", KNOWN)
def test_a_secret_is_named_by_its_kind_wherever_it_lies(kind: str) -> None:
    assert kind in secret_kinds(
        {"messages": [{"content": "hello"}, {"calls": [{"x": f"key {KNOWN[kind]} here"}]}]}
    )


def test_ids_hashes_and_plain_text_are_no_secrets() -> None:
    ids = [
        "channel_3f2b8c1e9d7a4e6fb0c1d2e3f4a5b6c7",
        "CS-0001233",
        "01J9ZQ6X4T5V7W8Y9Z0A1B2C3D",
        "+49-170-555-0100",
    ]
    assert secret_kinds({"ids": ids, "text": "The password was changed."}) == []


def test_detectors_that_guess_are_left_out() -> None:
    kinds = set(detectors())
    assert {"AWS Access Key", "JSON Web Token", "Slack Token"} <= kinds
    assert not {"Base64 High Entropy String", "Hex High Entropy String", "Secret Keyword"} & kinds
