"""An endpoint's failures are told apart as the retries need them told apart."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from eops_traj.llm.base import FAILURE_KINDS
from eops_traj.llm.errors import http_failure, retry_after

TOO_LONG = {
    "OpenAI": "This model's maximum context length is 128000 tokens. However, you sent 130000.",
    "vLLM": "Input length (3000) exceeds model's maximum context length (2048).",
    "vLLM's prompt": "The decoder prompt (length 3000) is longer than the maximum model length of 2048.",
    "Anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    "Gemini": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Bedrock": "Input is too long for requested model.",
    "Mistral": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    "llama.cpp": "the request exceeds the available context size, try increasing it",
    "xAI": "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "Groq": "Please reduce the length of the messages or completion.",
}

STATUSES = {
    400: "request", 401: "auth", 402: "auth", 403: "auth", 404: "request", 407: "auth", 408: "timeout",
    413: "request", 422: "request", 429: "throttled", 500: "server", 502: "server", 503: "server",
    504: "timeout", 529: "throttled", 301: "request",
}  # fmt: skip


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_alone(status: int) -> None:
    found = http_failure(status, {"error": {"message": "Sorry."}})
    assert (found.kind, str(found)) == (STATUSES[status], f"{STATUSES[status]}: HTTP {status}: Sorry.")
    assert found.kind in FAILURE_KINDS


@pytest.mark.parametrize("provider", TOO_LONG)
def test_a_conversation_that_is_too_long(provider: str) -> None:
    assert http_failure(400, {"error": {"message": TOO_LONG[provider]}}).kind == "context"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": {"message": "no", "code": "context_length_exceeded"}}, "context"),
        (429, {"error": {"message": "no", "code": "insufficient_quota"}}, "auth"),
        (429, {"error": {"message": "Too many tokens per minute"}}, "throttled"),
        (503, "The server is overloaded, sorry", "throttled"),
        (500, {"detail": "boom"}, "server"),
        (400, {"error": "bad sampling"}, "request"),
        (500, None, "server"),
        (500, ["?"], "server"),
    ],
)
def test_what_the_body_says_beside_the_status(status: int, body: Any, kind: str) -> None:
    assert http_failure(status, body).kind == kind


OUT_OF_QUOTA = "You exceeded your current quota, please check your plan and billing details. For more"
READ_THE_DOCS = (
    f"{OUT_OF_QUOTA} information on this error, read the docs: https://platform.openai.com/docs/api-errors."
)
PER_MINUTE = (
    "Rate limit reached for m in organization o on requests per min (RPM): Limit 3, Used 3, Requested 1."
    " Please try again in 20s. You can increase your rate limit by adding a payment method to your account at"
    " https://platform.openai.com/account/billing."
)
GEMINI = (
    f"{OUT_OF_QUOTA} information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n"
    "* Quota exceeded for metric: generate_content_free_tier_requests, limit: 10"
)


@pytest.mark.parametrize(
    ("message", "code", "headers", "kind", "wait"),
    [
        (PER_MINUTE, "rate_limit_exceeded", {}, "throttled", 20.0),
        (PER_MINUTE, "rate_limit_exceeded", {"Retry-After": "7"}, "throttled", 7.0),
        (f"{GEMINI}\nPlease retry in 27.5s.", "", {}, "throttled", 27.5),
        (GEMINI, "", {}, "throttled", None),
        (OUT_OF_QUOTA, "", {"Retry-After": "9"}, "throttled", 9.0),
        (READ_THE_DOCS, "insufficient_quota", {}, "auth", None),
        (READ_THE_DOCS, "insufficient_quota", {"Retry-After": "3"}, "auth", 3.0),
        (READ_THE_DOCS, "", {}, "auth", None),
        ("Your account is suspended due to insufficient balance.", "", {}, "auth", None),
        ("Adding to billing raises your limits.", "", {}, "throttled", None),
    ],
)
def test_a_minutes_limit_is_waited_out_and_an_empty_account_is_not(
    message: str, code: str, headers: dict[str, str], kind: str, wait: float | None
) -> None:
    found = http_failure(429, {"error": {"message": message, "code": code}}, headers)
    assert (found.kind, found.retry_after) == (kind, wait)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("in 1m26.4s", 86.4), ("after 12 seconds", 12.0), ("in 120ms", 0.12), ("in 24h", 900.0)],
)
def test_the_wait_that_a_message_tells(told: str, seconds: float | None) -> None:
    assert http_failure(429, f"Please retry {told}.").retry_after == seconds
    assert http_failure(400, f"Please retry {told}.").retry_after is None


def test_a_server_that_says_when_to_come_back_is_throttling() -> None:
    found = http_failure(503, "later", {"Retry-After": "12"})
    assert (found.kind, found.retry_after) == ("throttled", 12.0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_retry_after_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    asked = retry_after({"Retry-After": then})
    assert asked is not None and 30 < asked <= 90


def test_a_long_message_is_cut_and_holds_no_key() -> None:
    key = "sk-" + "a1B2" * 10
    told = str(http_failure(401, {"error": {"message": f"Incorrect API key provided: {key}. " + "x" * 1000}}))
    assert key not in told and len(told) < 400
