"""The options that every chat client has in common: pydantic models, so that a YAML can give each."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, PositiveFloat, PositiveInt, field_validator

from eops_traj import instances
from eops_traj.config import Settings, checked
from eops_traj.errors import ConfigError
from eops_traj.llm.base import Chat
from eops_traj.privacy.redact import SECRET_VARIABLES, is_secret_name, scrub

NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""The form of a variable's name. A key put in its place hardly ever has it."""


class Sampling(Settings):
    """The sampling of replies, by the names of the OpenAI API; what is not given is the endpoint's choice."""

    temperature: Annotated[float, Field(ge=0)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: int | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: PositiveInt | None = None
    max_completion_tokens: PositiveInt | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    repetition_penalty: PositiveFloat | None = None
    reasoning_effort: str | None = None
    parallel_tool_calls: bool | None = None
    tool_choice: str | dict[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        """Return the options that are given, by name."""
        return self.model_dump(exclude_none=True)


class Prices(Settings):
    """US dollars per million tokens."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached: Annotated[float, Field(ge=0)] | None = None
    """Of input read from a cache; None where it costs what other input does."""

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Return the cost of a reply; ``input_tokens`` include the cached ones."""
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1e6


class ClientOptions(Settings):
    """The way a model is reached and sampled. A client's own options are the fields of its subclass."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = ("model", "sampling")
    """The options that shape the model's replies; the others only say how it is reached."""

    model: Annotated[str, Field(min_length=1)]
    sampling: Sampling = Sampling()

    def open(self) -> Chat:
        """Open the client. Raises ConfigError where something that it needs from outside is missing."""
        raise NotImplementedError

    def behaviour(self) -> dict[str, Any]:
        """Return the options that shape the replies: part of the agent, the same wherever the model runs."""
        return self.model_dump(mode="json", include=set(self.BEHAVIOUR), exclude_none=True)


def reject_secrets(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings. Raises ValueError where one is named as secrets are: configs are stored."""
    if named := [name for name in settings if is_secret_name(name)]:
        raise ValueError(f"{', '.join(named)}: a config holds no secrets; use api_key_env")
    return settings


class EndpointOptions(ClientOptions):
    """The options that the clients of a remote endpoint have in common."""

    api_key_env: Annotated[str, Field(pattern=NAME)] | None = None
    """The environment variable that holds the key; the key itself is never in a config."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Sent with every request. Never a secret: configs are stored."""
    timeout: PositiveFloat = 600.0
    """Seconds for one reply."""
    prices: Prices | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """More fields of a request, sent as they are: ``chat_template_kwargs``, a router's ``provider``."""

    BEHAVIOUR: ClassVar[tuple[str, ...]] = ("model", "sampling", "extra_body")

    _headers_without_secrets = field_validator("headers")(reject_secrets)

    @field_validator("headers")
    @classmethod
    def _headers_of_a_line(cls, headers: dict[str, str]) -> dict[str, str]:
        if broken := [name for name, value in headers.items() if not f"{name}{value}".isprintable()]:
            raise ValueError(f"{', '.join(map(repr, broken))}: a header is one line of printable characters")
        return headers

    def key(self) -> str | None:
        """Read the key, without blanks around it; None where none is asked for.

        Raises ConfigError where its variable is not set, or holds what no header can.
        """
        if self.api_key_env is None:
            return None
        SECRET_VARIABLES.add(self.api_key_env)
        value = os.environ.get(self.api_key_env, "").strip()  # one from a file ends in a newline
        if value and value.isascii() and value.isprintable():
            return value
        problem = "is no key: it has characters that no header can hold" if value else "is not set"
        raise ConfigError(f"model {self.model}", [f"the environment variable {self.api_key_env} {problem}"])


def client_options(settings: Mapping[str, Any], where: str = "model") -> ClientOptions:
    """Check the options of a client, from settings with its ``kind``; their ``open()`` gives the client.

    Raises UnknownName for a kind that there is none of, ConfigError with every problem.
    """
    own = dict(settings)
    kind = own.pop("kind", None)
    options: type[ClientOptions] = instances.load("kind of client", kind)
    try:
        return checked(options, own, f"{where} ({kind})")
    except ConfigError as error:  # a key in the wrong place is not for the screen
        raise ConfigError(f"{where} ({kind})", map(scrub, error.problems)) from None


HARNESS_TOKENS = 4096
"""The completion tokens that the benchmark's harness asks for where none are set."""


def settled(options: ClientOptions) -> ClientOptions:
    """Return a client's options with the benchmark's choice where they make none.

    Its client sends a limit of tokens as ``max_completion_tokens`` whatever it was called, and ``stream``.
    """
    given = options.sampling.given()
    tokens = given.pop("max_tokens", HARNESS_TOKENS)
    sampling = Sampling(**{"temperature": 0.0, "max_completion_tokens": tokens} | given)
    changed: dict[str, Any] = {"sampling": sampling}
    if "extra_body" in type(options).model_fields:
        changed["extra_body"] = {"stream": False, **getattr(options, "extra_body")}  # noqa: B009
    return options.model_copy(update=changed)
