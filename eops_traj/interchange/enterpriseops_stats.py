"""The figures that EnterpriseOps-Gym's harness puts into a result file (``benchmark/executor.py``)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from eops_traj.schema import Verdict
from eops_traj.verify.verifier_kinds import kind_of

Run = dict[str, Any]


def verification(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """A run's results by verifier name, their summary, and its success: those the benchmark counts."""
    results = {v.name: _result(v) for v in verdicts if v.passed_parity is not None}
    passed = sum(result["passed"] for result in results.values())
    return {
        "verification_results": results,
        "verification_summary": {
            "total": len(results),
            "passed": passed,
            "failed": len(results) - passed,
            "pass_rate": _share(passed, len(results)),
        },
        "overall_success": passed == len(results),
    }


def _result(verdict: Verdict) -> dict[str, Any]:
    """A verdict in the harness's words, which differ by the kind of verifier."""
    kind = kind_of(verdict.kind)
    if verdict.error is not None and verdict.actual is None:
        query = {"query": verdict.query} if kind.compares and verdict.query else {}
        return {"passed": verdict.passed_parity, "error": verdict.error, **query}
    return {"passed": verdict.passed_parity, **kind.harness_result(verdict)}


def statistics(runs: Sequence[Run]) -> dict[str, Any]:
    """A file's statistics over its runs; an errored run counts as one that failed, as the harness has it."""
    successes = sum(bool(run.get("overall_success")) for run in runs)
    summaries = [run["verification_summary"] for run in runs if "verification_summary" in run]
    checked, passed = (sum(summary[key] for summary in summaries) for key in ("total", "passed"))
    times = [run["execution_time_ms"] for run in runs if "execution_time_ms" in run]
    return {
        "total_runs": len(runs),
        "successful_runs": successes,
        "overall_success_rate": _share(successes, len(runs)),
        "pass_at_1": 1.0 if runs and runs[0].get("overall_success") else 0.0,
        "verifier_level_pass_rate": _share(passed, checked),
        "total_verifiers_checked": checked,
        "total_verifiers_passed": passed,
        "individual_verifier_stats": _by_verifier(runs),
        "mean_execution_time_ms": _share(sum(times), len(times)),
        "tool_usage": dict(Counter(tool for run in runs for tool in run.get("tools_used", []))),
    }


def _by_verifier(runs: Iterable[Run]) -> dict[str, Any]:
    results = [item for run in runs for item in run.get("verification_results", {}).items()]
    total = Counter(name for name, _ in results)
    passed = Counter(name for name, result in results if result["passed"])
    return {
        name: {"passed": passed[name], "total": ran, "pass_rate": _share(passed[name], ran)}
        for name, ran in total.items()
    }


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0
