"""Failure modes: what goes wrong in which domain."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.failure_rates import mode_rates
from eops_traj.metrics.percent import percent
from eops_traj.report.figure import NOTHING_SCORED, Figure, MissingFigure, count_noun
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

NAME, TITLE = "failure_modes", "Failure modes by domain"
COLUMNS = {
    "domain": "text", "mode": "text", "episodes": "count", "share": "share",
    "parity": "share", "strict": "share",
}  # fmt: skip
NONE = "none"
MAX_DOMAINS = 9
"""Domains that are drawn, the largest first."""

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show the share of each domain's episodes that show a failure mode; an episode may show several."""
    if not data.judged_count:
        return MissingFigure(NAME, TITLE, NOTHING_SCORED)
    rows = [_row(row) for row in mode_rates(data.judged)]
    counted = data.judged.group_by("domain").len().sort("domain").collect(engine="streaming")
    sizes = dict(counted.iter_rows())
    failures = [row for row in rows if row["mode"] != NONE]
    if not failures:
        return MissingFigure(NAME, TITLE, "No episode shows any of the failure modes that are looked for.")
    most = max(failures, key=lambda row: row["share"])
    caution = f"Drawn are the {MAX_DOMAINS} largest of {len(sizes)} domains; the table has all."
    return Figure(
        name=NAME,
        title=TITLE,
        caption="The share of a domain's episodes that show each failure mode; an episode may show several, "
        "and a mended one succeeds all the same.",
        n=f"{count_noun(data.judged_count, 'episode')} in {count_noun(len(sizes), 'domain')}",
        alt=f"A table of shares. The largest is {most['mode'].replace('_', ' ')} in {most['domain']}: "
        f"{percent(most['share'])} of {sizes[most['domain']]:,} episodes.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, sizes),
        cautions=(caution,) if len(sizes) > MAX_DOMAINS else (),
    )


def _row(rates: Row) -> Row:
    row = {name: rates[name] for name in ("domain", "episodes", "share")}
    row["mode"] = rates["mode"] or NONE
    return row | {"parity": rates["success_parity"], "strict": rates["success_strict"]}


def _draw(rows: list[Row], sizes: dict[str, int]) -> "Drawing":
    from eops_traj.report.drawing.canvas import wrap_name
    from eops_traj.verify.failure_modes import MODES

    largest = sorted(sorted(sizes, key=lambda domain: -sizes[domain])[:MAX_DOMAINS])
    present = {row["mode"] for row in rows}
    modes = [*(mode for mode in MODES if mode in present), *sorted(present - {*MODES, NONE}), NONE]
    shares = {(row["mode"], row["domain"]): row["share"] for row in rows}
    titles = {domain: f"{wrap_name(domain, 11)}\nn={sizes[domain]:,}" for domain in largest}
    return _draw_heat_map(shares, modes, titles)


def _draw_heat_map(
    shares: Mapping[tuple[str, str], float], rows: Sequence[str], columns: Mapping[str, str]
) -> "Drawing":
    """Draw the share of each (row, column), the darker the larger; a missing one is zero."""
    from eops_traj.report.drawing.canvas import MAX_NAME_LENGTH, new_drawing, shorten_name
    from eops_traj.report.drawing.hover import say

    drawing = new_drawing(min(10, 2.8 + 0.85 * len(columns)), 0.9 + 0.32 * len(rows))
    axes = drawing.subplots()
    grid = [[shares.get((row, column), 0.0) for column in columns] for row in rows]
    axes.pcolormesh(grid, cmap="Blues", vmin=0, vmax=1)
    axes.invert_yaxis()
    for y, row in enumerate(grid):
        for x, share in enumerate(row):
            colour = "white" if share > 0.75 else "black"
            cell = axes.text(x + 0.5, y + 0.5, percent(share, 0), ha="center", va="center", color=colour)
            domain = list(columns)[x]
            what = f"{rows[y].replace('_', ' ')} in {domain}"
            say(cell, {"domain": domain}, f"{what}: {percent(share)} of episodes")
    axes.set_xticks([x + 0.5 for x in range(len(columns))], list(columns.values()))
    names = [shorten_name(row.replace("_", " "), MAX_NAME_LENGTH) for row in rows]
    axes.set_yticks([y + 0.5 for y in range(len(rows))], names)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    return drawing
