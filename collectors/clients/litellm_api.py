"""Models of every provider that litellm knows: Anthropic, Bedrock, Azure, Google, OpenRouter and the rest.

litellm turns one request into each provider's own and the reply back, and knows prices. It takes 7 ms of
processor time a reply, nothing beside the seconds that a large model thinks, but more than fifteen times what
:mod:`eops_traj.collectors.clients.openai_api` takes: for vLLM and its like, use that one.
"""

import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import httpx
from pydantic import Field, field_validator

from eops_traj.errors import ConfigError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.errors import http_failure, shorten_message
from eops_traj.llm.openai_wire import messages_to_send, read_turn
from eops_traj.llm.options import EndpointOptions, reject_secrets
from eops_traj.llm.reasoning_replay import ReasoningReplay
from eops_traj.llm.tool_schemas import ToolCleaner, dialect_of
from eops_traj.optional import require
from eops_traj.privacy.redact import ScrubbedLogs, stored_headers
from eops_traj.schema import Turn

if TYPE_CHECKING:
    from types import ModuleType


class LiteLLMOptions(EndpointOptions):
    """The model by litellm's name: ``anthropic/claude-sonnet-4-5``, ``bedrock/...``, ``azure/...``.

    Without ``api_key_env`` litellm finds the key in the variable that the provider's own tools use.
    """

    BEHAVIOUR: ClassVar[tuple[str, ...]] = (
        *("model", "sampling", "extra_body"),
        *("send_reasoning", "tool_dialect"),
    )

    base_url: str | None = None
    """The endpoint's address, where it is not the provider's own."""
    params: dict[str, Any] = Field(default_factory=dict)
    """The provider's connection settings, by litellm's names: ``api_version``, ``aws_region_name``."""
    send_reasoning: bool = False
    """Whether a reply's reasoning is sent back with it. Signed reasoning always is: it is asked for."""
    tool_dialect: Literal["plain", "openai", "gemini"] | None = None
    """The dialect that tool schemas are cut down to; by default determined by the provider."""

    _params_without_secrets = field_validator("params")(reject_secrets)

    def open(self) -> "LiteLLMChat":
        """Open the client. Raises InputError for no litellm, ConfigError for no key or no known provider."""
        return LiteLLMChat(self)


class LiteLLMChat:
    """A `Chat` through litellm."""

    billed = True

    def __init__(self, options: LiteLLMOptions) -> None:
        """Raises InputError for no litellm, ConfigError for a key that is not set or an unknown provider."""
        self._options, self._litellm = options, load_litellm()
        provider = _provider(self._litellm, options)
        self._tools = ToolCleaner(options.tool_dialect or dialect_of(provider))
        self._replay = ReasoningReplay()
        self._parameters = {
            "model": options.model,
            "api_key": options.key(),
            "base_url": options.base_url,
            "timeout": options.timeout,
            "extra_headers": options.headers or None,
            "num_retries": 0,
            "max_retries": 0,
            **options.params,
            **options.extra_body,
        }

    @property
    def model(self) -> str:
        """The model's name, as litellm knows it."""
        return self._options.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply. Raises EndpointError."""
        from openai import OpenAIError

        started = time.perf_counter()
        try:
            response = await self._litellm.acompletion(**self._arguments(request))
        except OpenAIError as error:  # the base of all that litellm raises
            raise _as_failure(error) from None
        latency = (time.perf_counter() - started) * 1000
        body = response.model_dump(warnings=False)
        headers = getattr(response, "_response_headers", None) or {}
        turn = read_turn(
            body,
            request,
            latency_ms=latency,
            prices=self._options.prices,
            headers=stored_headers(headers),
        )
        self._replay.remember(request, turn.tool_calls, self._replayed_fields(body))
        return replace(turn, cost=self._cost(response)) if self._options.prices is None else turn

    async def close(self) -> None:
        """Close the connections. Theyare litellm's, and all of its clients here share them."""
        await self._litellm.close_litellm_async_clients()
        self._litellm.in_memory_llm_clients_cache.flush_cache()

    def _arguments(self, request: Request) -> dict[str, Any]:
        """Return the arguments of litellm's call."""
        reasoning = "reasoning_content" if self._options.send_reasoning else None
        if request.language is not None:
            raise EndpointError("request", "litellm cannot constrain replies: leave constrained=false")
        arguments = self._parameters | self._options.sampling.given() | request.sampling
        arguments["messages"] = messages_to_send(self._replay.restore(request), reasoning)
        if request.tools:
            arguments["tools"] = list(
                request.tools if request.unparsed_is_no_call else self._tools(request.tools)
            )
        return arguments

    def _replayed_fields(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that the model wants to see again beside its text and calls."""
        message = body["choices"][0]["message"]
        names = ("thinking_blocks", *(("reasoning_content",) if self._options.send_reasoning else ()))
        return {name: message[name] for name in names if message.get(name)}

    def _cost(self, response: Any) -> float | None:
        """Return the cost of the reply by litellm's price list; None where the model is not on it."""
        try:
            return float(self._litellm.completion_cost(response, model=self._options.model))
        except Exception:  # noqa: BLE001 - it raises Exception itself for a model without a price
            return None


def _provider(litellm: "ModuleType", options: LiteLLMOptions) -> str:
    """Find the model's provider. Raises ConfigError where litellm knows none."""
    try:
        return str(litellm.get_llm_provider(options.model, api_base=options.base_url)[1])
    except litellm.exceptions.BadRequestError:
        problem = "litellm knows no provider of it; write provider/model, as in anthropic/claude-sonnet-4-5"
        raise ConfigError(f"model {options.model}", [problem]) from None


def load_litellm() -> "ModuleType":
    """Import litellm, set to fetch nothing, print nothing and retry nothing. Raises InputError without it."""
    require("api")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it downloads a price list
    import litellm

    litellm.suppress_debug_info = True
    litellm.modify_params = True  # where signed reasoning is lost (a branch), go on without, not in error
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        log = logging.getLogger(name)
        if not any(isinstance(one, ScrubbedLogs) for one in log.filters):
            log.addFilter(ScrubbedLogs())
    return litellm


def _as_failure(error: Any) -> EndpointError:
    """Return the failure of one of litellm's exceptions, by the exception that litellm wrapped."""
    from litellm.exceptions import ContextWindowExceededError, Timeout

    message = _REPEATED_PREFIX.sub("", str(getattr(error, "message", error)))
    message = message.partition("Traceback (most recent call last)")[0].rstrip()
    if isinstance(error, ContextWindowExceededError):
        return EndpointError("context", shorten_message(message))
    if isinstance(error, Timeout):
        return EndpointError("timeout", shorten_message(message))
    status = getattr(error, "status_code", 500)
    headers = getattr(error, "litellm_response_headers", None) or {}
    for cause in _causes(error):
        if isinstance(cause, httpx.HTTPStatusError):
            status = cause.response.status_code
        elif isinstance(cause, httpx.TransportError):
            return EndpointError("connection", shorten_message(message))
        elif isinstance(cause, ValueError | KeyError | TypeError):
            return EndpointError("garbled", shorten_message(message))
    return http_failure(status, message, headers)


_REPEATED_PREFIX = re.compile(r"(?:litellm\.|(?<!\w)\w+Error: )*")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the cause of an exception, and the cause of that cause."""
    cause = error.__cause__ or error.__context__
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
