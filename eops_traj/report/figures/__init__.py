"""The figures of a report, one a file, in the order of the page."""

from collections.abc import Callable

from eops_traj.report.figure import Figure, Missing
from eops_traj.report.figures import (
    categories,
    collection,
    cost,
    failures,
    horizon,
    leaderboard,
    modes,
    plans,
    reasoning_budget,
    refusal,
    training,
)
from eops_traj.report.load import Data

FIGURES: dict[str, Callable[[Data], Figure | Missing]] = {
    module.NAME: module.figure
    for module in (
        leaderboard,
        categories,
        horizon,
        modes,
        reasoning_budget,
        cost,
        refusal,
        failures,
        plans,
        training,
        collection,
    )
}
"""By the name of their files."""
