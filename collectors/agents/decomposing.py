"""Decomposing: the request is split into subtasks, worked one after the other with a shared memory.

Each subtask is a conversation of its own, which knows the policy, the request, and the reports on the
subtasks before it; the last one answers the request. The episode's details note the subtasks, and under
``conversations`` the turns at which a conversation starts.
"""

import re

from pydantic import Field, model_validator

from eops_traj.collect.conversation import ConversationState, opening_messages
from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.react import converse
from eops_traj.config import Settings
from eops_traj.llm.prompts import render

_LINE = re.compile(r"\s*(?:[-*]\s*)?(?:\*\*)?(?P<number>\d{1,2})\s*[.):]\s*(?P<text>\S.*)")


class DecomposingOptions(Settings):
    """How many subtasks, and how they are asked for and given out."""

    least: int = Field(2, ge=2, description="The fewest subtasks that are asked for.")
    most: int = Field(5, ge=2, description="The most subtasks there are.")
    prompt: str = Field("decompose", description="The prompt that asks for the subtasks.")
    subtask: str = Field("subtask", description="The prompt that gives out one subtask.")

    @model_validator(mode="after")
    def _ordered(self) -> "DecomposingOptions":
        if self.least > self.most:
            raise ValueError(f"least is {self.least}, more than most, {self.most}")
        return self


class Decomposing:
    """A planner that splits the request, and an executor that works the parts."""

    def __init__(self, options: DecomposingOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end. Where the planner names no two subtasks, the request is worked whole."""
        options, request = self._options, context.task.user_prompt
        request_prompt = render(
            options.prompt, request=request, tools=context.tools, least=options.least, most=options.most
        )
        reply = await context.ask(
            opening_messages(context.task, request_prompt), role="planner", tools=False, nudge=request_prompt
        )
        parts = parse_subtasks(reply.text, options.most) or [request]
        await self._work_through(context, parts, [0], [])

    async def resume(self, context: AgentContext, state: ConversationState) -> None:
        """Work to the end from the middle of a subtask, whose turns the context has with those before it."""
        parts, starts = state.notes["subtasks"], list(state.notes["conversations"])
        memory = [context.turns[later - 1].text.strip() for later in starts[2:]]
        context.annotate(subtasks=parts, conversations=list(starts))
        report = await converse(context, state.messages, nudge=state.nudge)
        await self._work_through(context, parts, starts, [*memory, report.text.strip()])

    async def _work_through(
        self, context: AgentContext, parts: list[str], starts: list[int], memory: list[str]
    ) -> None:
        """Work the subtasks that no report in the memory is about yet."""
        request = context.task.user_prompt
        for number in range(len(memory) + 1, len(parts) + 1):
            starts.append(len(context.turns))
            context.annotate(subtasks=parts, conversations=list(starts))
            prompt = render(
                self._options.subtask, request=request, subtasks=parts, number=number, memory=memory
            )
            report = await converse(context, opening_messages(context.task, prompt), nudge=prompt)
            memory.append(report.text.strip())


def parse_subtasks(text: str, most: int) -> list[str]:
    """Return the numbered lines of a planner's text, continued lines joined; none where there are not two.

    Subtasks beyond ``most`` are put into the last, so that no part of the request is lost.
    """
    parts: list[str] = []
    for line in text.strip().splitlines():
        if (match := _LINE.fullmatch(line)) and int(match["number"]) == len(parts) + 1:
            parts.append(match["text"].strip(" *"))
        elif parts and line.strip():
            parts[-1] += f" {line.strip()}"
    if len(parts) < 2:
        return []
    last = " Then: ".join(parts[most - 1 :])
    return [*parts[: most - 1], last] if len(parts) > most else parts


DECOMPOSING = OrchestratorKind(
    Decomposing, DecomposingOptions, roles=("planner", "executor"), prompts=("prompt", "subtask")
)
