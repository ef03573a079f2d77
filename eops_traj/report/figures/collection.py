"""The collection itself: throughput, durations and errors."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.sides import RUN_ID_DIGITS
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.group_scores import value_at
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "collection", "Throughput and errors of the collection"
MAX_KINDS = 5
"""Kinds of error that have a piece of their own in the drawing; the rest are together."""

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show for each run the episodes an hour, how long they took, and the errors by kind."""
    kinds = _kinds(counts := _error_counts(data))
    rows = _rows(data, counts, kinds)
    errors, runs = sum(row["errors"] for row in rows), count_noun(len(rows), "run")
    return Figure(
        name=NAME,
        title=TITLE,
        caption="How many episodes an hour each run made from its first start to its last end, how long the "
        "median and the slowest tenth took, and the errors of sandbox, endpoint or harness by kind.",
        n=f"{count_noun(data.count, 'episode')} in {runs}, {errors:,} in error",
        alt=f"Three panels over {runs}: episodes an hour, seconds an episode, errors. "
        f"{count_noun(errors, 'episode')} of {data.count:,} ended in error.",
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


def _error_counts(data: ReportData) -> dict[str, Counter[str]]:
    """Count the errors of each run by kind: the words before the colon."""
    import polars as pl

    errors = data.episodes.filter(pl.col("outcome") == "error").select("run_id", kind=_kind())
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for run, kind, count in errors.group_by("run_id", "kind").len().collect(engine="streaming").iter_rows():
        counts[run][kind] = count
    return counts


def _kind() -> "pl.Expr":
    import polars as pl

    word = pl.col("error").fill_null("").str.split(":").list.first().str.strip_chars()
    return pl.when(word.str.len_chars().is_between(1, 24)).then(word).otherwise(pl.lit("unnamed"))


def _kinds(counts: dict[str, Counter[str]]) -> list[str]:
    """Return the kinds of error, the commonest first."""
    whole = sum(counts.values(), Counter())
    kinds = [kind for kind, _ in sorted(whole.items(), key=lambda item: (-item[1], item[0]))]
    return kinds if len(kinds) <= MAX_KINDS else [*kinds[: MAX_KINDS - 1], "other"]


def _rows(data: ReportData, errors: dict[str, Counter[str]], kinds: list[str]) -> list[Row]:
    kind_of = {row["run_id"]: row["kind"] for row in data.runs.iter_rows(named=True)}
    rows = [
        _row(run, kind_of.get(run["run_id"]), _among(errors[run["run_id"]], kinds))
        for run in _runs(data).iter_rows(named=True)
    ]
    return sorted(rows, key=lambda row: (row["from"] or "", row["run"]))


def _among(errors: Counter[str], kinds: list[str]) -> Counter[str]:
    """Count errors by these kinds, which have a rest where there are others."""
    counts = Counter(dict.fromkeys(kinds, 0))
    for kind, count in errors.items():
        counts[kind if kind in kinds else "other"] += count
    return counts


def _runs(data: ReportData) -> "pl.DataFrame":
    """Return a row for each run: its agents, its episodes by standing, its times."""
    import polars as pl

    start = pl.col("started_at").str.to_datetime(time_zone="UTC", strict=False)
    end = start + (pl.col("duration_ms") * 1000).cast(pl.Duration("us"))
    standing = pl.col("standing")
    counted = data.episodes.with_columns(at=start, end=end).group_by("run_id", "model", "orchestrator").agg(
        pl.len().alias("episodes"),
        pl.col("started_at").min().alias("from"),
        (standing == "superseded").sum().alias("superseded"),
        (standing == "branch").sum().alias("branches"),
        (pl.col("at").is_null() | pl.col("end").is_null()).any().alias("unknown"),
        pl.col("at").min().alias("first"),
        pl.col("end").max().alias("last"),
    )  # fmt: skip
    runs = counted.collect(engine="streaming").group_by("run_id").agg(
        pl.struct("model", "orchestrator").alias("agents"),
        pl.col("episodes", "superseded", "branches").sum(),
        pl.col("from", "first").min(),
        pl.col("last").max(),
        pl.col("unknown").any(),
    )  # fmt: skip
    slow = data.episodes.group_by("run_id", "duration_ms").len().collect(engine="streaming")
    times = [(run_id, *_seconds(of)) for (run_id,), of in slow.drop_nulls("duration_ms").group_by("run_id")]
    names = ("run_id", "median seconds", "seconds of the slowest tenth")
    taken = pl.DataFrame(
        times, dict(zip(names, (pl.String, pl.Float64, pl.Float64), strict=True)), orient="row"
    )
    return runs.join(taken, on="run_id", how="left")


def _seconds(counts: "pl.DataFrame") -> tuple[float, float]:
    """Return the seconds of a run's middle episode, and from which on the slowest tenth took."""
    counts = counts.sort("duration_ms")
    last = int(counts["len"].sum()) - 1
    middle = [value_at(counts, "duration_ms", rank)[0] for rank in (last // 2, -(-last // 2))]
    slowest, _ = value_at(counts, "duration_ms", int(0.9 * last + 0.5))
    return sum(middle) / 2000, slowest / 1000


def _row(run: Mapping[str, Any], kind: str | None, errors: Counter[str]) -> Row:
    agents = {", ".join(dict.fromkeys(agent.values())) for agent in run["agents"]}
    same = ("from", "episodes", "superseded", "branches", "median seconds", "seconds of the slowest tenth")
    return {
        "run": run["run_id"],
        "kind": kind or "unknown",
        "agent": "; ".join(sorted(agents)),
        **{name: run[name] for name in same},
        "errors": errors.total(),
        "episodes an hour": _an_hour(run),
        **{f"error: {name}": count for name, count in errors.items()},
    }


def _an_hour(run: Mapping[str, Any]) -> float | None:
    """Compute episodes an hour from the first start to the last end; None where times are not known."""
    if run["episodes"] < 2 or run["unknown"]:
        return None
    seconds: float = (run["last"] - run["first"]).total_seconds()
    return run["episodes"] * 3600 / seconds if seconds > 0 else None


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
