"""What requests ask for besides: drawn alike for a task and its twin, done, told, and not always the same."""

from random import Random

import pytest

from eops_traj.plan import in_order, run
from eops_traj.taskgen.draft import Draft, build_task, play
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import families
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.scenarios.besides import Course, Sentence, besides
from eops_traj.taskgen.scene import Scene
from eops_traj.taskgen.start_state import StartState
from eops_traj.taskgen.trial import Trial

FAMILIES = {(family.domain, family.name): family for family in families(["itsm", "hr"])}
DO = ("Do it.",) * 6
WORDINGS = tuple(f"[Tell|Say] me {{it}}, wording {number}." for number in range(6))


def _draft(domain: str, name: str, tool: str) -> Draft:
    """Draft a family until its plan has this tool, which only an extra brings."""
    for number in range(60):
        try:
            draft = play((FAMILIES[domain, name],), 3 + number % 4, f"besides {number}")
        except NoMatch:
            continue
        if tool in {step.tool for _, step in draft.scene.plan().calls()}:
            return draft
    pytest.fail(f"{name} never takes {tool}")


def _scene(seed: int) -> Scene:
    return Scene(StartState(3, {"itsm": ""}), Random(seed))


def _asked(s: Scene) -> Course:
    yield Sentence(WORDINGS, {"it": "all"})


def _nothing_fits(s: Scene) -> Course:
    s.pick("SELECT * FROM users WHERE email = 'nobody'")
    yield Sentence(WORDINGS, {"it": "nothing"})


def test_none_one_or_two_are_drawn_and_one_that_finds_nothing_falls_away() -> None:
    said = []
    for seed in range(40):
        scene = _scene(seed)
        more = besides(scene, _asked, _asked, _nothing_fits)
        scene.ask(*DO)
        more.say()
        said.append(scene.parts[0].count("wording"))
        assert "nothing" not in scene.parts[0]
        scene.close()
    assert set(said) == {0, 1, 2}


def test_later_parts_of_a_chain_have_fewer() -> None:
    said = {1: set[int](), 2: set[int]()}
    for earlier, counts in said.items():
        for seed in range(40):
            scene = _scene(seed)
            for _ in range(earlier):
                scene.ask(*DO)
            besides(scene, _asked, _asked).say()
            counts.add(scene.parts[-1].count("wording"))
            scene.close()
    assert said == {1: {0, 1}, 2: {0}}


def test_an_extra_has_six_wordings() -> None:
    with pytest.raises(ScenarioError, match="5 wordings"):
        Sentence(WORDINGS[:5])


@pytest.mark.parametrize("domain", ["itsm", "hr"])
def test_plans_of_a_family_are_not_always_the_same(domain: str) -> None:
    played, sequences = 0, set()
    for number in range(3):
        for family in families([domain])[::3]:
            try:
                draft = play((family,), 3 + number, f"different {number}")
            except NoMatch:
                continue
            played += 1
            sequences.add((family.name, *(step.tool for _, step in draft.scene.plan().calls())))
    assert len(sequences) >= 0.42 * played  # 0.34 where every family always plays the same


def test_the_twin_asks_for_the_same_besides() -> None:
    family = FAMILIES["itsm", "hand_over_queue"]
    for number in range(12):
        usual = play((family,), 3, f"twin {number}")
        assert play((family,), 3, f"twin {number}", "inactive_person").request == usual.request


@pytest.mark.parametrize(
    ("domain", "family", "tool"),
    [
        ("itsm", "rehang_ticket", "link_affected_ci_to_incident"),
        ("itsm", "correct_mapping", "retrieve_knowledge_articles"),
        ("hr", "extend_contract", "add_new_skill_to_user"),
        ("hr", "oldest_waiting", "create_hr_case_task"),
    ],
)
def test_what_is_asked_besides_has_to_be_done(domain: str, family: str, tool: str) -> None:
    trial = Trial(build_task(_draft(domain, family, tool), "task", "suite", None))
    done = trial.gold[1]
    assert trial.passes(trial.gold[0], tool_calls(done.calls), trial.answer(done))
    last = trial.writes[-1]
    session = trial.session()
    outcome = run(in_order(trial.plan, [n for n, _ in trial.plan.calls() if n != last]), session)
    assert not trial.passes(session, tool_calls(outcome.calls), trial.answer(done))


@pytest.mark.parametrize(
    ("domain", "family", "tool"),
    [
        ("itsm", "dissolve_group", "count_incident_for_assignment_group"),
        ("itsm", "change_priority", "get_location_by_id"),
        ("hr", "found_group", "count_case_for_assignment_group"),
        ("hr", "complete_case", "get_hr_profile_by_id"),
    ],
)
def test_what_is_asked_besides_has_to_be_told(domain: str, family: str, tool: str) -> None:
    trial = Trial(build_task(_draft(domain, family, tool), "task", "suite", None))
    session, outcome = trial.gold
    calls = tool_calls(outcome.calls)
    assert trial.passes(session, calls, trial.answer(outcome))
    assert not trial.passes(session, calls, "Everything that was asked for has been done.")
