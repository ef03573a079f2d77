"""Verify: each of a task's verifiers becomes a verdict, labelled as the benchmark scores and strictly.

The parity label follows the benchmark's harness (ServiceNow's EnterpriseOps-Gym, ``benchmark/verifier.py``
and ``benchmark/executor.py``): results are kept by name, so that of several verifiers with one name only
the last counts; a verifier of an unknown server is skipped; whatever goes wrong inside a verifier is a
failed verdict.

The strict label counts every verifier, and a strict pass is a parity pass that is also evidence: the
comparison means what it says (:func:`eops_traj.verify.sql_compare.sound`) and has an expected value, the answer was
no error, the calls counted did succeed.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from eops_traj.errors import SandboxError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Change, Json, ToolCall, Verdict, Verifier
from eops_traj.verify.categories import category
from eops_traj.verify.judge import Judge, rate
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.sql_compare import compare, extract, refusal, sound

SKIPPED = "not counted: the benchmark skips verifiers of an unknown server"
COLLAPSED = "not counted: the benchmark keeps only the last verifier of a name"


class SqlRunner(Protocol):
    """Where verifiers run their queries: a sandbox session, or anything else with this one method."""

    def run_sql(self, server: str, query: str) -> Any:
        """The sql-runner's body, decoded: an object with ``data``, ``rows``, ``content`` or ``result``.

        Or an answer whose method ``payload`` gives that body, as the embedded session's. Raises what it likes
        for a query that cannot be answered, and ``SandboxError`` where it is itself broken.
        """


@dataclass(frozen=True)
class Evidence:
    """What verifiers look at."""

    sandbox: SqlRunner
    response: str
    tool_calls: Sequence[ToolCall]
    servers: Sequence[str]
    judge: Judge | None


def verify(
    verifiers: Iterable[Verifier],
    sandbox: SqlRunner,
    response: str,
    tool_calls: Sequence[ToolCall],
    *,
    servers: Sequence[str],
    judge: Judge | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts of the verifiers, one each, in their order.

    ``response`` is the final answer, ``tool_calls`` every call of the episode, ``servers`` the names of the
    task's servers in order, ``judge`` the model behind ``response_check``. Without a judge a
    ``response_check`` fails for parity, as in the benchmark when its judge cannot be reached, and its
    strict result is not known (None), which is never a pass. Raises ``SandboxError`` where the sandbox
    itself fails: the episode is then an error.
    """
    evidence = Evidence(sandbox, response, tool_calls, servers, judge)
    verdicts = [_verdict(blank(verifier), evidence) for verifier in verifiers]
    return collapse([verdict for verdict in verdicts if verdict is not None])


def collapse(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts with all but the last of each name taken out of the parity count."""
    last = {v.name: i for i, v in enumerate(verdicts) if v.passed_parity is not None}
    return tuple(
        v if last.get(v.name, i) == i else replace(v, passed_parity=None, error=v.error or COLLAPSED)
        for i, v in enumerate(verdicts)
    )


def blank(verifier: Verifier) -> Verdict:
    """The verdict of a verifier that has not run: what it is, and what it expects."""
    config = json.loads(verifier.config)
    query = config.get("query", config.get("sql_query"))
    comparison = config.get("comparison_type", "equals") if verifier.kind == "database_state" else None
    return Verdict(
        name=verifier.name,
        kind=verifier.kind,
        server=verifier.server,
        config=verifier.config,
        query=query,
        comparison=comparison,
        expected=json_of(config["expected_value"]) if "expected_value" in config else None,
        category=verifier.category
        or category(verifier.kind, query, config.get("expected_value"), comparison),
        category_inferred=verifier.category is None,
        description=verifier.description,
    )


def json_of(value: Any) -> Json:
    """A database value as canonical JSON; what JSON cannot hold (bytes, infinities) becomes its text."""
    return Json(canonical_json(json.loads(json.dumps(value, default=str), parse_constant=str)))


def _verdict(verdict: Verdict, evidence: Evidence) -> Verdict | None:
    if verdict.server and verdict.server not in evidence.servers:
        return replace(verdict, passed_strict=False, error=f"{SKIPPED}: {verdict.server!r}")
    if verdict.kind not in KINDS:
        return _failed(verdict, f"Unsupported verifier type: {verdict.kind}")
    return KINDS[verdict.kind](verdict, json.loads(verdict.config), evidence)


def _failed(verdict: Verdict, error: str, strict: bool | None = False) -> Verdict:
    """Failed for parity, and strictly failed or not known."""
    return replace(verdict, passed_parity=False, passed_strict=strict, error=error)


def _attempt(work: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
    """What the work returns, or why it failed.

    Sandbox and judge may be anyone's, and so may their exceptions; the benchmark counts each as a failed
    verdict. Only ``SandboxError`` passes through: a broken sandbox says nothing of the model.
    """
    try:
        return work(*arguments), None
    except SandboxError:
        raise
    except Exception as error:  # noqa: BLE001 - see above
        return None, str(error) or type(error).__name__


def _run_sql(verdict: Verdict, evidence: Evidence) -> tuple[Any, str | None]:
    """The body of the verifier's query; one that names no server reads the first, as in the benchmark."""
    server = verdict.server or next(iter(evidence.servers), "")
    answer, error = _attempt(evidence.sandbox.run_sql, server, verdict.query)
    return getattr(answer, "payload", lambda: answer)(), error and f"SQL query failed: {error}"


def _database_state(verdict: Verdict, config: dict[str, Any], evidence: Evidence) -> Verdict:
    """Whether the value that the query finds in the final database compares as expected.

    Configuration: ``query``, ``expected_value``, ``comparison_type`` (equals where not given).
    """
    if not verdict.query:
        return _failed(verdict, "No SQL query provided")
    body, error = _run_sql(verdict, evidence)
    if error:
        return _failed(verdict, error)
    actual, expected, comparison = extract(body), config.get("expected_value"), str(verdict.comparison)
    passed, details = compare(actual, expected, comparison)
    refused, stated = refusal(body), "expected_value" in config
    return replace(
        verdict,
        actual=json_of(actual),
        passed_parity=passed,
        passed_strict=passed and stated and refused is None and sound(actual, expected, comparison),
        details=details,
        error=refused and f"SQL query failed: {refused}",
    )


def _response_check(verdict: Verdict, config: dict[str, Any], evidence: Evidence) -> Verdict:
    """Whether a judge, shown the query's result, gives the final answer at least the minimum score.

    Configuration: ``sql_query``, ``comparison_prompt``, ``minimum_comparison_value`` (7 where not given).
    """
    task, minimum = config.get("comparison_prompt"), config.get("minimum_comparison_value", 7)
    if not verdict.query or not task:
        return _failed(verdict, "Missing sql_query or comparison_prompt")
    body, error = _run_sql(verdict, evidence)
    if error:
        return _failed(verdict, error)
    if evidence.judge is None:
        return _failed(verdict, "Judge comparison failed: no judge model was given", strict=None)
    rating, error = _attempt(rate, evidence.judge, task, body, evidence.response)
    passed, error = (None, error) if error else _attempt(rating.reaches, minimum)
    if error:
        return _failed(verdict, f"Judge comparison failed: {error}", strict=None)
    return replace(
        verdict,
        expected=json_of(minimum),
        actual=json_of(rating.score),
        passed_parity=passed,
        passed_strict=passed and rating.sound,
        details=rating.reasoning,
    )


def _tool_execution(verdict: Verdict, config: dict[str, Any], evidence: Evidence) -> Verdict:
    """Whether every tool named was called, and calls enough in all; strictly, only successful calls count.

    Configuration: ``selected_tools`` (names; none where not given), ``minimum_tool_calls`` (1 where not
    given).
    """
    wanted, minimum = config.get("selected_tools", []), config.get("minimum_tool_calls", 1)
    called = [call.name for call in evidence.tool_calls]
    succeeded = [c.name for c in evidence.tool_calls if not c.is_error and c.error is None]
    passed = set(wanted) <= set(called) and len(called) >= minimum
    return replace(
        verdict,
        expected=json_of({"selected_tools": wanted, "minimum_tool_calls": minimum}),
        actual=json_of(called),
        passed_parity=passed,
        passed_strict=passed and set(wanted) <= set(succeeded) and len(succeeded) >= minimum,
        details=f"missing: {', '.join(sorted(set(wanted) - set(called))) or 'none'}; {len(called)} calls",
    )


def _recorded_changes(verdict: Verdict, config: dict[str, Any], evidence: Evidence) -> Verdict | None:
    """Whether exactly the rows changed that were to change; this project's own, for the strict label only.

    Configuration: ``rows``, each with ``count`` and ``row`` (the canonical JSON of server, table, operation,
    and the key and changed columns where the seed has the row). No verdict where the sandbox records nothing.
    """
    changed_rows = getattr(evidence.sandbox, "changed_rows", None)
    if changed_rows is None:
        return None
    expected = {entry["row"]: entry["count"] for entry in config["rows"]}
    actual = Counter(map(_row, changed_rows()))
    return replace(
        verdict,
        expected=json_of(expected),
        actual=json_of(actual),
        passed_strict=dict(actual) == expected,
        details=f"{sum(actual.values())} rows changed, {sum(expected.values())} were to change",
    )


def _row(change: Change) -> str:
    row: dict[str, Any] = {"server": change.server, "table": change.table, "operation": change.operation}
    if change.operation != "insert":
        row["key"] = json.loads(change.key)
    if change.operation == "update":
        row["columns"] = sorted(json.loads(change.after or "{}"))
    return canonical_json(row)


def _declines(verdict: Verdict, config: dict[str, Any], evidence: Evidence) -> Verdict:
    """Whether the answer declines: by rule, else by the judge where there is one; for the strict label only.

    Configuration: ``minimum_comparison_value`` for the judge (7 where not given).
    """
    if declines(evidence.response) or evidence.judge is None:
        return replace(verdict, passed_strict=declines(evidence.response), details="by rule")
    rating, error = _attempt(rate, evidence.judge, DECLINE_PROMPT, {}, evidence.response)
    passed, error = (None, error) if error else _attempt(rating.reaches, config.get(_MINIMUM, 7))
    return replace(verdict, passed_strict=bool(passed), error=error, details="by the judge")


_MINIMUM = "minimum_comparison_value"
DECLINE_PROMPT = "The answer says clearly that the request is not carried out, and why."

KINDS: dict[str, Callable[[Verdict, dict[str, Any], Evidence], Verdict | None]] = {
    "database_state": _database_state,
    "response_check": _response_check,
    "tool_execution": _tool_execution,
    "recorded_changes": _recorded_changes,
    "declines": _declines,
}

STRICT_ONLY = frozenset({"recorded_changes", "declines"})
"""The kinds that the benchmark does not know; they are no part of a task file's ``verifiers``."""
