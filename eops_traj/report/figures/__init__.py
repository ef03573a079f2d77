"""The figures of a report, one a file, in the order of the page."""

from collections.abc import Callable

from eops_traj.report.figure import Figure, MissingFigure
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
from eops_traj.report.load import ReportData

FIGURES: dict[str, Callable[[ReportData], Figure | MissingFigure]] = {
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
"""Every figure, by the name of its files."""
