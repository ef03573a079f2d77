"""Trying a scenario out: one draft of it, everything that is wrong with it, and how it reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from eops_traj.schema import Task
from eops_traj.taskgen.checks import problems
from eops_traj.taskgen.draft import play, task
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family


@dataclass(frozen=True)
class Report:
    """One draft: the task where it came to one, and what is wrong; `no_fit` is nobody's mistake."""

    title: str
    task: Task | None
    wrong: tuple[str, ...]
    no_fit: bool = False

    @property
    def counts(self) -> int:
        """1 for a draft that had entities to work with."""
        return int(not self.no_fit)

    @property
    def passes(self) -> int:
        """1 for a draft with nothing wrong."""
        return int(not self.no_fit and not self.wrong)

    def text(self, brief: bool = False) -> str:
        """The draft for people."""
        lines = [f"=== {self.title}"]
        if self.task and not brief:
            lines += [self.task.user_prompt, "", self.task.plan or ""]
            lines += [f"  [{v.category}] {v.description} {v.config}" for v in self.task.verifiers]
        return "\n".join([*lines, *(f"  !! {wrong}" for wrong in self.wrong)])


def try_family(chain: Sequence[Family], company: int, draw: str, twist: str | None = None) -> Report:
    """Draft a family, or a chain, and check the task that comes of it."""
    title = f"{' + '.join(family.name for family in chain)}, company {company}, {draw}, {twist or 'feasible'}"
    made = None
    try:
        usual = play(chain, company, draw)
        twisted = play(chain, company, draw, twist) if twist else usual
        made = task(twisted, "draft", "draft", None, usual if twist else None)
        wrong = tuple(problems(made))
        by_database = twisted.declined is not None and not twisted.declined.refusal
        if by_database and usual.request != twisted.request:
            wrong += ("twin: the requests differ although the database decides",)
        return Report(title, made, wrong)
    except NoMatch as error:
        return Report(f"{title}: no fit: {error}", None, (), no_fit=True)
    except ScenarioError as error:
        return Report(title, made, (f"broken: {error}",))
