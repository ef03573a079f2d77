"""Branches on embedded and remote sessions, their states compared with the parent's."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.collect.attempt import RunContext, make_attempt
from eops_traj.collect.branch_points import BranchPoint
from eops_traj.collect.branching import Branch, ForkingSandbox, make_branch
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.orchestrator import configure
from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.errors import InputError, SandboxError
from eops_traj.gym import registry
from eops_traj.llm.reasoning_replay import ReasoningReplay
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.options import EmbeddedOptions, EmbeddedSandbox, RemoteOptions
from eops_traj.sandbox.replay import Diverged, replay
from eops_traj.schema import Agent
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import scripted_turn
from tests.serving import served

WRONG = [
    scripted_turn(find_user={"name": "Conrad Vogt"}, find_user_group={"name": "Service Desk"}),
    scripted_turn(update_user_details={"user_id": 8, "phone": "+1 555 0100"}),
    scripted_turn("Now the group.", add_new_group_member={"group_id": 3, "user_id": 8}),
    scripted_turn("Done."),
]
RIGHT = [
    *WRONG[:2],
    scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8}),
    scripted_turn("All done."),
]
STEPS = "1. Look them up\n2. Change what is to be changed"
EMBEDDED = EmbeddedOptions().open(None, 1)
PLANNED = [scripted_turn(STEPS), *WRONG[:1], scripted_turn("They are 8 and 1."), *WRONG[1:]]


@pytest.fixture(params=["embedded", "remote"], scope="module")
def sandbox(request):
    if request.param == "embedded":
        yield EMBEDDED
        return
    with served(registry.server("csm")) as urls:
        opened = RemoteOptions(kind="remote", urls=urls).open(None, 2)
        yield opened
        opened.close()


def scripted_context(replies, sandbox, orchestrator="react"):
    models = dict.fromkeys(("planner", "executor"), ScriptedChat(replies))
    agent = Agent(model="scripted", orchestrator=orchestrator)
    return RunContext(
        "run", agent, configure(orchestrator).orchestrator, models, sandbox, seeds={"executor": 7}
    )


def make_parent(replies, sandbox, orchestrator="react"):
    return asyncio.run(
        make_attempt(PendingAttempt(TASK, 1), scripted_context(replies, sandbox, orchestrator))
    ).episode


def make_alternative(parent, turn, replies, sandbox, orchestrator="react", attempt=1):
    point = BranchPoint(parent, turn)
    forking = ForkingSandbox(sandbox, point)
    context = scripted_context(replies, forking, orchestrator)
    bundle = asyncio.run(make_branch(PendingAttempt(TASK, attempt), Branch(point, TASK), context))
    forking.close()
    return bundle.episode


def changes(turns):
    return tuple(change for turn in turns for call in turn.tool_calls for change in call.changes)


@pytest.mark.parametrize("turn", range(4))
def test_a_branch_starts_in_the_state_of_its_parent(sandbox, turn):
    parent = make_parent(WRONG, sandbox)
    forking, fresh = ForkingSandbox(sandbox, BranchPoint(parent, turn)), sandbox.open(TASK)
    first: Any = forking.open(TASK)
    second = forking.open(TASK)
    replay(fresh, parent.turns[:turn])
    assert first.changes() == second.changes() == fresh.changes()
    assert first.changed_rows() == changes(parent.turns[:turn])
    first.call_tool("update_user_details", {"user_id": 9, "phone": "1"})
    assert second.changes() == fresh.changes() != first.changes()
    for session in (first, second, fresh, forking):
        session.close()


def test_a_branch_is_an_episode_with_its_parent(sandbox):
    parent = make_parent(WRONG, sandbox)
    branch = make_alternative(parent, 2, RIGHT, sandbox)
    assert (parent.outcome, branch.outcome) == ("failure", "success")
    assert (branch.parent, branch.branch_turn) == (parent.episode_id, 2)
    assert branch.turns[:2] == parent.turns[:2] and branch.turns[2:] != parent.turns[2:]
    assert branch.task_hash == parent.task_hash and branch.episode_id != parent.episode_id
    assert branch.changeset and branch.stop_reason == "completed" and branch.n_turns == 4


def test_the_alternative_that_the_parent_took_ends_as_it_did(sandbox):
    parent = make_parent(WRONG, sandbox)
    same = make_alternative(parent, 2, WRONG, sandbox)
    assert (same.changeset, same.verdicts, same.outcome) == (
        parent.changeset,
        parent.verdicts,
        parent.outcome,
    )
    assert [t.tool_calls[0].result for t in same.turns[:3]] == [
        t.tool_calls[0].result for t in parent.turns[:3]
    ]


def test_servers_that_cannot_fork_are_brought_there_each_time(monkeypatch):
    parent = make_parent(WRONG, EMBEDDED)

    def fork(session):
        raise SandboxError("csm: cannot fork")

    monkeypatch.setattr("eops_traj.sandbox.embedded.EmbeddedSession.fork", fork)
    assert make_alternative(parent, 2, RIGHT, EMBEDDED).outcome == "success"


def test_what_servers_that_cannot_fork_gave_away_is_not_given_again(monkeypatch):
    def fork(session):
        raise SandboxError("csm: cannot fork")

    monkeypatch.setattr(EmbeddedSession, "fork", fork)
    forking = ForkingSandbox(EMBEDDED, BranchPoint(make_parent(WRONG, EMBEDDED), 2))
    assert forking.open(TASK) is not forking.open(TASK)


def test_servers_that_cannot_fork_need_room_for_one_session_alone(monkeypatch):
    """Two branches that each held one and waited for another would wait for ever."""
    parent, opened = make_parent(WRONG, EMBEDDED), []
    opening, closing = EmbeddedSandbox.open, EmbeddedSession.close

    def open_one(sandbox, task):
        assert not opened
        opened.append(opening(sandbox, task))
        return opened[0]

    def fork(session):
        raise SandboxError("csm: cannot fork")

    monkeypatch.setattr(EmbeddedSandbox, "open", open_one)
    monkeypatch.setattr(EmbeddedSession, "close", lambda session: (closing(session), opened.clear()))
    monkeypatch.setattr(EmbeddedSession, "fork", fork)
    assert make_alternative(parent, 2, RIGHT, EMBEDDED).outcome == "success" and not opened


def test_a_parent_that_comes_out_otherwise_is_no_place_to_branch():
    parent = make_parent(WRONG, EMBEDDED)
    call = replace(parent.turns[1].tool_calls[0], result="{}")
    forged = replace(
        parent, turns=(parent.turns[0], replace(parent.turns[1], tool_calls=(call,)), *parent.turns[2:])
    )
    with pytest.raises(Diverged, match="turn 1: update_user_details now answers"):
        make_alternative(forged, 2, RIGHT, EMBEDDED)


def test_identity_is_parent_turn_agent_and_number():
    parent = make_parent(WRONG, EMBEDDED)
    ids = [
        make_alternative(parent, turn, RIGHT, EMBEDDED, attempt=n).episode_id
        for turn in (1, 2)
        for n in (1, 2)
    ]
    assert len(set(ids)) == 4 and make_alternative(parent, 2, RIGHT, EMBEDDED).episode_id == ids[2]


def test_seeds_are_the_points_own():
    drawn = []

    def reply(request):
        drawn.append(request.sampling["seed"])
        return RIGHT[sum(message["role"] == "assistant" for message in request.messages)]

    parent = make_parent(reply, EMBEDDED)
    for turn in (0, 1, 2):
        make_alternative(parent, turn, reply, EMBEDDED)
    assert len(set(drawn)) == len(drawn) == 4 + 4 + 3 + 2


def test_a_branch_is_given_back_none_of_the_thoughts_of_its_parent_or_of_another():
    replay, shown = ReasoningReplay(), {}

    def thinking(name):
        def reply(request):
            shown.setdefault(name, set()).update(m.get("thought") for m in replay.restore(request)[2:])
            turn = RIGHT[sum(message["role"] == "assistant" for message in request.messages)]
            replay.remember(request, turn.tool_calls, {"thought": name})
            return turn

        return reply

    parent = make_parent(thinking("parent"), EMBEDDED)
    for turn in (1, 2):
        make_alternative(parent, turn, thinking(f"from {turn}"), EMBEDDED)
    assert shown == {name: {None, name} for name in ("parent", "from 1", "from 2")}


def requests_of(orchestrator, replies, turn):
    """Return the requests of an attempt, and of a branch of it at a turn."""
    requests = []

    def reply(request):
        requests.append(request.messages)
        return replies[
            len(requests) - 1 if len(requests) <= len(replies) else len(requests) - 1 - len(replies) + turn
        ]

    parent = make_parent(reply, EMBEDDED, orchestrator)
    branch = make_alternative(parent, turn, reply, EMBEDDED, orchestrator)
    assert branch.changeset == parent.changeset
    assert [replace(t, latency_ms=None, tool_calls=()) for t in branch.turns] == [
        replace(t, latency_ms=None, tool_calls=()) for t in parent.turns
    ]
    return requests[: len(replies)], requests[len(replies) :], parent, branch


@pytest.mark.parametrize("turn", range(6))
@pytest.mark.parametrize("orchestrator", ["planner_react", "decomposing", "react", "conditioned"])
def test_every_conversation_goes_on_as_it_was(orchestrator, turn):
    """Asked from the branch turn on: word for word what the parent was asked."""
    replies = PLANNED if orchestrator == "decomposing" else [scripted_turn(STEPS), *WRONG]
    replies = replies if orchestrator in ("decomposing", "planner_react") else WRONG
    if turn >= len(replies):
        turn = len(replies) - 1
    first, again, parent, branch = requests_of(orchestrator, replies, turn)
    assert again == first[turn:]
    assert json.loads(branch.details) == json.loads(parent.details)


def test_a_branch_is_given_back_the_reasoning_behind_the_calls_that_it_shares():
    replies = [replace(turn, reasoning=f"Thought {n}.") for n, turn in enumerate(WRONG)]
    first, again, *_ = requests_of("react", replies, 2)
    thoughts = [said.get("reasoning_content") for said in again[0] if said["role"] == "assistant"]
    assert thoughts == ["Thought 0.", "Thought 1.", "Thought 2."]  # the last from the branch itself
    assert again == first[2:]


def test_orchestrators_without_a_conversation_are_named():
    parent = make_parent(WRONG, EMBEDDED)
    with pytest.raises(InputError, match="PlanAlone cannot go on from the middle of an attempt"):
        make_alternative(parent, 1, WRONG, EMBEDDED, "plan")
