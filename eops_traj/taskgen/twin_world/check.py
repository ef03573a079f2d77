"""The check `twin`: request and plan are the same where every value that was not told is another."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import RowChange
from eops_traj.plan import parse, render
from eops_traj.schema import Server, Task
from eops_traj.taskgen.draft import Draft
from eops_traj.taskgen.family import domains, families
from eops_traj.taskgen.trial import Trial
from eops_traj.taskgen.twin_world.same_work import other_work
from eops_traj.taskgen.twin_world.staging import FAILURES, Origin, Twin
from eops_traj.tasks.recipe import made_of

_ATTEMPTS = 10


@dataclass(frozen=True)
class Outcome:
    """What came of playing again: the draft, and how much was other; or why it could not be played."""

    draft: Draft | None
    attempts: int
    facts: int
    clones: int
    failure: str = ""


def twin(trial: Trial) -> Iterator[str]:
    """Check that request and plan stay the same where every value that was not told is another.

    Nothing is said of tasks that do not record what they come from, of work that no plan can do, and of those
    whose families have changed since.
    """
    origin = origin_of(trial.task)
    if origin is not None and not made_of(trial.task).get("reactive"):
        yield from differences(origin, trial)


def differences(origin: Origin, trial: Trial) -> Iterator[str]:
    """Yield what shows that the database decides the request or the plan of a task that comes from this."""
    task = trial.task
    played = Twin.of(origin, trial.gold[1], trial.first)
    request = made_of(task).get("reworded", {}).get("original", task.user_prompt)
    if played.draft.request != request:
        return
    outcome = play_again(played)
    if outcome.draft is None:
        yield f"cannot be played where other values hold: {outcome.failure[:300]}"
    elif difference := first_difference(request, outcome.draft.request):
        yield f"the request depends on what it does not tell: {difference}"
    elif difference := first_difference(task.plan or "", render(outcome.draft.scene.plan())):
        yield f"the database decides {difference}"
    elif difference := other_work(played, parse(task.plan or ""), _changes(trial)):
        yield f"the plan works on what happens to come first: {difference}"


def _changes(trial: Trial) -> dict[str, tuple[RowChange, ...]]:
    names = [registry.server(server.name).name for server in trial.task.servers]
    return {name: trial.gold[0].database(name).changes() for name in names}


def origin_of(task: Task) -> Origin | None:
    """Return the families, the company and the draw of a task; None where it does not say them."""
    return find_origin(task.domain, task.servers, made_of(task))


def find_origin(domain: str, servers: Sequence[Server], made: Mapping[str, Any]) -> Origin | None:
    """Return families, company and draw of a task that was made in this way; None where unknown."""
    company = json.loads(servers[0].details).get("company") if servers else None
    if not made.get("draw") or company is None or domain not in domains():
        return None
    known = {family.name: family for family in families([domain])}
    if not all(name in known for name in made["families"]):
        return None
    return Origin(tuple(known[name] for name in made["families"]), company, made["draw"])


def play_again(played: Twin) -> Outcome:
    """Play in the twin world; what the scene cannot do without is taken back, until it comes to its end."""
    failure = ""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            draft = played.again()
        except FAILURES as error:
            failure = f"{type(error).__name__}: {error}"
            if not played.retreat(error):
                break
            continue
        if played.repaired:
            _renew(played)
            continue
        if draft.request != played.draft.request and _keep_told(played, draft):
            continue
        return Outcome(draft, attempt, played.facts, played.clones)
    return Outcome(None, attempt, played.facts, played.clones, failure)


def _renew(played: Twin) -> None:
    for world in played.worlds.values():
        world.forget_template()


def _keep_told(played: Twin, draft: Draft) -> bool:
    """Keep the facts that the request tells in its own words: read in queries, seen in the difference."""
    read = {(q.server, *origin, name) for q in played.tape.queries for name, origin in
            zip(q.rows[0] if q.rows else (), q.origins, strict=False) if name in q.read}  # fmt: skip
    before = set(played.draft.request.split())
    new = " ".join(word for word in draft.request.split() if word not in before)
    for world in played.worlds.values():
        known = [f for f in world.facts if (f.server, f.table, f.column, f.column) in read]
        told = [f for f in known if str(f.new) in new] or [f for f in known if f.is_time] or known
        if told:
            world.take_back(told, [])
            _renew(played)
            return True
    for world in played.worlds.values():
        if world.facts or world.clones:
            world.take_back(list(world.facts), [] if world.facts else list(world.clones))
            _renew(played)
            return True
    return False


def first_difference(here: str, there: str) -> str:
    """Return the first line that differs, as it is here and there; empty where none does."""
    for one, other in zip_longest(here.splitlines(), there.splitlines(), fillvalue="(no more)"):
        if one != other:
            return f"{one[:240]!r}, elsewhere {other[:240]!r}"
    return ""
