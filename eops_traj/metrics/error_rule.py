"""What errors count in a score: nothing, as here, or 0, as in the benchmark.

The benchmark's harness tries a task five times; where the last try erred too, its result file holds no
verifier that passed, and its score script averages over all files. An errored attempt that another one
replaced is left out by either rule: it is a try before the last.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eops_traj.errors import UnknownName
from eops_traj.protocol import BENCHMARK, protocol_of

if TYPE_CHECKING:
    import polars as pl

OUT, ZERO = "out", "zero"
RULES = {
    OUT: "errors are left out of the score; --errors zero counts each as 0, as the benchmark does",
    ZERO: "errors count as 0, the benchmark's rule; --errors out leaves them out of the score",
}
"""The rules, with what is said of each above a score."""
LABELS = ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict")
_WORST = {"success_parity": False, "success_strict": False}


def check_rule(rule: str) -> None:
    """Raise UnknownName for a rule that there is not."""
    if rule not in RULES:
        raise UnknownName("rule for errors", rule, RULES)


def default_rule(episodes: "pl.LazyFrame") -> str:
    """Return the rule of the protocol that all of the episodes are of; left out where they differ."""
    agents = episodes.select("settings", "source").unique().collect(engine="streaming").iter_rows()
    return ZERO if _protocols(agents) == {BENCHMARK.name} else OUT


def by_error_rule(frame: "pl.LazyFrame", rule: str) -> "pl.LazyFrame":
    """Return episodes with their standing by a rule, and the column ``erred``. Raises UnknownName.

    By the benchmark's rule an error stands among the scored, with labels of 0.
    """
    import polars as pl

    check_rule(rule)
    erred = pl.col("standing") == "error"
    frame = frame.with_columns(erred=erred)
    if rule == OUT:
        return frame
    labels = {
        name: pl.when(pl.col("erred")).then(pl.lit(_WORST.get(name, 0.0))).otherwise(pl.col(name))
        for name in LABELS
    }
    scored = pl.when(pl.col("erred")).then(pl.lit("scored")).otherwise(pl.col("standing"))
    return frame.with_columns(standing=scored, **labels)


def _protocols(agents: Iterable[tuple[str, str]]) -> set[str]:
    return {protocol_of(settings, source) for settings, source in agents}
