"""Verify: each of a task's verifiers becomes a verdict, labelled as the benchmark scores and strictly.

The parity label follows the benchmark's harness (ServiceNow's EnterpriseOps-Gym, ``benchmark/verifier.py``
and ``benchmark/executor.py``): results are kept by name, so that of several verifiers with one name only
the last counts; a verifier of an unknown server is skipped; whatever goes wrong inside a verifier is a
failed verdict.

The strict label counts every verifier, and a strict pass is a parity pass that is also evidence: the
comparison means what it says (:func:`eops_traj.verify.sql_compare.sound`) and has an expected value, the
answer was no error, the calls counted did succeed.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from eops_traj.schema import ToolCall, Verdict, Verifier, json_of
from eops_traj.verify.constraints import TooManyWays
from eops_traj.verify.end_state import EndState, SqlRunner, failed
from eops_traj.verify.judge import Judge
from eops_traj.verify.verifier_kinds import kind_of

SKIPPED = "not counted: the benchmark skips verifiers of an unknown server"
COLLAPSED = "not counted: the benchmark keeps only the last verifier of a name"
MALFORMED = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, TooManyWays,
)  # fmt: skip
"""What a verifier raises whose configuration is none of its kind, for a task file may say anything. What else
it raises is a fault of ours, or of the machine, and says nothing of the task."""


def verify(
    verifiers: Iterable[Verifier],
    sandbox: SqlRunner,
    response: str,
    tool_calls: Sequence[ToolCall],
    *,
    servers: Sequence[str],
    request: str,
    judge: Judge | None = None,
) -> tuple[Verdict, ...]:
    """Return the verdicts of the verifiers, one each, in their order.

    ``response`` is the final answer, ``tool_calls`` every call of the episode, ``servers`` the names of the
    task's servers in order, ``request`` what it asks for, ``judge`` the model behind ``response_check``.
    Without a judge a ``response_check`` fails for parity, as in the benchmark when its judge cannot be
    reached, and its strict result is not known (None), which is never a pass. Raises ``SandboxError`` where
    the sandbox itself fails: the episode is then an error.
    """
    verifiers = tuple(verifiers)
    state = EndState(sandbox, response, tool_calls, servers, judge, request, verifiers)
    verdicts = [_run(blank_verdict(verifier), state) for verifier in verifiers]
    return collapse([verdict for verdict in verdicts if verdict is not None])


def collapse(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Take all but the last verdict of each name out of the parity count."""
    last = {v.name: i for i, v in enumerate(verdicts) if v.passed_parity is not None}
    return tuple(
        v if last.get(v.name, i) == i else replace(v, passed_parity=None, error=v.error or COLLAPSED)
        for i, v in enumerate(verdicts)
    )


def blank_verdict(verifier: Verifier) -> Verdict:
    """Return the verdict of a verifier that has not run: what it is, and what it expects."""
    config = json.loads(verifier.config)
    query = _text(config.get("query", config.get("sql_query")))
    comparison = _text(config.get("comparison_type", "equals")) if kind_of(verifier.kind).compares else None
    return Verdict(
        name=verifier.name,
        kind=verifier.kind,
        server=verifier.server,
        config=verifier.config,
        query=query,
        comparison=comparison,
        expected=json_of(config["expected_value"]) if "expected_value" in config else None,
        category=verifier.category
        or infer_category(verifier.kind, query, config.get("expected_value"), comparison),
        category_inferred=verifier.category is None,
        description=verifier.description,
    )


def _text(value: object) -> str | None:
    """Return what stands in a text's place as a text: as JSON, which is neither SQL nor a comparison."""
    return value if isinstance(value, str | None) else json_of(value)


def _run(verdict: Verdict, state: EndState) -> Verdict | None:
    if verdict.server and verdict.server not in state.servers:
        return replace(verdict, passed_strict=False, error=f"{SKIPPED}: {verdict.server!r}")
    kind = kind_of(verdict.kind)
    try:
        return kind.run(verdict, json.loads(verdict.config), state)
    except MALFORMED as error:
        why = f"no configuration of {verdict.kind}: {type(error).__name__}: {error}"[:300]
        return replace(verdict, passed_strict=False, error=why) if kind.strict_only else failed(verdict, why)


_FROM = re.compile(r"\bfrom\s+[\"'`\[]?(\w+)", re.IGNORECASE)
_ABSENCE = re.compile(r"\bnot\s+exists\b|\bhaving\s+count\s*\([^)]{0,500}\)\s*>\s*1\b", re.IGNORECASE)
_LEFT_JOIN = re.compile(r"\bleft\s+join\b", re.IGNORECASE)
_IS_NULL = re.compile(r"\bis\s+null\b", re.IGNORECASE)
_GOVERNING = re.compile(
    r"member|role|permission|acl|owner|delegate|approv|policy|sla(?:s|_|$)|notification", re.IGNORECASE
)
_ZERO: tuple[object, ...] = (0, "0", [])


def infer_category(kind: str, query: str | None, expected: object, comparison: str | None) -> str:
    """Infer a verifier's category, one of ``schema.CATEGORIES``, where its task does not give it.

    The benchmark's paper sorts verifiers into task completion, integrity, and permission and process; its
    task files carry no such field. The rule is coarse and looks only at the query and what it is compared
    with:

    1. A check that something is *absent* speaks of integrity: it expects zero rows, fewer than a bound, or
       its query hunts for duplicates and dangling references.
    2. A check of the records by which work is governed (memberships, roles, permissions, approvals, service
       levels, notifications), or of which tools were called, speaks of permission and process.
    3. Everything else is task completion.

    A removal that was asked for also expects zero rows, so some of the first kind are task completion in
    truth; ``Verdict.category_inferred`` marks every category that comes from here.
    """
    fixed = kind_of(kind).category
    if fixed or not query:
        return fixed or "task_completion"
    if comparison == "less_than" or (comparison == "equals" and expected in _ZERO) or _hunts(query):
        return "integrity"
    table = _FROM.search(query)
    return "permission_and_process" if table and _GOVERNING.search(table[1]) else "task_completion"


def _hunts(query: str) -> bool:
    """Check whether a query hunts for duplicates, or for rows that refer to nothing."""
    join = _LEFT_JOIN.search(query)
    return bool(_ABSENCE.search(query) or (join and _IS_NULL.search(query, join.end())))
