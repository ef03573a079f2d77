"""The kind of an endpoint's failure: HTTP statuses, headers and messages as one of FAILURE_KINDS."""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from eops_traj.llm.base import EndpointError
from eops_traj.privacy.redact import scrub

MAX_MESSAGE_CHARS = 300
"""Characters of an endpoint's message that an error repeats."""
MAX_READ_CHARS = 10_000
"""Characters of it that are read at all."""
MAX_WAIT = 900.0
"""Seconds that are waited at an endpoint's word, whatever it asks for."""

_KINDS = {
    401: "auth",
    402: "auth",  # no credit: as little to be fixed by asking again as a wrong key
    403: "auth",
    407: "auth",  # a proxy's
    408: "timeout",
    504: "timeout",
    524: "timeout",  # Cloudflare's
    529: "throttled",  # Anthropic's: overloaded
}

_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|model_max_prompt_tokens"
    r"|maximum (?:context|model|prompt) length|context (?:length|window|size)|max_model_len"
    r"|(?:prompt|input|request) (?:is|was) too (?:long|large for)"
    r"|exceeds? the (?:maximum|model).{0,30} tokens"
    r"|longer than the (?:maximum )?model|input token count|too many (?:input |total )?tokens"
    r"|reduce the length of the (?:messages|prompt|input)",
    re.IGNORECASE,
)  # OpenAI, vLLM, SGLang, llama.cpp, xAI; Anthropic, Bedrock, Mistral; Gemini, Cohere; Groq

_OVERLOADED = re.compile(r"overloaded|over capacity|at capacity|too many requests|rate.?limit", re.IGNORECASE)
_NO_CREDIT_CODE = re.compile(
    r"insufficient_quota|exceeded_current_quota|billing_hard_limit_reached|billing_not_active"
)
_NO_CREDIT = re.compile(
    r"credit balance|insufficient balance|exceeded your current quota|check your billing details",
    re.IGNORECASE,
)
"""Said of an empty account; Gemini says as much of each minute's limit, which `_OVERLOADED` tells apart."""
_TOLD_WAIT = re.compile(
    r"(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|[hms])[a-z]* ?)+)"
)
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|[hms])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def http_failure(status: int, body: Any, headers: Mapping[str, str] | None = None) -> EndpointError:
    """Return the failure that an HTTP status, its body (text or decoded JSON) and its headers stand for."""
    message = error_message(body)[:MAX_READ_CHARS]
    wait = retry_after(headers or {})
    if status == 429 and wait is None:
        wait = _told_wait(message)
    kind = _kind(status, message, _code(body), wait is not None)
    return EndpointError(kind, f"HTTP {status}: {shorten_message(message)}", wait)


def _kind(status: int, message: str, code: str, may_come_back: bool) -> str:
    told = f"{message} {code}"
    if status == 429:
        return "auth" if _has_no_credit(message, code, may_come_back) else "throttled"
    if status == 503 and may_come_back:
        return "throttled"
    if status not in _KINDS and _CONTEXT.search(told):
        return "context"
    if status in _KINDS:
        return _KINDS[status]
    if status >= 500:
        return "throttled" if _OVERLOADED.search(told) else "server"
    return "request"


def _has_no_credit(message: str, code: str, may_come_back: bool) -> bool:
    """Tell an empty account from a limit of requests by its code; by its words where no wait is told.

    A limit's message speaks of billing, too: of how to raise it. To take it for an empty account ends the
    collection; the other way round costs a wait that is bounded.
    """
    if _NO_CREDIT_CODE.search(f"{message} {code}"):
        return True
    if may_come_back or _OVERLOADED.search(f"{message} {code}"):
        return False
    return _NO_CREDIT.search(message) is not None


def _told_wait(message: str) -> float | None:
    """Return the seconds that a message asks to wait, at most `MAX_WAIT`: ``try again in 1m26.4s``."""
    if not (told := _TOLD_WAIT.search(message.lower())):
        return None
    return min(MAX_WAIT, sum(float(count) * _SECONDS[unit] for count, unit in _SPAN.findall(told[1])))


def shorten_message(message: str) -> str:
    """Return a message of the endpoint's as an error may repeat it: short, one line, no secrets."""
    return " ".join(scrub(message[:MAX_READ_CHARS]).split())[:MAX_MESSAGE_CHARS] or "(no message)"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, at most `MAX_WAIT`: ``Retry-After`` in seconds or as a date, or in ms.

    None where it asks for none; see RFC 9110, section 10.2.3.
    """
    seconds = _seconds_asked(headers)
    return None if seconds is None else min(seconds, MAX_WAIT)


def _seconds_asked(headers: Mapping[str, str]) -> float | None:
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    if milliseconds := _number(lowered.get("retry-after-ms", "")):
        return milliseconds / 1000
    text = lowered.get("retry-after", "")
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(?:\.\d+)?", text) else None


def error_message(body: Any) -> str:
    """Return the message in an error's body: OpenAI's ``error.message``, FastAPI's ``detail``, or all."""
    if isinstance(body, dict):
        error = body.get("error", body)
        message = error.get("message") or error.get("detail") if isinstance(error, dict) else error
        return message if isinstance(message, str) else str(body)
    return str(body)


def _code(body: Any) -> str:
    """Return the codes that an error's body gives beside its message."""
    error = body.get("error") if isinstance(body, dict) else None
    return f"{error.get('code', '')} {error.get('type', '')}" if isinstance(error, dict) else ""
