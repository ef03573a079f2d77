"""The collection itself: throughput, durations and errors."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.sides import RUN_ID_DIGITS
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "collection", "Throughput and errors of the collection"
MAX_KINDS = 5
"""Kinds of error that have a piece of their own in the drawing; the rest are together."""

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show for each run the episodes an hour, how long they took, and the errors by kind."""
    kinds = _kinds(data.episodes)
    rows = _rows(data, kinds)
    errors, runs = sum(row["errors"] for row in rows), count_noun(len(rows), "run")
    return Figure(
        name=NAME,
        title=TITLE,
        caption="How many episodes an hour each run made from its first start to its last end, how long the "
        "median and the slowest tenth took, and the errors of sandbox, endpoint or harness by kind.",
        n=f"{count_noun(data.episodes.height, 'episode')} in {runs}, {errors:,} in error",
        alt=f"Three panels over {runs}: episodes an hour, seconds an episode, errors. "
        f"{count_noun(errors, 'episode')} of {data.episodes.height:,} ended in error.",
        columns=_columns(kinds),
        rows=rows,
        draw=lambda: _draw(rows[:MAX_AGENTS], kinds),
        cautions=_cautions(rows),
    )


def _columns(kinds: list[str]) -> dict[str, str]:
    counts = ("episodes", "errors", "superseded", "branches")
    numbers = ("episodes an hour", "median seconds", "seconds of the slowest tenth")
    columns = {"run": "text", "kind": "text", "agent": "text", "from": "text"}
    return columns | dict.fromkeys(counts, "count") | dict.fromkeys(numbers, "number") | dict.fromkeys(
        (f"error: {kind}" for kind in kinds), "count"
    )  # fmt: skip


def _kinds(episodes: "pl.DataFrame") -> list[str]:
    """Return the kinds of error, the commonest first: the words before the colon."""
    errors = episodes.filter(episodes["outcome"] == "error")["error"]
    counts = Counter(_kind(error) for error in errors)
    kinds = [kind for kind, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return kinds if len(kinds) <= MAX_KINDS else [*kinds[: MAX_KINDS - 1], "other"]


def _kind(error: str | None) -> str:
    word = (error or "").partition(":")[0].strip()
    return word if 0 < len(word) <= 24 else "unnamed"


def _rows(data: ReportData, kinds: list[str]) -> list[Row]:
    kind_of = {row["run_id"]: row["kind"] for row in data.runs.iter_rows(named=True)}
    parts = data.episodes.partition_by(["run_id"], as_dict=True)
    rows = [_row(str(run), kind_of.get(run), part, kinds) for (run,), part in parts.items()]
    return sorted(rows, key=lambda row: (row["from"] or "", row["run"]))


def _row(run: str, kind: str | None, part: "pl.DataFrame", kinds: list[str]) -> Row:
    counts = dict(part["standing"].value_counts().iter_rows())
    agents = part.select("model", "orchestrator").iter_rows()
    failed = part.filter(part["outcome"] == "error")
    errors = Counter(k if (k := _kind(error)) in kinds else "other" for error in failed["error"])
    seconds = part["duration_ms"] / 1000
    return {
        "run": run,
        "kind": kind or "unknown",
        "agent": "; ".join(sorted({", ".join(dict.fromkeys(agent)) for agent in agents})),
        "from": part["started_at"].min(),
        "episodes": part.height,
        "errors": failed.height,
        "superseded": counts.get("superseded", 0),
        "branches": counts.get("branch", 0),
        "episodes an hour": _an_hour(part),
        "median seconds": seconds.median(),
        "seconds of the slowest tenth": seconds.quantile(0.9),
        **{f"error: {name}": errors[name] for name in kinds},
    }


def _an_hour(part: "pl.DataFrame") -> float | None:
    """Compute episodes an hour from the first start to the last end; None where times are not known."""
    import polars as pl

    times = part.select("duration_ms", at=pl.col("started_at").str.to_datetime(time_zone="UTC", strict=False))
    if times.height < 2 or times.null_count().sum_horizontal().item():
        return None
    ends = times["at"] + pl.Series(times["duration_ms"] * 1000).cast(pl.Duration("us"))
    first, last = times["at"].min(), ends.max()
    seconds = (last - first).total_seconds()  # type: ignore[operator, union-attr]
    return times.height * 3600 / seconds if seconds > 0 else None


def _cautions(rows: list[Row]) -> tuple[str, ...]:
    cautions = {
        "Where a run was resumed, the pause counts into its time.": True,
        "Runs whose times are not known have no bar.": any(r["episodes an hour"] is None for r in rows),
        f"Drawn are the first {MAX_AGENTS} of {len(rows)} runs; the table has all.": len(rows) > MAX_AGENTS,
    }
    return tuple(sentence for sentence, applies in cautions.items() if applies)


def _draw(rows: list[Row], kinds: list[str]) -> Any:
    from eops_traj.report.drawing.bars import bar_panels, stack_bars
    from eops_traj.report.drawing.canvas import shorten_name
    from eops_traj.report.drawing.hover import say

    names = [f"{row['run'][:RUN_ID_DIGITS]} {shorten_name(row['agent'], 50)}" for row in rows]
    drawing, (rate, time, errors) = bar_panels(names, 3)
    stack_bars(rate, rows, {"episodes an hour": "episodes an hour"}, kind="number")
    _numbers(rate, [row["episodes an hour"] for row in rows])
    rate.set_title("episodes an hour")
    for y, row in enumerate(rows):
        middle, slow = row["median seconds"], row["seconds of the slowest tenth"]
        if middle is not None:
            time.plot([middle, slow], [y, y], color="#222222", linewidth=1.2)
            (dot,) = time.plot(middle, y, "o", color="#0072B2", markersize=5)
            say(dot, row, f"{row['agent']}: median {middle:,.1f} seconds, slowest tenth {slow:,.1f}")
            time.plot(slow, y, "|", color="#222222", markersize=9)
    time.set_title("seconds: median to slowest tenth")
    time.set_xlim(left=0)
    time.grid(True, axis="x")
    handles, labels = stack_bars(errors, rows, {f"error: {kind}": kind for kind in kinds}, kind="count")
    _numbers(errors, [row["errors"] for row in rows])
    errors.set_title("errors")
    if labels:
        drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawing


def _numbers(axes: Any, values: list[float | None]) -> None:
    """Write each bar's number at its end."""
    most = max((value or 0 for value in values), default=0) or 1
    axes.set_xlim(0, 1.4 * most)
    axes.set_xticks([])
    for y, value in enumerate(values):
        label = "unknown" if value is None else f"{value:,.0f}"
        axes.text((value or 0) + 0.02 * most, y, label, va="center")
