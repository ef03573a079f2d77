"""The fallible expert: it follows a task's gold plan as a model would, and slips at chosen rates.

An endless source of labelled good and bad episodes with no model at all. With every rate at 0 it passes every
task. What it does depends on the task, the attempt and the seed, and on nothing else. The slips that really
happened are noted in the episode's details under ``slips``, each with its turn and with the failure modes of
`eops_traj.verify.failure_modes` that it has to show: labels for the labels.
"""

from collections import defaultdict
from collections.abc import Mapping
from random import Random

from pydantic import Field, field_validator

from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.expert.executor import ExpertAttempt, Slip
from eops_traj.collectors.agents.expert.slips import SLIPS
from eops_traj.config import Settings
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.hashing import digest
from eops_traj.plan import Plan, parse


class ExpertOptions(Settings):
    """The rates of the expert's slips, and its way of working where it does not slip."""

    rate: float = Field(0.05, ge=0, le=1, description="How likely each slip is, where it has a place.")
    rates: dict[str, float] = Field(default_factory=dict, description="The same for single slips, by name.")
    together: float = Field(0.5, ge=0, le=1, description="How often look-ups that can go out together do.")
    seed: int = Field(0, description="Another seed makes another expert.")

    @field_validator("rates")
    @classmethod
    def _known(cls, rates: dict[str, float]) -> dict[str, float]:
        for name, rate in rates.items():
            if name not in SLIPS:
                raise ValueError(str(UnknownName("slip", name, SLIPS)))
            if not 0 <= rate <= 1:
                raise ValueError(f"{name}: {rate} is not between 0 and 1")
        return rates


class Expert:
    """An orchestrator that asks no model: it knows the plan."""

    def __init__(self, options: ExpertOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end. Raises ConfigError for a task without a gold plan."""
        if context.task.plan is None:
            raise ConfigError(context.task.task_id, ["the expert needs a gold plan, and the task has none"])
        context.annotate(plan=context.task.plan)
        plan = parse(context.task.plan)
        rng = Random(digest(context.task.task_hash, context.attempt, self._options.seed))
        rates = dict.fromkeys(SLIPS, self._options.rate) | self._options.rates
        attempt = ExpertAttempt(context, plan, rng, draw_slips(plan, rates, rng), self._options.together)
        try:
            await attempt.carry_out()
        finally:
            context.annotate(slips=attempt.happened)


def draw_slips(plan: Plan, rates: Mapping[str, float], rng: Random) -> dict[int, list[Slip]]:
    """Draw the slips of an attempt, by the number of the step at which each happens."""
    slips: dict[int, list[Slip]] = defaultdict(list)
    for name, slip in SLIPS.items():
        chosen, places = rng.random() < rates[name], slip.places(plan)
        if chosen and places:
            slips[rng.choice(places)].append(slip.act)
    return slips


EXPERT = OrchestratorKind(Expert, ExpertOptions, given_plan=True, needs_gold=lambda settings: True)
