"""The body of a chat completion, typed: what does not fit is refused with its field named.

Endpoints leave fields out, send null for them and count in floats; all of that is taken. An impossible value
(a negative count, a price that is no number, calls that are no list) is not: stored, it would be a wrong
figure or a record that no store can hold.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from eops_traj.errors import FormatError
from eops_traj.untrusted.json_text import shorten_value

MOST_BYTES = 64 * 2**20
"""The size of a reply that is read."""


def _number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("Input should be a number")
    return value


def _amount(value: Any) -> Any:
    """Return the amount of a cost, which Perplexity gives as an object of its parts."""
    return _number(value.get("total_cost") if isinstance(value, dict) else value)


Count = Annotated[int, BeforeValidator(_number), Field(ge=0, le=10**12)]
"""A number of tokens, so bounded that the sum over an episode has its 64 bits."""
Cost = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1e9, allow_inf_nan=False)]
"""US dollars."""
TokenId = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
Logprob = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Function(_Part):
    """The tool that a call asks for, and its arguments in any form."""

    name: str | None
    arguments: Any = None


class Call(_Part):
    """A tool call."""

    id: str | int | None = None
    function: Function


class Message(_Part):
    """The reply itself. Reasoning in a form that is not text is passed over."""

    content: str | list[Any] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: list[Call] | None = None
    function_call: Function | None = None


class TokenLogprob(_Part):
    """The log-probability of one token."""

    logprob: Logprob


class Logprobs(_Part):
    """The log-probabilities of a reply, a token each."""

    content: tuple[TokenLogprob, ...] | None = None


class Choice(_Part):
    """A reply with the reason of its end; token ids are vLLM's."""

    message: Message
    finish_reason: str | None = None
    error: Any = None
    """What broke off a reply whose ``finish_reason`` is ``error``: a router has sent its 200 by then."""
    stop_reason: str | int | None = None
    logprobs: Logprobs | None = None
    token_ids: tuple[TokenId, ...] | None = None


class InputDetails(_Part):
    """Prompt tokens by kind."""

    cached_tokens: Count | None = None


class OutputDetails(_Part):
    """Completion tokens by kind."""

    reasoning_tokens: Count | None = None


class Usage(_Part):
    """Tokens of a reply; the cost is OpenRouter's and Perplexity's."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None
    prompt_tokens_details: InputDetails | None = None
    completion_tokens_details: OutputDetails | None = None
    cost: Annotated[Cost | None, BeforeValidator(_amount)] = None


class ReplyBody(_Part):
    """A whole response; the choices after the first are not read."""

    choices: Annotated[list[Choice], Field(min_length=1)]
    usage: Usage | None = None
    prompt_token_ids: tuple[TokenId, ...] | None = None


def parse_reply_body(body: Any) -> ReplyBody:
    """Parse the decoded body of a response. Raises FormatError naming the first field that does not fit."""
    try:
        return ReplyBody.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the body"
        raise FormatError(f"{place}: {first['msg']}, not {shorten_value(first['input'])}") from None
