"""The protocol of each episode in a frame, and the refusal to make one figure of several."""

from typing import TYPE_CHECKING

from eops_traj.protocol import marks, protocol_of, require_one

if TYPE_CHECKING:
    import polars as pl

PROTOCOL_COLUMNS = ("settings", "source", "orchestrator")
"""The columns that say under which protocol an episode was made, and in whose words."""


def with_protocol(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Add the column ``protocol``: that of each episode's agent."""
    agents, on = frame.select("settings", "source"), ["settings", "source"]  # not the rest, which is large
    joined = agents.join(_named(frame.lazy()), on=on, how="left", nulls_equal=True, maintain_order="left")
    return frame.with_columns(joined["protocol"])


def with_protocol_of(frame: "pl.LazyFrame") -> "pl.LazyFrame":
    """Add the column ``protocol`` to what is not read yet; the kinds of agents are."""
    named = _named(frame).lazy()
    return frame.join(named, on=["settings", "source"], how="left", nulls_equal=True)


def _named(frame: "pl.LazyFrame") -> "pl.DataFrame":
    """Return the protocol of each pair of settings and source."""
    import polars as pl

    kinds = frame.select("settings", "source").unique().collect(engine="streaming")
    names = [protocol_of(settings or "{}", source or "") for settings, source in kinds.iter_rows()]
    return kinds.with_columns(pl.Series("protocol", names, dtype=pl.String))


def require_one_protocol(frame: "pl.DataFrame", what: str, mixed: bool = False) -> None:
    """Check that the episodes of a figure have one protocol. Raises InputError, unless ``mixed``."""
    require_one(frame["protocol"].unique().to_list(), what, mixed)


def describe_protocols(frame: "pl.DataFrame") -> str:
    """Name the protocols of a frame's episodes, and mark the orchestrators whose wording is our own."""
    names = " and ".join(sorted(frame["protocol"].unique().to_list()))
    marked = marks(frame["orchestrator"].unique().to_list())
    return "; ".join([names, *(f"{name}: {mark}" for name, mark in marked.items())])
