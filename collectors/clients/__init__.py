"""The kinds of chat client, by the names that configs give them."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from eops_traj.config import checked
from eops_traj.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from eops_traj.llm.options import ClientOptions

CLIENTS = {
    "openai_api": "OpenAIOptions",
    "litellm_api": "LiteLLMOptions",
    "transformers_local": "TransformersOptions",
    "scripted": "ScriptedOptions",
    "pool": "PoolOptions",
    "vllm_server": "VllmServerOptions",
}
"""Every kind: its name, which is its module's name here, and the class of its options."""


def client_options(settings: Mapping[str, Any], where: str = "model") -> "ClientOptions":
    """The checked options of a client, from settings with its ``kind``: ``.open()`` gives the client.

    Raises UnknownName for a kind that is not in CLIENTS, ConfigError with every problem.
    """
    from eops_traj.privacy.redact import scrub

    given = dict(settings)
    kind = given.pop("kind", None)
    if kind not in CLIENTS:
        raise UnknownName("kind of client", kind, CLIENTS)
    try:
        return checked(options_class(str(kind)), given, f"{where} ({kind})")
    except ConfigError as error:  # a key in the wrong place is not for the screen
        raise ConfigError(f"{where} ({kind})", map(scrub, error.problems)) from None


def options_class(kind: str) -> "type[ClientOptions]":
    """The class of a client's options, imported at this moment. Raises KeyError for an unknown kind."""
    options: type[ClientOptions] = getattr(
        import_module(f"eops_traj.collectors.clients.{kind}"), CLIENTS[kind]
    )
    return options
