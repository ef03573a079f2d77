"""What an infeasible task asks of a refusal, held against what the replies really show."""

import json
from itertools import islice
from random import Random

import pytest

from eops_traj.plan import Call, run
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import ScenarioError
from eops_traj.taskgen.family import families
from eops_traj.taskgen.probes import values_at_hand
from eops_traj.taskgen.refusal_names import default_names
from eops_traj.taskgen.refusals import named
from eops_traj.taskgen.scene import Declined
from eops_traj.verify.named_reasons import names
from tests.taskgen.lookups import draft_twins, look, random_lookups, random_values, refusal_config, shows

TASKS, LOOKUPS = 2, 40  # a domain, a task; the same over more of them is in the note
DOMAINS = ("csm", "itsm", "hr", "teams", "drive", "calendar", "email", "hybrid")


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_lookup_shows_the_fact_just_where_it_answers_otherwise_without_it(domain):
    """The oracle: the same look-ups on the start state of the feasible twin."""
    rng, wrong, right = Random(domain), 0, 0
    for twins, config in islice(_tasks_with_a_fact(domain, rng), TASKS):
        here, there = (draft.scene.start_state().open() for draft in reversed(twins))
        own = [c for c, _ in run(twins[1].scene.plan(), twins[1].scene.start_state().open()).calls]
        assert shows(config, [look(here, call) for call in own])
        for call in (*own, *islice(_lookups(twins, here, rng), LOOKUPS)):
            reply, without = look(here, call), look(there, call)
            if shows(config, [reply]):
                wrong += reply.result == without.result
                right += reply.result != without.result
    assert right and not wrong


def test_a_list_without_the_address_shows_that_it_is_missing():
    family = next(family for family in families(["email"]) if family.name == "end_private_forwarding")
    usual = play((family,), 3, "listed")
    config = refusal_config(usual, play((family,), 3, usual.draw, "missing_entity"))
    ways = [sight for way in config["shown_by"] for sight in way]
    assert any("list_forwarding_addresses" in sight.get("tools", ()) and sight["lacks"] for sight in ways)


def _tasks_with_a_fact(domain, rng):
    """Yield drafts of infeasible tasks, with their twins, whose fact has to be looked up."""
    pairs = [(family, kind) for family in families([domain]) for kind in family.perturbations]
    for family, kind in rng.sample(pairs, len(pairs)):
        twins = draft_twins(family, kind)
        if twins is not None and (config := refusal_config(*twins))["shown_by"]:
            yield twins, config


def _lookups(twins, session, rng):
    calls = [call for call, _ in run(twins[0].scene.plan(), twins[0].scene.start_state().open()).calls]
    known, others = values_at_hand(calls, []), random_values(twins[1], session, rng)
    pool = {name: [*known.get(name, []), *others.get(name, [])] for name in {*known, *others}}
    return random_lookups(session, pool, rng)


def test_of_namesakes_the_record_of_one_is_not_enough():
    family = next(family for family in families(["csm"]) if family.name == "join_group")
    twins = draft_twins(family, "two_namesakes")
    config, session = refusal_config(*twins), twins[1].scene.start_state().open()
    ids = [int(sight["of"][0][0]["userid"]) for sight in config["shown_by"][0]]
    one, other = (look(session, Call(0, "list_users", {"user_id": number})) for number in ids)
    assert not shows(config, [one]) and not shows(config, [other]) and shows(config, [one, other])


def test_a_scenario_whose_own_words_do_not_name_it_is_broken():
    twins = draft_twins(next(f for f in families(["csm"]) if f.name == "join_group"), "inactive_person")
    declined = Declined("Mo Lee is no longer active", refusal=False, names=["suspended"])
    with pytest.raises(ScenarioError, match="inactive_person: 'Mo Lee is no longer active' names none of"):
        named(twins[1].scene, declined, "please add Mo Lee")


@pytest.mark.parametrize(
    ("kind", "why", "about", "right", "wrong"),
    [
        ("inactive_person", "Mo is no longer active", ["Mo"], "Mo is disabled.", "Mo lacks the role."),
        ("missing_entity", "there is no case CS-1", ["CS-1"], "I could not find CS-1.", "CS-1 is closed."),
        ("two_namesakes", "more than one is called Mo", ["Mo"], "Two are named Mo.", "Mo left."),
        ("no_right", "this takes the role admin", [], "You lack the permission.", "Bananas are yellow."),
        ("policy_forbids", "the article is retired", [], "It was retired.", "Your role forbids it."),
    ],
)  # fmt: skip
def test_default_names_tell_right_reasons_from_wrong_ones(kind, why, about, right, wrong):
    groups = default_names(kind, why, about)
    assert all(names(why, group) and names(right, group) for group in groups)
    assert not all(names(wrong, group) for group in groups)
    assert not all(names("I can't do that.", group) for group in groups)


def test_a_chain_can_be_infeasible_in_a_later_part():
    chain = tuple(
        next(f for f in families(["hr"]) if f.name == n) for n in ("onboard_employee", "record_skills")
    )
    usual = play(chain, 3, "later")
    perturbed = play(chain, 3, "later", "policy_forbids", part=1)
    assert perturbed.request == usual.request
    task, twin = build_task(perturbed, "t", "s", None, usual), build_task(usual, "u", "s", None)
    assert task.plan == twin.plan and task.system_prompt == twin.system_prompt
    session = perturbed.scene.start_state().open()
    ending = run(usual.scene.plan(), session).ending
    assert ending.kind == "declined" and ending.reason == perturbed.declined.reason
    assert not session.changed_rows()
    assert json.loads(task.details)["made"]["part"] == 1
