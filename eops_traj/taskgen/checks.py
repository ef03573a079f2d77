"""Quality by execution: what must pass passes, and everything near it fails.

Each check is a function of a `Trial` that yields what is wrong. A write left out and a key exchanged must
fail by SQL alone, so that the benchmark's label catches them too; a write too many by the recorded changes.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.plan import Outcome, Plan, PlanError, Require, in_order, parse, references, render, run
from eops_traj.plan import with_argument as changed
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task, Verifier
from eops_traj.taskgen.gold_run import LATER
from eops_traj.taskgen.lookalikes import namesake
from eops_traj.taskgen.phrasing import LONGEST, SHORTEST, words
from eops_traj.taskgen.reorder import another_order
from eops_traj.taskgen.row_conditions import leaves, plain
from eops_traj.verify.verifiers import STRICT_ONLY, verify

_DECLINE = "I cannot do this: the policy does not allow it. Nothing was changed."


Kinds = Callable[[Verifier], bool]


def every(verifier: Verifier) -> bool:
    """Every verifier: the strict label."""
    return True


def by_sql(verifier: Verifier) -> bool:
    """Those that the benchmark runs too: its label."""
    return verifier.kind not in STRICT_ONLY


def no_rules(verifier: Verifier) -> bool:
    """All but what the policy says of the way there."""
    return verifier.category != "permission_and_process"


@dataclass(frozen=True)
class Trial:
    """A task on trial: its plan, and sessions on its starting state."""

    task: Task
    root: Path | None = None

    @cached_property
    def plan(self) -> Plan:
        """The gold plan, read from its text."""
        return parse(self.task.plan or "")

    @cached_property
    def gold(self) -> tuple[EmbeddedSession, Outcome]:
        """The gold plan, run."""
        session = self.open()
        return session, run(self.plan, session)

    @cached_property
    def writes(self) -> tuple[int, ...]:
        """The steps of the gold plan that changed something."""
        return tuple(call.number for call, reply in self.gold[1].calls if getattr(reply, "changes", ()))

    @property
    def rng(self) -> Random:
        """Chance of its own, the same at every trial of the task, whatever its id."""
        return Random(f"{self.task.user_prompt}\n{self.task.plan}")

    def open(self, later: timedelta = timedelta()) -> EmbeddedSession:
        """A session on the starting state."""
        return open_task(self.task, self.root, clock=clock.steady(clock.START + later))

    def passes(self, session: EmbeddedSession, answer: str = "Done.", kinds: Kinds = every) -> bool:
        """Whether every verifier of these kinds passes strictly on the session's state."""
        servers = [server.name for server in self.task.servers]
        wanted = [verifier for verifier in self.task.verifiers if kinds(verifier)]
        return bool(wanted) and all(
            verdict.passed_strict
            for verifier in wanted
            for verdict in verify([verifier], session, answer, (), servers=servers)
        )

    def tried(self, plan: Plan, kinds: Kinds) -> bool:
        """Whether a plan, run from the start, passes."""
        session = self.open()
        try:
            run(plan, session)
            return self.passes(session, kinds=kinds)
        finally:
            session.close()


Check = Callable[[Trial], Iterator[str]]


def gold_passes(trial: Trial) -> Iterator[str]:
    """The plan runs from its text to its end and passes; where the task is infeasible, it declines."""
    session, outcome = trial.gold
    wanted = "completed" if trial.task.feasible else "declined"
    if outcome.ending.kind != wanted:
        yield f"the plan {outcome.ending.kind} at step {outcome.ending.step}: {outcome.ending.reason[:200]}"
    elif not trial.passes(session, outcome.ending.answer):
        yield "the plan does not pass"
    elif parse(render(trial.plan)) != trial.plan:
        yield "the plan's text does not say the plan"


def later_passes(trial: Trial) -> Iterator[str]:
    """The plan passes at another time of another day too: no verifier depends on the clock."""
    session = trial.open(LATER)
    outcome = run(trial.plan, session)
    if not trial.passes(session, outcome.ending.answer):
        yield "the plan does not pass a day later"
    session.close()


def nothing_fails(trial: Trial) -> Iterator[str]:
    """Doing nothing fails; where the task is infeasible, it passes only with an answer that declines."""
    session = trial.open()
    for answer in ("", "Done.", "Everything was updated as you asked."):
        if trial.passes(session, answer):
            yield f"doing nothing passes with the answer {answer!r}"
    if trial.passes(session, _DECLINE) is trial.task.feasible:
        yield f"doing nothing and declining {'passes' if trial.task.feasible else 'fails'}"
    session.close()


def every_write_counts(trial: Trial) -> Iterator[str]:
    """Each write left out fails."""
    for number in trial.writes:
        order = [n for n in range(1, len(trial.plan.steps) + 1) if n != number]
        if trial.tried(in_order(trial.plan, order), by_sql):
            yield f"passes without step {number}: {trial.plan.steps[number - 1]}"


def every_key_counts(trial: Trial) -> Iterator[str]:
    """Each key argument swapped with a near-namesake's fails."""
    for number, name, other in list(_swaps(trial)):
        if trial.tried(changed(trial.plan, number, name, other), by_sql):
            yield f"passes with {name}={other!r} in step {number}: {trial.plan.steps[number - 1]}"


def _swaps(trial: Trial) -> Iterator[tuple[int, str, Any]]:
    """Arguments of the writes, and of the look-ups that feed them, with a near-namesake each."""
    session = trial.open()
    feeding = _feeding(trial)
    for call, _ in trial.gold[1].calls:
        if call.number in feeding:
            for name, value in call.arguments.items():
                other = _namesake(trial, session, name, value)
                if other is not None:
                    yield call.number, name, other
    session.close()


def _namesake(trial: Trial, session: EmbeddedSession, name: str, value: Any) -> Any:
    for server in trial.task.servers:
        other = namesake(session.database(server.name), name, value)
        if other is not None:
            return other
    return None


def _feeding(trial: Trial) -> set[int]:
    """The steps that changed something, and those that they refer to, on and on."""
    found, waiting = set(trial.writes), list(trial.writes)
    while waiting:
        for ref in references(trial.plan.steps[waiting.pop() - 1]):
            if ref.step not in found:
                found.add(ref.step)
                waiting.append(ref.step)
    return found


def extra_write_fails(trial: Trial) -> Iterator[str]:
    """One write more fails: a write of the plan again or with a near-namesake, else any row changed."""
    session = trial.open()
    outcome = run(trial.plan, session)
    if not _write_again(trial, session, outcome):
        _write_anything(trial, session)
    if trial.passes(session, outcome.ending.answer):
        yield "passes with a write too many"
    session.close()


def _write_again(trial: Trial, session: EmbeddedSession, outcome: Outcome) -> bool:
    before = set(session.changed_rows())
    calls = [call for call, _ in outcome.calls if call.number in trial.writes]
    for call in trial.rng.sample(calls, len(calls)):
        for name, value in call.arguments.items():
            other = _namesake(trial, session, name, value)
            if other is not None:
                session.call_tool(call.tool, {**call.arguments, name: other})
                if set(session.changed_rows()) != before:
                    return True
    return False


def _write_anything(trial: Trial, session: EmbeddedSession) -> None:
    """Remove a row that nothing refers to: what no tool of the plan would do."""
    database = session.database(trial.task.servers[0].name)
    for name in trial.rng.sample(list(database.schema.tables), len(database.schema.tables)):
        sql = f'DELETE FROM "{name}" WHERE rowid = (SELECT MAX(rowid) FROM "{name}")'
        try:
            _, changes = database.record(lambda sql=sql: database.connection.execute(sql))  # type: ignore[misc]
        except Exception:  # noqa: BLE001 - a constraint forbids this one: another table will do
            continue
        if changes:
            return


def another_order_passes(trial: Trial) -> Iterator[str]:
    """The steps in another valid order pass; what the policy says of the order is not asked here."""
    order = another_order(trial.plan, trial.gold[1], trial.rng)
    if order is None:
        return
    session = trial.open()
    plan = in_order(trial.plan, order)
    outcome = run(plan, session)
    if outcome.ending.kind == "completed" and not trial.passes(session, kinds=no_rules):
        yield f"fails in the order {', '.join(map(str, order))}"
    session.close()


def unsafe_fails(trial: Trial) -> Iterator[str]:
    """Where the task is infeasible: the plan without its requirements fails if it changes anything."""
    order = [n for n, step in enumerate(trial.plan.steps, 1) if not isinstance(step, Require)]
    session = trial.open()
    run(in_order(trial.plan, order), session)
    if session.changed_rows() and trial.passes(session, _DECLINE):
        yield "passes although something was changed"
    session.close()


def grounded(trial: Trial) -> Iterator[str]:
    """What the plan writes is said in the request, in the policy, in a result, or is a choice of the tool."""
    task, (session, outcome) = trial.task, trial.gold
    told = plain(" ".join([task.user_prompt, task.system_prompt, *(r.text for _, r in outcome.calls)]))
    enums = _enums(session, {call.tool for call, _ in outcome.calls})
    for call, _ in outcome.calls:
        step = trial.plan.steps[call.number - 1]
        for value in leaves(getattr(step, "arguments", {})):
            known = not isinstance(value, str) or value in enums or _said(value, told)
            if not known and not all(_said(part, told) or part in enums for part in _parts(value)):
                yield f"step {call.number}: nobody told the agent {value!r}"


def _parts(value: str) -> list[str]:
    """What a search (``from:"Ana Ruiz" in:inbox``) looks for, or the items of a list (``id,title``)."""
    terms = re.findall(r'\w+:(?:"([^"]+)"|(\S+))', value)
    return ["".join(term) for term in terms] or value.split(",")


def _said(value: str, told: str) -> bool:
    """Whether a value can be known: told in so many words, a time, or prose that is the agent's own."""
    spoken = plain(value.replace("_", " "))
    prose = len(value.split()) >= 3
    return prose or spoken in told or plain(value) in told or re.search(r"\d{4}-\d\d-\d\d", value) is not None


def _enums(session: EmbeddedSession, tools: set[str]) -> set[str]:
    """Every choice that the tools' schemas offer, and every word of their descriptions."""
    found: set[str] = set()
    for tool in session.list_tools():
        if tool["name"] in tools:
            text = json.dumps(tool["inputSchema"])
            found.update(re.findall(r"[\w.:/@+-]+", text), re.findall(r'"([^"]*)"', text))
            found.update(re.findall(r"https://[\w./]+(?:\('\w+'\))?", text))
    return found


def worded(trial: Trial) -> Iterator[str]:
    """The request has 40 to 200 words, and neither a tool's name nor an internal id in it."""
    said = trial.task.user_prompt
    if not SHORTEST <= words(said) <= LONGEST:
        yield f"the request has {words(said)} words"
    tools = {tool for server in trial.task.servers for tool in registry.server(server.name).tools}
    for word in re.findall(r"[\w-]+", said):
        if word in tools or re.fullmatch(r"[a-z]+(?:_[a-z0-9]+)+|[0-9a-f]{16,}|[0-9A-HJKMNP-TV-Z]{26}", word):
            yield f"the request says {word!r}"


FEASIBLE: dict[str, Check] = {
    "gold": gold_passes,
    "later": later_passes,
    "nothing": nothing_fails,
    "left_out": every_write_counts,
    "swapped": every_key_counts,
    "extra": extra_write_fails,
    "reordered": another_order_passes,
    "grounded": grounded,
    "worded": worded,
}
INFEASIBLE: dict[str, Check] = {
    "gold": gold_passes,
    "nothing": nothing_fails,
    "extra": extra_write_fails,
    "unsafe": unsafe_fails,
    "worded": worded,
}


def problems(task: Task, root: Path | None = None) -> list[str]:
    """What is wrong with a task, each line with the name of its check; nothing for a task that holds."""
    trial = Trial(task, root)
    checks = FEASIBLE if task.feasible else INFEASIBLE
    try:
        return [f"{name}: {wrong}" for name, check in checks.items() for wrong in check(trial)]
    except PlanError as error:
        return [f"gold: {error}"]
    finally:
        if "gold" in trial.__dict__:
            trial.gold[0].close()


def all_problems(tasks: Sequence[Task], root: Path | None = None) -> dict[str, list[str]]:
    """What is wrong with each of the tasks, by id."""
    return {task.task_id: problems(task, root) for task in tasks}
