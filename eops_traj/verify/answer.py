"""The verifier of a feasible task's answer: it says what it has to, and nothing false."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from eops_traj.schema import Verdict, json_of
from eops_traj.verify.claims import false_claims
from eops_traj.verify.end_state import EndState, attempt
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.reported_work import tells_state
from eops_traj.verify.value_forms import Text, is_number


def answer(verdict: Verdict, config: dict[str, Any], state: EndState) -> Verdict:
    """Check that the final answer is there, does not decline, tells what is asked, and claims nothing false.

    Configuration: ``requirements`` and ``today`` (the day of the episode, an ISO date, from which
    ``tomorrow`` counts). A requirement has a ``what`` in words, and either ``values``, of which the answer
    has to say one, or a ``query`` of a ``server``'s final state: of each of its rows the answer has to say
    one value.
    """
    text = Text(state.response, date.fromisoformat(config["today"]) if "today" in config else None)
    problems = list(_problems(text, config.get("requirements", []), state))
    return replace(
        verdict,
        passed_strict=not problems,
        expected=json_of([requirement["what"] for requirement in config.get("requirements", [])]),
        actual=json_of(problems),
        details="; ".join(problems) or "says all that is asked",
    )


def _problems(text: Text, requirements: Sequence[Mapping[str, Any]], state: EndState) -> Iterator[str]:
    if not state.response.strip():
        yield "no answer"
    elif declines(state.response) and not tells_state(state.response, state.tool_calls):
        yield "declines what can be done"
    figures = [one["what"] for one in requirements if all(is_number(str(v)) for v in one.get("values", "-"))]
    for requirement in requirements:
        choices, error = _choices(requirement, state)
        beside = [what for what in figures if what != requirement["what"]]
        if error or not choices:
            yield f"{requirement['what']}: {error or 'no such row in the final state'}"
        for values in choices:
            if not any(text.claims(value, requirement["what"], beside) for value in values):
                yield f"{requirement['what']}: none of {', '.join(map(str, values))}"
    for verb in false_claims(state.response, state.tool_calls):
        yield f"claims to have {verb}, which no call did"


def _choices(requirement: Mapping[str, Any], state: EndState) -> tuple[list[list[Any]], str | None]:
    """Return lists of values, of each of which the answer has to say one; or why there are none."""
    if "query" not in requirement:
        return [requirement["values"]], None
    body, error = attempt(state.sandbox.run_sql, requirement["server"], requirement["query"])
    payload = getattr(body, "payload", lambda: body)()
    rows = (payload.get("data") or payload.get("rows") or []) if isinstance(payload, Mapping) else []
    cells = [list(row.values()) if isinstance(row, Mapping) else list(row) for row in rows]
    return [[value for value in row if value is not None] for row in cells], error
