"""Trying a scenario out: one draft of it, its problems, and its text."""

from collections.abc import Sequence
from dataclasses import dataclass

from eops_traj.schema import Task
from eops_traj.taskgen.checks import find_problems
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family


@dataclass(frozen=True)
class DraftReport:
    """One draft: its task, if there is one, and its problems; `no_fit` is not a mistake of the scenario."""

    title: str
    task: Task | None
    problems: tuple[str, ...]
    no_fit: bool = False

    @property
    def counts(self) -> int:
        """1 for a draft that had entities to work with."""
        return int(not self.no_fit)

    @property
    def passes(self) -> int:
        """1 for a draft with nothing wrong."""
        return int(not self.no_fit and not self.problems)

    def text(self, brief: bool = False) -> str:
        """Render the draft for people."""
        lines = [f"=== {self.title}"]
        if self.task and not brief:
            lines += [self.task.user_prompt, "", self.task.plan or ""]
            lines += [f"  [{v.category}] {v.description} {v.config}" for v in self.task.verifiers]
        return "\n".join([*lines, *(f"  !! {problem}" for problem in self.problems)])


def try_family(
    chain: Sequence[Family], company: int, draw: str, perturbation: str | None = None
) -> DraftReport:
    """Draft a family, or a chain, and check the resulting task."""
    names = " + ".join(family.name for family in chain)
    title = f"{names}, company {company}, {draw}, {perturbation or 'feasible'}"
    task = None
    try:
        usual = play(chain, company, draw)
        draft = play(chain, company, draw, perturbation) if perturbation else usual
        task = build_task(draft, "draft", "draft", None, usual if perturbation else None)
        problems = find_problems(task)
        by_database = draft.declined is not None and not draft.declined.refusal
        if by_database and usual.request != draft.request:
            problems.append("twin: the requests differ although the database decides")
        return DraftReport(title, task, tuple(problems))
    except NoMatch as error:
        return DraftReport(f"{title}: no fit: {error}", None, (), no_fit=True)
    except ScenarioError as error:
        return DraftReport(title, task, (f"broken: {error}",))
