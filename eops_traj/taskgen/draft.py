"""Drafts: a family, or a chain of them, played on a company, with its gold run and verifiers, as a task."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import apsw

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.hashing import canonical_json, digest
from eops_traj.plan import Plan, Unresolved, render
from eops_traj.schema import Json, Server, Task, Verifier
from eops_traj.taskgen import verifiers
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, asides
from eops_traj.taskgen.gold_run import LATER, Gold, gold
from eops_traj.taskgen.phrasing import LONGEST, SHORTEST, request, words
from eops_traj.taskgen.scene import Declined, Scene
from eops_traj.taskgen.start_state import World
from eops_traj.tasks.json_files import STANDARD
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class Draft:
    """A scenario as it was played: what is asked, where it starts, what is done, or why it is declined."""

    families: tuple[Family, ...]
    scene: Scene
    request: str
    declined: Declined | None

    @property
    def policy(self) -> str:
        """What the agent is told before the request: the servers' policies, who asks, and what day it is."""
        pages = [registry.server(name).policy.strip() for name in self.scene.world().patches]
        asker = self.scene.speaker
        when = clock.START.strftime("%A, %-d %B %Y, %H:%M UTC")
        return "\n\n".join([*pages, f"You act for {_name(asker)} ({asker['email']}). It is {when}."])


def play(families: Sequence[Family], company: int, draw: str, twist: str | None = None) -> Draft:
    """Play families in a chain on a company; ``draw`` seeds every choice, the same with a twist as without.

    Raises NoMatch where the company has nothing that fits, ScenarioError where a scenario contradicts itself.
    """
    servers = list(dict.fromkeys(name for family in families for name in family.servers))
    scene = Scene(World(company, dict.fromkeys(servers, "")), Random(draw), twist)
    declined = None
    try:
        for place, family in enumerate(families):
            scene.begin(Random(f"{draw}:{place}"))
            family.play(scene)
    except Declined as found:
        declined = found
    except (IndexError, ValueError) as error:  # a choice or a sample among too few
        raise NoMatch(f"{family.name}: {error}") from error
    except (Unresolved, apsw.Error) as error:
        raise ScenarioError(f"{family.name}: {error}") from error
    finally:
        scene.close()
    if (twist is not None) != (declined is not None):
        raise ScenarioError(
            f"{families[0].name}: twist {twist!r} {'was not declined' if twist else 'declined'}"
        )
    return Draft(tuple(families), scene, _request(families, scene, Random(f"{draw}:said")), declined)


def _request(families: Sequence[Family], scene: Scene, rng: Random) -> str:
    if not scene.parts:
        raise ScenarioError(f"{families[0].name} asks nothing")
    first = _name(scene.speaker).split()[0]
    said = request(rng, scene.parts, first, asides(families[0].domain))
    if not SHORTEST <= words(said) <= LONGEST:
        raise NoMatch(f"a request of {words(said)} words")
    return said


def _name(person: dict[str, Any]) -> str:
    for field in ("name", "display_name", "displayName", "full_name"):
        if person.get(field):
            return str(person[field])
    if person.get("first_name"):
        return f"{person['first_name']} {person['last_name']}"
    return str(person["email"]).split("@")[0].replace(".", " ").title()


def task(draft: Draft, task_id: str, suite: str, split: str | None, twin: Draft | None = None) -> Task:
    """The draft as a task with its verifiers; ``twin`` is the feasible twin of an infeasible one.

    Raises ScenarioError where the gold plan does not come out as it should.
    """
    world, told = draft.scene.world(), f"{draft.request}\n{draft.policy}"
    feasible = twin or draft
    truth = gold(feasible.scene.plan(), feasible.scene.world())
    if twin is None:
        elsewhere = gold(draft.scene.plan(), world, later=LATER, ids=1)
        found = verifiers.verifiers(truth, elsewhere, f"{told}\n{truth.results()}", draft.scene.rules)
        _check(found, truth, draft)
        _check(found, elsewhere, draft)
        elsewhere.session.close()
    else:
        session = world.open()
        found = verifiers.untouched(session, truth.changes)
        session.close()
    truth.session.close()
    refusal = draft.declined is not None and draft.declined.refusal
    plan = Plan(refusal=draft.declined.reason) if draft.declined and refusal else feasible.scene.plan()
    return Task(
        task_id=task_id,
        domain=draft.families[0].domain,
        mode="oracle",
        suite=suite,
        split=split,
        system_prompt=draft.policy,
        user_prompt=draft.request,
        servers=tuple(_server(world, name) for name in world.patches),
        tools=tuple(sorted({step.tool for _, step in feasible.scene.plan().calls()})),
        verifiers=found,
        feasible=draft.declined is None,
        plan=render(plan),
        details=Json(canonical_json({**STANDARD, "made": _made(draft, feasible)})),
    )


def _made(draft: Draft, feasible: Draft) -> dict[str, Any]:
    found: dict[str, Any] = {
        "families": [family.name for family in draft.families],
        "steps": len(feasible.scene.plan().calls()),
    }
    if draft.declined:
        found |= {"twist": draft.scene.twisted, "why": draft.declined.reason}
    return found


def _server(world: World, name: str) -> Server:
    server, patch = registry.server(name), world.patches[name]
    header = server.identity.header if server.identity else ""
    context = {header: world.headers[header]} if header in world.headers else {}
    mark = f"-{digest(patch)[:8]}" if patch else ""
    return Server(
        name=server.gym_name,
        seed=f"seeds/{name}-{world.company}{mark}.sql",
        url=f"http://localhost:{server.port}",
        context=Json(canonical_json(context)),
        details=Json(canonical_json({"company": world.company, **({"patch": patch} if patch else {})})),
    )


def _check(found: Sequence[Verifier], run: Gold, draft: Draft) -> None:
    """Raises ScenarioError unless every verifier passes on the run."""
    servers = [registry.server(name).gym_name for name in run.changes]
    for verdict in verify(found, run.session, "Done.", (), servers=servers):
        if not verdict.passed_strict:
            what = f"{verdict.name}: {verdict.query}: {verdict.error or verdict.actual}"
            raise ScenarioError(f"{draft.families[0].name}: {what}, not {verdict.expected}")
