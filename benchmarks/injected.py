"""Errors put into gold plans one at a time, each played and judged: the cause of the failure is known."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from eops_traj.bundle import build_episode
from eops_traj.collect.episode_builder import compute_labels
from eops_traj.plan import Call
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import Agent, Episode, Task, ToolCall, ToolSet, Turn
from eops_traj.taskgen.attacks.arena import Arena, refused
from eops_traj.taskgen.attacks.attempt import Attempt, Doing, Perform, in_pieces, with_arguments
from eops_traj.taskgen.attacks.plausible import new_values, other_values
from eops_traj.taskgen.attacks.wrong_work import is_prose
from eops_traj.taskgen.trial import Trial
from eops_traj.tool_effects import is_write
from eops_traj.verify.verifiers import verify

_REFERENCE = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|_(?:by|to)$")
_EACH = 3
"""Attempts of a kind and task."""


@dataclass(frozen=True)
class Injected:
    """An episode with one error in it: the cause that it has to show, and what was done."""

    causes: frozenset[str]
    """One of them is true: what a tool makes of an argument that is left out, or a list, decides."""
    what: str
    episode: Episode


def inject(task: Task, root: Path | None) -> Iterator[Injected]:
    """Yield attempts at a task with one error each, those alone that fail by their verifiers."""
    arena = Arena(Trial(task, root))
    try:
        for kind in (_skipped, _changed, _left_out, _added, _doubled, _refused, _hasty):
            for cause, what, made in islice(kind(arena), _EACH):
                episode = _episode(arena, made)
                made.session.close()
                if episode.success_strict is False:
                    yield Injected(frozenset(cause.split()), what, episode)
        for cause, what, made, stop_reason, error in _ended(arena):
            episode = _episode(arena, made, stop_reason, error)
            made.session.close()
            if episode.success_strict is False:
                yield Injected(frozenset(cause.split()), what, episode)
    finally:
        arena.close()


Error = tuple[str, str, Attempt]


def _skipped(arena: Arena) -> Iterator[Error]:
    """Leave out the last write, which no later step needs."""
    for call in arena.writes[-1:]:
        made = arena.play(in_pieces(call.number, lambda call, perform: ToolResult("{}", False, {})))
        yield "missing_write", f"without {call.tool}", made


def _changed(arena: Arena) -> Iterator[Error]:
    """Change one value of a write: of an argument that names a record, the record."""
    for call in arena.writes:
        for name, value in call.arguments.items():
            schema = arena.properties(call.tool).get(name, {})
            if not is_prose(value, arena.told(call.number)):
                for other in islice(other_values(name, value, schema, arena.databases), 1):
                    cause = _changed_cause(arena, call, name, value)
                    yield from _played(arena, cause, call, {**call.arguments, name: other})


def _changed_cause(arena: Arena, call: Call, name: str, value: object) -> str:
    """Return the causes that a changed argument may be.

    A removal leaves no row in which a value could be wrong: another one is removed, or none. A switch decides
    in some tools which rows change, such as the one default of several, so that a row is missing then.
    """
    gold = arena.gold
    made = [done for (one, _), done in zip(gold.done, gold.calls, strict=True) if one.number == call.number]
    operations = {change.operation for done in made for change in done.changes}
    if "delete" in operations:
        return "wrong_record missing_write"
    if _REFERENCE.search(name) or "@" in str(value):
        return "wrong_record"
    return _value(value) if isinstance(value, bool) else "wrong_value"


def _value(value: object) -> str:
    """Return the causes that another value may be: that of a list or an object is rows of their own."""
    return "wrong_value missing_write extra_write" if isinstance(value, list | dict | bool) else "wrong_value"


def _left_out(arena: Arena) -> Iterator[Error]:
    """Leave out one argument that a tool does not require."""
    for call in arena.writes:
        required = arena.schema(call.tool).get("required", ())
        for name in call.arguments:
            if name not in required and not _REFERENCE.search(name):
                rest = {key: value for key, value in call.arguments.items() if key != name}
                yield from _played(arena, "wrong_value missing_write", call, rest)


def _added(arena: Arena) -> Iterator[Error]:
    """Add an argument that nobody asked for."""
    for call in arena.writes:
        for name, schema in arena.properties(call.tool).items():
            if name not in call.arguments and not _REFERENCE.search(name):
                for value in islice(new_values(name, schema, arena.databases), 1):
                    yield from _played(arena, _value(value), call, {**call.arguments, name: value})


def _doubled(arena: Arena) -> Iterator[Error]:
    """Make a record twice."""
    for call in arena.writes:

        def twice(call: Call, perform: Perform) -> ToolResult:
            first = perform(call.tool, call.arguments)
            perform(call.tool, call.arguments)
            return first

        made = arena.play(in_pieces(call.number, twice))
        again = [one for one in made.calls if one.name == call.tool][-1]
        if any(change.operation == "insert" for change in again.changes) and not refused(made):
            yield "extra_write missing_effect", f"{call.tool} twice", made
        else:
            made.session.close()


def _refused(arena: Arena) -> Iterator[Error]:
    """Get the last write refused, and go on as if it had come through."""
    for call in arena.writes[-1:]:

        def wrongly(call: Call, perform: Perform) -> ToolResult:
            perform(call.tool, {name: {"value": value} for name, value in call.arguments.items()})
            return ToolResult("{}", False, {})

        made = arena.play(in_pieces(call.number, wrongly))
        if refused(made):
            yield "unrepaired_call", f"{call.tool} refused", made
        else:
            made.session.close()


def _hasty(arena: Arena) -> Iterator[Error]:
    """Make the first write before anything was looked up, with one value wrong.

    Where a later check sees what the write did, and the plan stops for it, there are two errors: such an
    attempt is none of these.
    """
    steps = [call for call, _ in arena.trial.gold[1].calls]
    first = arena.writes[:1] if steps and not is_write(steps[0].tool) else []
    for call in first:
        for name, value in call.arguments.items():
            schema = arena.properties(call.tool).get(name, {})
            for other in islice(other_values(name, value, schema, arena.databases), 1):
                made = arena.play(_first(steps[0].number, call, {**call.arguments, name: other}))
                if refused(made) or not made.calls[0].changes or made.ending.kind != arena.gold.ending.kind:
                    made.session.close()
                else:  # with the right rows, what failed is an effect, and it came of no look-up left out
                    same = arena.state(made) == arena.gold_state
                    cause = (
                        "missing_effect" if same and name in arena.effects(call.tool) else "premature_step"
                    )
                    yield cause, f"{call.tool} at once with {name}={other}", made


def _first(start: int, early: Call, arguments: dict[str, Any]) -> Doing:
    """Return a way of doing in which a later step is made before the first one."""
    kept: list[ToolResult] = []

    def doing(call: Call, perform: Perform) -> ToolResult:
        if call.number == start and not kept:
            kept.append(perform(early.tool, arguments))
        return kept[0] if call.number == early.number else perform(call.tool, call.arguments)

    return doing


def _ended(arena: Arena) -> Iterator[tuple[str, str, Attempt, str, str | None]]:
    """Stop before the last write: out of turns, or by an error of the surroundings."""
    for call in arena.writes[-1:]:
        ends = (
            ("out_of_budget", "max_turns", None),
            ("broken_off", "error", "the model's server closed the line"),
        )
        for cause, stop_reason, error in ends:
            made = arena.play(in_pieces(call.number, lambda call, perform: ToolResult("{}", False, {})))
            yield cause, f"{stop_reason} before {call.tool}", made, stop_reason, error


def _played(arena: Arena, cause: str, call: Call, arguments: dict[str, Any]) -> Iterator[Error]:
    """Yield an attempt with these arguments, if none of its calls is refused."""
    made = arena.play(with_arguments(call.number, arguments))
    if refused(made):
        made.session.close()
        return
    outside = arena.effects(call.tool)
    changed = {n for n in {*arguments, *call.arguments} if arguments.get(n) != call.arguments.get(n)}
    same = arena.state(made) == arena.gold_state
    yield ("missing_effect" if same and changed & set(outside) else cause), f"{call.tool} {arguments}", made


def _episode(
    arena: Arena, made: Attempt, stop_reason: str = "completed", error: str | None = None
) -> Episode:
    """Return the episode of an attempt: a call a turn, and the answer of an agent that thinks it is done.

    One that was stopped has no answer.
    """
    done = stop_reason == "completed"
    task, answer = arena.trial.task, arena.answer(made) if done else ""
    turns = [Turn(text="", tool_calls=(_stored(call),)) for call in made.calls]
    turns += [Turn(text=answer, finish_reason="stop")] * done
    names = [server.name for server in task.servers]
    verdicts = verify(task.verifiers, made.session, answer, made.calls, servers=names)
    return build_episode(
        task,
        Agent(model="injected", orchestrator="plan"),
        turns,
        ToolSet.of([], "observed"),
        episode_id="injected",
        attempt=1,
        run_id="injected",
        source="benchmark",
        stop_reason=stop_reason,
        error=error,
        changeset=b"",
        **compute_labels(turns, tuple(verdicts), task.feasible, error, recorded=True, response=answer),
    )


def _stored(call: ToolCall) -> ToolCall:
    return replace(call, id=call.id or "call")
