"""The plan alone: the planner is asked once, and a machine runs what it wrote, with no executor model.

This measures a planner by itself, at the price of its own tokens. A text without a step is an answer like any
other, and the episode ends with it. Steps that are no plan are not, since their reasons read as refusals:
they answer nothing, and nor does a text that was cut. Each call of a plan is a turn, its ending's answer the
last one. The machine reports what was written, and what the request asks to be told: a plan cannot say it,
but only a plan that looks it up lets it be told.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.planner_react import PlanOptions, Written, ask_for_plan
from eops_traj.plan import Call, Ending, Plan, PlanError, has_step, iter_calls, parse, references, renumber
from eops_traj.planner.plan_check import parse_whole
from eops_traj.schema import ANSWER, Task, ToolCall, Turn, json_of
from eops_traj.taskgen.gold_answer import asked_of, gold_answer, renumbered
from eops_traj.taskgen.scene import AskedFact


class PlanAlone:
    """A planner whose plan is run as it stands."""

    def __init__(self, options: PlanOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end."""
        written = await ask_for_plan(context, self._options)
        context.annotate(plan=written.text)
        try:
            plan = parse_whole(*written)
        except PlanError as error:
            leave_unrun(context, written, str(error))
            return
        ending = await run_plan(context, plan)
        context.annotate(ending={"kind": ending.kind, "step": ending.step, "reason": ending.reason})
        context.record(Turn(text=ending.answer))


def leave_unrun(context: AgentContext, written: Written, error: str) -> None:
    """Note why a text is no plan. It is the answer, unless it has steps or was cut: then nothing is."""
    context.annotate(plan_error=error)
    if written.cut:
        context.annotate(plan_cut=True)
    if written.cut or has_step(written.text):
        context.annotate(**{ANSWER: ""})


class ToolAnswer(NamedTuple):
    """A tool's answer, as a running plan takes it."""

    text: str
    is_error: bool


async def run_plan(context: AgentContext, plan: Plan) -> Ending:
    """Run a plan in the attempt's sandbox, each call a recorded turn, and return its ending.

    The answer to a completed plan reports each write by the record that its result shows, and what is asked.
    """
    calls, made = iter_calls(plan), list[tuple[Call, ToolAnswer]]()
    try:
        call = next(calls)
        while True:
            step = plan.steps[call.number - 1]
            (answer,) = await call_tools(context, [call], step.reason)
            made.append((call, answer))
            call = calls.send(answer)
    except StopIteration as stop:
        ending: Ending = stop.value
    if ending.kind != "completed":
        return ending
    servers = [server.name for server in context.task.servers]
    return replace(ending, answer=gold_answer(plan, made, asked_facts(context.task, plan), servers))


def asked_facts(task: Task, plan: Plan) -> list[AskedFact]:
    """Return what a task's request asks to be told, as the results of this plan tell it.

    A task says it by the steps of its gold plan. Here the call that says the same stands for each, and of
    the others of a tool the first for the gold plan's first; where there are none, one that stands for
    another already. What would need a tool that the plan does not call is left out.
    """
    asked = asked_of(task.details)
    if not asked or task.plan is None:
        return []
    numbers = _counterparts(parse(task.plan), plan)
    told = [
        replace(fact, values=tuple(value for value in fact.values if _steps(value) <= numbers.keys()))
        for fact in asked
    ]
    return renumbered(told, numbers)


def _counterparts(gold: Plan, plan: Plan) -> dict[int, int]:
    """Return by the numbers of the gold plan's calls those of the plan's that stand for them."""
    sayings: dict[str, int] = {}
    theirs, ours = _sayings(gold, sayings), _sayings(plan, sayings)
    same = _in_turn(_grouped(theirs), _grouped(ours))
    left = _by_tool(gold, same.keys())
    return _in_turn(left, _by_tool(plan)) | _in_turn(left, _by_tool(plan, same.values())) | same


def _sayings(plan: Plan, known: dict[str, int]) -> dict[int, int]:
    """Return what each call says, as a number that is the same wherever the same is said.

    A reference says what the call says that it leads to, whatever the numbers of the lines are.
    """
    said: dict[int, int] = {}
    for number, step in plan.calls():
        call = renumber(replace(step, reason="", condition=None), said)
        said[number] = known.setdefault(str(call), len(known) + 1)
    return said


def _by_tool(plan: Plan, taken: Collection[int] = ()) -> dict[Hashable, list[int]]:
    """Return the numbers of the other calls by their tool."""
    return _grouped({number: step.tool for number, step in plan.calls() if number not in taken})


def _grouped(likeness: Mapping[int, Hashable]) -> dict[Hashable, list[int]]:
    """Return the numbers of steps by what makes them alike, in their order."""
    groups: dict[Hashable, list[int]] = {}
    for number, alike in likeness.items():
        groups.setdefault(alike, []).append(number)
    return groups


def _in_turn(gold: Mapping[Hashable, list[int]], ours: Mapping[Hashable, list[int]]) -> dict[int, int]:
    """Return our steps by the gold plan's: of those alike the first for the first, the last for the rest."""
    return {
        step: ours[alike][min(n, len(ours[alike]) - 1)]
        for alike, steps in gold.items()
        if alike in ours
        for n, step in enumerate(steps)
    }


def _steps(value: object) -> set[int]:
    """Return the numbers of the steps that a value refers to."""
    named = (ref.step for ref in references(value))
    return {n for step in named for n in (step if isinstance(step, tuple) else (step,))}


async def call_tools(context: AgentContext, calls: Sequence[Call], text: str = "") -> list[ToolAnswer]:
    """Make calls in one turn that no model wrote, and return their answers in order."""
    turn = len(context.turns)
    tool_calls = (
        ToolCall(id=f"call_{turn}_{n}", name=call.tool, arguments=json_of(call.arguments))
        for n, call in enumerate(calls)
    )
    return await run_turn(context, Turn(text=text, tool_calls=tuple(tool_calls)))


async def run_turn(context: AgentContext, turn: Turn) -> list[ToolAnswer]:
    """Record a turn that no model wrote, run its calls, and return their answers in order."""
    context.record(turn)
    await context.run_calls(turn)
    return [_answer(call) for call in context.turns[-1].tool_calls]


def _answer(call: ToolCall) -> ToolAnswer:
    return ToolAnswer(call.result or call.error or "", call.is_error or call.error is not None)


PLAN = OrchestratorKind(
    PlanAlone, PlanOptions, roles=("planner",), prompts=("shown.prompt",), writes_plan=True
)
