"""The results in a file of EnterpriseOps-Gym's harness: verdicts read back, and its figures written.

Verdicts are labelled both ways. The figures are those of the harness's ``benchmark/executor.py``.

The benchmark keeps results by name, so of several verifiers that share one only the last left a result. The
others' results are not known, and what is not known is never a strict pass. Harnesses that descend from it
keep them all and number the repeats: ``name``, ``name_1``, ``name_2``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eops_traj.schema import Verdict, Verifier, json_of
from eops_traj.verify.sql_compare import sound
from eops_traj.verify.verifier_kinds import kind_of, kind_of_result
from eops_traj.verify.verifiers import SKIPPED, blank_verdict, infer_category

Result = Mapping[str, Any]
_DIGITS = 6  # of the number of a repeat


def recorded_verdicts(
    verifiers: Sequence[Verifier] | None,
    results: Mapping[str, Result],
    servers: Sequence[str] | None = None,
) -> tuple[Verdict, ...]:
    """Return the verdicts of a result file: one for each of the task's verifiers, in their order.

    ``results`` is the file's ``verification_results``: name to ``passed``, ``expected``, ``actual``,
    ``comparison_type``, ``query``, ``details``, or ``passed`` and ``error``. ``verifiers`` are the task's;
    None where its file is not available, and then each result is a verdict. A result that none of the
    verifiers names is kept, at the end. ``servers``, where given, are the task's: a verifier of any other
    was skipped by the benchmark, and left no result.
    """
    expected = verifiers or ()
    ran = [i for i, v in enumerate(expected) if servers is None or v.server in (None, *servers)]
    named = _named_results({i: expected[i] for i in ran}, results)
    verdicts = [
        _with_result(blank_verdict(v), results[named[i]])
        if i in named
        else _without_result(blank_verdict(v), servers)
        for i, v in enumerate(expected)
    ]
    left = results.keys() - named.values()
    others = [_with_result(_named(name, r), r) for name, r in results.items() if name in left]
    return (*verdicts, *others)


def _named_results(ran: Mapping[int, Verifier], results: Mapping[str, Result]) -> dict[int, str]:
    """Return the names of the results of the verifiers that ran, by the verifiers' positions.

    Verifiers that share a name have numbered results, as many as they are, or one: that of the last. Other
    numbers of them could be of anyone, and are given to none.
    """
    places: dict[str, list[int]] = {}
    for i, verifier in ran.items():
        places.setdefault(verifier.name, []).append(i)
    numbered = _repeats(key for key in results if key not in places)
    found: dict[int, str] = {}
    for name, of_name in places.items():
        repeats = numbered.get(name, [])
        keys = [*[name][: name in results], *repeats]
        if repeats and len(keys) == len(of_name) > 1:
            found |= zip(of_name, _in_order(keys, [ran[i] for i in of_name], results), strict=True)
        elif name in results and not (repeats and len(of_name) > 1):
            found[of_name[-1]] = name
    return found


def _repeats(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the keys that are a name with a number, by the name, in the order of the numbers."""
    found: dict[str, list[tuple[int, str]]] = {}
    for key in keys:
        name, _, number = key.rpartition("_")
        if number.isdecimal() and len(number) <= _DIGITS:
            found.setdefault(name, []).append((int(number), key))
    return {name: [key for _, key in sorted(numbered)] for name, numbered in found.items()}


def _in_order(keys: list[str], verifiers: Sequence[Verifier], results: Mapping[str, Result]) -> list[str]:
    """Return the keys in the order of their verifiers: by the recorded queries, where all differ."""
    by_query = {results[key].get("query"): key for key in keys}
    queries = [blank_verdict(verifier).query for verifier in verifiers]
    told = len(by_query) == len(keys) and set(queries) == by_query.keys()
    return [by_query[query] for query in queries] if told else keys


def _without_result(verdict: Verdict, servers: Sequence[str] | None) -> Verdict:
    if servers is not None and verdict.server not in (None, *servers):
        return replace(verdict, passed_strict=False, error=f"{SKIPPED}: {verdict.server!r}")
    return replace(verdict, error="not recorded: the benchmark keeps one result a name, of the last verifier")


def _named(name: str, result: Result) -> Verdict:
    """Return the verdict of a result without its verifier: its kind shows in what was recorded."""
    kind = kind_of_result(result)
    query, comparison = result.get("query"), result.get("comparison_type")
    inferred = infer_category(kind, query, result.get("expected"), comparison)
    return Verdict(name=name, kind=kind, category=inferred)


def _with_result(verdict: Verdict, result: Result) -> Verdict:
    """Return the verdict with what was recorded of it.

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


Run = dict[str, Any]
NUMBERED = "numbered_results"
"""The detail of an episode whose harness numbered the results of verifiers that share a name."""
JUDGED = "judged"
"""The detail of an episode that holds what its judge was shown, by verifier name."""
_SHOWN = ("sql_result", "llm_response")


def judge_answers(results: Mapping[str, Result]) -> dict[str, dict[str, Any]]:
    """Return what a file tells of what its judge was shown, by verifier name."""
    shown = {name: {k: result[k] for k in _SHOWN if k in result} for name, result in results.items()}
    return {name: answers for name, answers in shown.items() if answers}


def verification(
    verdicts: Iterable[Verdict],
    judged: Mapping[str, Mapping[str, Any]] | None = None,
    numbered: bool = False,
) -> dict[str, Any]:
    """Return a run's results by verifier name, their summary, and its success: those the benchmark counts.

    ``judged`` is what the judge was shown, by verifier name. Of verifiers that share a name the last one's
    result is kept, as the benchmark keeps it, or all of them, ``numbered``.
    """
    shown = judged or {}
    counted = [verdict for verdict in verdicts if verdict.passed_parity is not None]
    results: dict[str, dict[str, Any]] = {}
    names = [v.name for v in counted]
    for name, verdict in zip(_numbered(names) if numbered else names, counted, strict=True):
        results[name] = {**_result(verdict), **shown.get(name, {})}
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


def are_numbered(results: Mapping[str, Result]) -> bool:
    """Check whether a harness numbered repeats: a result has another's name and a number."""
    return not results.keys().isdisjoint(_repeats(results))


def _numbered(names: Iterable[str]) -> Iterator[str]:
    """Number the repeats of names: ``name``, ``name_1``. The benchmark itself counts none."""
    seen = Counter[str]()
    for name in names:
        yield f"{name}_{seen[name]}" if seen[name] else name
        seen[name] += 1


def _result(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict in the harness's words, which differ by the kind of verifier."""
    kind = kind_of(verdict.kind)
    if verdict.error is not None and verdict.actual is None:
        query = {"query": verdict.query} if kind.compares and verdict.query else {}
        return {"passed": verdict.passed_parity, "error": verdict.error, **query}
    return {"passed": verdict.passed_parity, **kind.harness_result(verdict)}


def statistics(runs: Sequence[Run]) -> dict[str, Any]:
    """Return a file's statistics over its runs; an errored run counts as failed, as the harness has it."""
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
