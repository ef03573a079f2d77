"""The verdicts that a harness wrote down, read back and labelled both ways.

The benchmark keeps results by name, so of several verifiers that share one only the last left a result. The
others' results are not known, and what is not known is never a strict pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from eops_traj.schema import Verdict, Verifier, json_of
from eops_traj.verify.sql_compare import sound
from eops_traj.verify.verifier_kinds import kind_of, kind_of_result
from eops_traj.verify.verifiers import SKIPPED, blank_verdict, infer_category

Result = Mapping[str, Any]


def recorded_verdicts(
    verifiers: Sequence[Verifier] | None,
    results: Mapping[str, Result],
    servers: Sequence[str] | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts that a result file holds: one for each of the task's verifiers, in their order.

    ``results`` is the file's ``verification_results``: name to ``passed``, ``expected``, ``actual``,
    ``comparison_type``, ``query``, ``details``, or ``passed`` and ``error``. ``verifiers`` are the task's;
    None where its file is not at hand, and then each result is a verdict. A result that none of the
    verifiers names is kept, at the end. ``servers``, where given, are the task's: a verifier of any other
    was skipped by the benchmark, and left no result.
    """
    expected = verifiers or ()
    ran = {v.name: i for i, v in enumerate(expected) if servers is None or v.server in (None, *servers)}
    verdicts = [
        _with_result(blank_verdict(v), results[v.name])
        if ran.get(v.name) == i and v.name in results
        else _without_result(blank_verdict(v), servers)
        for i, v in enumerate(expected)
    ]
    others = [_with_result(_named(name, r), r) for name, r in results.items() if name not in ran]
    return (*verdicts, *others)


def _without_result(verdict: Verdict, servers: Sequence[str] | None) -> Verdict:
    if servers is not None and verdict.server not in (None, *servers):
        return replace(verdict, passed_strict=False, error=f"{SKIPPED}: {verdict.server!r}")
    return replace(verdict, error="not recorded: the benchmark keeps one result a name, of the last verifier")


def _named(name: str, result: Result) -> Verdict:
    """The verdict of a result whose verifier is not at hand: its kind shows in what was recorded."""
    kind = kind_of_result(result)
    query, comparison = result.get("query"), result.get("comparison_type")
    inferred = infer_category(kind, query, result.get("expected"), comparison)
    return Verdict(name=name, kind=kind, category=inferred)


def _with_result(verdict: Verdict, result: Result) -> Verdict:
    """The verdict with what was recorded of it.

    A strict pass needs the recorded pass to be sound; a judge that failed leaves the strict result unknown.
    """
    passed, error = bool(result.get("passed")), result.get("error")
    actual = result.get("actual", result.get("score", result.get("tools_called")))
    expected = result.get("expected", result.get("minimum_score", result.get("selected_tools")))
    comparison = result.get("comparison_type", verdict.comparison)
    kind = kind_of(verdict.kind)
    evident = not kind.compares or sound(actual, expected, str(comparison))
    unjudged = kind.judge == "always" and error is not None
    return replace(
        verdict,
        query=result.get("query", verdict.query),
        comparison=comparison,
        expected=json_of(expected) if error is None else verdict.expected,
        actual=json_of(actual) if error is None else None,
        passed_parity=passed,
        passed_strict=None if unjudged else passed and evident,
        details=result.get("details", result.get("reasoning")),
        error=error,
    )
