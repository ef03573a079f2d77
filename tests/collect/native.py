"""What the benchmark's own ReAct harness did, as scenarios that can be worked again: task, replies, outcome.

The recording (``../shared/conformance/native``) holds what each request added to the conversation. Replies
are read off it; those that left no trace, since they ended an attempt, are told here by scenario.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from eops_traj.gym import registry
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Server, Task, Verifier
from tests.endpoint import Answer, ReceivedRequest, completion

COMPANY = 1000
CSM_CALLER = "marwa.lefeuvre@corvane.example"
CSM, HR, ITSM, EMAIL, CALENDAR = (registry.server(n) for n in ("csm", "hr", "itsm", "email", "calendar"))
SERVERS = {
    "gold_hr": (HR,),
    "gold_itsm": (ITSM,),
    "gold_email": (EMAIL,),
    "gold_hybrid": (CSM, CALENDAR, EMAIL),
}
CALLERS = {"gold_email": "silvana.robinson@corvane.example", "gold_hybrid": "jared.bolton@corvane.example"}
RESTRICTED = {"restr": ("update_case", "create_new_case"), "all": ("update_case",)}
NO_SUCH_TOOL = "no_such_tool"
JUDGEMENT = '{"score": 9, "reasoning": "They agree."}'
OVERFLOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
)
LAST = {
    "http500": Answer({"error": {"message": "boom"}}, status=500),
    "ctx": Answer({"error": {"message": OVERFLOW}}, status=400),
    "unknown": Answer(completion(None, (NO_SUCH_TOOL, {}))),
    "hidden": Answer(completion(None, (NO_SUCH_TOOL, {}))),
    "hidden2": Answer(completion(None, (NO_SUCH_TOOL, {}))),
    "malformed": Answer(completion(None, ("find_account", '{"name": "Frost'))),
    "nullargs": Answer(completion(None, ("find_account", "[1]"))),
    "none": Answer(completion(None)),
    "reffield": Answer(completion(None, refusal="No.")),
    "parts": Answer(
        completion([{"type": "text", "text": "First part. "}, {"type": "text", "text": "Second part."}])  # type: ignore[arg-type]
    ),
}
"""The reply that ended an attempt, where it was no plain text."""
UNTOLD = {"model_response": "All done as asked.", "error": None, "tools_used": None, "verifiers": {}}
"""The outcome of the one scenario whose outcome was not kept."""
FAULTS = {"rpcerr": "find_entitlements", "nonjson": "find_sla_definitions", "http5": "find_contacts"}
"""The tools that the tool server failed at."""


@dataclass(frozen=True)
class Scenario:
    """One recorded scenario."""

    name: str
    requests: tuple[dict[str, Any], ...]
    outcome: dict[str, Any]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The requests to the executor."""
        return [request for request in self.requests if request["kind"] == "executor"]

    def conversations(self) -> list[list[dict[str, Any]]]:
        """Return the whole messages of each request to the executor."""
        whole: list[list[dict[str, Any]]] = []
        for request in self.asked:
            before = [] if request["restarts"] or not whole else whole[-1]
            whole.append([*before, *request["new_messages"]])
        return whole

    def results(self) -> list[str]:
        """Return what the tools answered, call by call, as the model was shown it."""
        return [message["content"] for message in self.conversations()[-1] if message["role"] == "tool"]

    def answers(self) -> list[Answer]:
        """Return what the model's endpoint answers, request by request, the judge's replies at the end."""
        asked = self.asked
        answers = [self._answer(asked[n + 1 : n + 2]) for n in range(len(asked))]
        return [*answers, Answer(completion(JUDGEMENT))]

    def _answer(self, following: list[dict[str, Any]]) -> Answer:
        added = following[0]["new_messages"] if following and not following[0]["restarts"] else []
        if added:
            return Answer(_completion(added[0], raw="null" if self.name == "nullargs" else None))
        if self.name in LAST:
            return LAST[self.name]
        if self.name in ("loop", "goldmis"):  # they never ended by themselves
            return Answer(_completion(self.asked[-1]["new_messages"][0]))
        return Answer(completion(self.outcome["model_response"]))


def _completion(message: dict[str, Any], raw: str | None = None) -> dict[str, Any]:
    """Build the body whose message went back into the conversation as this one."""
    calls = [dict(call, function=dict(call["function"])) for call in message.get("tool_calls", [])]
    for call in calls:
        call["function"]["arguments"] = raw or call["function"]["arguments"]
    return completion(message["content"], tool_calls=calls)


@lru_cache(maxsize=1)
def scenarios(folder: Path) -> dict[str, Scenario]:
    """Read every scenario of the recording, by name."""
    outcomes: dict[str, Any] = json.loads((folder / "outcomes.json").read_text())
    by_name = {key.split("__")[2]: outcome for key, outcome in outcomes.items()}
    lines = map(json.loads, (folder / "react.jsonl").read_text().splitlines())
    return {
        line["scenario"]: Scenario(
            line["scenario"], tuple(line["first_60"]), by_name.get(line["scenario"], UNTOLD)
        )
        for line in lines
    }


def task_of(scenario: Scenario) -> Task:
    """Build the task that a scenario was about: prompts as recorded, our company, checks of our own."""
    system, user = (message["content"] for message in scenario.requests[0]["new_messages"])
    names = tuple(_servers(scenario))
    tools = _tools(scenario)
    return Task(
        task_id=scenario.name,
        domain="csm",
        mode="oracle",
        suite="native",
        split="train",
        system_prompt=system,
        user_prompt=user,
        servers=names,
        tools=tools,
        restricted_tools=RESTRICTED.get(scenario.name, ()),
        verifiers=tuple(_verifiers(scenario)),
    )


def _servers(scenario: Scenario) -> Iterator[Server]:
    kind = "gold_hybrid" if scenario.name == "hyb" else scenario.name.partition("_train")[0]
    for server in SERVERS.get(kind, (CSM,)):
        context = {server.identity.header: _token(server, CALLERS.get(kind))} if server.identity else {}
        yield Server(
            name=server.gym_name,
            seed="",
            context=Json(canonical_json({k: v for k, v in context.items() if v})),
            details=Json(canonical_json({"company": COMPANY})),
        )


def _token(server: Any, caller: str | None) -> str | None:
    """Return what identifies the caller to a server: an address, or a token of the database."""
    if server is CSM:
        return CSM_CALLER
    if caller is None:
        return None
    query = f"SELECT static_token FROM users WHERE email = '{caller}'"
    return str(server.template(COMPANY).open().run_sql(query).rows[0][0])


def _tools(scenario: Scenario) -> tuple[str, ...]:
    """Return as many tools as were shown, those that were called among them; none where all are."""
    shown, name = scenario.requests[0]["tools"], scenario.name
    servers = [registry.server(server.name) for server in _servers(scenario)]
    listed = [tool for server in servers for tool in server.tools]
    if name in ("all", "hyb"):
        return ()
    hidden = {"hiddenw": ("get_accounts", "update_account_details"), "restr": RESTRICTED["restr"]}.get(
        name, ()
    )
    called = {
        call["function"]["name"]
        for request in scenario.asked
        for message in request["new_messages"]
        for call in message.get("tool_calls", [])
    }
    first = sorted(listed, key=lambda tool: tool not in called)
    names = [tool for tool in first if tool not in hidden][:shown]
    beside = {"restr": RESTRICTED["restr"], "missing": ("one_it_lacks",)}
    return (*names, *beside.get(name, ()))


def _verifiers(scenario: Scenario) -> Iterator[Verifier]:
    """Yield verifiers under the recorded names, where what they looked at can be told from their name."""
    wanted = scenario.outcome["verifiers"]
    if CSM.gym_name not in {server.name for server in _servers(scenario)}:
        return
    counts = {table: _count(table) for table in ("customer_case", "interaction", "notification", "case_sla")}
    queries: dict[str, tuple[str, object, str]] = {
        f"{table}_created": (f"SELECT count(*) FROM {table}", count, "greater_than")
        for table, count in counts.items()
    }
    queries["case_sla_created_2"] = ("SELECT count(*) FROM case_sla", counts["case_sla"] + 2, "equals")
    queries["badsql"] = ("SELEC nothing", 1, "equals")
    queries["norows"] = ("SELECT name FROM account WHERE account_id = 0", "x", "equals")
    queries["row"] = ("SELECT account_id, name FROM account WHERE account_id = 36", 36, "equals")
    queries["gt"] = ("SELECT count(*) FROM account", 1, "greater_than")
    queries["nogym"] = queries["gt"]
    for name in wanted:
        if name in queries:
            query, expected, comparison = queries[name]
            config = {"query": query, "expected_value": expected, "comparison_type": comparison}
            yield _verifier(name, "database_state", config, None if name == "nogym" else CSM.gym_name)
    if "resp" in wanted:
        rated = {
            "sql_query": "SELECT name FROM account WHERE account_id = 36",
            "comparison_prompt": "Is the account named?",
        }
        yield _verifier("resp", "response_check", rated)
        yield _verifier("tools", "tool_execution", {"selected_tools": ["find_user_by_email"]}, None)
        yield _verifier("dup", "tool_execution", {"selected_tools": ["never_called"]}, None)
        yield _verifier(
            "dup",
            "database_state",
            {"query": "SELECT 1", "expected_value": 1, "comparison_type": "equals"},
        )


def _verifier(name: str, kind: str, config: dict[str, Any], server: str | None = CSM.gym_name) -> Verifier:
    return Verifier(name=name, kind=kind, server=server, config=Json(canonical_json(config)))


@lru_cache(maxsize=8)
def _count(table: str) -> int:
    return int(CSM.template(COMPANY).open().run_sql(f"SELECT count(*) FROM {table}").rows[0][0])


def is_judge(request: ReceivedRequest) -> bool:
    """Check whether a request asks the judge: it shows no tools."""
    return "tools" not in request.body
