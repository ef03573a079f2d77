"""The slips that the fallible expert makes: what each does, and where in a plan it has a place.

A slip acts before the step of its place. It notes itself by `ExpertAttempt.slipped` once it really happened, with the
failure modes that it shows: a wrong call that the tool takes after all is no malformed one.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

from eops_traj.collectors.agents.expert import phrases as words
from eops_traj.collectors.agents.expert.bad_calls import idle_calls, wrong_calls
from eops_traj.collectors.agents.expert.executor import ExpertAttempt, Slip
from eops_traj.collectors.agents.expert.fabricated_values import identifiers, similar_values, whole_names
from eops_traj.collectors.agents.expert.fault_sites import (
    after_lookups,
    any_call,
    before_writing,
    feeding_lookups,
    finish,
    halfway,
    hasty_start,
    refusals,
    start,
    using_identifiers,
    with_arguments,
    writes,
)
from eops_traj.plan import Call, Plan
from eops_traj.schema import ToolCall
from eops_traj.tool_effects import is_write, succeeded

Places = Callable[[Plan], list[int]]


class SlipKind(NamedTuple):
    """A slip, and the numbers of the steps before which it may happen."""

    act: Slip
    places: Places


async def no_tool(work: ExpertAttempt, number: int) -> None:
    """Answers at once, without a call: asks, announces, or claims to be done."""
    if work.rng.random() < 0.5:
        work.break_off("no_tool", words.break_off(work.rng, ""))
    work.slipped("no_tool", *["no_tool_used"] * work.due)
    work.claim_done()


async def stop_early(work: ExpertAttempt, number: int) -> None:
    """Stops before the work is done."""
    work.break_off("stop_early", words.break_off(work.rng, work.step(number).reason))


async def over_refuse(work: ExpertAttempt, number: int) -> None:
    """Declines what could be done, on a ground that there is not."""
    if work.due:
        work.break_off("over_refuse", words.excuse(work.rng))


async def hasty(work: ExpertAttempt, number: int) -> None:
    """Writes before it has looked anything up."""
    (first,) = before_writing(work.plan)
    turn = len(work.context.turns)
    work.left_out.update(n for n, _ in work.plan.calls() if n < first)
    await work.make([first])
    if succeeded(work.context.turns[turn].tool_calls[0]):
        work.slipped("hasty", "write_without_lookup", turn=turn)


async def skip_lookup(work: ExpertAttempt, number: int) -> None:
    """Leaves out a look-up, and makes up what it would have told."""
    work.left_out.add(number)


async def skip_write(work: ExpertAttempt, number: int) -> None:
    """Leaves out a step that writes, and reports it as done."""
    work.left_out.add(number)
    work.slipped("skip_write")


async def namesake(work: ExpertAttempt, number: int) -> None:
    """Takes another record for the one that is meant: one seen before, or the first by half its name."""
    step = work.step(number)
    for name, ref in identifiers(step).items():
        if others := similar_values(ref, work.results):
            work.swap(number, {name: work.rng.choice(others)})
            return
    if not is_write(step.tool):
        work.swap(number, {name: value.split()[0] for name, value in whole_names(step).items()})


async def loop(work: ExpertAttempt, number: int) -> None:
    """Repeats a look-up that has told all it had to tell."""
    turns = work.context.turns
    last = turns[-1].tool_calls[-1] if turns and turns[-1].tool_calls else None
    if last is None or is_write(last.name) or last.raw is not None:
        return
    for _ in range(work.rng.randint(1, 3)):
        (answer,) = await work.call([Call(number, last.name, json.loads(last.arguments))])
        if answer.text == last.result:
            work.slipped("loop", "loop", turn=len(turns) - 1)


async def unknown_tool(work: ExpertAttempt, number: int) -> None:
    """Calls a tool that there is not."""
    work.slipped("unknown_tool", "unknown_tool")
    made_up = work.step(number).tool + work.rng.choice(("_v2", "_quick", "_now", "_by_words"))
    await work.call([Call(number, made_up, work.known_arguments(number))])


async def malformed(work: ExpertAttempt, number: int) -> None:
    """Gives a call arguments that do not parse, or that the tool cannot take; then mends it."""
    wrong = work.rng.choice(wrong_calls(work, number))
    await _refused(work, "malformed", wrong, "malformed_arguments")


async def stubborn(work: ExpertAttempt, number: int) -> None:
    """Gets the same call wrong more than once, in different ways."""
    first, *rest = wrong_calls(work, number)
    if rest and await _refused(work, "stubborn", first, "malformed_arguments"):
        await _refused(work, "stubborn", rest[0], "malformed_arguments", "repeated_errors")


async def _refused(work: ExpertAttempt, slip: str, call: ToolCall, *modes: str) -> bool:
    """Make a wrong call, and note the slip where the tool does refuse it."""
    refused = await work.call_wrongly(call)
    if refused:
        work.slipped(slip, *modes, turn=len(work.context.turns) - 1)
    return refused


async def wander(work: ExpertAttempt, number: int) -> None:
    """Looks up one thing after the other that nobody asked about."""
    made = sum(len(turn.tool_calls) for turn in work.context.turns)
    calls = idle_calls(work, max(8, made) + 2)
    for at in range(0, len(calls), 3):
        await work.call(calls[at : at + 3])
    if calls:
        work.slipped("wander", "excess_calls")


async def ignore_refusal(work: ExpertAttempt, number: int) -> None:
    """Goes on although a requirement does not hold."""
    work.slipped("ignore_refusal")
    if work.plan.refusal is not None:
        work.claim_done()
    work.ignoring = True


async def false_claim(work: ExpertAttempt, number: int) -> None:
    """Reports as done what it should have declined, with nothing changed."""
    work.slipped("false_claim")
    work.claim_done()


SLIPS = {
    "no_tool": SlipKind(no_tool, start),
    "hasty": SlipKind(hasty, hasty_start),
    "stop_early": SlipKind(stop_early, halfway),
    "over_refuse": SlipKind(over_refuse, before_writing),
    "skip_lookup": SlipKind(skip_lookup, feeding_lookups),
    "skip_write": SlipKind(skip_write, writes),
    "namesake": SlipKind(namesake, using_identifiers),
    "loop": SlipKind(loop, after_lookups),
    "unknown_tool": SlipKind(unknown_tool, any_call),
    "malformed": SlipKind(malformed, with_arguments),
    "stubborn": SlipKind(stubborn, with_arguments),
    "wander": SlipKind(wander, finish),
    "ignore_refusal": SlipKind(ignore_refusal, refusals),
    "false_claim": SlipKind(false_claim, refusals),
}
"""Every slip by its name, in the order in which those of one place happen."""
