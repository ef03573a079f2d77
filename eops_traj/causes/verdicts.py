"""Causes from the verdicts that failed, by the kind of their verifier."""

import json
import re
from collections.abc import Callable, Iterator

from eops_traj.causes.calls import placed_calls
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.queries import causes_of_query
from eops_traj.causes.rows import causes_of_rows
from eops_traj.schema import Episode, Verdict
from eops_traj.verify.verifiers import COLLAPSED

_EFFECT = re.compile(r"(\w+) is (.+), not (.+)", re.DOTALL)
"""What :func:`eops_traj.verify.effects.find_fault` says of an argument."""


def causes_of_verdict(episode: Episode, index: int, verdict: Verdict, policy: str) -> Iterator[Cause]:
    """Yield the causes that a failed verdict tells of."""
    if verdict.error is not None and not verdict.error.startswith(COLLAPSED):
        words = f"the verifier could not run: {verdict.error[:160]}"
        yield Cause("faulty_verifier", words, Evidence(index))
        return
    if verdict.kind == "row_changes":
        yield from causes_of_rows(episode, index, verdict, policy)
    elif verdict.kind == "database_state":
        yield from causes_of_query(episode, index, verdict, policy)
    elif verdict.kind in _READERS:
        yield from _READERS[verdict.kind](episode, index, verdict)


def _effects(episode: Episode, index: int, verdict: Verdict) -> Iterator[Cause]:
    at = _passing(episode, index, verdict.details or "")
    yield Cause("missing_effect", f"a side effect is not as it should be: {verdict.details}", at)


def _passing(episode: Episode, index: int, details: str) -> Evidence:
    """Return the call that passed the wrong value of an effect; where none did, the last turn."""
    if told := _EFFECT.match(details):
        name, value, wanted = told.groups()
        for one in placed_calls(episode):
            given = json.loads(one.call.arguments)
            if one.done and isinstance(given, dict) and name in given and repr(given[name])[:80] == value:
                return Evidence(
                    index, one.turn, one.place, column=name, wanted=wanted, got=str(given[name])[:80]
                )
    return Evidence(index, len(episode.turns) - 1)


def _answer(episode: Episode, index: int, verdict: Verdict) -> Iterator[Cause]:
    """Yield what the answer lacks, a problem each; one that claims what no call did is a false claim."""
    problems = json.loads(verdict.actual or "null")
    for problem in problems if isinstance(problems, list) else [verdict.details or "the answer falls short"]:
        kind = "false_claim" if str(problem).startswith("claims to have") else "incomplete_answer"
        row = "of the final state" if str(problem).endswith("no such row in the final state") else None
        if problem not in ("declines what can be done", "no answer"):
            at = Evidence(index, len(episode.turns) - 1, row=row)
            yield Cause(kind, f"the answer: {problem}"[:240], at)


def _refusal(episode: Episode, index: int, verdict: Verdict) -> Iterator[Cause]:
    """Yield why a refusal does not count: something was attempted, nothing looked up, nothing named."""
    kind = "forbidden_action" if "attempted" in (verdict.details or "") else "unfounded_refusal"
    if kind == "forbidden_action" or episode.outcome == "blind_refusal":
        yield Cause(kind, f"the refusal: {verdict.details}"[:240], Evidence(index, len(episode.turns) - 1))


def _tools(episode: Episode, index: int, verdict: Verdict) -> Iterator[Cause]:
    wanted, called = json.loads(verdict.expected or "null"), json.loads(verdict.actual or "null") or []
    names = wanted.get("selected_tools", []) if isinstance(wanted, dict) else wanted or []
    for tool in names if isinstance(names, list) else ():
        if tool not in called:
            at = Evidence(index, len(episode.turns) - 1, wanted=str(tool))
            yield Cause("missing_write", f"{tool} was never called", at)


def _judged(episode: Episode, index: int, verdict: Verdict) -> Iterator[Cause]:
    words = f"the judge: {' '.join((verdict.details or 'the answer falls short').split())}"[:240]
    yield Cause("incomplete_answer", words, Evidence(index, len(episode.turns) - 1))


_READERS: dict[str, Callable[[Episode, int, Verdict], Iterator[Cause]]] = {
    "effects": _effects,
    "answer": _answer,
    "refusal": _refusal,
    "tool_execution": _tools,
    "response_check": _judged,
}
"""What reads the verdicts of a kind, beside those about rows and queries."""
