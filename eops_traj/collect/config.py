"""The config of a collection: YAML with overrides, every problem reported at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import Field, PositiveInt

from eops_traj import instances
from eops_traj.collect.episode_recorder import Limits
from eops_traj.collect.orchestrator import KIND, ConfiguredOrchestrator, configure
from eops_traj.collect.scheduler import Concurrency
from eops_traj.config import Settings, checked, find_config, overridden, read_settings
from eops_traj.errors import ConfigError, InputError, UnknownName
from eops_traj.hashing import canonical_json
from eops_traj.llm.retry import RetryPolicy
from eops_traj.privacy.redact import scrub
from eops_traj.protocol import ROBUST, SETTING, RunProtocol, protocol_named
from eops_traj.sandbox.options import EmbeddedOptions, SandboxOptions
from eops_traj.schema import Agent, Json
from eops_traj.tasks.catalog import root_of

if TYPE_CHECKING:
    from eops_traj.llm.options import ClientOptions

T = TypeVar("T")
EXECUTOR = "executor"
"""The role whose model plays every role that has none of its own."""


class TaskSelection(Settings):
    """The selection of tasks that are worked."""

    source: str = Field(description="A folder of tasks, or hub:ORG/NAME.")
    mode: str = "oracle"
    splits: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    limit: PositiveInt | None = None
    seed: int = Field(0, description="Another seed takes other tasks, where a limit leaves a choice.")
    seeds: str | None = Field(None, description="A folder or zip with the seed files, if not the tasks' own.")

    @property
    def root(self) -> Path | None:
        """The folder or zip that seed files are named from, if any. Raises InputError for one not there."""
        if self.seeds and not Path(self.seeds).exists():
            raise InputError(f"tasks.seeds: {self.seeds} does not exist; expected a folder or a zip")
        return Path(self.seeds) if self.seeds else root_of(self.source)


class CollectConfig(Settings):
    """The whole config of a collection."""

    tasks: TaskSelection
    orchestrator: Annotated[dict[str, Any], Field(description="Its name, and its options.")]
    models: dict[str, dict[str, Any]] = Field({}, description="A client for each role: kind, model ...")
    judge: dict[str, Any] | None = Field(None, description="The client of the model behind response_check.")
    protocol: Literal["robust", "benchmark"] = Field(
        "robust", description="Our own way to harvest, or the benchmark's conditions, its quirks included."
    )
    sandbox: SandboxOptions = EmbeddedOptions()
    attempts: PositiveInt = 1
    limits: Limits = Limits()
    pace: Concurrency = Concurrency()
    requests: RetryPolicy = RetryPolicy()
    requests_at_once: PositiveInt = Field(64, description="The most that one endpoint is ever given.")
    check: Literal["tools", "endpoint", "none"] = Field(
        "tools", description="What is asked of each model before the start: a tool call, a reply, nothing."
    )
    engine: Literal["asyncio", "ray"] = "asyncio"
    workers: PositiveInt = Field(2, description="With ray: the actors.")


@dataclass(frozen=True)
class Setup:
    """A config with the parts that it names: the orchestrator, the clients, and the agent they make up."""

    config: CollectConfig
    configured: ConfiguredOrchestrator
    clients: dict[str, "ClientOptions"]
    judge: "ClientOptions | None"

    @property
    def protocol(self) -> RunProtocol:
        """The switches of the protocol that the config names."""
        return protocol_named(self.config.protocol)

    @property
    def limits(self) -> Limits:
        """The limits of an attempt; the benchmark's orchestrators count their turns themselves."""
        return Limits(turns=None) if self.protocol.settled_sampling else self.config.limits

    @property
    def sandbox(self) -> SandboxOptions:
        """The sandbox; one elsewhere is asked once for each call where the protocol shows its failures."""
        sandbox = self.config.sandbox
        if self.protocol.server_failures_shown and "patient" in type(sandbox).model_fields:
            return sandbox.model_copy(update={"patient": False})
        return sandbox

    @property
    def roles(self) -> dict[str, "ClientOptions"]:
        """The client of every role that the orchestrator asks."""
        return {role: self.clients.get(role) or self.clients[EXECUTOR] for role in self.configured.kind.roles}

    @property
    def seeds(self) -> dict[str, int]:
        """The sampling seed of every role that has one."""
        seeds = {role: options.sampling.seed for role, options in self.roles.items()}
        return {role: seed for role, seed in seeds.items() if seed is not None}

    def is_checked(self, role: str) -> bool:
        """Check whether a role's model is asked something before the start; scripted replies are no model."""
        settings = self.config.judge if role == "judge" else self.config.models.get(role)
        kind = (settings or self.config.models.get(EXECUTOR) or {}).get("kind")
        return self.config.check != "none" and kind != "scripted"

    @property
    def agent(self) -> Agent:
        """The agent, identified by what shapes its behaviour, and not by where it runs or how fast."""
        roles, name = self.roles, str(self.config.orchestrator["name"])
        first = roles.get(EXECUTOR) or next(iter(roles.values()), None)
        settings: dict[str, Any] = {
            "orchestrator": self.configured.settings,
            "limits": vars(self.limits),
        }
        if self.protocol is not ROBUST:
            settings[SETTING] = self.protocol.name
        settings["models"] = {role: options.behaviour() for role, options in roles.items()}
        if sandbox := self.config.sandbox.behaviour():
            settings["sandbox"] = sandbox
        model = first.model if first else getattr(self.configured.orchestrator, "model", name)
        return Agent(model=model, orchestrator=name, settings=Json(canonical_json(settings)))


def load_setup(config: str | Path, overrides: Iterable[str] = ()) -> Setup:
    """Load the config at a path, or a committed one by its name, with overrides (``attempts=3``) put in.

    Raises ConfigError with every problem at once, InputError or UnknownName where there is no such config.
    """
    path = find_config("collect", config)
    settings = overridden(read_settings(path), overrides, str(path))
    return build_setup(checked(CollectConfig, settings, str(path)), str(path))


def build_setup(config: CollectConfig, where: str) -> Setup:
    """Build the parts that a config names. Raises ConfigError with every problem at once."""
    from eops_traj.llm.options import client_options, settled

    problems: list[str] = []
    options = dict(config.orchestrator)
    name = str(options.pop("name", None))
    configured = _part(problems, lambda: configure(name, options))
    clients = {
        role: _part(problems, lambda role=role, model=model: client_options(model, f"models.{role}"))  # type: ignore[misc]
        for role, model in config.models.items()
    }
    judge = config.judge and _part(problems, lambda: client_options(config.judge or {}, "judge"))
    if configured is not None:
        problems += _role_problems(configured.kind.roles, clients)
        problems += _protocol_problems(config, name, configured)
    if problems or configured is None:
        raise ConfigError(where, problems)
    opened = {role: client for role, client in clients.items() if client}
    protocol = protocol_named(config.protocol)
    if protocol.settled_sampling:
        opened = {role: settled(client) for role, client in opened.items()}
    judged_by = opened[EXECUTOR] if protocol.executor_judges and EXECUTOR in opened else judge or None
    return Setup(config, configured, opened, judged_by)


def _protocol_problems(config: CollectConfig, name: str, configured: ConfiguredOrchestrator) -> list[str]:
    """Return what the config asks for that its protocol leaves no choice in."""
    protocol, problems = protocol_named(config.protocol), []
    if protocol.name not in configured.kind.protocols:
        fit = [n for n in instances.choices(KIND) if protocol.name in instances.load(KIND, n).protocols]
        problems.append(
            f"orchestrator: {name} is none of the protocol {protocol.name}; choose {', '.join(fit)}"
        )
    if protocol.executor_judges and config.judge:
        problems.append("judge: the executor's model judges under this protocol; leave it out")
    if protocol.executor_judges and EXECUTOR not in config.models:
        problems.append("models.executor is missing, which judges under this protocol")
    if protocol.settled_sampling and config.limits != Limits():
        problems.append("limits: this protocol has its own, 50 turns (25 a subtask); leave them out")
    if protocol.settled_sampling and configured.settings.get("outcome_line"):
        problems.append("orchestrator.outcome_line: the benchmark asks for none")
    return problems


def _part(problems: list[str], make: Callable[[], T]) -> T | None:
    """Make a part, or return None and add what is wrong with it to the problems."""
    try:
        return make()
    except (ConfigError, UnknownName) as error:
        problems.append(scrub(str(error)))  # a key in the wrong place is not for the screen
        return None


def _role_problems(roles: Iterable[str], clients: dict[str, Any]) -> list[str]:
    without = [role for role in roles if role not in clients and EXECUTOR not in clients]
    strays = [role for role in clients if role not in (*roles, EXECUTOR)]
    return [f"models.{role} is missing" for role in without] + [
        f"models.{role}: the orchestrator asks no such role; it asks {', '.join(roles) or 'none'}"
        for role in strays
    ]
