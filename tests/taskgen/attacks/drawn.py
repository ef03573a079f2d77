"""Tasks drawn from families, for attacks: quick to have, since their gold plan alone is tried."""

from collections.abc import Iterator
from functools import cache

from eops_traj.schema import Task
from eops_traj.taskgen.checks import gold_passes
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.trial import Trial

_TRIES = 12


@cache
def draw(family: Family, number: int = 0, kind: str | None = None) -> Task | None:
    """Draw a task of a family, of another company for another number; None where nothing fits."""
    for attempt in range(_TRIES):
        company, seed = 1 + number + attempt, f"attack:{number}:{attempt}"
        try:
            usual = play((family,), company, seed)
            twin = None if kind is None else play((family,), company, seed, kind)
            name = f"{family.domain}_{family.name}_{kind}_{number}"
            task = build_task(twin or usual, name, "drawn", "train", usual if twin else None)
            if not list(gold_passes(Trial(task))):  # a suite drops what does not
                return task
        except (NoMatch, ScenarioError):
            continue
    return None


def feasible(domain: str, every: int = 1) -> Iterator[Task]:
    """Yield a feasible task of each family of a domain, or of one in so many."""
    drawn = (draw(family) for family in families([domain])[::every])
    yield from (task for task in drawn if task is not None)


def infeasible(domain: str, every: int = 1) -> Iterator[Task]:
    """Yield an infeasible task of each family of a domain and each kind of it, or of one in so many."""
    kinds = [(family, kind) for family in families([domain]) for kind in family.perturbations][::every]
    drawn = (draw(family, kind=kind) for family, kind in kinds)
    yield from (task for task in drawn if task is not None)
