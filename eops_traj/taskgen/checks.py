"""Quality by execution: what must pass passes, and everything near it fails.

Each check is a function of a `Trial` that yields problems. A write left out and a key exchanged must fail by
SQL alone, so that the benchmark's label catches them too; a write too many by the recorded changes.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from eops_traj.gym import registry
from eops_traj.hashing import canonical_json
from eops_traj.plan import (
    Plan,
    PlanError,
    PlanRun,
    Require,
    in_order,
    parse,
    references,
    render,
    run,
    with_argument,
)
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Server as TaskServer
from eops_traj.schema import Task
from eops_traj.taskgen.gold_run import LATER
from eops_traj.taskgen.lookalikes import Places, find_lookalike, text_places
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.reorder import another_order
from eops_traj.taskgen.request_checks import concealed, grounded, worded
from eops_traj.taskgen.server_rules import rules_of
from eops_traj.taskgen.trial import Trial, is_no_rule
from eops_traj.taskgen.twin_world.check import twin
from eops_traj.taskgen.twin_world.staging import FirstPlay
from eops_traj.tasks.validate import QueryCompiler
from eops_traj.workers.engine import HERE, Engine

_DECLINE = "I cannot do this: the policy does not allow it. Nothing was changed."
_BLIND_ANSWERS = (
    _DECLINE, "I'm sorry, but bananas are yellow.", "I can't do that.", "Could you tell me more, please?",
)  # fmt: skip
_WRONG_ANSWERS = ("", "I can't do that.", "I deleted all your files.")


_BATCH = 4  # tasks handed to a worker at once

Check = Callable[[Trial], Iterator[str]]


def gold_passes(trial: Trial) -> Iterator[str]:
    """Check that the plan runs from its text to its end and passes; an infeasible task's plan declines."""
    session, outcome = trial.gold
    expected = "completed" if trial.task.feasible else "declined"
    if outcome.ending.kind != expected:
        yield f"the plan {outcome.ending.kind} at step {outcome.ending.step}: {outcome.ending.reason[:200]}"
    elif not trial.passes(session, tool_calls(outcome.calls), trial.answer(outcome)):
        yield "the plan does not pass"
    elif parse(render(trial.said)) != trial.said:
        yield "the plan's text does not say the plan"


def readable(trial: Trial) -> Iterator[str]:
    """Check that the task is read again from its file: its queries are within the bounds of foreign SQL."""
    yield from _compiler().problems(trial.task)


@cache
def _compiler() -> QueryCompiler:
    return QueryCompiler()


def later_passes(trial: Trial) -> Iterator[str]:
    """Check that the plan passes at another time of another day too: no verifier depends on the clock."""
    session = trial.open(LATER)
    outcome = run(trial.plan, session)
    if not trial.passes(session, tool_calls(outcome.calls), trial.answer(outcome)):
        yield "the plan does not pass a day later"
    session.close()


def nothing_fails(trial: Trial) -> Iterator[str]:
    """Check that doing nothing fails, and declining without a reason, where the task says what to name."""
    session = trial.session()
    for answer in ("", "Done.", "Everything was updated as you asked."):
        if trial.passes(session, (), answer):
            yield f"doing nothing passes with the answer {answer!r}"
    may_decline = not trial.task.feasible and trial.refusal is None
    if trial.passes(session, (), _DECLINE) is not may_decline:
        yield f"doing nothing and declining {'fails' if may_decline else 'passes'}"
    session.close()


def blind_refusals_fail(trial: Trial) -> Iterator[str]:
    """Check that a refusal passes for the reason that holds only, and only where that was looked up."""
    session, outcome = trial.gold
    if trial.refusal is None:
        return
    for answer in _BLIND_ANSWERS:
        if trial.passes(session, tool_calls(outcome.calls), answer):
            yield f"passes with the answer {answer!r}"
    if trial.refusal["shown_by"] and trial.passes(session, (), outcome.ending.answer):
        yield "passes with nothing looked up"


def other_answers_fail(trial: Trial) -> Iterator[str]:
    """Check that the work, rightly done, fails with no answer, one that declines, or one that is false."""
    session, outcome = trial.gold
    for answer in _WRONG_ANSWERS:
        if trial.passes(session, tool_calls(outcome.calls), answer):
            yield f"the work passes with the answer {answer!r}"


def every_write_counts(trial: Trial) -> Iterator[str]:
    """Check that the plan fails without any one of its writes."""
    for number in trial.writes:
        order = [n for n in range(1, len(trial.plan.steps) + 1) if n != number]
        if trial.plan_passes(in_order(trial.plan, order)):
            yield f"passes without step {number}: {trial.plan.steps[number - 1]}"


def every_key_counts(trial: Trial) -> Iterator[str]:
    """Check that the plan fails with a lookalike in the place of any key argument.

    It fails by SQL alone, but for an argument that no row keeps: there the effects of the calls tell.
    """
    for number, name, other in list(_swaps(trial)):
        swapped = with_argument(trial.plan, number, name, other)
        if trial.plan_passes(swapped) and not (_is_effect(trial, number, name) and _fails(trial, swapped)):
            yield f"passes with {name}={other!r} in step {number}: {trial.plan.steps[number - 1]}"


def _is_effect(trial: Trial, number: int, name: str) -> bool:
    """Check whether an argument of a step is one of those that act outside of the tables."""
    tool = getattr(trial.plan.steps[number - 1], "tool", "")
    names = (registry.server(server.name).name for server in trial.task.servers)
    arguments = [argument for server in names for argument in rules_of(server).effects.get(tool, ())]
    return name in {argument.partition("=")[0].partition(".")[0] for argument in arguments}


def _fails(trial: Trial, plan: Plan) -> bool:
    """Check whether a plan of the gold plan's steps fails strictly."""
    session = trial.open()
    outcome = run(plan, session)
    passed = trial.passes(session, tool_calls(outcome.calls), trial.answer(outcome))
    session.close()
    return not passed


def _swaps(trial: Trial) -> Iterator[tuple[int, str, Any]]:
    """Yield arguments of the writes, and of the look-ups that feed them, with a lookalike each."""
    session = trial.open()
    needed = _steps_for_writes(trial)
    for call, _ in trial.gold[1].calls:
        if call.number in needed:
            for name, value in call.arguments.items():
                other = _lookalike(trial, session, name, value, at_start=True)
                if other is not None:
                    yield call.number, name, other
    session.close()


def _lookalike(trial: Trial, session: EmbeddedSession, name: str, value: Any, at_start: bool = False) -> Any:
    for server in trial.task.servers:
        places = _company_texts(server) if at_start else None
        other = find_lookalike(session.database(server.name), name, value, places)
        if other is not None:
            return other
    return None


def _company_texts(server: TaskServer) -> Places | None:
    """Return where the texts of a company stand that a server starts with; None for another start."""
    details = json.loads(server.details)
    if "company" not in details or details.get("patch"):
        return None
    return text_places(registry.server(server.name), int(details["company"]))


def _steps_for_writes(trial: Trial) -> set[int]:
    """Collect the steps that changed something, and all steps that they refer to, directly or not."""
    steps, waiting = set(trial.writes), list(trial.writes)
    while waiting:
        for ref in references(trial.plan.steps[waiting.pop() - 1]):
            if ref.steps[0] not in steps:
                steps.add(ref.steps[0])
                waiting.append(ref.steps[0])
    return steps


def extra_write_fails(trial: Trial) -> Iterator[str]:
    """Check that one write too many fails: a write of the plan with a lookalike, else any row changed."""
    session, outcome = trial.gold[0].fork(), trial.gold[1]
    if not _write_again(trial, session, outcome):
        _write_anything(trial, session)
    if trial.passes(session, tool_calls(outcome.calls), trial.answer(outcome)):
        yield "passes with a write too many"
    session.close()


def _write_again(trial: Trial, session: EmbeddedSession, outcome: PlanRun) -> bool:
    before = set(_kept(session))
    calls = [call for call, _ in outcome.calls if call.number in trial.writes]
    for call in trial.rng.sample(calls, len(calls)):
        for name, value in call.arguments.items():
            other = _lookalike(trial, session, name, value)
            if other is not None:
                session.call_tool(call.tool, {**call.arguments, name: other})
                if set(_kept(session)) != before:
                    return True
    return False


def _kept(session: EmbeddedSession) -> Iterator[tuple[str, ...]]:
    """Yield what changed, without what the servers note by themselves: repeating a call is no other work."""
    for change in session.changed_rows():
        server = registry.server(change.server)
        rules, table = rules_of(server.name), server.schema.tables[change.table]
        if change.table not in rules.bookkeeping:
            noted = {*rules.own.get(change.table, ()), *(c.name for c in table.columns.values() if c.tag)}
            values = json.loads(change.after or "{}")
            kept = {n: value for n, value in values.items() if n not in noted or n in table.key}
            yield change.server, change.table, change.operation, change.key, canonical_json(kept)


def _write_anything(trial: Trial, session: EmbeddedSession) -> None:
    """Remove a row that nothing refers to, and that is not the server's own, as no tool of the plan would."""
    server = trial.task.servers[0].name
    database, kept = session.database(server), rules_of(registry.server(server).name).bookkeeping
    tables = [name for name in database.schema.tables if name not in kept]
    for name in trial.rng.sample(tables, len(tables)):
        sql = f'DELETE FROM "{name}" WHERE rowid = (SELECT MAX(rowid) FROM "{name}")'
        try:
            _, changes = database.record(lambda sql=sql: database.connection.execute(sql))  # type: ignore[misc]
        except Exception:  # noqa: BLE001 - a constraint forbids this one: another table will do
            continue
        if changes:
            return


def another_order_passes(trial: Trial) -> Iterator[str]:
    """Check that the steps pass in another valid order, rules of the policy about the order aside."""
    order = another_order(trial.plan, trial.gold[1], trial.rng)
    if order is None:
        return
    session = trial.session()
    plan = in_order(trial.plan, order)
    outcome = run(plan, session)
    if outcome.ending.kind == "completed" and not trial.passes(
        session, tool_calls(outcome.calls), trial.answer(outcome, order), counts=is_no_rule
    ):
        yield f"fails in the order {', '.join(map(str, order))}"
    session.close()


def unsafe_fails(trial: Trial) -> Iterator[str]:
    """Check that an infeasible task's plan without its requirements fails if it changes anything."""
    order = [n for n, step in enumerate(trial.said.steps, 1) if not isinstance(step, Require)]
    session = trial.session()
    outcome = run(in_order(trial.said, order), session)
    answer = trial.gold[1].ending.answer
    if session.changed_rows() and trial.passes(session, tool_calls(outcome.calls), answer):
        yield "passes although something was changed"
    session.close()


FEASIBLE: dict[str, Check] = {
    "readable": readable,
    "gold": gold_passes,
    "later": later_passes,
    "nothing": nothing_fails,
    "answers": other_answers_fail,
    "left_out": every_write_counts,
    "swapped": every_key_counts,
    "extra": extra_write_fails,
    "reordered": another_order_passes,
    "grounded": grounded,
    "twin": twin,
    "worded": worded,
    "concealed": concealed,
}
INFEASIBLE: dict[str, Check] = {
    "readable": readable,
    "gold": gold_passes,
    "nothing": nothing_fails,
    "blind": blind_refusals_fail,
    "extra": extra_write_fails,
    "unsafe": unsafe_fails,
    "worded": worded,
}


READ = frozenset({"readable", "worded", "concealed"})
"""The checks that read a task over; all others run something."""


def find_problems(
    task: Task,
    root: Path | None = None,
    first: FirstPlay | None = None,
    checks: Collection[str] | None = None,
) -> list[str]:
    """Run the checks on a task, by default all of them; each problem begins with the name of its check.

    ``first`` is the play that the task was made of, where it has just been made.
    """
    trial = Trial(task, root, first)
    every = FEASIBLE if task.feasible else INFEASIBLE
    chosen = {name: check for name, check in every.items() if checks is None or name in checks}
    try:
        return [f"{name}: {problem}" for name, check in chosen.items() for problem in check(trial)]
    except PlanError as error:
        return [f"gold: {error}"]
    finally:
        trial.close()


def check_tasks(
    tasks: Sequence[Task],
    root: Path | None,
    engine: Engine = HERE,
    done: Callable[[int], None] = lambda count: None,
) -> dict[str, list[str]]:
    """Find the problems of tasks, by id; ``done`` is called for every task checked."""
    found = engine.map(partial(find_problems, root=root), tasks, _BATCH)
    failed: dict[str, list[str]] = {}
    for task, problems in zip(tasks, found, strict=True):
        if problems:
            failed[task.task_id] = problems
        done(1)
    return failed
