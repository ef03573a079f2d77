import json
from dataclasses import replace
from random import Random
from types import SimpleNamespace

import pytest

from eops_traj.collect.orchestrator import LimitReached, configure
from eops_traj.collectors.agents.expert import phrases as words
from eops_traj.collectors.agents.expert.executor import ExpertAttempt
from eops_traj.collectors.agents.expert.fabricated_values import fill_references
from eops_traj.collectors.agents.expert.reports import Deed, report
from eops_traj.collectors.agents.expert.slips import SLIPS
from eops_traj.errors import ConfigError
from eops_traj.plan import parse, run
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Json, Server
from eops_traj.verify.failure_modes import diagnose
from eops_traj.verify.outcome import labels, outcome
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.verifiers import verify
from tests.collectors.group_tasks import TASK, TWIN
from tests.collectors.scripted_context import ScriptedContext


def worked(task=TASK, attempt=1, **options):
    context = ScriptedContext(task, attempt=attempt)
    context.work(configure("expert", options).orchestrator)
    return context


def slipping(name, task=TASK, attempt=1):
    return worked(task, attempt, rate=0, rates={name: 1})


def came_to(context):
    found, servers = context.episode(), [server.name for server in context.task.servers]
    verdicts = verify(
        context.task.verifiers,
        context.session,
        found.response,
        found.tool_calls(),
        servers=servers,
        request=context.task.user_prompt,
    )
    scored, made = labels(verdicts), found.tool_calls()
    return outcome(scored, calls=made, response=found.response, feasible=found.feasible, recorded=True)


def calls(context):
    return [(c.name, json.loads(c.arguments)) for turn in context.turns for c in turn.tool_calls]


@pytest.mark.parametrize(("task", "label"), [(TASK, "success"), (TWIN, "safe_refusal")])
@pytest.mark.parametrize("attempt", range(1, 9))
def test_without_slips_it_does_what_the_plan_says(task, label, attempt):
    context = worked(task, attempt, rate=0)
    with open_task(task) as session:
        planned = run(parse(task.plan), session)
    made = [(call.tool, call.arguments) for call, _ in planned.calls]
    assert calls(context) == made and came_to(context) == label
    assert context.notes == {"plan": task.plan, "slips": []} and diagnose(context.episode()) == ()


def test_look_ups_go_out_together_where_they_can():
    assert [len(turn.tool_calls) for turn in worked(rate=0, together=1).turns] == [2, 1, 1, 1, 0]
    assert [len(turn.tool_calls) for turn in worked(rate=0, together=0).turns] == [1, 1, 1, 1, 1, 0]


def test_it_depends_on_task_attempt_and_seed_alone():
    def told(attempt, seed):
        return [(t.text, [(c.name, c.arguments) for c in t.tool_calls]) for t in
                worked(attempt=attempt, seed=seed, rate=0.3).turns]  # fmt: skip

    assert told(1, 5) == told(1, 5)
    assert len({str(told(attempt, seed)) for attempt in (1, 2, 3) for seed in (5, 6)}) == 6


@pytest.mark.parametrize("attempt", range(1, 7))
@pytest.mark.parametrize("name", SLIPS)
def test_every_slip_shows_what_it_says(name, attempt):
    """Exactly the failure modes that were noted are the ones that diagnose finds."""
    context = slipping(name, TWIN if name in ("ignore_refusal", "false_claim") else TASK, attempt)
    noted = {mode for slip in context.notes["slips"] for mode in slip["modes"]}
    assert noted == {finding.mode for finding in diagnose(context.episode())}


@pytest.mark.parametrize(
    ("name", "modes", "labels"),
    [
        ("no_tool", {"no_tool_used", "premature_end"}, {"failure", "over_refusal"}),
        ("hasty", {"write_without_lookup", "unseen_identifier"}, {"failure", "success"}),
        ("stop_early", {"premature_end"}, {"failure", "over_refusal"}),
        ("over_refuse", {"premature_end"}, {"over_refusal"}),
        ("skip_lookup", {"unseen_identifier", "premature_end"}, {"failure", "success", "over_refusal"}),
        ("skip_write", set(), {"failure"}),
        ("namesake", {"premature_end"}, {"failure", "success", "over_refusal"}),
        ("loop", {"loop"}, {"success"}),
        ("unknown_tool", {"unknown_tool"}, {"success"}),
        ("malformed", {"malformed_arguments"}, {"success"}),
        ("stubborn", {"malformed_arguments", "repeated_errors"}, {"success"}),
        ("wander", {"excess_calls"}, {"success"}),
        ("ignore_refusal", set(), {"unsafe_action"}),
        ("false_claim", set(), {"false_success"}),
    ],
)
def test_what_slips_come_to(name, modes, labels):
    task = TWIN if name in ("ignore_refusal", "false_claim") else TASK
    desks = [slipping(name, task, attempt) for attempt in range(1, 13)]
    slips = [slip for context in desks for slip in context.notes["slips"]]
    assert name in {slip["slip"] for slip in slips}
    assert {mode for slip in slips for mode in slip["modes"]} <= modes
    assert {came_to(context) for context in desks} <= labels


def test_a_value_computed_of_a_made_up_one_is_that_one():
    later = parse('1. f()\n2. g(at=date($1.start), to=shift(date($1.start), "2 days"))').steps[1].arguments
    assert fill_references(later, lambda ref: "start-0655") == {"at": "start-0655", "to": "start-0655"}
    assert fill_references(later["at"], lambda ref: "2026-01-05T14:30:00Z") == "2026-01-05"


def test_a_value_chosen_by_a_list_is_made_up_once():
    ref = parse("1. f()\n2. g(group_id=$1[id in [1, 2]].id)").steps[1].arguments["group_id"]
    attempt = SimpleNamespace(
        ignoring=True, left_out=frozenset(), rng=Random(0), context=ScriptedContext(TASK), results={},
        slipped=lambda *_: None, _fabricated_values={},
    )  # fmt: skip
    made = [ExpertAttempt._fabricated(attempt, "g", "group_id", ref, "unknown") for _ in range(2)]
    assert made[0] and made[0] == made[1]


def test_every_slip_is_tried():
    assert len(SLIPS) == 14 and all(slip.act.__doc__ and slip.places.__doc__ for slip in SLIPS.values())


def test_a_plan_that_refuses_is_a_refusal():
    task = replace(TWIN, plan="REFUSE: two of the demands contradict each other")
    assert came_to(worked(task, rate=0)) == "safe_refusal"
    assert came_to(worked(task, rate=0, rates={"ignore_refusal": 1})) == "false_success"


def test_an_attempt_cut_off_keeps_its_slips():
    context = ScriptedContext(TASK, turns=2)
    expert = configure("expert", {"rate": 0, "rates": {"loop": 1}, "together": 0}).orchestrator
    with pytest.raises(LimitReached, match="max_turns"):
        context.work(expert)
    assert len(context.turns) == 2 and "slips" in context.notes


@pytest.mark.parametrize(
    "reason", ["it is closed; nothing moves", "Ana has left. She was moved.", "it has been done"]
)
def test_what_it_says_is_understood(reason):
    for draw in range(40):
        assert declines(words.decline(Random(draw), reason)) and declines(words.excuse(Random(draw)))
        deeds = [Deed("add_member", "put them in"), Deed("send_mail", "tell them that it cannot be undone")]
        assert not declines(report(Random(draw), deeds, ()))


def test_bad_options_are_named():
    with pytest.raises(ConfigError, match="unknown slip 'sleep'; choose from false_claim, hasty"):
        configure("expert", {"rates": {"sleep": 1}})
    with pytest.raises(ConfigError, match=r"loop: 7\.0 is not between 0 and 1"):
        configure("expert", {"rates": {"loop": 7}})
    with pytest.raises(ConfigError, match="join_group: the expert needs a gold plan"):
        worked(replace(TASK, plan=None))


def test_it_declines_for_what_a_refused_look_up_says():
    lines = (
        '1. get_user_profile(userId="nobody@corvane.example") -- whose it is',
        '2. require(either($1.error.message, "") == "") -- nobody has this address',
        "3. require(ok($1)) -- only an administrator may open it",
    )
    box = Server(
        name="gym-email-mcp", seed="", context=TASK.servers[0].context, details=Json('{"company":0}')
    )
    task = replace(TWIN, servers=(box,), tools=("get_user_profile",), plan="\n".join(lines))
    context = worked(task, rate=0)
    with open_task(task) as session:
        assert run(parse(task.plan), session).ending.reason == "nobody has this address"
    assert "nobody has this address" in context.episode().response
