"""The table of what the mutants came to, as a page."""

from collections.abc import Mapping
from typing import Any

HEAD = """\
# Mutation testing

What came of each realistic wrong change to a module of value, made one at a time: a negated condition, a
limit moved by one, `and` for `or`, a number changed, a loop not entered. Not what only declares: what a
decorator is told, the star before keywords.
`python -m benchmarks.mutation` writes this page; when to run it is said in
[CONTRIBUTING](../../CONTRIBUTING.md). Equivalent ones, which change nothing that anyone could see, are in
`equivalent.yaml` with the reason, and do not count.

mutmut 3.8 was compared on `eops_traj/verify/outcome.py`, one process each, beside other work: 91 mutants in
20 s, all noticed, where this one makes 36 in 81 s, all noticed, too. It changes more in a line, texts and
arguments among them, and runs each in a fork of one warm process. It was not taken: a fork of a process
with polars' threads can hang, which counts as noticed (3 of its first 21 mutants of
`eops_traj/metrics/paired_stats.py`, at 14 s each where this one takes 9 s), and it changes functions alone,
no field's default or limit. For a module whose tests are quick and without polars it is the better look.

| room | module | mutants | equivalent | noticed | share | minutes | date | commit |
|---|---|---|---|---|---|---|---|---|
"""


def render(
    rooms: Mapping[str, Mapping[str, Any]], results: Mapping[str, Any], equivalent: Mapping[str, str]
) -> str:
    """Render the table of the modules that were tried, and the mutants that no test noticed."""
    rows, unnoticed = [], []
    for room, modules in rooms.items():
        for module in modules:
            if (result := results.get(module)) is not None:
                known = [one for one in result["survived"] if f"{module}: {one}" in equivalent]
                missed = [one for one in result["survived"] if one not in known]
                rows.append(_row(room, module, result, len(known), len(missed)))
                unnoticed += [f"- `{module}`: {one}" for one in map(_code, missed)]
    ending = ["", "## Not noticed", "", *(unnoticed or ["None."])]
    return HEAD + "\n".join([*rows, *ending]) + "\n"


def _row(room: str, module: str, result: Mapping[str, Any], equivalent: int, missed: int) -> str:
    counted = result["mutants"] - equivalent
    share = f"{(counted - missed) / counted:.0%}" if counted else "-"
    cells = (room, f"`{module}`", result["mutants"], equivalent, counted - missed, share)
    return f"| {' | '.join(map(str, (*cells, result['minutes'], result['date'], result['commit'])))} |"


def _code(survivor: str) -> str:
    operator, _, line = survivor.partition(": ")
    return f"{operator} in `` {line} ``"
