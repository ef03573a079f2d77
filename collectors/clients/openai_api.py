"""Any endpoint that speaks the chat completions of the OpenAI API, or several of them as one.

One request is one POST, without streaming. aiohttp sends it and pydantic-core writes and reads the JSON, so
that a reply to 40 kB costs 0.4 ms of processor time in all, where httpx alone takes 1 to 2 ms and OpenAI's
own SDK 4 to 7. Nothing is tried again here; the collection knows better when to.
"""

import json
import time
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

import aiohttp
from pydantic import Field, field_validator, model_validator
from pydantic_core import to_json

from eops_traj.errors import FormatError
from eops_traj.hashing import clean
from eops_traj.llm.base import Chat, EndpointError, Language, Request
from eops_traj.llm.errors import MAX_READ_CHARS, http_failure, shorten_message
from eops_traj.llm.openai_wire import messages_to_send, read_turn
from eops_traj.llm.options import EndpointOptions
from eops_traj.llm.reasoning_replay import ReasoningReplay
from eops_traj.llm.reply_body import MOST_BYTES
from eops_traj.llm.tool_schemas import ToolCleaner, dialect_of
from eops_traj.privacy.redact import stored_headers
from eops_traj.schema import Turn
from eops_traj.untrusted.json_text import parse_json

OPENAI = "https://api.openai.com/v1"
CONNECT_SECONDS = 20.0
IDLE_SECONDS = 4.0
"""How long an idle connection is kept: uvicorn, under vLLM, hangs up after 5 s without a word."""


class OpenAIOptions(EndpointOptions):
    """The endpoint's address, and the options of its requests."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = (
        "model",
        "sampling",
        "extra_body",
        "send_reasoning",
        "tool_dialect",
        "chat_template_kwargs",
        "constrain",
    )

    base_url: Annotated[tuple[str, ...], Field(min_length=1)] = (OPENAI,)
    """One address or several, each up to and including ``/v1``; several share the load."""
    api_key_header: str = "authorization"
    """The header that holds the key: ``authorization`` (as a bearer token), or Azure's ``api-key``."""
    token_ids: bool = False
    """Whether to ask for token ids and logprobs, which vLLM gives (``return_token_ids``)."""
    send_reasoning: Literal["reasoning_content", "reasoning"] | None = None
    """Whether a reply's reasoning is sent back with it, and under which name."""
    tool_dialect: Literal["plain", "openai", "gemini"] | None = None
    """The dialect that tool schemas are cut down to; by default determined by the address."""
    chat_template_kwargs: dict[str, Any] | None = None
    """What a server with a chat template tells it besides, as vLLM does: ``enable_thinking: false``."""
    constrain: Literal["structured_outputs", "guided_grammar"] | None = None
    """How a server is told what language a reply has to be of: by vLLM's name for it, now or before 0.11."""

    @field_validator("base_url", mode="before", json_schema_input_type=str | tuple[str, ...])
    @classmethod
    def _one_or_more(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("base_url")
    @classmethod
    def _plain_addresses(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for url in urls:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("an address starts with http:// or https:// and names a host")
            if parts.port == 0:  # to ask for it raises ValueError where it is out of range or no number
                raise ValueError("an address names a port from 1 to 65535")
            if parts.username or parts.password or parts.query:
                raise ValueError("an address holds no user, password or query; use api_key_env")
        return tuple(url.rstrip("/") for url in urls)

    @model_validator(mode="before")
    @classmethod
    def _key_of_openai(cls, values: Any) -> Any:
        """Name the variable that everyone uses for OpenAI's own endpoint, where that is the only one."""
        if isinstance(values, dict) and _is_openai_alone(values.get("base_url", OPENAI)):
            return {"api_key_env": "OPENAI_API_KEY", **values}
        return values

    def open(self) -> Chat:
        """Open the client; nothing is sent yet. Raises ConfigError if the key is not in the environment."""
        from eops_traj.collectors.clients.pool import ChatPool

        chats = [OpenAIChat(self, url) for url in self.base_url]
        return chats[0] if len(chats) == 1 else ChatPool(chats)


def _is_openai_alone(base_url: Any) -> bool:
    """Check whether addresses, as a config gives them, are OpenAI's own and no other."""
    urls = base_url if isinstance(base_url, list | tuple) else [base_url]
    return {str(url).rstrip("/") for url in urls} == {OPENAI}


class OpenAIChat:
    """A `Chat` with one endpoint, over connections that are kept open."""

    billed = True

    def __init__(self, options: OpenAIOptions, url: str) -> None:
        """Raises ConfigError where the key is not in the environment."""
        self._options, self._url = options, f"{url}/chat/completions"
        self._headers = _headers(options)
        self._tools = ToolCleaner(options.tool_dialect or dialect_of(url))
        self._replay = ReasoningReplay()
        self._body = options.sampling.given() | options.extra_body | {"model": options.model}
        if options.chat_template_kwargs:
            self._body |= {"chat_template_kwargs": options.chat_template_kwargs}
        if options.token_ids:
            self._body |= {"return_token_ids": True, "logprobs": True}
        self._session: aiohttp.ClientSession | None = None

    @property
    def model(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._options.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply. Raises EndpointError."""
        started = time.perf_counter()
        status, headers, content = await self._post(self._request_body(request))
        latency = (time.perf_counter() - started) * 1000
        body = _decoded(content, status)
        if status >= 300:
            raise http_failure(status, body, headers)
        turn = read_turn(
            body,
            request,
            latency_ms=latency,
            prices=self._options.prices,
            headers=stored_headers(headers),
        )
        if self._options.send_reasoning and turn.reasoning:
            self._replay.remember(request, turn.tool_calls, {"reasoning_content": turn.reasoning})
        return turn

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _request_body(self, request: Request) -> bytes:
        """Render the request's body."""
        messages = self._replay.restore(request) if self._options.send_reasoning else request.messages
        body = self._body | request.sampling
        body["messages"] = messages_to_send(messages, self._options.send_reasoning)
        if request.tools:
            body["tools"] = request.tools if request.unparsed_is_no_call else self._tools(request.tools)
        if request.language is not None:
            body |= self._constraint(request.language)
        if (
            self._url.startswith(OPENAI) and "max_tokens" in body
        ):  # its reasoning models know the new name only
            body["max_completion_tokens"] = body.pop("max_tokens")
        try:
            return to_json(body)
        except ValueError:  # half a surrogate pair, which UTF-8 cannot hold
            return clean(json.dumps(body, ensure_ascii=False)).encode()

    def _constraint(self, language: Language) -> dict[str, Any]:
        """Return what tells the server the language. Raises EndpointError where no way to is set."""
        if self._options.constrain is None:
            raise EndpointError(
                "request", "nothing says how to constrain replies: constrain=structured_outputs"
            )
        grammar = language.grammar()
        nested = self._options.constrain == "structured_outputs"
        return {"structured_outputs": {"grammar": grammar}} if nested else {"guided_grammar": grammar}

    async def _post(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and content of the response. Raises EndpointError where none comes whole."""
        try:
            async with self._open_session().post(self._url, data=body, allow_redirects=False) as response:
                return response.status, dict(response.headers), await _content(response)
        except aiohttp.ConnectionTimeoutError:  # a TimeoutError, too
            what = f"no connection to {self._url} within {CONNECT_SECONDS:g} s"
            raise EndpointError("connection", shorten_message(what)) from None
        except TimeoutError:
            raise EndpointError("timeout", f"no reply after {self._options.timeout:g} s") from None
        except aiohttp.ClientHttpProxyError as error:
            what = f"the proxy says: {error.message}"
            raise http_failure(error.status, what, error.headers) from None
        except aiohttp.ClientResponseError as error:
            raise EndpointError("garbled", f"not HTTP: {shorten_message(error.message)}") from None
        except aiohttp.ClientConnectorError as error:
            what = f"nothing answers at {self._url}: {error.os_error.strerror or error.os_error}"
            raise EndpointError("connection", shorten_message(what)) from None
        except (aiohttp.ClientError, OSError) as error:
            raise EndpointError("connection", shorten_message(str(error) or type(error).__name__)) from None

    def _open_session(self) -> aiohttp.ClientSession:
        """Return the connections, made at the first request: they belong to the event loop that runs then."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                timeout=aiohttp.ClientTimeout(total=self._options.timeout, sock_connect=CONNECT_SECONDS),
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE_SECONDS),
                trust_env=not _on_this_machine(self._url),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


def _headers(options: OpenAIOptions) -> dict[str, str]:
    headers = {"content-type": "application/json", **options.headers}
    if key := options.key():
        bearer = options.api_key_header.lower() == "authorization"
        headers[options.api_key_header] = f"Bearer {key}" if bearer else key
    return headers


async def _content(response: aiohttp.ClientResponse) -> bytes:
    """Read a response's body. Raises EndpointError for one larger than is read, however it was packed."""
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MOST_BYTES:
            raise EndpointError("garbled", f"a response of more than {MOST_BYTES} bytes")
    return bytes(content)


def _decoded(content: bytes, status: int) -> Any:
    """Decode the JSON of a body, or the text of an error without. Raises EndpointError for a cut reply."""
    try:
        return parse_json(content)
    except FormatError as error:
        text = content[:MAX_READ_CHARS].decode("utf-8", "replace")
        if status >= 300:
            return text
        message = f"the response is {error}: {shorten_message(text)}"
        raise EndpointError("garbled", message) from error


def _on_this_machine(url: str) -> bool:
    """Check whether the endpoint is on this machine, where a proxy would be in the way."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
