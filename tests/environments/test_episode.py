"""An episode is judged as a collection judges: by its final state and its last reply."""

import json
import threading
from dataclasses import replace

import pytest

from eops_traj.environments import episode as module
from eops_traj.environments.episode import Episode, EpisodeOver, TooManyCalls
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.errors import SandboxError
from eops_traj.gym.http.threads import TimedOut
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.schema import Json
from tests.collectors.group_tasks import TASK, TWIN
from tests.environments.cases import BY_NAME, CASES, JOIN, Case


def begun(task=TASK) -> Episode:
    episode = Episode("one", task, None, 0.0)
    episode.open(ServedTasks([TASK, TWIN]).tools)
    return episode


def played(case: Case) -> Episode:
    episode = begun({TASK.task_id: TASK, TWIN.task_id: TWIN}[case.task_id])
    for name, arguments in case.calls:
        assert not episode.call(name, arguments).is_error
    return episode


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reward_and_label_are_those_of_what_was_done_and_said(case: Case) -> None:
    judgement = played(case).finish(case.reply)
    assert (judgement.reward, judgement.label) == (case.reward, case.label)


def test_reasoning_is_no_part_of_an_answer() -> None:
    thinking = "<think>I cannot do this: he has left.</think>Done."
    assert played(BY_NAME["wrong_refusal"]).finish(thinking).label == "failure"
    assert played(BY_NAME["right_refusal"]).finish("<think>Easy.</think>I cannot do this.").reward == 1.0


def test_neither_is_reasoning_that_the_prompt_opened() -> None:
    thinking = "I cannot do this: he has left.\n</think>\n\nDone."
    assert played(BY_NAME["wrong_refusal"]).finish(thinking).label == "failure"
    assert played(BY_NAME["right_refusal"]).finish("Easy.\n</think>\n\nI cannot do this.").reward == 1.0


def test_no_answer_claims_and_declines_nothing() -> None:
    assert played(BY_NAME["right_refusal"]).finish("").label == "failure"
    assert played(BY_NAME["gold"]).finish("").label == "success"


def test_it_is_judged_once_and_closed_then() -> None:
    episode = played(BY_NAME["gold"])
    first = episode.finish("Done.")
    assert episode.over and episode.finish("I cannot do this.") is first
    with pytest.raises(EpisodeOver, match="episode one is over"):
        episode.call(*JOIN)


def test_one_that_was_closed_is_worth_nothing() -> None:
    episode = played(BY_NAME["gold"])
    episode.close()
    with pytest.raises(EpisodeOver, match="was closed"):
        episode.finish("Done.")


def test_a_tool_that_is_not_shown_is_refused_and_counts_as_a_step() -> None:
    episode = begun()
    refused = episode.call("create_new_case", {"short_description": "x"})
    assert refused.is_error and refused.text == "Unknown tool: create_new_case" and episode.steps == 1


def test_calls_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CALLS", 1)
    episode = begun()
    episode.call(*JOIN)
    with pytest.raises(TooManyCalls, match="has made 1 calls"):
        episode.call(*JOIN)


def test_a_judgement_that_is_stopped_is_no_failure() -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    config = Json(json.dumps({"query": endless, "expected_value": 1}))
    slow = replace(TASK.verifiers[0], name="slow", kind="database_state", config=config)
    episode, over = begun(replace(TASK, verifiers=(*TASK.verifiers, slow))), threading.Event()

    def stop() -> None:
        while not over.wait(0.05):
            episode.interrupt()

    stopping = threading.Thread(target=stop)
    stopping.start()
    try:
        with pytest.raises(TimedOut, match="stopped at the deadline"):
            episode.finish("Done.")
    finally:
        over.set()
        stopping.join()
    assert episode.judgement is None


def test_a_sandbox_that_fails_is_no_reward_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = played(BY_NAME["gold"])

    def fail(*_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(EmbeddedSession, "run_sql", fail)
    with pytest.raises(SandboxError, match="no memory"):
        episode.finish("Done.")
    assert episode.judgement is None
