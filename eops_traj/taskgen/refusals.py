"""The verifier of a refusal: what an infeasible task's answer names, and which replies show it."""

from collections.abc import Iterator, Sequence
from typing import Any

from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.engine.database import Database
from eops_traj.hashing import canonical_json
from eops_traj.plan import Call, Match, Ref, Require, references, run
from eops_traj.schema import Json, Verifier
from eops_traj.taskgen.errors import ScenarioError
from eops_traj.taskgen.evidence import Way, derive_evidence
from eops_traj.taskgen.identities import full_row
from eops_traj.taskgen.probes import probe_calls, values_at_hand
from eops_traj.taskgen.refusal_names import default_names
from eops_traj.taskgen.scene import Declined, Row, Scene
from eops_traj.taskgen.start_state import StartState
from eops_traj.tool_effects import is_write
from eops_traj.verify.named_reasons import names, unnamed
from eops_traj.verify.shown_facts import plain_name


def derive_refusal_verifier(
    scene: Scene, declined: Declined, twin: StartState, twin_calls: Sequence[Call], request: str
) -> Verifier:
    """Derive the verifier of a scene that declined, with the start state and the calls of its feasible twin.

    Raises ScenarioError where the scene's own words do not name what they should, or its plan shows nothing.
    """
    shown_by = [] if declined.refusal else _find_evidence(scene, twin, twin_calls)
    config = {"names": list(named(scene, declined, request)), "why": declined.reason, "shown_by": shown_by}
    return Verifier(
        name="refusal", kind="refusal", config=Json(canonical_json(config)),
        category="permission_and_process",
        description="Nothing was attempted, what forbids the request was looked up, and the answer names it.",
    )  # fmt: skip


def named(scene: Scene, declined: Declined, request: str) -> tuple[str, ...]:
    """Return what an answer has to name: as the scenario says, else by the kind of perturbation.

    Raises ScenarioError where the scenario's own reason does not name it.
    """
    kind = scene.perturbation or ""
    groups = declined.names or default_names(kind, declined.reason, list(_mentioned(scene, request)))
    for group in unnamed(groups, declined.reason, request):
        raise ScenarioError(f"{kind}: {declined.reason!r} names none of {group!r}")
    return groups


def _mentioned(scene: Scene, request: str) -> Iterator[str]:
    """Yield the names of changed rows that the request has: what an answer may call them."""
    state = scene.start_state().open()
    for row in _rows(scene, state.database):
        for value in row.values():
            if isinstance(value, str) and 2 < len(value) < 80 and names(request, value):
                yield value
    state.close()


def _rows(scene: Scene, database: Any) -> Iterator[Row]:
    """Yield the rows that the perturbation changed, with what they were before."""
    for server, change in scene.perturbed_rows:
        yield from _states(database(server), change)


def _states(database: Database, change: RowChange) -> Iterator[Row]:
    row = full_row(database, change)
    yield {**row, **(change.before or {})}
    yield row


def _find_evidence(scene: Scene, twin: StartState, twin_calls: Sequence[Call]) -> list[Way]:
    """Find the replies that show the fact: those of the plan's look-ups and of others."""
    if not scene.perturbed_rows:
        return []
    here, there = scene.start_state().open(), twin.open()
    values = values_at_hand(twin_calls, _rows(scene, here.database))
    own = [call for call, _ in run(scene.plan(), here).calls if not is_write(call.tool)]
    others = probe_calls(here.list_tools(), values)
    kind = scene.perturbation
    ways = derive_evidence(
        scene.perturbed_rows, own, others, here, there,
        telling=_telling(scene), namesakes=kind == "two_namesakes",
    )  # fmt: skip
    here.close()
    there.close()
    if not ways:
        raise ScenarioError(f"{kind}: no look-up of the plan shows it")
    return ways


def _telling(scene: Scene) -> frozenset[str]:
    """Collect the fields that the requirement which failed looks at."""
    last = scene.steps[-1]
    found = references(last.condition) if isinstance(last, Require) else ()
    return frozenset(plain_name(name).rpartition(".")[2] for ref in found for name in _fields(ref))


def _fields(ref: Ref) -> Iterator[str]:
    for part in ref.path:
        if isinstance(part, Match):
            yield from (test.field for test in part.tests)
    if ref.path and isinstance(ref.path[-1], str):
        yield ref.path[-1]
