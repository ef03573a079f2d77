"""The verdict on a wording: what is wrong with it, if anything, cheap questions first and execution last."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from eops_traj.errors import FormatError
from eops_traj.plan import Plan, PlanError, parse, run
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.taskgen.checks import find_problems
from eops_traj.taskgen.reword.alike import OF_ITS_OWN, share
from eops_traj.taskgen.reword.asks import asks_less, asks_more
from eops_traj.taskgen.reword.cases import Case, Variant, reworded
from eops_traj.taskgen.reword.facts import Facts, said_names, told_values
from eops_traj.taskgen.reword.form import bad_form
from eops_traj.taskgen.reword.leaks import Secrets, record_names, secrets_of
from eops_traj.tool_effects import is_write
from eops_traj.verify.quotations import quotations

REASONS = (
    "form", "copy", "alike", "phrase lost", "fact lost", "fact added", "given away", "more asked",
    "less asked", "does not hold",
)  # fmt: skip
"""What a wording may be refused for."""
_CALLER = re.compile(r"You act for (?P<first>\S+) .*\((?P<address>\S+@\S+)\)")


class Fault(NamedTuple):
    """A reason why a wording is refused, one of `REASONS`, and what exactly is wrong."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


@dataclass(frozen=True)
class Known:
    """What is known of the tasks of a request before it is reworded."""

    facts: Facts
    secrets: tuple[Secrets, ...]
    tools: tuple[str, ...]

    def fault(self, text: str) -> Fault | None:
        """Return what is wrong with a wording by its text alone."""
        request = self.facts.request
        if (own := share(self.facts.apart(text), self.facts.apart(request))) > OF_ITS_OWN:
            return Fault("copy", f"{own:.0%} of what need not stay stands in the request word for word")
        if lost := self.facts.lost(text):
            return Fault("fact lost", repr(lost))
        for secrets in self.secrets:
            if away := secrets.given_away(request, text):
                return Fault("given away", away)
        if added := self.facts.added(text):
            return Fault("fact added", repr(added))
        if more := asks_more(request, text, self.tools):
            return Fault("more asked", repr(more))
        if less := asks_less(request, text):
            return Fault("less asked", repr(less))
        return None


def find_fault(case: Case, text: str, root: Path | None, made_by: dict[str, str]) -> Fault | None:
    """Return what is wrong with a wording of a case; None where all of its tasks hold with it."""
    if form := bad_form(case.request, text):
        return Fault("form", form)
    texts = case.texts(text)
    if texts is None:
        return Fault("phrase lost", f"{case.phrase!r} has to be in it once")
    knowns = [known_of(variant, root) for variant in case.variants]
    for known, one in zip(knowns, texts, strict=True):
        if fault := known.fault(one):
            return fault
    for variant, one in zip(case.variants, texts, strict=True):
        for task in variant.tasks:
            if problem := _new_problem(task, reworded(task, one, made_by), root):
                return Fault("does not hold", f"{task.task_id}: {problem}")
    return None


def _new_problem(task: Task, other: Task, root: Path | None) -> str | None:
    """Run every check on a reworded task; what was wrong before is no fault of the wording."""
    problems = find_problems(other, root)
    old = find_problems(task, root) if problems else []
    return next((problem for problem in problems if problem not in old), None)


def facts_to_keep(case: Case, root: Path | None) -> list[str]:
    """Return what another wording of a case has to tell, as the request has it."""
    facts = known_of(case.variants[0], root).facts
    written = [_as_written(one, case.request) for one in facts.figures.written.values()]
    kept = dict.fromkeys([*([case.phrase] if case.phrase else []), *facts.exact, *facts.named, *written])
    own = {*quotations(case.request), case.phrase}
    within = {one for one in kept for other in kept if one != other and f" {one} " in f" {other} "}
    return [one for one in kept if one in own or one not in within]


def _as_written(figure: str, request: str) -> str:
    """Return a figure with the capitals that the request has; a spelled number is in digits by now."""
    found = re.search(re.escape(figure), request, re.IGNORECASE)
    return found[0] if found else figure


@lru_cache(maxsize=8)
def known_of(variant: Variant, root: Path | None) -> Known:
    """Collect what is known of the tasks of a request, their gold plans run.

    Raises FormatError for a gold plan that is none, InputError for a task that cannot be opened.
    """
    plans = [_gold_plan(task) for task in variant.tasks]
    values = (value for plan in plans for value in told_values(plan, variant.request))
    first, caller = variant.tasks[0], _CALLER.search(variant.tasks[0].system_prompt)
    with open_task(first, root) as session:
        names = said_names(record_names(session, first), variant.request)
    return Known(
        Facts(variant.request, tuple(dict.fromkeys(values)), names, caller["first"] if caller else ""),
        tuple(
            secrets_of(task, plan, _replies(task, plan, root))
            for task, plan in zip(variant.tasks, plans, strict=True)
        ),
        tuple(sorted({step.tool for plan in plans for _, step in plan.calls() if is_write(step.tool)})),
    )


def _gold_plan(task: Task) -> Plan:
    try:
        return parse(task.plan or "")
    except PlanError as error:
        raise FormatError(f"the gold plan of {task.task_id}: {error}") from error


def _replies(task: Task, plan: Plan, root: Path | None) -> Iterator[str]:
    with open_task(task, root) as session:
        for _, reply in run(plan, session).calls:
            yield reply.text
