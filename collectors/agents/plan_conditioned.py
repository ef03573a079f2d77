"""Plan-conditioned execution: an existing plan, gold or another model's, is followed.

The executor is given a plan in the same words as by ``planner_react``, so that runs which differ in whose
plan it was differ in nothing else.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from eops_traj.collect.conversation import opening_messages
from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.react import SingleConversation, converse
from eops_traj.config import Settings
from eops_traj.errors import ConfigError, InputError
from eops_traj.hashing import digest
from eops_traj.llm.prompts import render


class PlanConditionedOptions(Settings):
    """The plans that are followed: the tasks' own, or those noted in the episodes of a run."""

    plans: str = Field("gold", description="gold, or a store whose episodes have plans in their details.")
    run: str | None = Field(None, description="The run of that store; all of them where not given.")
    prompt: str = Field("follow_plan", description="The prompt that tells of the plan.")


class PlanConditioned(SingleConversation):
    """An executor that follows a plan which was made before."""

    def __init__(self, options: PlanConditionedOptions) -> None:
        """Read the plans. Raises InputError for a store that is none or has no plans."""
        self._prompt = options.prompt
        self._plans = None if options.plans == "gold" else stored_plans(options.plans, options.run)

    @property
    def settings(self) -> dict[str, Any]:
        """The identity of the plans by content: a store's path says nothing of what is in it."""
        return {"plans": "gold" if self._plans is None else digest(self._plans), "prompt": self._prompt}

    async def work(self, context: AgentContext) -> None:
        """Follow the task's plan. Raises ConfigError where there is none for it."""
        plan = context.task.plan if self._plans is None else self._plans.get(context.task.task_hash)
        if plan is None:
            raise ConfigError(context.task.task_id, ["there is no plan for this task to follow"])
        await follow_plan(context, plan, self._prompt)


async def follow_plan(context: AgentContext, plan: str, prompt: str = "follow_plan") -> None:
    """Have the executor carry out the request with this plan before it."""
    context.annotate(plan=plan)
    request = render(prompt, request=context.task.user_prompt, plan=plan)
    await converse(context, opening_messages(context.task, request), nudge=request)


def stored_plans(store: str, run: str | None = None) -> Mapping[str, str]:
    """Return the plan noted for each task by the episodes of a store, or of one run in it; by task hash.

    Of several attempts at a task the first one's counts. Raises StoreError for what is no store, InputError
    where no episode has a plan.
    """
    import polars as pl

    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        rows = opened.scan().filter(pl.lit(True) if run is None else pl.col("run_id") == run)
        plan = pl.col("details").str.json_path_match("$.plan")
        columns = rows.select("task_hash", "attempt", plan=plan).drop_nulls("plan").collect()
    plans = dict(columns.sort("attempt", descending=True).select("task_hash", "plan").iter_rows())
    if not plans:
        raise InputError(f"no episode of {store}{f', run {run}' if run else ''} has a plan in its details")
    return plans


PLAN_CONDITIONED = OrchestratorKind(
    PlanConditioned,
    PlanConditionedOptions,
    roles=("executor",),
    prompts=("prompt",),
    given_plan=True,
    needs_gold=lambda settings: settings["plans"] == "gold",
)
