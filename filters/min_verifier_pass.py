"""min_verifier_pass: keep what passed most of its verifiers, where whole successes are too few."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl


class MinVerifierPass(RowRule):
    """Keep episodes with at least this ``share`` of verifiers passed (0 to 1), by ``label``."""

    share: Annotated[float, Field(ge=0, le=1)]
    label: Literal["parity", "strict"] = "strict"

    def keep(self) -> "pl.Expr":
        """Keep a row whose share is known and large enough."""
        import polars as pl

        return pl.col(f"verifier_pass_{self.label}") >= self.share
