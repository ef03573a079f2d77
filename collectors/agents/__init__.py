"""The orchestrators there are: how each is made, whom it asks, and what its settings are."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from eops_traj.collect.contract import Orchestrator
from eops_traj.collectors.agents.decomposing import Decomposing, DecomposingOptions
from eops_traj.collectors.agents.expert.agent import Expert, ExpertOptions
from eops_traj.collectors.agents.plan import PlanAlone, PlanOptions
from eops_traj.collectors.agents.plan_conditioned import Conditioned, ConditionedOptions
from eops_traj.collectors.agents.planner_react import PlannerReact, PlannerReactOptions
from eops_traj.collectors.agents.react import React, ReactOptions
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.llm.prompts import prompt_hash
from eops_traj.tasks import problems


class Kind(NamedTuple):
    """An orchestrator: its class, that of its options, the roles it asks, the options that name prompts."""

    orchestrator: Callable[[Any], Orchestrator]
    options: type[BaseModel]
    roles: tuple[str, ...]
    prompts: tuple[str, ...] = ()


ORCHESTRATORS = {
    "react": Kind(React, ReactOptions, ("executor",)),
    "planner_react": Kind(
        PlannerReact, PlannerReactOptions, ("planner", "executor"), ("shown.prompt", "follow")
    ),
    "decomposing": Kind(Decomposing, DecomposingOptions, ("planner", "executor"), ("prompt", "subtask")),
    "plan": Kind(PlanAlone, PlanOptions, ("planner",), ("shown.prompt",)),
    "conditioned": Kind(Conditioned, ConditionedOptions, ("executor",), ("prompt",)),
    "expert": Kind(Expert, ExpertOptions, ()),
}
"""By the name that configs and episodes give them."""


class Made(NamedTuple):
    """An orchestrator ready to work, the roles whose models it asks, and its part of the agent's settings."""

    orchestrator: Orchestrator
    roles: tuple[str, ...]
    settings: dict[str, Any]


def make(name: str, options: Mapping[str, Any] | None = None) -> Made:
    """The orchestrator of this name with these options.

    The settings are every option with its default filled in, and the hash of the prompts it renders. Raises
    UnknownName listing the orchestrators or prompts, ConfigError with every problem of the options.
    """
    if name not in ORCHESTRATORS:
        raise UnknownName("orchestrator", name, ORCHESTRATORS)
    kind = ORCHESTRATORS[name]
    try:
        given = kind.options.model_validate(dict(options or {}))
    except ValidationError as error:
        raise ConfigError(f"orchestrator {name}", problems(error)) from None
    chosen = given.model_dump(mode="json")
    hashed = {"prompt_hash": prompt_hash(_prompts(chosen, kind))} if kind.prompts else {}
    made = kind.orchestrator(given)
    return Made(made, kind.roles, getattr(made, "settings", chosen) | hashed)


def _prompts(chosen: Mapping[str, Any], kind: Kind) -> Iterator[str]:
    """The prompts that options name; a dot leads into an option that has options of its own."""
    for path in kind.prompts:
        found: Any = chosen
        for name in path.split("."):
            found = found[name]
        yield str(found)
