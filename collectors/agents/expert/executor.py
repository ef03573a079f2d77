"""The fallible expert at work: one attempt at a plan, step by step, with the slips that were drawn for it."""

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from random import Random
from typing import Any

from eops_traj.collect.orchestrator import AgentContext
from eops_traj.collectors.agents.expert import phrases as words
from eops_traj.collectors.agents.expert.fabricated_values import fabricate, fill_references, is_identifier
from eops_traj.collectors.agents.expert.slip_places import REFUSAL, can_batch
from eops_traj.collectors.agents.expert.speech import Speech
from eops_traj.collectors.agents.plan import ToolAnswer, call_tools, run_turn
from eops_traj.plan import (
    Call,
    Plan,
    Progress,
    Ref,
    Require,
    Step,
    Unresolved,
    decode,
    evaluate,
    expand,
    references,
    resolve,
    resolve_ref,
)
from eops_traj.plan.interpreter import is_checked_next
from eops_traj.schema import ToolCall, Turn
from eops_traj.tool_effects import is_write, says_error

_MOST_TOGETHER = 4


class AttemptOver(Exception):
    """The attempt is over: the final answer is given."""


class ExpertAttempt:
    """One attempt: the plan, the results of its steps so far, and the slips that happened.

    ``left_out`` are steps not to be made, ``swapped`` arguments that a step gets wrong, ``ignoring`` whether
    requirements are passed over. Slips set them, or speak and call by themselves.
    """

    def __init__(
        self,
        context: AgentContext,
        plan: Plan,
        rng: Random,
        slips: Mapping[int, Sequence["Slip"]],
        together: float,
    ) -> None:
        """Take the ``slips`` to be made, by the number of the step before which each happens."""
        self.context, self.plan, self.rng = context, plan, rng
        self.results: dict[int, Any] = {}
        self.failed: dict[int, str] = {}
        self.speech = Speech(rng, context.task, plan, self.results, self.failed)
        self.left_out: set[int] = set()
        self.swapped: dict[int, dict[str, Any]] = {}
        self.ignoring = self.wrote = False
        self.happened: list[dict[str, Any]] = []
        self._slips, self._together = dict(slips), together
        self._fabricated_values: dict[str, Any] = {}  # by reference as written: a list in one has no hash
        self._refused: Counter[str] = Counter()

    @property
    def due(self) -> bool:
        """Whether the task is one to be done, as far as is known."""
        return self.context.task.feasible is not False

    async def carry_out(self) -> None:
        """Follow the plan to its end."""
        try:
            if self.plan.refusal is not None:
                await self._turn_down(self.plan.refusal)
            number = 1
            while number <= len(self.plan.steps):
                number += await self._advance(number)
            await self._slip(number)
            self.claim_done()
        except AttemptOver:
            pass

    def slipped(self, slip: str, *modes: str, turn: int | None = None) -> None:
        """Note a slip at a turn, or at the coming one, with the failure modes that it has to show."""
        at = len(self.context.turns) if turn is None else turn
        self.happened.append({"slip": slip, "turn": at, "modes": list(modes)})

    def swap(self, number: int, arguments: dict[str, Any]) -> None:
        """Let a step have these arguments instead of the right ones; none are no slip."""
        if arguments:
            self.swapped[number] = arguments
            self.slipped("namesake")

    def end(self, text: str) -> None:
        """Give the final answer."""
        self.context.record(Turn(text=text, finish_reason="stop"))
        raise AttemptOver

    def claim_done(self) -> None:
        """End by reporting everything done, true or not."""
        self.end(self.speech.done())

    def break_off(self, slip: str, text: str) -> None:
        """End without having done what was asked, and without claiming it."""
        idle = self.due and not self.wrote
        called = any(turn.tool_calls for turn in self.context.turns)
        self.slipped(slip, *["premature_end"] * idle, *["no_tool_used"] * (self.due and not called))
        self.end(text)

    async def call(self, calls: Sequence[Call], text: str = "") -> list[ToolAnswer]:
        """Make calls in one turn."""
        return self._counted(calls, await call_tools(self.context, calls, text))

    async def call_wrongly(self, call: ToolCall) -> bool:
        """Make a call that is wrong as it stands, and return whether it was refused."""
        (answer,) = await run_turn(self.context, Turn(text="", tool_calls=(call,)))
        self._counted([Call(0, call.name, {})], [answer])
        return _refused(answer)

    async def make(self, numbers: Sequence[int]) -> None:
        """Make these steps' calls in one turn, and fix those refused because of a slip."""
        calls = [Call(n, self.step(n).tool, self._arguments(n)) for n in numbers]
        answers = await self.call(calls, self.speech.before(numbers))
        for call, answer, made in zip(calls, answers, self.context.turns[-1].tool_calls, strict=True):
            self._take(call, answer, made)
        for number in numbers:
            if number in self.failed and not is_checked_next(self.plan, number):
                await self._fix(number)

    def step(self, number: int) -> Step:
        """Return the call of this number."""
        step = self.plan.steps[number - 1]
        assert isinstance(step, Step)
        return step

    def _arguments(self, number: int) -> dict[str, Any]:
        """Return a step's arguments with values filled in; values in no result are fabricated, and noted."""
        step, swapped = self.step(number), self.swapped.get(number, {})
        filled = {n: self._filled(step.tool, n, v) for n, v in step.arguments.items() if n not in swapped}
        return {name: swapped.get(name, filled.get(name)) for name in step.arguments}

    def _filled(self, tool: str, name: str, value: Any) -> Any:
        def of(ref: Ref) -> Any:
            try:
                return resolve_ref(ref, self.results)
            except Unresolved as error:
                return self._fabricated(tool, name, ref, str(error))

        try:
            return resolve(value, self.results)
        except Unresolved:
            return fill_references(value, of)

    def _fabricated(self, tool: str, name: str, ref: Ref, error: str) -> Any:
        """Return a value that no one has shown, where a slip is why it is missing; else give up."""
        if not (self.ignoring or self.left_out.intersection(ref.steps)):
            self._give_up(error)
        if str(ref) not in self._fabricated_values:
            value = fabricate(self.rng, self.context, self.results, tool, name, ref)
            self._fabricated_values[str(ref)] = value
        slip = "skip_lookup" if self.left_out.intersection(ref.steps) else "ignore_refusal"
        self.slipped(slip, *["unseen_identifier"] * is_identifier(name))
        return self._fabricated_values[str(ref)]

    def known_arguments(self, number: int) -> dict[str, Any]:
        """Return a step's arguments as far as they are known by now."""
        known = {}
        for name, value in self.step(number).arguments.items():
            with contextlib.suppress(Unresolved):
                known[name] = resolve(value, self.results)
        return known

    def _counted(self, calls: Sequence[Call], answers: list[ToolAnswer]) -> list[ToolAnswer]:
        """Return the answers, and note where slips have led to refusals of one kind or many."""
        for call, answer in zip(calls, answers, strict=True):
            self._refused[call.tool] += _refused(answer)
            if _refused(answer) and (self._refused[call.tool] > 1 or self._refused.total() > 2):
                self.slipped("stumble", "repeated_errors", turn=len(self.context.turns) - 1)
        return answers

    def _take(self, call: Call, answer: ToolAnswer, made: ToolCall) -> None:
        if _refused(answer):
            self.failed[call.number] = answer.text
            self.results[call.number] = decode(answer.text)  # the lines after it may ask why
            return
        self.failed.pop(call.number, None)
        self.results[call.number] = decode(answer.text)
        self.wrote = self.wrote or is_write(call.tool)
        self.speech.note(call, answer.text, made)

    async def _fix(self, number: int) -> None:
        """Do a refused step again, rightly: look up fabricated values, undo swapped ones."""
        missing = sorted({ref.steps[0] for ref in references(self.step(number))} & self.left_out)
        if not missing and not self.swapped.pop(number, None):
            self._give_up(self.failed[number])
        for earlier in missing:
            self.left_out.discard(earlier)
            await self.make([earlier])
        await self.make([number])

    def _give_up(self, complaint: str) -> None:
        self.break_off("give_up", words.give_up(self.rng, complaint))

    async def _advance(self, number: int) -> int:
        """Do the step of this number, and those that go out with it; return how many that were."""
        await self._slip(number)
        step = self.plan.steps[number - 1]
        if number in self.left_out or number in self.results:
            return 1
        if isinstance(step, Require):
            await self._check(step)
            return 1
        if not step.plain:
            self._expand(number)
            return 0
        batch = self._batch(number)
        await self.make(batch)
        return len(batch)

    def _expand(self, number: int) -> None:
        """Take a loop or a condition apart, now that its rows are known; later steps move."""
        try:
            plan, moved = expand(self.plan, number, Progress(self.results, self.failed))
        except Unresolved as error:
            self._give_up(str(error))
        by = len(plan.steps) - len(self.plan.steps)
        self.plan, places = plan, {n: n + by * (n > number) for n in range(len(self.plan.steps) + 2)}
        self._slips = {places[n]: slips for n, slips in self._slips.items()}
        self.left_out = {places[n] for n in self.left_out}
        for noted in (self.swapped, self.results, self.failed):
            _move(noted, places)
        self.speech.follow(plan, moved, places)

    async def _slip(self, place: int) -> None:
        for slip in self._slips.pop(place, ()):
            await slip(self, place)

    async def _check(self, step: Require) -> None:
        """Go on where the condition holds, or where what it asks about was never looked at."""
        unseen = any(ref.steps[0] in self.left_out for ref in references(step))
        if not unseen and not evaluate(step.condition, self.results, self.failed):
            await self._turn_down(step.reason or f"{step.condition} does not hold", step)

    async def _turn_down(self, reason: str, step: Require | None = None) -> None:
        """Decline, unless a slip is drawn for this place; where something is written already, give up.

        A feasible task gives no reason to decline, but to one whom an earlier slip has misled.
        """
        await self._slip(REFUSAL)
        if self.ignoring:
            return
        if self.wrote:
            self._give_up(reason)
        answer = self.speech.decline(reason, step)
        if self.context.task.feasible:
            self.break_off("misled", answer)
        self.end(answer)

    def _batch(self, number: int) -> list[int]:
        """Return the step, and the look-ups after it that need none of each other's results."""
        batch = [number]
        if self.rng.random() >= self._together:
            return batch
        while len(batch) < _MOST_TOGETHER and can_batch(self.plan, after := batch[-1] + 1, batch):
            if after in self._slips or after in self.left_out or after in self.results:
                break
            batch.append(after)
        return batch


def _move(noted: dict[int, Any], places: Mapping[int, int]) -> None:
    """Give what is noted by step the steps' new numbers, in place."""
    moved = {places[n]: value for n, value in noted.items()}
    noted.clear()
    noted.update(moved)


def _refused(answer: ToolAnswer) -> bool:
    return answer.is_error or says_error(answer.text)


Slip = Callable[[ExpertAttempt, int], Awaitable[None]]
"""The action of a slip, given the step before which it happens."""
