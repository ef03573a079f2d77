"""One attempt becomes one episode: its work is in it, and no one is blamed who did not fail."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.collect.attempt import make_attempt
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.episode_recorder import Limits
from eops_traj.collect.orchestrator import AgentContext
from eops_traj.errors import InputError, SandboxError
from eops_traj.gym.engine.changesets import unpack_changesets
from eops_traj.llm.base import EndpointError, Request
from eops_traj.messages import messages
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.schema import Episode, Json, Server, Turn, Verifier
from eops_traj.store.store import Store
from tests.collect.attempts import CHANGE, GOOD, attempt, scripted_run, turn
from tests.collect.case_tasks import LOOK_UP, TOOLS, task


def test_an_attempt_that_does_what_was_asked_is_a_success():
    episode = attempt()
    assert (episode.outcome, episode.stop_reason, episode.error) == ("success", "completed", None)
    assert episode.success_strict and episode.success_parity and len(episode.verdicts) == 2
    assert (episode.n_turns, episode.n_steps, episode.n_tool_errors) == (3, 2, 0)
    assert (episode.input_tokens, episode.output_tokens, episode.cost) == (300, 30, pytest.approx(0.03))


def test_its_calls_have_results_changes_and_servers():
    look_up, change = attempt().tool_calls()
    assert look_up.server == change.server == "sn-csm-server"
    assert '"case_id": 5' in str(look_up.result) and look_up.changes == ()
    assert [(c.table, c.operation, c.key) for c in change.changes] == [
        ("customer_case", "update", '{"case_id":5}')
    ]
    envelope = json.loads(change.envelope or "")
    assert envelope["success"] and envelope["result"]["content"][0]["text"] is None
    assert change.latency_ms is not None


def test_the_changeset_of_the_whole_episode_is_there():
    changesets = unpack_changesets(attempt().changeset or b"")
    assert list(changesets) == ["sn-csm-server"] and changesets["sn-csm-server"]


TWO_SERVERS = (*task().servers, Server(name="gym-itsm-mcp", seed="", details=Json('{"company":0}')))


class PartlySeeing(type(EmbeddedOptions().open(None, 1))):  # type: ignore[misc]
    """A sandbox in which some servers do not report their changes."""

    def __init__(self, *reporting: str) -> None:
        super().__init__(EmbeddedOptions(), None)
        self.reporting = reporting

    def open(self, of: Any) -> Any:
        session = super().open(of)
        changes = session.changes
        session.changes = lambda: {n: one for n, one in changes().items() if n in self.reporting}
        return session


@pytest.mark.parametrize(("reporting", "whole"), [(("csm", "itsm"), True), (("csm",), False), ((), False)])
def test_the_changes_of_some_servers_are_not_those_of_the_episode(reporting: tuple[str, ...], whole: bool):
    episode = attempt(of=task(servers=TWO_SERVERS), sandbox=PartlySeeing(*reporting))
    assert episode.error is None and (episode.changeset is not None) == whole


def test_the_same_replies_give_the_same_episode_but_for_its_times():
    def timeless(episode: Episode) -> dict[str, Any]:
        calls = [(c.name, c.result, c.changes) for c in episode.tool_calls()]
        return {"id": episode.episode_id, "calls": calls, "set": episode.changeset, "is": episode.verdicts}

    assert timeless(attempt()) == timeless(attempt())


def test_it_is_told_by_content():
    first = attempt()
    assert first.episode_id == attempt((turn("No."),)).episode_id
    other = asyncio.run(make_attempt(PendingAttempt(task(), 2, first.episode_id), scripted_run())).episode
    assert other.episode_id != first.episode_id and other.supersedes == first.episode_id
    assert first.task_hash == task().task_hash and first.run_id == "run"


def test_the_conversation_is_what_the_model_saw():
    requests: list[Request] = []

    def reply(request: Request) -> Turn:
        requests.append(request)
        return GOOD[len(requests) - 1]

    episode = attempt(reply)
    assert messages(episode, task().system_prompt)[:-1] == requests[-1].messages
    names = [tool["function"]["name"] for tool in requests[0].tools]
    assert sorted(names) == sorted(TOOLS)


def test_a_wrong_answer_is_a_failure_and_a_refusal_one_of_its_own_kind():
    assert attempt((turn(update_case=CHANGE | {"reopen_count": 3}), turn("Done."))).outcome == "failure"
    assert attempt((turn("I cannot do this: only a manager may."),)).outcome == "over_refusal"


def test_arguments_that_do_not_parse_never_reach_the_sandbox():
    episode = attempt((turn(update_case='{"case_id": 5, "reop'), turn("Sorry.")))
    (call,) = episode.tool_calls()
    assert call.is_error and "nothing was called" in str(call.result) and call.envelope is None
    assert "not valid JSON" in str(call.result) and "malformed_arguments" in episode.failure_modes


@pytest.mark.parametrize("name", ["delete_products", "fly"])
def test_a_tool_that_is_not_shown_is_not_there(name: str):
    episode = attempt((turn(**{name: {}}), turn("Sorry.")))
    (call,) = episode.tool_calls()
    assert (
        call.is_error and call.result == f"Unknown tool: {name}" and "unknown_tool" in episode.failure_modes
    )


@pytest.mark.parametrize(
    ("limits", "reason", "turns"),
    [
        (Limits(turns=2), "max_turns", 2),
        (Limits(tokens=220), "max_tokens", 2),
        (Limits(cost=0.015), "max_cost", 2),
        (Limits(seconds=0.0005), "timeout", 1),
    ],
)
def test_each_limit_has_its_reason_and_the_state_is_judged_all_the_same(
    limits: Limits, reason: str, turns: int
):
    episode = attempt((turn(**{LOOK_UP: {}}), *GOOD), limits=limits)
    assert (episode.stop_reason, episode.n_turns, episode.outcome) == (reason, turns, "failure")
    assert episode.verdicts and episode.error is None


def fails(error: Exception, after: int = 1) -> Callable[[Request], Turn]:
    """Replies that end in an error."""

    def reply(request: Request) -> Turn:
        if sum(m["role"] == "assistant" for m in request.messages) >= after:
            raise error
        return GOOD[0]

    return reply


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EndpointError("server", "it burns"), "server: it burns"),
        (EndpointError("context", "too long"), "context: too long"),
        (KeyError("x"), "internal: KeyError: 'x'"),
    ],
)
def test_what_fails_is_kept_as_an_error_and_no_label_blames_the_model(error: Exception, message: str):
    episode = attempt(fails(error, after=0))
    assert (episode.outcome, episode.stop_reason, episode.error) == ("error", "error", message)
    assert episode.success_strict is episode.success_parity is episode.verifier_pass_strict is None


def test_what_was_done_before_the_error_is_kept():
    assert attempt(fails(EndpointError("server", "it burns"))).n_steps == 1


def test_a_talk_that_fills_the_context_is_a_limit_and_no_error():
    episode = attempt(fails(EndpointError("context", "too long")))
    assert (episode.stop_reason, episode.outcome) == ("max_tokens", "failure")
    assert json.loads(episode.details)["context"] == "context: too long"


class BrokenSandbox(type(EmbeddedOptions().open(None, 1))):  # type: ignore[misc]
    """A sandbox that breaks in one of its operations."""

    def __init__(self, operation: str, error: Exception) -> None:
        super().__init__(EmbeddedOptions(), None)
        self.operation, self.error = operation, error

    def fail(self, *_: object) -> Any:
        raise self.error

    def open(self, of: Any) -> Any:
        if self.operation == "open":
            raise self.error
        session = super().open(of)
        setattr(session, self.operation, self.fail)
        return session


@pytest.mark.parametrize("operation", ["open", "list_tools", "call_tool", "run_sql", "changes"])
@pytest.mark.parametrize("error", [SandboxError("it broke"), OSError("it broke")])
def test_a_sandbox_that_breaks_is_an_error_wherever_it_breaks(operation: str, error: Exception):
    episode = attempt(sandbox=BrokenSandbox(operation, error))
    assert episode.outcome == "error"
    assert str(episode.error).startswith("sandbox: ") and "it broke" in str(episode.error)


def test_a_sandbox_that_cannot_be_closed_has_given_its_episode():
    assert attempt(sandbox=BrokenSandbox("close", SandboxError("it broke"))).outcome == "success"


def test_bad_input_ends_the_attempt_without_an_episode():
    with pytest.raises(InputError, match="case_005: the sandbox has no tool fly"):
        attempt(of=task(tools=("fly",)))


def test_seeds_of_sampling_differ_from_reply_to_reply_and_from_attempt_to_attempt():
    seen: list[int] = []

    def reply(request: Request) -> Turn:
        seen.append(request.sampling["seed"])
        return GOOD[len(seen) % 3 - 1]

    for number in (1, 2, 1):
        context = scripted_run(lambda request: reply(request), seeds={"executor": 7})
        asyncio.run(make_attempt(PendingAttempt(task(), number), context))
    assert seen[:3] == seen[6:] and len(set(seen[:6])) == 6


JUDGED = Verifier(
    name="Says so",
    kind="response_check",
    server="sn-csm-server",
    config=Json(json.dumps({"sql_query": "SELECT 1", "comparison_prompt": "It is said."})),
)


def test_a_judge_is_asked_and_one_that_fails_is_the_endpoints_failure():
    def fine(prompt: str) -> str:
        return '{"score": 9, "reasoning": "yes"}'

    def broken(prompt: str) -> str:
        raise SandboxError("judge: server: it burns")

    judged = task(verifiers=(*task().verifiers, JUDGED))
    assert attempt(of=judged, judge=fine).verdicts[-1].passed_strict
    assert attempt(of=judged, judge=broken).error == "sandbox: judge: server: it burns"


class AnnotatingOrchestrator:
    """An orchestrator that only takes notes."""

    async def work(self, context: AgentContext) -> None:
        context.annotate(plan="1. nothing()")
        await context.ask([], role="planner", tools=False, nudge="Plan!")
        context.record(Turn(text="Done."))


def test_notes_and_roles_are_kept():
    fields = {
        "models": {"planner": scripted_run((turn("Nothing."),)).models["executor"]},
        "orchestrator": AnnotatingOrchestrator(),
    }
    episode = attempt(**fields)
    assert json.loads(episode.details) == {"plan": "1. nothing()", "roles": ["planner", "none"]}
    assert episode.turns[0].nudge == "Plan!" and episode.response == "Done."


class NotingOrchestrator:
    """An orchestrator that takes a note, and says so."""

    def __init__(self, note: object) -> None:
        self.note = note

    async def work(self, context: AgentContext) -> None:
        context.annotate(note=self.note)
        context.record(Turn(text="Noted."))


def test_notes_of_numbers_that_json_has_not_are_kept_as_text():
    episode = attempt(orchestrator=NotingOrchestrator({"mean": float("nan"), "most": float("inf"), "n": 2}))
    assert json.loads(episode.details) == {"note": {"mean": "NaN", "most": "Infinity", "n": 2}}
    assert (episode.error, episode.response) == (None, "Noted.")


def test_notes_that_no_json_holds_are_an_error_of_their_attempt_alone():
    episode = attempt(orchestrator=NotingOrchestrator({("a", "b"): 1}))
    assert str(episode.error).startswith("record: the notes are no JSON: keys must be str")
    assert (episode.outcome, episode.turns, episode.details) == ("error", (), "{}")


def test_secrets_are_not_stored(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_API_KEY", "s3cr3t-v4lu3-9")
    assert "s3cr3t" not in repr(attempt((turn("The key is s3cr3t-v4lu3-9."),)))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"input_tokens": 2**63}, "turns.1.input_tokens"),
        ({"finish_reason": ["stop"]}, "turns.1.finish_reason"),
        ({"logprobs": (float("nan"),)}, "turns.1.logprobs.0"),
    ],
)
def test_what_no_store_can_hold_ends_the_episode_as_an_error_that_names_the_field(
    fields: dict[str, Any], field: str, tmp_path: Path
) -> None:
    episode = attempt((GOOD[0], replace(turn("Done."), **fields)))
    assert (episode.outcome, episode.stop_reason, episode.turns) == ("error", "error", ())
    assert f"record: Episode {field}: " in str(episode.error)
    with Store.open(tmp_path / "s", create=True) as store:
        store.append([episode])
    with Store.open(tmp_path / "s") as store:
        assert store.episode(episode.episode_id) == episode
