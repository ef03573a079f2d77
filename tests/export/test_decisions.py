"""Where a decision was made: the conversation before it and the rows changed, whatever ids the calls have."""

from dataclasses import replace

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.decisions import decisions, prefix_hash
from eops_traj.schema import ToolCall
from tests.collectors.asked import PLAN, TASK
from tests.collectors.desks import says
from tests.exporters.attempts import samples
from tests.planner.made import episode_of

PERSON = says("Who it is.", find_user={"name": "Conrad Vogt"})
JOIN = says(add_new_group_member={"group_id": 1, "user_id": 8})
DONE = says("Done.")


def made(*turns, orchestrator="react", **options) -> EpisodeBundle:
    [sample] = samples([episode_of(TASK, orchestrator, turns, **options)])
    return sample


def renamed(sample: EpisodeBundle) -> EpisodeBundle:
    """The same with other ids of the calls, as another endpoint would give them."""

    def call(n: int, old: ToolCall) -> ToolCall:
        return replace(old, id=f"chatcmpl-{n}-{old.name}")

    turns = tuple(
        replace(turn, tool_calls=tuple(call(n, c) for c in turn.tool_calls))
        for n, turn in enumerate(sample.episode.turns)
    )
    return replace(sample, episode=replace(sample.episode, turns=turns))


def places(sample):
    return [(d.prefix_hash, d.state_hash) for d in decisions(sample)]


def test_every_reply_is_a_decision_at_the_end_of_what_was_said():
    found = list(decisions(made(PERSON, JOIN, DONE)))
    assert [len(d.prompt) for d in found] == [2, 4, 6]
    assert [d.prompt[-1]["role"] for d in found] == ["user", "tool", "tool"]
    assert [d.ends for d in found] == [False, False, True]
    assert all(prefix_hash(d.prompt, made(DONE).tools()) == d.prefix_hash for d in found)


def test_ids_of_calls_are_no_part_of_a_place():
    one = made(PERSON, PERSON, JOIN, DONE)
    assert places(one) == places(renamed(one))


def test_what_was_said_and_what_was_changed_are():
    one = places(made(PERSON, JOIN, DONE))
    other = places(made(says(find_user={"name": "Conrad Vogt"}), JOIN, DONE))
    assert one[0] == other[0] and one[1] != other[1] and one[1][1] == other[1][1]
    states = [state for _, state in one]
    assert states[0] == states[1] != states[2]


def test_what_was_done_counts_and_not_the_words_that_went_with_it():
    loud, quiet = (next(decisions(made(says(text, find_user={"name": "x"}), DONE))) for text in ("Well.", ""))
    assert loud.did == quiet.did and loud.reply != quiet.reply
    assert next(decisions(made(DONE))).did != next(decisions(made(says("No.")))).did


def test_an_executor_that_is_given_a_plan_starts_afresh():
    found = list(decisions(made(says(PLAN), PERSON, JOIN, DONE, orchestrator="planner_react")))
    assert [d.turn for d in found] == [1, 2, 3]
    assert [len(d.prompt) for d in found] == [2, 4, 6] and "find_user_group" in found[0].prompt[1]["content"]


def test_what_a_planner_or_a_machine_said_is_no_decision():
    assert list(decisions(made(says(PLAN), orchestrator="plan"))) == []
    assert list(decisions(made(says("No plan."), orchestrator="plan"))) == []


def test_a_subtask_is_prompted_by_its_own_conversation_and_stands_in_the_state_of_all():
    split = says("1. Find Conrad Vogt.\n2. Take him into the group.")
    found = list(decisions(made(split, JOIN, says("He is in."), PERSON, DONE, orchestrator="decomposing")))
    assert [len(d.prompt) for d in found] == [2, 4, 2, 4]
    assert found[0].state_hash != found[2].state_hash == found[3].state_hash
