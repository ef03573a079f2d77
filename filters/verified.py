"""verified: keep what the verifiers passed, by either label."""

from typing import TYPE_CHECKING, Literal

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl


class Verified(RowRule):
    """Keep successes. ``label``: ``strict`` (every verifier counts), ``parity`` (as the benchmark scores)."""

    label: Literal["parity", "strict"] = "strict"

    def keep(self) -> "pl.Expr":
        """Keep a success by the label; an episode without one (an error, no verifier known) is dropped."""
        import polars as pl

        return pl.col(f"success_{self.label}")
