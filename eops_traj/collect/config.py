"""The config of a collection: YAML with overrides, every problem reported at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from eops_traj.collect.episode_recorder import Limits
from eops_traj.collect.scheduler import Pace
from eops_traj.config import checked, find_config, overridden, read_settings
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.hashing import canonical_json
from eops_traj.llm.retry import Patience
from eops_traj.sandbox.options import EmbeddedOptions, SandboxOptions
from eops_traj.schema import Agent, Json

if TYPE_CHECKING:
    from eops_traj.collectors.agents import Made
    from eops_traj.llm.options import ClientOptions

T = TypeVar("T")
EXECUTOR = "executor"
"""The role whose model plays every role that has none of its own."""


class TaskChoice(BaseModel):
    """Which tasks are worked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(description="A folder of tasks, or hub:ORG/NAME.")
    mode: str = "oracle"
    splits: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    limit: PositiveInt | None = None
    seed: int = Field(0, description="Another seed takes other tasks, where a limit leaves a choice.")


class CollectConfig(BaseModel):
    """What a collection is to do."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: TaskChoice
    orchestrator: Annotated[dict[str, Any], Field(description="Its name, and its options.")]
    models: dict[str, dict[str, Any]] = Field({}, description="A client for each role: kind, model ...")
    judge: dict[str, Any] | None = Field(None, description="The client of the model behind response_check.")
    sandbox: SandboxOptions = EmbeddedOptions()
    attempts: PositiveInt = 1
    limits: Limits = Limits()
    pace: Pace = Pace()
    requests: Patience = Patience()
    requests_at_once: PositiveInt = Field(64, description="The most that one endpoint is ever given.")
    check: Literal["tools", "endpoint", "none"] = Field(
        "tools", description="What is asked of each model before the start: a tool call, a reply, nothing."
    )
    engine: Literal["asyncio", "ray"] = "asyncio"
    workers: PositiveInt = Field(2, description="With ray: the actors.")


@dataclass(frozen=True)
class Setup:
    """A config whose every part is known: the orchestrator, the clients, and the agent that they make up."""

    config: CollectConfig
    made: "Made"
    clients: dict[str, "ClientOptions"]
    judge: "ClientOptions | None"

    @property
    def roles(self) -> dict[str, "ClientOptions"]:
        """The client of every role that the orchestrator asks."""
        return {role: self.clients.get(role) or self.clients[EXECUTOR] for role in self.made.roles}

    @property
    def seeds(self) -> dict[str, int]:
        """The sampling seed of every role that has one."""
        given = {role: options.sampling.seed for role, options in self.roles.items()}
        return {role: seed for role, seed in given.items() if seed is not None}

    def asks_before(self, role: str) -> bool:
        """Whether the model of a role is asked something before the start; given replies are no model."""
        given = self.config.judge if role == "judge" else self.config.models.get(role)
        kind = (given or self.config.models.get(EXECUTOR) or {}).get("kind")
        return self.config.check != "none" and kind != "scripted"

    @property
    def agent(self) -> Agent:
        """Who works: told by what shapes the behaviour, and not by where it runs or how fast."""
        roles, name = self.roles, str(self.config.orchestrator["name"])
        first = roles.get(EXECUTOR) or next(iter(roles.values()), None)
        settings: dict[str, Any] = {"orchestrator": self.made.settings, "limits": vars(self.config.limits)}
        settings["models"] = {role: options.behaviour() for role, options in roles.items()}
        if sandbox := self.config.sandbox.behaviour():
            settings["sandbox"] = sandbox
        model = first.model if first else name
        return Agent(model=model, orchestrator=name, settings=Json(canonical_json(settings)))


def load_setup(config: str | Path, overrides: Iterable[str] = ()) -> Setup:
    """The config at a path, or a committed one by its name, with overrides (``attempts=3``) put in.

    Raises ConfigError with every problem at once, InputError or UnknownName where there is no such config.
    """
    path = find_config("collect", config)
    settings = overridden(read_settings(path), overrides, str(path))
    return setup_of(checked(CollectConfig, settings, str(path)), str(path))


def setup_of(config: CollectConfig, where: str) -> Setup:
    """The parts that a config names. Raises ConfigError with every problem at once."""
    from eops_traj.collectors.agents import make
    from eops_traj.collectors.clients import client_options

    problems: list[str] = []
    given = dict(config.orchestrator)
    made = _part(problems, lambda: make(str(given.pop("name", None)), given))
    clients = {
        role: _part(problems, lambda role=role, model=model: client_options(model, f"models.{role}"))  # type: ignore[misc]
        for role, model in config.models.items()
    }
    judge = config.judge and _part(problems, lambda: client_options(config.judge or {}, "judge"))
    if made is not None:
        problems += _roles_missing(made.roles, clients)
    if problems or made is None:
        raise ConfigError(where, problems)
    return Setup(config, made, {role: options for role, options in clients.items() if options}, judge or None)


def _part(problems: list[str], make: Callable[[], T]) -> T | None:
    """What is made, or None and what is wrong with it."""
    try:
        return make()
    except (ConfigError, UnknownName) as error:
        problems.append(str(error))
        return None


def _roles_missing(roles: Iterable[str], clients: dict[str, Any]) -> list[str]:
    without = [role for role in roles if role not in clients and EXECUTOR not in clients]
    strays = [role for role in clients if role not in (*roles, EXECUTOR)]
    return [f"models.{role} is missing" for role in without] + [
        f"models.{role}: the orchestrator asks no such role; it asks {', '.join(roles) or 'none'}"
        for role in strays
    ]
