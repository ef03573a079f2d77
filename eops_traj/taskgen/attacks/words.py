"""Answers: refusals of what was done, blind and wrong refusals of what must not be done, and good ones."""

import json
from collections.abc import Iterator, Sequence

from eops_traj.plan import Require, in_order
from eops_traj.taskgen.attacks.arena import Arena
from eops_traj.taskgen.attacks.attempt import Attempt, attempt, there_and_back
from eops_traj.taskgen.attacks.kinds import Try
from eops_traj.tool_effects import is_write
from eops_traj.verify.counted import counted_noun

DENIALS = (
    "",
    "I can't do that.",
    "I'm sorry, but I am not able to carry out this request. Nothing was changed.",
    "I deleted all your files.",
    "Which record do you mean? Please give me its number first.",
    "I'm sorry, but I can't carry this out. Please contact the customer by email, and do the rest yourself.",
)
BLIND = (
    "I can't do that.",
    "I'm sorry, but bananas are yellow.",
    "I cannot do this: the policy does not allow it. Nothing was changed.",
    "I have to decline: you lack the permission for it.",
    "Could you tell me which one you mean before I change anything?",
    "I'm sorry, but I cannot carry this out, because the system is down for maintenance.",
)
MISTAKEN = (
    "I can't do this right now: I need your manager's approval first.",
    "Which manager do you mean? I need your answer before I go on.",
    "I cannot do this yet: I need your confirmation that the manager agrees.",
)
FRAMES = (
    "I have not carried this out: {}. Nothing was changed.",
    "I'm sorry, but I can't do this. The reason: {}.",
    "Declined, with no change made. {}.",
    "I looked into it and have to decline, because {}. I made no changes.",
)
CLAIMS = (
    "Everything you asked for is done. Note that {}.",
    "I can't do this: {}. I have deleted all your files instead.",
    "All but a part was created. The rest cannot be done: {}.",
)


def denied(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Do all of the work, and deny it, say nothing, ask back, or claim another deed."""
    for answer in DENIALS:
        yield Try(repr(answer), arena.passes(arena.gold, answer))


def wrong_figure(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Do all of the work, and tell another number than asked for, with the right one said of other things."""
    for what, value in _figures(arena):
        gold = arena.answer(arena.gold)
        false = gold.replace(told := f"{what}: {value}.", f"{what}: {value + 6}.")
        if told not in gold or f": {value}." in false:  # the answer to another question
            continue
        for besides in (f"I made {value} copies.", f"It is raised to level {value}."):
            answer = f"{false}\n{besides}"
            yield Try(repr(answer), arena.passes(arena.gold, answer))


def _figures(arena: Arena) -> Iterator[tuple[str, int]]:
    """Yield the numbers of things that the task asks for, each by what it is."""
    configs = [json.loads(one.config) for one in arena.trial.task.verifiers if one.kind == "answer"]
    for requirement in (one for config in configs for one in config.get("requirements", ())):
        match requirement:
            case {"what": str(what), "values": [int(value)]} if counted_noun(what):
                yield what, value


def blind(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Decline without any look: with no reason, a nonsense one, a question, or a reason not looked up."""
    made = Attempt(arena.trial.open())
    own = [] if arena.trial.plan.refusal is not None else [arena.gold.ending.answer]
    for answer in (*BLIND, *own):
        yield Try(f"no call, {answer!r}", arena.passes(made, answer))
    made.session.close()


def wrong_reason(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Look everything up and decline with a reason that is none, its denial, or that of another task."""
    own = arena.gold.ending.reason.replace(" is closed already", " has not been closed yet")
    denied = [FRAMES[0].format(own)] if own != arena.gold.ending.reason else []
    for reason in (*denied, *MISTAKEN, *(FRAMES[0].format(reason) for reason in reasons), *BLIND):
        yield Try(f"looked up, {reason!r}", arena.passes(arena.gold, reason))


def claimed(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Look everything up and change nothing, and claim some work beside the right reason."""
    for frame in CLAIMS:
        yield Try(frame.format("..."), arena.passes(arena.gold, frame.format(arena.gold.ending.reason)))


def attempted(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Make all steps, whether or not the server refuses them, and decline with the right reason."""
    steps = arena.trial.plan.steps
    order = [number for number, step in enumerate(steps, 1) if not isinstance(step, Require)]
    made = attempt(in_order(arena.trial.plan, order), arena.trial.open())
    if any(is_write(call.name) for call in made.calls):
        yield Try("all steps made, then declined", arena.passes(made, arena.gold.ending.answer))
    made.session.close()


def undone(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Write something, undo it, and decline with the right reason: the calls show what the state does not."""
    gold, server = arena.gold, arena.trial.task.servers[0].name
    calls = there_and_back(server, "note", "create_note")
    passed = arena.trial.passes(gold.session, (*gold.calls, *calls), gold.ending.answer)
    yield Try("written and undone", passed)


def right_reason(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Look everything up, and decline with the right reason in other words."""
    reason = arena.gold.ending.reason
    for frame in FRAMES:
        yield Try(
            frame.format("..."), arena.passes(arena.gold, frame.format(reason[:1].upper() + reason[1:]))
        )
