"""Planner and executor: one model writes the plan, another (or the same) follows it with the tools.

The executor starts afresh, with the request and the plan; it never sees the planner's prompt. The episode's
details note the plan, and under ``conversations`` the turns at which a conversation starts.
"""

from typing import NamedTuple

from pydantic import Field

from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.plan_conditioned import follow_plan
from eops_traj.collectors.agents.react import SingleConversation
from eops_traj.config import Settings
from eops_traj.metrics.cut_replies import CUT
from eops_traj.planner.prompt import PlannerView, planner_messages


class PlanOptions(Settings):
    """The options of the planner's prompt, and of its reply."""

    shown: PlannerView = Field(PlannerView(), description="What the planner is shown, and how it is asked.")
    constrained: bool = Field(
        False, description="Whether the planner's text is held to plans of the tools that it may use."
    )


class PlannerReactOptions(PlanOptions):
    """The options of the planner's prompt and the executor's."""

    follow: str = Field("follow_plan", description="The prompt that tells the executor of the plan.")


class PlannerReact(SingleConversation):
    """A planner that is asked once, and an executor that follows what it wrote."""

    def __init__(self, options: PlannerReactOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end. Whatever the planner writes is put before the executor as it is."""
        written = await ask_for_plan(context, self._options)
        context.annotate(conversations=[0, len(context.turns)])
        if written.cut:
            context.annotate(plan_cut=True)
        await follow_plan(context, written.text, self._options.follow)


class Written(NamedTuple):
    """What a planner wrote, and whether its limit ended that; one that tells no reason ended it itself."""

    text: str
    cut: bool


async def ask_for_plan(context: AgentContext, options: PlanOptions, beside: bool = False) -> Written:
    """Ask the planner for its text, and record it as a turn; it is shown the tools but cannot call them.

    What comes back has the request's values in it, however the planner was told to name them. One plan
    ``beside`` others is no turn more.
    """
    task, shown = context.task, options.shown
    about = task.system_prompt, task.user_prompt
    messages = planner_messages(*about, context.tools, shown)
    request = messages[-1]["content"]
    language = shown.language(*about, context.tools) if options.constrained else None
    reply = await context.ask(
        messages, role="planner", tools=False, nudge=request, language=language, beside=beside
    )
    return Written(shown.read_plan(reply.text.strip(), *about), reply.finish_reason in CUT)


PLANNER_REACT = OrchestratorKind(
    PlannerReact,
    PlannerReactOptions,
    roles=("planner", "executor"),
    prompts=("shown.prompt", "follow"),
    writes_plan=True,
)
