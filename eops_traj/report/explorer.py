"""The part of the page that is explored: episodes counted by domain, agent, outcome and cause, as JSON."""

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from eops_traj.causes.advice import ADVICE
from eops_traj.causes.cause import KINDS
from eops_traj.report.figure import Row
from eops_traj.schema import PASSED

if TYPE_CHECKING:
    import polars as pl

MOST_CAUSES = 5
"""The causes that the chapter on what to do next names."""


def explorer_json(scored: "pl.LazyFrame") -> str:
    """Return the counts as JSON that can stand inside a script element, for the page's own script.

    A cell is ``[domain, agent, outcome, first cause, episodes]``, the first four as places in ``names``.
    """
    columns = ("domain", "agent", "outcome", "cause")
    cells_of = _with_first_cause(scored).group_by(columns).len().sort(columns)
    counted = cells_of.collect(engine="streaming")
    names = {column: sorted(set(counted[column])) for column in columns}
    places = {column: {name: place for place, name in enumerate(names[column])} for column in columns}
    cells = [
        [*(places[column][row[column]] for column in columns), row["len"]]
        for row in counted.iter_rows(named=True)
    ]
    facts = {"columns": columns, "names": names, "cells": cells, "passed": sorted(PASSED)}
    return json.dumps(facts, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def next_steps(scored: "pl.LazyFrame", viewer: str) -> list[Row]:
    """Return the most frequent first errors of failed episodes: share, what to do, a link into the viewer.

    The viewer lists the scored episodes that have the error anywhere; of one run, where there is but one.
    """
    import polars as pl

    failed = _with_first_cause(scored.filter(~pl.col("outcome").is_in(sorted(PASSED))))
    causes = failed.group_by("cause").len("count").collect(engine="streaming")
    known = causes.filter(pl.col("cause") != _NONE)
    counted = known.sort(["count", "cause"], descending=[True, False])
    runs = scored.select(pl.col("run_id").unique()).collect(engine="streaming")["run_id"].to_list()
    asked = {"standing": "scored", **({"run": runs[0]} if len(runs) == 1 else {})}
    return [
        {
            "cause": kind.replace("_", " "),
            "meaning": KINDS.get(kind, ""),
            "advice": ADVICE.get(kind, ""),
            "episodes": count,
            "share": count / causes["count"].sum(),
            "link": f"{viewer.rstrip('/')}/episodes?{urlencode({'cause': kind, **asked})}",
        }
        for kind, count in counted.head(MOST_CAUSES).iter_rows()
    ]


_NONE = "none known"


def _with_first_cause(episodes: "pl.LazyFrame") -> "pl.LazyFrame":
    import polars as pl

    passed, first = pl.col("outcome").is_in(sorted(PASSED)), pl.col("cause").fill_null(_NONE)
    return episodes.with_columns(cause=pl.when(passed).then(pl.lit("passed")).otherwise(first))
