"""The plan alone: the planner is asked once, and a machine runs what it wrote, with no executor model.

This measures a planner by itself, at the price of its own tokens. A text that is no plan is an answer like
any other, and the episode ends with it; each call of a plan is a turn, its ending's answer the last one.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.collect.contract import Desk
from eops_traj.collectors.agents.planner_react import ask_for_plan
from eops_traj.plan import Call, Ending, Plan, PlanError, parse, play
from eops_traj.planner.prompt import Shown
from eops_traj.schema import ToolCall, Turn
from eops_traj.verify.verifiers import json_of


class PlanOptions(BaseModel):
    """How the planner is asked."""

    model_config = ConfigDict(extra="forbid")
    shown: Shown = Field(Shown(), description="What the planner is shown, and how it is asked.")


class PlanAlone:
    """A planner whose plan is run as it stands."""

    def __init__(self, options: PlanOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, desk: Desk) -> None:
        """Work the task to its end."""
        text = await ask_for_plan(desk, self._options.shown)
        desk.note(plan=text)
        try:
            plan = parse(text)
        except PlanError as error:
            desk.note(plan_error=str(error))
            return
        ending = await perform(desk, plan)
        desk.note(ending={"kind": ending.kind, "step": ending.step, "reason": ending.reason})
        desk.say(Turn(text=ending.answer))


class Answer(NamedTuple):
    """What a tool answered, as a running plan wants it."""

    text: str
    is_error: bool


async def perform(desk: Desk, plan: Plan) -> Ending:
    """Run a plan in the desk's sandbox, each call a recorded turn, and say how it ended."""
    playing = play(plan)
    try:
        call = next(playing)
        while True:
            step = plan.steps[call.number - 1]
            (answer,) = await call_tools(desk, [call], step.reason)
            call = playing.send(answer)
    except StopIteration as stop:
        ending: Ending = stop.value
        return ending


async def call_tools(desk: Desk, calls: Sequence[Call], text: str = "") -> list[Answer]:
    """Make calls in one turn that no model wrote, and give their answers in order."""
    turn = len(desk.turns)
    asked = (
        ToolCall(id=f"call_{turn}_{n}", name=call.tool, arguments=json_of(call.arguments))
        for n, call in enumerate(calls)
    )
    return await make_turn(desk, Turn(text=text, tool_calls=tuple(asked)))


async def make_turn(desk: Desk, turn: Turn) -> list[Answer]:
    """Record a turn that no model wrote, run its calls, and give their answers in order."""
    desk.say(turn)
    await desk.act(turn)
    return [_answer(call) for call in desk.turns[-1].tool_calls]


def _answer(call: ToolCall) -> Answer:
    return Answer(call.result or call.error or "", call.is_error or call.error is not None)
