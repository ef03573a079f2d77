"""What the protocol ``benchmark`` does otherwise, quirk by quirk, with scripted models and no recording."""

import json
import logging
from dataclasses import replace

import pytest

from eops_traj.collect.conversation import conversation_at
from eops_traj.collect.job import Job
from eops_traj.collect.run import collect
from eops_traj.errors import FormatError, InputError, SandboxError
from eops_traj.llm.base import EndpointError
from eops_traj.protocol import BENCHMARK, ROBUST
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.sandbox.session import RpcFailure
from eops_traj.schema import Json, Verifier
from eops_traj.store.store import Store
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.tasks.validate import check_tasks
from tests.collect.attempts import CHANGE, attempt, turn
from tests.collect.case_tasks import LOOK_UP, task
from tests.collect.test_benchmark_config import setup
from tests.endpoint import Answer, completion, endpoint

LOOK = turn(**{LOOK_UP: {"case_id": 5}})


def run(*replies, of=None, protocol=BENCHMARK, **fields):
    return attempt(replies, of, protocol=protocol, **fields)


def test_a_hidden_tool_runs_and_writes_and_is_refused_under_robust():
    hidden = replace(task(), tools=(LOOK_UP,), restricted_tools=("update_case",))
    assert run(turn(update_case=CHANGE), turn("Done."), of=hidden).turns[0].tool_calls[0].changes
    refused = run(turn(update_case=CHANGE), turn("Done."), of=hidden, protocol=ROBUST)
    assert refused.turns[0].tool_calls[0].result == "Unknown tool: update_case"


def test_an_unknown_tool_is_an_error_of_the_run():
    episode = run(LOOK, turn(no_such_tool={}), turn("Done."))
    assert episode.error == "model: called no_such_tool, a tool that no server lists"
    assert run(LOOK, turn(no_such_tool={}), turn("Done."), protocol=ROBUST).error is None


def test_at_the_limit_the_last_result_is_the_answer():
    episode = run(*[LOOK] * 60)
    assert (len(episode.turns), episode.stop_reason) == (50, "max_turns")
    assert json.loads(episode.response)["content"][0]["text"] == episode.turns[-1].tool_calls[0].result
    assert run(*[LOOK] * 60, protocol=ROBUST).response == ""


def test_a_context_that_overflows_is_an_error():
    def overflow(request):
        if len(request.messages) > 2:
            raise EndpointError("context", "too long")
        return LOOK

    assert attempt(overflow, protocol=BENCHMARK).error == "context: too long"
    assert attempt(overflow).stop_reason == "max_tokens"


@pytest.mark.parametrize(("error", "shown"), [(SandboxError("lost"), "{}"), (RpcFailure("broken"), "null")])
def test_a_failing_tool_server_is_shown(error, shown):
    class Failing(type(EmbeddedOptions().open(None, 1))):
        def open(self, given):
            session = super().open(given)

            def fail(name, arguments):
                raise error

            session.call_tool = fail
            return session

    seen = []
    reply = lambda request: seen.append(request.messages) or (LOOK if len(seen) == 1 else turn("Done."))  # noqa: E731
    episode = attempt(reply, protocol=BENCHMARK, sandbox=Failing(EmbeddedOptions(), None))
    assert seen[1][-1]["content"] == shown and episode.error is None
    assert attempt([LOOK], sandbox=Failing(EmbeddedOptions(), None)).error.startswith("sandbox")


def test_a_conversation_is_rebuilt_as_it_was_sent():
    seen = []
    replies = [LOOK, turn(update_case=CHANGE), turn("Done.")]
    reply = lambda request: seen.append(list(request.messages)) or replies[len(seen) - 1]  # noqa: E731
    episode = attempt(reply, protocol=BENCHMARK)
    assert '"isError": false' in seen[2][-1]["content"] and "name" not in seen[2][-1]
    assert conversation_at(task(), episode.turns, 2, {}, BENCHMARK).messages == seen[2]


def test_a_judge_that_fails_is_a_failed_verdict(tmp_path):
    asked = {"sql_query": "SELECT 1", "comparison_prompt": "Is it said?"}
    judged = Verifier(name="said", kind="response_check", config=Json(json.dumps(asked)))
    with endpoint(Answer(completion("Done.")), Answer({"error": {"message": "boom"}}, status=500)) as model:
        stats, episodes = worked(replace(task(), verifiers=(judged,)), model.url, tmp_path)
    assert len(model.requests) == 4 and stats.given_up == 0
    [verdict] = episodes[0].verdicts
    assert (verdict.passed_parity, "boom" in str(verdict.error)) == (False, True)


def test_a_run_that_errs_is_made_five_times_and_then_settled(tmp_path):
    with endpoint(Answer(completion(None, ("no_such_tool", {})))) as model:
        stats, episodes = worked(task(), model.url, tmp_path)
        again, more = worked(task(), model.url, tmp_path, resume=True)
    assert [e.outcome for e in episodes] == ["error"] * 5 and stats.given_up == 0
    assert (again.attempts, len(more), len(model.requests)) == (0, 5, 5)


PLAN = {
    "strategic_plan": "Look, then change.",
    "subtasks": [
        {"id": 1, "title": "Look", "description": "Look at the case."},
        {"id": 2, "title": "Change", "description": "Put its count up.", "dependencies": [1]},
    ],
}
CALLS = completion(None, (LOOK_UP, {"case_id": 5}))
CONVERSATIONS = {
    "benchmark_planner_react": ([completion("Look first."), CALLS, completion("Done.")], "p-E-E"),
    "benchmark_decomposing": (
        [
            *(completion("Hm."), completion(json.dumps(PLAN)), CALLS, completion("Seen.")),
            *(completion('{"count": 3}'), completion("Done."), completion("nothing")),
        ],
        "p-p-E-E-m-E-m",
    ),
}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_planners_over_http(name, tmp_path):
    replies, kinds = CONVERSATIONS[name]
    with endpoint(*map(Answer, replies)) as model:
        stats, [episode] = worked(task(), model.url, tmp_path, orchestrator={"name": name})
    sent = [request.body for request in model.requests]
    assert "-".join(map(kind_of_request, sent)) == kinds and stats.given_up == 0
    settings = {"model": "m", "stream": False, "temperature": 0.0, "max_completion_tokens": 4096}
    assert all({k: v for k, v in b.items() if k not in ("messages", "tools")} == settings for b in sent)
    assert episode.response.endswith("Done.") and episode.verdicts
    assert json.loads(episode.details)["plan"].startswith("Look")


def test_a_memory_that_pythons_json_alone_reads_is_shown_as_it_is_and_kept(tmp_path):
    replies = [completion(text) for text in (json.dumps(PLAN), "Seen.", '{"mean": NaN}', "Done.", "{}")]
    with endpoint(*map(Answer, replies)) as model:
        _, [episode] = worked(task(), model.url, tmp_path, orchestrator={"name": "benchmark_decomposing"})
    assert '"mean": NaN' in model.requests[3].body["messages"][-1]["content"]
    assert json.loads(episode.details)["memory"] == {"mean": "NaN"} and episode.error is None


def kind_of_request(body):
    """Say who is asked: the planner, the executor with its tools, or what is to be remembered."""
    if "tools" in body:
        return "E"
    return "p" if [m["role"] for m in body["messages"]] == ["user"] else "m"


def test_a_planner_that_calls_a_tool_runs_nothing(tmp_path):
    used = Verifier(name="used", kind="tool_execution", config=Json('{"selected_tools": []}'))
    replies = [completion("Look.", (LOOK_UP, {"case_id": 5})), completion("Done.")]
    with endpoint(*map(Answer, replies)) as model:
        given = replace(task(), verifiers=(used,))
        _, [episode] = worked(given, model.url, tmp_path, orchestrator={"name": "benchmark_planner_react"})
    assert [v.passed_parity for v in episode.verdicts] == [False] and len(model.requests) == 2


def worked(given, url, folder, resume=False, **settings):
    plain = {"models": {"executor": {"kind": "openai_api", "model": "m", "base_url": url}}, "check": "none"}
    made = setup(**plain, requests={"pause": 0.001}, pace={"most_errors": 2}, **settings)
    stats = collect(Job(made, (given,), None, str(folder / "store")), resume=resume)
    with Store.open(str(folder / "store")) as store:
        return stats, list(store.episodes())


def test_a_missing_tool_is_left_out(caplog):
    lacking = replace(task(), tools=(LOOK_UP, "one_it_lacks"))
    listed = [{"name": LOOK_UP, "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}}}]
    tools = ToolsetCache(BENCHMARK).get(lacking, lambda: listed)
    assert (tools.names, tools.missing) == (frozenset({LOOK_UP}), ("one_it_lacks",))
    assert list(tools.functions[0]["function"]["parameters"]["properties"]) == ["b", "a"]
    with pytest.raises(InputError, match="no tool one_it_lacks"):
        ToolsetCache().get(lacking, lambda: listed)


def test_a_broken_query_warns(caplog):
    query = Json(json.dumps({"query": "SELEC nothing", "expected_value": 1}))
    broken = replace(task(), verifiers=(Verifier(name="v", kind="database_state", config=query),))
    with caplog.at_level(logging.WARNING):
        check_tasks([broken], "here", lenient=True)
    assert "SELEC nothing" in caplog.text
    with pytest.raises(FormatError, match="SELEC nothing"):
        check_tasks([broken], "here")
