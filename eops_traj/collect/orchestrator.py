"""The contract of an orchestrator: how an agent decides what is asked next, and what is known of its kind.

An orchestrator is given an `AgentContext`, which knows the task, asks the models and runs the calls, and
keeps to the limits. The engine makes the context, verifies the outcome and stores the episode; no
orchestrator knows of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from eops_traj import instances
from eops_traj.config import checked
from eops_traj.errors import EopsError
from eops_traj.llm.base import Language
from eops_traj.llm.prompts import prompt_hash
from eops_traj.messages import Message
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.sandbox.session import Session
from eops_traj.schema import Task, Turn

T = TypeVar("T")
KIND = "orchestrator"
"""The kind of instance that orchestrators are (`eops_traj.instances`)."""


class LimitReached(EopsError):
    """A limit of the episode; ``reason`` is its stop reason: max_turns, max_tokens, max_cost or timeout."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnknownToolCalled(EopsError):
    """A call of a tool that no server lists, where the protocol makes that the end of the run."""


class ProgramFailed(EopsError):
    """A program that was to work the task and did not, through no fault of the model in it."""


class AgentContext(Protocol):
    """One attempt at one task, as its orchestrator sees it. Its actions are recorded, turn by turn."""

    @property
    def protocol(self) -> RunProtocol:
        """The switches of the protocol under which it works."""
        ...

    @property
    def task(self) -> Task:
        """The task: policy, request, and the gold plan where the orchestrator is to have it."""
        ...

    @property
    def attempt(self) -> int:
        """The attempt's number, from 1."""
        ...

    @property
    def tools(self) -> Sequence[dict[str, Any]]:
        """The tools shown, in the function format of the OpenAI API."""
        ...

    @property
    def listing(self) -> Sequence[Mapping[str, Any]]:
        """The tools shown, as their servers list them."""
        ...

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns recorded so far, the results of the calls included."""
        ...

    async def ask(
        self,
        messages: Sequence[Message],
        *,
        role: str = "executor",
        tools: bool = True,
        nudge: str | None = None,
        tries: int | None = None,
        language: Language | None = None,
        beside: bool = False,
    ) -> Turn:
        """Ask the model that plays a role (``executor``, ``planner``) for a reply, and record it as a turn.

        ``nudge`` is the user message before this reply, where the orchestrator put one in; ``tries`` is how
        often it is asked for, where that differs from other requests; ``language`` is what the reply has to
        be of. A reply ``beside`` another is one more choice of the same turn: no limit counts it as a turn of
        its own. Raises LimitReached, EndpointError.
        """
        ...

    def record(self, turn: Turn) -> None:
        """Record a turn that no model wrote: a step of a plan that a machine runs, an expert's answer.

        Raises LimitReached.
        """
        ...

    def answer(self, text: str) -> None:
        """Record the final answer of an agent from outside: it has ended by itself, so that no limit ends it.

        Its limits count its calls.
        """
        ...

    async def run_calls(self, turn: Turn, *, strays: bool = False) -> list[Message]:
        """Run the turn's calls in order in the sandbox, record their results, and return the tool messages.

        ``strays`` sends a tool that no server lists to the first of them. Raises SandboxError where the
        sandbox failed, LimitReached past the time limit, UnknownToolCalled where the protocol says so.
        """
        ...

    async def on_fork(self, work: Callable[[Session], T]) -> T:
        """Return what work on a copy of the sandbox as it is comes to; nothing of it is recorded or kept.

        Every tool can be called there, shown or not. Raises SandboxError where the sandbox failed or cannot
        be copied, LimitReached past the time limit.
        """
        ...

    def retell(self, turns: Sequence[Turn]) -> None:
        """Put turns in the place of those recorded: the same calls, as another record of them has them."""
        ...

    def annotate(self, **facts: Any) -> None:
        """Keep facts about the attempt in the episode's details: a plan, the subtasks."""
        ...


@runtime_checkable
class Checkable(Protocol):
    """An orchestrator that needs something of this machine."""

    def check(self) -> str:
        """Check that it is there, and say what it is. Raises InputError."""
        ...


class Orchestrator(Protocol):
    """An agent's way of working: it is done when `work` returns; the last turn's text is the final answer."""

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end."""
        ...


@dataclass(frozen=True)
class OrchestratorKind:
    """An orchestrator as it is registered: its maker, and the facts that the rest of the library needs."""

    make: Callable[[Any], Orchestrator]
    """Makes it from its options."""
    options: type[BaseModel]
    roles: tuple[str, ...] = ()
    """The roles whose models it asks; none where it asks no model."""
    prompts: tuple[str, ...] = ()
    """The options that name prompt templates; a dot leads into an option that has options of its own."""
    writes_plan: bool = False
    """Whether its planner writes the plan that its episodes note."""
    given_plan: bool = False
    """Whether it follows a plan that was made before, which its episodes note."""
    needs_gold: Callable[[Mapping[str, Any]], bool] = lambda settings: False
    """Whether, with these settings, every task must have a gold plan."""
    protocols: tuple[str, ...] = (ROBUST.name,)
    """The protocols under which it can work."""


def kind_of(name: str) -> OrchestratorKind | None:
    """Return the facts about an orchestrator; None for one of another program."""
    if name not in instances.choices(KIND):
        return None
    kind: OrchestratorKind = instances.load(KIND, name)
    return kind


class ConfiguredOrchestrator(NamedTuple):
    """An orchestrator ready to work, its kind, and its part of the agent's settings."""

    orchestrator: Orchestrator
    kind: OrchestratorKind
    settings: dict[str, Any]


def configure(name: str, options: Mapping[str, Any] | None = None) -> ConfiguredOrchestrator:
    """Make the orchestrator of this name with these options.

    The settings are every option with its default filled in, and the hash of the prompts it renders. Raises
    UnknownName listing the orchestrators or prompts, ConfigError with every problem of the options.
    """
    kind: OrchestratorKind = instances.load(KIND, name)
    checked_options = checked(kind.options, dict(options or {}), f"orchestrator {name}")
    settings = checked_options.model_dump(mode="json")
    hashes = {"prompt_hash": prompt_hash(_prompts(settings, kind))} if kind.prompts else {}
    orchestrator = kind.make(checked_options)
    return ConfiguredOrchestrator(orchestrator, kind, getattr(orchestrator, "settings", settings) | hashes)


def _prompts(settings: Mapping[str, Any], kind: OrchestratorKind) -> Iterator[str]:
    """Yield the names of the prompts that these settings choose."""
    for path in kind.prompts:
        option: Any = settings
        for name in path.split("."):
            option = option[name]
        yield str(option)
