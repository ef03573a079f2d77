"""The command that rewords tasks: from a source and a client's settings to a folder and its figures."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eops_traj.config import overridden
from eops_traj.errors import FormatError, WorkError
from eops_traj.files import alone, with_a_name
from eops_traj.llm.options import client_options
from eops_traj.taskgen.reword.asking import made_by
from eops_traj.taskgen.reword.cases import cases_of
from eops_traj.taskgen.reword.run import Effort, Outcome, reword
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks.catalog import find_tasks, root_of
from eops_traj.tasks.summary import stats

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


@dataclass(frozen=True)
class Rewording:
    """What is reworded, by what, and where to."""

    where: str
    out: Path
    model: str
    kind: str = "openai_api"
    settings: Sequence[str] = ()
    tries: int = 3
    at_once: int = 16
    leave_out: bool = False
    seeds: bool = True
    workers: int = 2
    splits: Collection[str] = ()
    domains: Collection[str] = ()
    limit: int | None = None

    @property
    def journal(self) -> Path:
        """The journal, beside the folder until that is whole."""
        out = with_a_name(self.out)
        return out.with_name(f".{out.name}.journal")


def reword_tasks(wanted: Rewording, progress: Progress) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Reword tasks and write them; return the figures, and how often what was refused.

    The folder is written when all requests are settled. Raises InputError for what cannot be used, or where
    another process writes the same folder, WorkError where the endpoint owes replies or nothing could be
    reworded: the journal stays, and the next run goes on.
    """
    journal = wanted.journal
    refusal = f"another process rewords into {wanted.out}; wait for its end, or choose another --out"
    with alone(journal.with_name(f"{journal.name}.lock"), refusal):
        return _reworded(wanted, progress)


def _reworded(wanted: Rewording, progress: Progress) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if wanted.out.exists() and any(wanted.out.iterdir()):
        raise FormatError(f"{wanted.out} is not empty")
    where = "the model's settings"
    options = client_options(
        overridden({"kind": wanted.kind, "model": wanted.model}, wanted.settings, where), where
    )
    tasks = find_tasks(wanted.where, splits=wanted.splits, domains=wanted.domains, limit=wanted.limit)
    effort = Effort(wanted.tries, wanted.at_once, wanted.workers)
    with progress("rewording requests", len(cases_of(tasks)[0])) as done:
        outcome = reword(
            tasks, root_of(wanted.where), options, wanted.journal, effort, wanted.leave_out, done
        )
    _check(outcome)
    report, refused = _report(wanted, outcome), dict(sorted(outcome.texts.items(), key=_most_first))
    figures = report | {"refused": refused} | stats(outcome.tasks)
    save_suite(outcome.tasks, wanted.out, figures, seeds=wanted.seeds)
    wanted.journal.unlink()
    head = {"folder": str(wanted.out), **report, "asked": outcome.asked}
    return head, [{"reason": why, "texts": n} for why, n in refused.items()]


def _check(outcome: Outcome) -> None:
    """Raise WorkError for an outcome that is not worth writing, or not whole."""
    if outcome.owed:
        missing = f"{outcome.owed} of {outcome.cases} requests got no reply ({outcome.failure})"
        raise WorkError(f"{missing}; the same command goes on")
    if not outcome.reworded:
        refused = ", ".join(f"{why} {n}" for why, n in sorted(outcome.texts.items(), key=_most_first))
        raise WorkError(f"none of {outcome.cases} requests was reworded; texts refused: {refused or 'none'}")


def _report(wanted: Rewording, outcome: Outcome) -> dict[str, Any]:
    return {
        "source": wanted.where,
        **made_by(wanted.model),
        "requests": outcome.cases,
        "reworded": outcome.reworded,
        "kept": dict(sorted(outcome.kept.items(), key=_most_first)),
    }


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
