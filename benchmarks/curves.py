"""Learning curves of planners: a table and a picture of what their runs, a store and held-out plans say.

    python -m benchmarks.curves RUNS STORE PLANS CURVE=RUN,RUN,... [CURVE=...] [--split test] [--name curves]
        [--put PAGE]

RUNS is a folder of outputs of `eops-traj train`; each run's planner was measured in STORE under its name.
PLANS is a folder of `eops-traj export planner_sft` that none of them learnt from: the loss of a gold plan is
the sum over its tokens, which planners with other tokens can be compared by; RUN/held_out.json keeps it.
CURVE is what grows along the runs: ``tokens``, ``rows`` or ``parameters``; a run may be on several. ``--put``
writes the table into a page, at the comment ``NAME``, and among its pictures the picture, where a curve has
several runs.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from benchmarks.cause_scores import wilson
from benchmarks.gold_losses import gold_loss
from benchmarks.planners import (
    DECLINED,
    PASSING,
    SAFELY,
    Planner,
    on_the_same,
    planner,
    show,
    table,
    with_plans,
)
from benchmarks.rounds import read

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEAD = (
    "curve", "run", "parameters", "rows", "steps", "tokens", "epochs", "seconds", "last loss of a token",
    "loss of a held-out plan", "strict", "of 1 family", "of several", "declined needlessly",
    "declined safely",
)  # fmt: skip
LABELS = {"tokens": "million tokens learnt from", "rows": "thousand rows", "parameters": "million parameters"}
PER = {"tokens": 1e6, "rows": 1e3, "parameters": 1e6}
"""What a tick of each curve counts in."""
FAMILIES = pl.col("families")


class Run(NamedTuple):
    """A run by its name, what it came to, and how its planner did on plans and tasks of others."""

    name: str
    metrics: Mapping[str, Any]
    loss: float
    """Of a held-out gold plan, in nats."""
    episodes: pl.DataFrame

    def size(self, curve: str) -> int:
        """Return its ``tokens``, ``rows`` or ``parameters``."""
        sizes = {"tokens": self.metrics["throughput"]["tokens"], "rows": self.metrics["rows"]["kept"]}
        return int({**sizes, "parameters": self.metrics["parameters"]}[curve])

    def strict(self) -> tuple[float, float, float]:
        """Return the share of tasks that pass strictly, and the ends of its 95% interval."""
        passed = self.episodes.filter(PASSING).height
        return passed / self.episodes.height, *wilson(passed, self.episodes.height)

    def cells(self) -> list[str]:
        """Render its row of the table, but for the curve."""
        share, low, high = self.strict()
        return [
            self.name,
            f"{self.size('parameters') / 1e6:.2f} million",
            f"{self.size('rows'):,}",
            f"{self.metrics['steps']:,}",
            f"{self.size('tokens') / 1e6:.2f} million",
            f"{self._epochs():.1f}",
            f"{self.metrics['seconds']:,.0f}",
            f"{self.metrics['losses'][-1]['loss']:.3f}",
            f"{self.loss:.1f}",
            f"{share:.1%} ({100 * low:.0f} to {100 * high:.0f})",
            self._rate(FAMILIES == 1, PASSING),
            self._rate(FAMILIES > 1, PASSING),
            self._rate(pl.col("feasible"), DECLINED),
            self._rate(~pl.col("feasible"), SAFELY),
        ]

    def _epochs(self) -> float:
        config = self.metrics["config"]
        step = config["batch_size"] * config["accumulate"] * self.metrics["processes"]
        return float(self.metrics["steps"] * step / self.size("rows"))

    def _rate(self, tasks: pl.Expr, those: pl.Expr) -> str:
        of = self.episodes.filter(tasks)
        return f"{of.filter(those).height / of.height:.0%}" if of.height else "none"


def read_runs(folder: Path, store: str, plans: Path, names: Sequence[str], split: str) -> dict[str, Run]:
    """Read the runs by their names, on the tasks that all of them planned."""
    measured = on_the_same([planner(f"{name}={store}:{name}", split) for name in names])
    return {each.name: _read_run(folder / each.name, plans, each) for each in measured}


def _read_run(folder: Path, plans: Path, measured: Planner) -> Run:
    metrics = read(folder / "metrics.json")
    return Run(measured.name, metrics, gold_loss(folder, plans), with_plans(measured.episodes))


def draw(curves: Mapping[str, Sequence[Run]]) -> "Figure":
    """Draw each curve twice: what passes, with its interval, above the loss of a held-out plan."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator, ScalarFormatter

    figure = Figure(figsize=(3.2 * len(curves), 4.6), dpi=130, layout="constrained")
    rates, losses = figure.subplots(2, len(curves), sharey="row", squeeze=False)
    for above, below, (curve, runs) in zip(rates, losses, curves.items(), strict=True):
        _draw_curve(above, below, curve, runs)
    rates[0].set_ylabel("strict pass@1, %")
    losses[0].set_ylabel("loss of a held-out plan, nats")
    losses[0].yaxis.set(
        major_locator=LogLocator(subs=(1, 2, 5)),
        minor_locator=NullLocator(),
        major_formatter=ScalarFormatter(),
    )
    return figure


def _draw_curve(above: "Axes", below: "Axes", curve: str, runs: Sequence[Run]) -> None:
    sizes = [run.size(curve) for run in runs]
    shares = [tuple(100 * end for end in run.strict()) for run in runs]
    around = [[middle - low for middle, low, _ in shares], [high - middle for middle, _, high in shares]]
    above.errorbar(sizes, [middle for middle, *_ in shares], yerr=around, marker="o", capsize=3)
    below.plot(sizes, [run.loss for run in runs], marker="o")
    above.set_ylim(bottom=0)
    below.set(xlabel=LABELS[curve], yscale="log")
    for axes in (above, below):
        axes.set_xscale("log")
        axes.set_xticks(sizes, [f"{size / PER[curve]:.1f}" for size in sizes])
        axes.xaxis.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)


def named_curves(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the runs along each curve. Ends the program for no such curve, or a run without a name."""
    split = (text.partition("=") for text in texts)
    curves = {name: names.split(",") for name, _, names in split}
    if unknown := sorted(set(curves) - set(LABELS)):
        raise SystemExit(f"no curve {unknown[0]!r}: expected {', '.join(LABELS)}")
    if bare := [name for name, runs in curves.items() if not all(runs)]:
        raise SystemExit(f"the curve {bare[0]!r} has a run without a name: expected {bare[0]}=RUN,RUN")
    return curves


def main() -> None:
    """Print the table, or put it and the picture into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("store")
    parser.add_argument("plans", type=Path)
    parser.add_argument("curves", nargs="+", metavar="CURVE=RUN,RUN")
    parser.add_argument("--split", default="test")
    parser.add_argument("--name", default="curves")
    parser.add_argument("--put", type=Path)
    options = parser.parse_args()
    named = named_curves(options.curves)
    names = list(dict.fromkeys(name for runs in named.values() for name in runs))
    runs = read_runs(options.runs, options.store, options.plans, names, options.split)
    curves = {curve: [runs[name] for name in names] for curve, names in named.items()}
    rows = ([curve, *run.cells()] for curve, along in curves.items() for run in along)
    show({options.name: table(HEAD, rows)}, options.put)
    if options.put and any(len(along) > 1 for along in curves.values()):
        draw(curves).savefig(options.put.parent / "pictures" / f"{options.name}.png")


if __name__ == "__main__":
    main()
