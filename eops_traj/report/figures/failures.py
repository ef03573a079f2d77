"""Failure modes: what goes wrong where."""

from typing import Any

from eops_traj.metrics.failure_rates import failure_modes
from eops_traj.report.figure import NONE_COUNTS, Figure, Missing, counted
from eops_traj.report.load import Data

NAME, TITLE = "failure_modes", "Failure modes by domain"
COLUMNS = {
    "domain": "text", "mode": "text", "episodes": "count", "share": "share",
    "success": "share", "strict success": "share",
}  # fmt: skip
NONE = "none"
MOST = 9
"""Domains that are drawn, the largest first."""

Row = dict[str, Any]


def figure(data: Data) -> Figure | Missing:
    """The share of each domain's episodes that show a failure mode; an episode may show several."""
    if data.scored.is_empty():
        return Missing(NAME, TITLE, NONE_COUNTS)
    rows = [_row(row) for row in failure_modes(data.scored.lazy())]
    sizes = dict(data.scored["domain"].value_counts().sort("domain").iter_rows())
    shown = [row for row in rows if row["mode"] != NONE]
    if not shown:
        return Missing(NAME, TITLE, "No episode shows any of the failure modes that are looked for.")
    most = max(shown, key=lambda row: row["share"])
    return Figure(
        name=NAME,
        title=TITLE,
        shows="The share of a domain's episodes that show each failure mode; an episode may show several, "
        "and a mended one succeeds all the same.",
        n=f"{counted(data.scored.height, 'episode')} in {counted(len(sizes), 'domain')}",
        alt=f"A table of shares. The largest is {most['mode'].replace('_', ' ')} in {most['domain']}: "
        f"{most['share']:.1%} of {sizes[most['domain']]:,} episodes.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, sizes),
        cautions=_cautions(sizes),
    )


def _row(row: Row) -> Row:
    kept = {name: row[name] for name in ("domain", "episodes", "share")}
    kept["mode"] = row["mode"] or NONE
    return kept | {"success": row["success_parity"], "strict success": row["success_strict"]}


def _cautions(sizes: dict[str, int]) -> tuple[str, ...]:
    more = len(sizes) > MOST
    return (f"Drawn are the {MOST} largest of {len(sizes)} domains; the table has all.",) if more else ()


def _draw(rows: list[Row], sizes: dict[str, int]) -> Any:
    from eops_traj.report.drawing.canvas import wrapped
    from eops_traj.report.drawing.heat import heat
    from eops_traj.verify.failure_modes import MODES

    largest = sorted(sorted(sizes, key=lambda domain: -sizes[domain])[:MOST])
    found = {row["mode"] for row in rows}
    modes = [*(mode for mode in MODES if mode in found), *sorted(found - {*MODES, NONE}), NONE]
    values = {(row["mode"], row["domain"]): row["share"] for row in rows}
    titles = {domain: f"{wrapped(domain, 11)}\nn={sizes[domain]:,}" for domain in largest}
    return heat(values, modes, titles)
