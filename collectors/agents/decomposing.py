"""Decomposing: the request is split into subtasks, worked one after the other with a shared memory.

Each subtask is a conversation of its own, which knows the policy, the request, and the reports on the
subtasks before it; the last one answers the request. The episode's details note the subtasks, and under
``conversations`` the turns at which a conversation starts.
"""

import re

from pydantic import BaseModel, ConfigDict, Field, model_validator

from eops_traj.collect.contract import Desk
from eops_traj.collectors.agents.react import UnderWay, converse, opening
from eops_traj.llm.prompts import render

_LINE = re.compile(r"\s*(?:[-*]\s*)?(?:\*\*)?(?P<number>\d{1,2})\s*[.):]\s*(?P<text>\S.*)")


class DecomposingOptions(BaseModel):
    """How many subtasks, and how they are asked for and given out."""

    model_config = ConfigDict(extra="forbid")
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

    async def work(self, desk: Desk) -> None:
        """Work the task to its end. Where the planner names no two subtasks, the request is worked whole."""
        options, request = self._options, desk.task.user_prompt
        asked = render(
            options.prompt, request=request, tools=desk.tools, least=options.least, most=options.most
        )
        planned = await desk.ask(opening(desk.task, asked), role="planner", tools=False, nudge=asked)
        parts = subtasks(planned.text, options.most) or [request]
        await self._work_through(desk, parts, [0], [])

    async def go_on(self, desk: Desk, under_way: UnderWay) -> None:
        """Work to the end from the middle of a subtask, whose turns the desk has with those before it."""
        parts, starts = under_way.notes["subtasks"], list(under_way.notes["conversations"])
        memory = [desk.turns[later - 1].text.strip() for later in starts[2:]]
        desk.note(subtasks=parts, conversations=list(starts))
        report = await converse(desk, under_way.messages, nudge=under_way.nudge)
        await self._work_through(desk, parts, starts, [*memory, report.text.strip()])

    async def _work_through(self, desk: Desk, parts: list[str], starts: list[int], memory: list[str]) -> None:
        """Work the subtasks that no report in the memory is about yet."""
        request = desk.task.user_prompt
        for number in range(len(memory) + 1, len(parts) + 1):
            starts.append(len(desk.turns))
            desk.note(subtasks=parts, conversations=list(starts))
            told = render(
                self._options.subtask, request=request, subtasks=parts, number=number, memory=memory
            )
            report = await converse(desk, opening(desk.task, told), nudge=told)
            memory.append(report.text.strip())


def subtasks(text: str, most: int) -> list[str]:
    """The numbered lines of a planner's text, lines that go on with one included; none where there is no two.

    What is more than ``most`` is put into the last, so that no part of the request is lost.
    """
    parts: list[str] = []
    for line in text.strip().splitlines():
        if (found := _LINE.fullmatch(line)) and int(found["number"]) == len(parts) + 1:
            parts.append(found["text"].strip(" *"))
        elif parts and line.strip():
            parts[-1] += f" {line.strip()}"
    if len(parts) < 2:
        return []
    last = " Then: ".join(parts[most - 1 :])
    return [*parts[: most - 1], last] if len(parts) > most else parts
