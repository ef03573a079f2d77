"""Where a decision was made: the conversation before it and the rows changed, whatever ids the calls have."""

from dataclasses import replace

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.decisions import decisions, prefix_hash
from eops_traj.schema import ToolCall
from tests.collectors.group_tasks import PLAN, TASK
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of

PERSON = scripted_turn("Who it is.", find_user={"name": "Conrad Vogt"})
JOIN = scripted_turn(add_new_group_member={"group_id": 1, "user_id": 8})
DONE = scripted_turn("Done.")


def attempt(*turns, orchestrator="react", **options) -> EpisodeBundle:
    return episode_of(TASK, orchestrator, turns, **options)


def renamed(bundle: EpisodeBundle) -> EpisodeBundle:
    """The same with other ids of the calls, as another endpoint would give them."""

    def call(n: int, old: ToolCall) -> ToolCall:
        return replace(old, id=f"chatcmpl-{n}-{old.name}")

    turns = tuple(
        replace(turn, tool_calls=tuple(call(n, c) for c in turn.tool_calls))
        for n, turn in enumerate(bundle.episode.turns)
    )
    return replace(bundle, episode=replace(bundle.episode, turns=turns))


def places(bundle):
    return [(d.prefix_hash, d.state_hash) for d in decisions(bundle)]


def test_every_reply_is_a_decision_at_the_end_of_what_was_said():
    made_decisions = list(decisions(attempt(PERSON, JOIN, DONE)))
    assert [len(d.prompt) for d in made_decisions] == [2, 4, 6]
    assert [d.prompt[-1]["role"] for d in made_decisions] == ["user", "tool", "tool"]
    assert [d.ends for d in made_decisions] == [False, False, True]
    assert all(prefix_hash(d.prompt, attempt(DONE).tools()) == d.prefix_hash for d in made_decisions)


def test_what_opens_a_conversation_is_what_was_sent():
    """Ours sends other words in the request's place; another program's second message stands beside it."""
    bundle = attempt(replace(PERSON, nudge="And today."), DONE)
    request = bundle.episode.user_prompt
    for source, said in (("eops-traj", ["And today."]), ("a chat", [request, "And today."])):
        made = next(decisions(replace(bundle, episode=replace(bundle.episode, source=source))))
        assert [one["content"] for one in made.prompt if one["role"] == "user"] == said


def test_ids_of_calls_are_no_part_of_a_place():
    one = attempt(PERSON, PERSON, JOIN, DONE)
    assert places(one) == places(renamed(one))


def test_what_was_said_and_what_was_changed_are():
    one = places(attempt(PERSON, JOIN, DONE))
    other = places(attempt(scripted_turn(find_user={"name": "Conrad Vogt"}), JOIN, DONE))
    assert one[0] == other[0] and one[1] != other[1] and one[1][1] == other[1][1]
    states = [state for _, state in one]
    assert states[0] == states[1] != states[2]


def test_what_was_done_counts_and_not_the_words_that_went_with_it():
    loud, quiet = (
        next(decisions(attempt(scripted_turn(text, find_user={"name": "x"}), DONE))) for text in ("Well.", "")
    )
    assert loud.did == quiet.did and loud.reply != quiet.reply
    assert next(decisions(attempt(DONE))).did != next(decisions(attempt(scripted_turn("No.")))).did


def test_an_executor_that_is_given_a_plan_starts_afresh():
    made_decisions = list(
        decisions(attempt(scripted_turn(PLAN), PERSON, JOIN, DONE, orchestrator="planner_react"))
    )
    assert [d.turn for d in made_decisions] == [1, 2, 3]
    assert [len(d.prompt) for d in made_decisions] == [2, 4, 6] and "find_user_group" in made_decisions[
        0
    ].prompt[1]["content"]


def test_what_a_planner_or_a_machine_said_is_no_decision():
    assert list(decisions(attempt(scripted_turn(PLAN), orchestrator="plan"))) == []
    assert list(decisions(attempt(scripted_turn("No plan."), orchestrator="plan"))) == []


def test_a_subtask_is_prompted_by_its_own_conversation_and_stands_in_the_state_of_all():
    split = scripted_turn("1. Find Conrad Vogt.\n2. Take him into the group.")
    made_decisions = list(
        decisions(attempt(split, JOIN, scripted_turn("He is in."), PERSON, DONE, orchestrator="decomposing"))
    )
    assert [len(d.prompt) for d in made_decisions] == [2, 4, 2, 4]
    assert made_decisions[0].state_hash != made_decisions[2].state_hash == made_decisions[3].state_hash
