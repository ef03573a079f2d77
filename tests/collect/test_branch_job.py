"""The command line: collect a failure and a success of one task, branch the failure, see what is stored."""

import json
import shutil
from dataclasses import replace

import pytest

from eops_traj.collect.config import load_setup
from eops_traj.collect.job import load_job, sole_collection
from eops_traj.collect.sole_recorder import sole_recorder
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from tests.collectors.group_tasks import TASK
from tests.made import made, run_command

LOOK = {"tool_calls": [{"name": "find_user", "arguments": {"name": "Conrad Vogt"}}]}
PHONE = {"tool_calls": [{"name": "update_user_details", "arguments": {"user_id": 8, "phone": "+1 555 0100"}}]}


def join(group):
    return {"tool_calls": [{"name": "add_new_group_member", "arguments": {"group_id": group, "user_id": 8}}]}


WRONG, RIGHT = [LOOK, PHONE, join(3), "Done."], [LOOK, PHONE, join(1), "All done."]


def config(folder, name, replies, orchestrator="react"):
    settings = {
        "tasks": {"source": str(folder / "tasks")},
        "orchestrator": {"name": orchestrator},
        "models": {role: {"kind": "scripted", "replies": replies} for role in ("executor",)},
        "check": "none",
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(settings))
    return path


def make_attempts(folder):
    """Make a failed and a successful attempt at the task."""
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "join_group.json").write_text(json.dumps(dump_task(TASK)))
    for name, replies in (("wrong", WRONG), ("right", RIGHT)):
        run_command("collect", config(folder, name, replies), "--store", folder / "store")


@pytest.fixture
def store(tmp_path):
    """A store with a failed and a successful attempt at the task, their configs and the task beside it."""
    shutil.copytree(made("store-to-branch", make_attempts), tmp_path, dirs_exist_ok=True)
    for name, replies in (("wrong", WRONG), ("right", RIGHT)):
        config(tmp_path, name, replies)  # of the task here
    return tmp_path / "store"


def episodes(store):
    with Store.open(store) as opened:
        return list(opened.episodes())


def test_a_failure_is_branched_at_its_divergence_once(store, tmp_path, cli):
    again = ("branch", tmp_path / "right.yaml", "--store", store, "--alternatives", 2, "--json")
    first, second = cli(*again), cli(*again)
    assert (first.code, second.code) == (0, 0), first.err
    assert (json.loads(first.out)["settled"], json.loads(second.out)["settled"]) == (2, 0)
    failed = next(e for e in episodes(store) if e.outcome == "failure")
    branches = [e for e in episodes(store) if e.parent]
    assert {(e.parent, e.branch_turn, e.attempt, e.outcome) for e in branches} == {
        (failed.episode_id, 2, 1, "success"), (failed.episode_id, 2, 2, "success"),
    }  # fmt: skip
    with Store.open(store) as opened:
        assert opened.run(branches[0].run_id).kind == "branch"


def test_a_second_branching_of_an_agent_waits_beside_a_collection_it_does_not(store, tmp_path, cli):
    config = tmp_path / "right.yaml"
    agent = load_job(load_setup(config), str(store)).agent
    with Store.open(store) as held, sole_collection(held, agent):
        assert cli("branch", config, "--store", store).code == 0
    with Store.open(store) as held, sole_recorder(held, agent, "branching", "wait", numbers="branches"):
        refused = cli("branch", config, "--store", store, "--alternatives", 2)
    assert refused.code == 2 and "another branching records" in refused.err
    assert [e.attempt for e in episodes(store) if e.parent] == [1]


def test_more_alternatives_are_added_to_those_there(store, tmp_path, cli):
    for alternatives in (1, 3):
        cli("branch", tmp_path / "right.yaml", "--store", store, "--alternatives", alternatives)
    assert sorted(e.attempt for e in episodes(store) if e.parent) == [1, 2, 3]


def test_every_write_of_chosen_episodes(store, tmp_path, cli):
    good = next(e for e in episodes(store) if e.outcome == "success")
    ran = cli("branch", tmp_path / "wrong.yaml", "--store", store, "--at", "writes", "--run", good.run_id)
    assert ran.code == 0, ran.err
    assert {(e.parent, e.branch_turn, e.outcome) for e in episodes(store) if e.parent} == {
        (good.episode_id, 1, "failure"), (good.episode_id, 2, "failure"),
    }  # fmt: skip


def test_a_run_is_named_by_how_its_id_begins_and_branches_are_known_by_the_whole(store, tmp_path, cli):
    good = next(e for e in episodes(store) if e.outcome == "success")
    words = ("branch", tmp_path / "wrong.yaml", "--store", store, "--run", good.run_id[:12])
    ran = cli(*words)
    assert ran.code == 2 and "no branch point of kind divergence" in ran.err
    assert cli(*words, "--at", "writes").code == 0
    [made_by] = {e.run_id for e in episodes(store) if e.parent == good.episode_id}
    with Store.open(store) as opened:
        assert json.loads(opened.run(made_by).config)["branch"]["runs"] == [good.run_id]


def test_a_limit_is_spread_over_the_points(store, tmp_path, cli):
    cli("branch", tmp_path / "wrong.yaml", "--store", store, "--at", "writes", "--limit", 2)
    assert len({e.parent for e in episodes(store) if e.parent}) == 2


def test_collect_and_score_leave_branches_aside(store, tmp_path, cli):
    cli("branch", tmp_path / "right.yaml", "--store", store)
    resumed = cli("collect", tmp_path / "right.yaml", "--store", store, "--resume", "--json")
    assert json.loads(resumed.out)["owed"] == 0
    [row] = json.loads(cli("score", "--store", store, "--json").out)
    assert (row["episodes"], row["branches"], row["success_strict"]) == (2, 1, 0.5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--at", "random"], "unknown branch point 'random'; choose from divergence, writes"),
        (["--episode", "nobody"], "no episode 'nobody' to branch"),
        (["--run", "none"], "unknown run 'none'; choose from"),
        (
            ["orchestrator.name=plan", "models.planner={kind: scripted, replies: [x]}"],
            "cannot go on from the middle",
        ),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(store, tmp_path, cli, arguments, said):
    ran = cli("branch", tmp_path / "right.yaml", *arguments, "--store", store)
    assert ran.code == 2 and said in ran.err and ran.err.count("\n") == 1
    assert not [e for e in episodes(store) if e.parent]


def test_a_point_that_cannot_be_brought_back_is_said(store, tmp_path, cli):
    failed = next(e for e in episodes(store) if e.outcome == "failure")
    call = replace(failed.turns[1].tool_calls[0], result="{}")
    turns = (failed.turns[0], replace(failed.turns[1], tool_calls=(call,)), *failed.turns[2:])
    with Store.open(store) as opened:
        opened.append([replace(failed, episode_id="forged", turns=turns)])
    ran = cli("branch", tmp_path / "right.yaml", "--store", store, "--json")
    assert ran.code == 1 and "episode forged: turn 1: update_user_details now answers" in ran.err
    assert json.loads(ran.out)["diverged"] == 1
    assert [e.parent for e in episodes(store) if e.parent] == [failed.episode_id]


def test_an_alternative_that_ends_in_error_is_kept_and_said(store, tmp_path, cli):
    ran = cli("branch", config(tmp_path, "short", WRONG[:2]), "--store", store)
    assert ran.code == 1 and "1 of 1 branches ended in error" in ran.err
    assert [(e.outcome, e.branch_turn) for e in episodes(store) if e.parent] == [("error", 2)]


def test_tasks_that_the_config_lacks_are_named(store, tmp_path, cli):
    text = json.dumps(dump_task(TASK)).replace("new number", "newest number")
    (tmp_path / "tasks" / "join_group.json").write_text(text)
    ran = cli("branch", tmp_path / "right.yaml", "--store", store)
    assert ran.code == 2 and "none of the 1 branch points belongs to a task of the config" in ran.err
