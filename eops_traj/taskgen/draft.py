"""Drafts: a family or a chain of families, played on a company and built into a task with its verifiers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import apsw

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.hashing import canonical_json, digest
from eops_traj.plan import Plan, Unresolved, render
from eops_traj.schema import Json, Server, Task, Verifier
from eops_traj.taskgen.answers import derive_answer_verifier
from eops_traj.taskgen.composing import compose, full_name
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family
from eops_traj.taskgen.gold_answer import asked_json, gold_answer, renumbered
from eops_traj.taskgen.gold_evidence import gather_evidence
from eops_traj.taskgen.gold_hardness import measure_gold
from eops_traj.taskgen.gold_run import GoldRun, plain_plan, run_gold
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.refusals import derive_refusal_verifier
from eops_traj.taskgen.rewording import run_in_other_words
from eops_traj.taskgen.scene import Declined, Scene
from eops_traj.taskgen.speech import Heard, Speech
from eops_traj.taskgen.start_state import StartState
from eops_traj.taskgen.told import Briefing
from eops_traj.taskgen.verifiers import derive_infeasible_verifiers, derive_verifiers
from eops_traj.tasks.json_files import DEFAULT_FIELDS
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class Draft:
    """A scenario as it was played: the request, the scene with its steps, or the reason for declining."""

    families: tuple[Family, ...]
    scene: Scene
    request: str
    declined: Declined | None
    draw: str = ""
    """What seeds every choice."""
    asides: tuple[str, ...] = ()
    """What the request says beside the point."""

    @property
    def policy(self) -> str:
        """The system prompt: the servers' policies, who asks, and what day it is."""
        pages = [registry.server(name).policy.strip() for name in self.scene.start_state().patches]
        caller, now = self.scene.caller, clock.START.strftime("%A, %-d %B %Y, %H:%M UTC")
        return "\n\n".join([*pages, f"You act for {full_name(caller)} ({caller['email']}). It is {now}."])


@dataclass(frozen=True)
class Stage:
    """Where families are played: the start state, and where chance comes from; the twin world is another."""

    start: Callable[[int, Sequence[str]], StartState] = lambda company, servers: StartState(
        company, dict.fromkeys(servers, "")
    )
    random: Callable[[str], Random] = Random


def play(
    families: Sequence[Family], company: int, draw: str, perturbation: str | None = None, part: int = 0,
    stage: Stage | None = None, heard: Heard | None = None,
) -> Draft:  # fmt: skip
    """Play families in a chain on a company; a perturbation acts in the part of this number.

    ``draw`` seeds every choice, the same with a perturbation as without; where it does not name the wording,
    that is least like what was ``heard``. Raises NoMatch where the company has nothing that fits,
    ScenarioError where a scenario contradicts itself.
    """
    stage, speech = stage or Stage(), Speech(draw, heard)
    usual = play(families, company, draw).scene if perturbation and len(families) > 1 else None
    wishes = usual.wishes.get((part, perturbation or ""), ()) if usual and part else ()
    servers = list(dict.fromkeys(name for family in families for name in family.servers))
    seed = speech.seed
    scene = Scene(stage.start(company, servers), stage.random(seed), perturbation, part, wishes, speech)
    declined = _play_parts(families, scene, seed, stage)
    if (perturbation is not None) != (declined is not None):
        ending = "was not declined" if perturbation else "declined"
        raise (NoMatch if part else ScenarioError)(f"{families[part].name}: twist {perturbation!r} {ending}")
    if usual and declined:
        _ask_the_rest(scene, usual, part)
    if len(families) > 1 and not (declined and declined.refusal):
        scene.look_first()
    request, beside = compose(families, scene, scene.parts, speech)
    return Draft(tuple(families), scene, request, declined, speech.draw, beside)


def _play_parts(families: Sequence[Family], scene: Scene, draw: str, stage: Stage) -> Declined | None:
    """Play one family after the other; return why the request is declined, or None."""
    try:
        for index, family in enumerate(families):
            scene.begin(stage.random(f"{draw}:{index}"), family.servers[0])
            family.play(scene)
    except Declined as decline:
        return decline
    except (IndexError, ValueError) as error:  # a choice or a sample among too few
        raise NoMatch(f"{family.name}: {error}") from error
    except (Unresolved, apsw.Error) as error:
        raise ScenarioError(f"{family.name}: {error}") from error
    finally:
        scene.close()
    return None


def _ask_the_rest(scene: Scene, usual: Scene, part: int) -> None:
    """Add the parts of the request that come after the one that cannot be done, as without it.

    Raises NoMatch where the perturbation has changed what is asked for besides.
    """
    asked = part + 1 if scene.perturbed_rows else part
    if len(scene.parts) <= part or scene.parts[:asked] != usual.parts[:asked]:
        raise NoMatch("the perturbation changes the other parts of the request")
    scene.sayings += usual.sayings[len(scene.sayings) :]
    scene.parts += usual.parts[len(scene.parts) :]


def build_task(draft: Draft, task_id: str, suite: str, split: str | None, twin: Draft | None = None) -> Task:
    """Build a task with its verifiers from a draft; ``twin`` is the feasible twin of an infeasible draft.

    Raises ScenarioError where the verifiers do not pass on the gold run.
    """
    state, feasible = draft.scene.start_state(), twin or draft
    plan, numbers = plain_plan(feasible.scene.plan(), feasible.scene.start_state())
    gold = run_gold(plan, feasible.scene.start_state())
    if twin is None:
        known = f"{draft.request}\n{draft.policy}"
        other, prose = run_in_other_words(plan, state, gold, known)
        asked = renumbered(draft.scene.asked, numbers)
        told = Briefing(draft.request, draft.policy, prose)
        evidence = gather_evidence(gold, other, told)
        verifiers = (
            *derive_verifiers(gold, other, told, evidence, draft.scene.rules),
            derive_answer_verifier(asked, gold, other, evidence),
        )
        for run in (gold, other):
            servers = [registry.server(name).gym_name for name in run.changes]
            _check(verifiers, run, gold_answer(plan, run.calls, asked, servers), draft)
        other.session.close()
    else:
        session = state.open()
        verifiers = derive_infeasible_verifiers(session, gold.changes)
        session.close()
        verifiers += (_refusal_verifier(draft, twin, gold),)
    made = {**_provenance(draft, feasible), "hardness": measure_gold(gold)}
    gold.session.close()
    refusal = draft.declined is not None and draft.declined.refusal
    said = Plan(refusal=draft.declined.reason) if draft.declined and refusal else feasible.scene.plan()
    return Task(
        task_id=task_id,
        domain=draft.families[0].domain,
        mode="oracle",
        suite=suite,
        split=split,
        system_prompt=draft.policy,
        user_prompt=draft.request,
        servers=tuple(_server(state, name) for name in state.patches),
        tools=tuple(sorted({step.tool for _, step in feasible.scene.plan().calls()})),
        verifiers=verifiers,
        feasible=draft.declined is None,
        plan=render(said),
        details=Json(canonical_json({**DEFAULT_FIELDS, "made": made})),
    )


def _refusal_verifier(draft: Draft, twin: Draft, gold: GoldRun) -> Verifier:
    calls = [call for call, _ in gold.calls]
    declined, families = draft.declined, ", ".join(family.name for family in draft.families)
    if declined is None:
        raise ScenarioError(f"{families}: not declined")
    try:
        return derive_refusal_verifier(draft.scene, declined, twin.scene.start_state(), calls, draft.request)
    except ScenarioError as error:
        raise ScenarioError(f"{families}, {error}") from None


def _provenance(draft: Draft, feasible: Draft) -> dict[str, Any]:
    provenance: dict[str, Any] = {
        "families": [family.name for family in draft.families],
        "steps": len(feasible.scene.plan().calls()),
        "draw": draft.draw,
    }
    provenance |= {**feasible.scene.traits, "asides": [*feasible.asides]}
    if feasible.scene.asked:
        provenance["asked"] = asked_json(feasible.scene.asked)
    if draft.declined:
        provenance |= {"twist": draft.scene.perturbation, "why": draft.declined.reason}
        if len(draft.families) > 1:
            provenance["part"] = draft.scene.perturbed_part
    return provenance


def _server(state: StartState, name: str) -> Server:
    server, patch = registry.server(name), state.patches[name]
    header = server.identity.header if server.identity else ""
    context = {header: state.headers[header]} if header in state.headers else {}
    suffix = f"-{digest(patch)[:8]}" if patch else ""
    return Server(
        name=server.gym_name,
        seed=f"seeds/{name}-{state.company}{suffix}.sql",
        url=f"http://localhost:{server.port}",
        context=Json(canonical_json(context)),
        details=Json(canonical_json({"company": state.company, **({"patch": patch} if patch else {})})),
    )


def _check(verifiers: Sequence[Verifier], run: GoldRun, answer: str, draft: Draft) -> None:
    """Check that every verifier passes on the run. Raises ScenarioError where one fails."""
    servers = [registry.server(name).gym_name for name in run.changes]
    calls, request = tool_calls(run.calls), draft.request
    for verdict in verify(verifiers, run.session, answer, calls, servers=servers, request=request):
        if not verdict.passed_strict:
            outcome = f"{verdict.name}: {verdict.query or verdict.details}: {verdict.error or verdict.actual}"
            raise ScenarioError(f"{draft.families[0].name}: {outcome}, not {verdict.expected}")
