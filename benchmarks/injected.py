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
from eops_traj.taskgen.attacks.attempt import Attempt, Perform, in_pieces, with_arguments
from eops_traj.taskgen.attacks.plausible import new_values, other_values
from eops_traj.taskgen.attacks.wrong_work import is_prose
from eops_traj.taskgen.trial import Trial
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
        for kind in (_skipped, _changed, _left_out, _added, _doubled, _refused):
            for cause, what, made in islice(kind(arena), _EACH):
                episode = _episode(arena, made)
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
                    refers = _REFERENCE.search(name) or "@" in str(value)
                    yield from _played(
                        arena,
                        "wrong_record" if refers else "wrong_value",
                        call,
                        {**call.arguments, name: other},
                    )


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


def _episode(arena: Arena, made: Attempt) -> Episode:
    """Return the episode of an attempt: a call a turn, and the answer of an agent that thinks it is done."""
    task, answer = arena.trial.task, arena.answer(made)
    turns = [Turn(text="", tool_calls=(_stored(call),)) for call in made.calls]
    turns.append(Turn(text=answer, finish_reason="stop"))
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
        stop_reason="completed",
        changeset=b"",
        **compute_labels(turns, tuple(verdicts), task.feasible, None, recorded=True, response=answer),
    )


def _stored(call: ToolCall) -> ToolCall:
    return replace(call, id=call.id or "call")
