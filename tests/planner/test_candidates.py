from dataclasses import replace

import pytest

from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.plan import Ref
from eops_traj.planner import reference_linker
from eops_traj.planner.candidates import candidate_plans
from eops_traj.schema import Json, Server
from tests.collectors.group_tasks import PLAN, TASK
from tests.collectors.scripted_context import scripted_turn
from tests.episodes import EPISODE
from tests.planner.attempts import episode_of
from tests.planner.test_infer import WORKED


@pytest.mark.parametrize("text", [PLAN.strip(), "REFUSE: no", "I would rather not plan."])
@pytest.mark.parametrize("orchestrator", ["plan", "planner_react"])
def test_what_a_planner_wrote_is_its_plan_to_the_letter(orchestrator, text):
    bundle = episode_of(TASK, orchestrator, [scripted_turn(text), scripted_turn("Done.")])
    assert list(candidate_plans(bundle)) == [(text, "written")]


@pytest.mark.parametrize("orchestrator", ["plan", "planner_react"])
def test_a_planner_that_wrote_nothing_has_no_plan(orchestrator):
    assert (
        list(candidate_plans(episode_of(TASK, orchestrator, [scripted_turn(""), scripted_turn("Done.")])))
        == []
    )


def test_what_was_given_to_an_episode_that_passed_is_the_first_candidate():
    candidate, *others = candidate_plans(episode_of(TASK, "expert", rate=0))
    assert candidate == (PLAN.strip(), "given")
    assert [other.origin for other in others] == ["inferred"]


def test_a_failure_followed_what_was_given_as_it_departed_from_it():
    replies = [scripted_turn("", find_user={"name": "Conrad Vogt"}), scripted_turn("Done.")]
    origins = [c.origin for c in candidate_plans(episode_of(TASK, "conditioned", replies))]
    assert origins == ["deviated", "inferred"]


def test_else_it_is_inferred_from_the_episode():
    bundle = episode_of(
        TASK, "react", [scripted_turn(find_user={"name": "Conrad Vogt"}), scripted_turn("He is there.")]
    )
    assert list(candidate_plans(bundle)) == [('1. find_user(name="Conrad Vogt")', "inferred")]


def test_an_episode_without_calls_followed_none():
    bundle = episode_of(TASK, "react", [scripted_turn("All is well.")])
    assert list(candidate_plans(bundle)) == []
    noted = replace(EPISODE, details=Json('{"plan":7}'), turns=())
    assert list(candidate_plans(replace(bundle, episode=noted))) == []


def test_a_plan_inferred_from_a_task_with_seed_files_is_repaired(tmp_path, monkeypatch):
    """One reference leads elsewhere, which only running the plan on the seed in ``root`` can show."""
    link = reference_linker.ReferenceLinker.link

    def wrong(self, step, call, arguments):
        linked = link(self, step, call, arguments)
        return {**linked, "user_id": Ref(1, ("group_id",))} if step == 4 else linked

    monkeypatch.setattr(reference_linker.ReferenceLinker, "link", wrong)
    (server,) = TASK.servers
    patch = "DELETE FROM user_group_member WHERE group_id = 1 AND user_id = 8;"
    seed = templates.to_sql(registry.server(server.name).template(0, patch))
    (tmp_path / "csm.sql").write_text(seed, encoding="utf-8")
    seeded = (Server(name=server.name, seed="csm.sql", context=server.context),)
    bundle = episode_of(TASK, "react", WORKED)
    bundle = replace(bundle, episode=replace(bundle.episode, servers=seeded))
    ((text, origin),) = candidate_plans(bundle, tmp_path)
    assert origin == "inferred"
    assert text.splitlines()[3] == "4. add_new_group_member(group_id=$1.group_id, user_id=8) -- Now I add him"
