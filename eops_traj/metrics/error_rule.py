"""What errors count in a score: nothing, as here, or 0, as in the benchmark.

The benchmark's harness tries a task five times; where the last try erred too, its result file holds no
verifier that passed, and its score script averages over all files. An errored attempt that another one
replaced is left out by either rule: it is a try before the last.

Which rule holds where none is asked for, the protocol says. A figure over several protocols leaves errors
out; where each figure is of one, each keeps to its own (:data:`OWN`).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eops_traj.errors import UnknownName
from eops_traj.protocol import BENCHMARK, protocol_of

if TYPE_CHECKING:
    import polars as pl

OUT, ZERO, OWN = "out", "zero", "own"
RULES = {
    OUT: "errors are left out of the score; --errors zero counts each as 0, as the benchmark does",
    ZERO: "errors count as 0, the benchmark's rule; --errors out leaves them out of the score",
}
"""The rules, with what is said of each above a score."""
SAID = {
    **RULES,
    OWN: "errors count as 0 under the protocol benchmark, and are left out under others and over several; "
    "--errors zero or --errors out says otherwise",
}
"""What is said above figures that may keep each to its protocol's own rule, which nobody has to ask for."""
LABELS = ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict")
_WORST = {"success_parity": False, "success_strict": False}


def check_rule(rule: str) -> None:
    """Raise UnknownName for a rule that there is not."""
    if rule not in RULES:
        raise UnknownName("rule for errors", rule, RULES)


def rule_for(protocol: str, rule: str = OWN) -> str:
    """Return the rule that a figure of one protocol keeps to."""
    return rule if rule != OWN else ZERO if protocol == BENCHMARK.name else OUT


def default_rule(episodes: "pl.LazyFrame", apart: bool = False) -> str:
    """Return the rule of the protocols that the episodes are of.

    Where those have different rules errors are left out, or, of figures that hold protocols ``apart``, each
    keeps to its own.
    """
    agents = episodes.select("settings", "source").unique().collect(engine="streaming").iter_rows()
    rules = {rule_for(protocol) for protocol in _protocols(agents)} or {OUT}
    return rules.pop() if len(rules) == 1 else OWN if apart else OUT


def by_error_rule(frame: "pl.LazyFrame", rule: str) -> "pl.LazyFrame":
    """Return episodes with their standing by a rule, and the column ``erred``. Raises UnknownName.

    By the benchmark's rule an error stands among the scored, with labels of 0; `OWN` asks for the column
    ``protocol``.
    """
    import polars as pl

    if rule != OWN:
        check_rule(rule)
    frame = frame.with_columns(erred=pl.col("standing") == "error")
    if rule == OUT:
        return frame
    zero = pl.col("erred")
    if rule == OWN:
        zero &= pl.col("protocol") == BENCHMARK.name
    labels = {
        name: pl.when(zero).then(pl.lit(_WORST.get(name, 0.0))).otherwise(pl.col(name)) for name in LABELS
    }
    scored = pl.when(zero).then(pl.lit("scored")).otherwise(pl.col("standing"))
    return frame.with_columns(standing=scored, **labels)


def _protocols(agents: Iterable[tuple[str, str]]) -> set[str]:
    return {protocol_of(settings, source) for settings, source in agents}
