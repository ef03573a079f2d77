"""The score as a table for people: percentages, intervals, and "unknown" where a number is not known."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent
from eops_traj.metrics.uneven import is_uneven, partial_ks
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    from rich.table import Table

Row = dict[str, Any]


def score_table(rows: Sequence[Row], by: Sequence[str], total: Row) -> "Table":
    """Render the rows of :func:`eops_traj.metrics.score.score`, the row over everything as the last."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    columns = _columns(total, uneven=any(map(is_uneven, (*rows, total))))
    for name in (*by, *columns):
        table.add_column(name, justify="left" if name in by else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(visible(_text(row[key])) for key in by), *(cell(row) for cell in columns.values()))
    if by:
        table.add_section()
    names = ["all", *[""] * len(by)][: len(by)]
    table.add_row(*names, *(cell(total) for cell in columns.values()))
    return table


SPARE = (
    "out", "tokens in", "tasks", "parity verifiers", "steps", "strict verifiers", "cost", "defective",
    "parity without", "strict without", "unverified", "errors", "parity by task",
    "strict by task",
)  # fmt: skip
"""Columns that a narrow terminal does without, those that are missed least first."""


def _columns(row: Row, uneven: bool) -> dict[str, Any]:
    """Return each column's heading with a function from a row to its cell. The row says which k there are."""
    ks = sorted(int(key.removeprefix("pass@")) for key in row if key.startswith("pass@"))
    partial = partial_ks(row)
    at_k = {name: cell for k in ks if k > 1 for name, cell in _at_k(k, k in partial).items()}
    return {
        "episodes": lambda r: str(r["episodes"]),
        "tasks": lambda r: str(r["tasks"]),
        "errors": lambda r: str(r["errors"]),
        **({"unverified": lambda r: str(r["unverified"])} if row["unverified"] else {}),
        "parity [95%]": lambda r: _share("success_parity")(r) + _interval(r),
        "strict": _share("success_strict"),
        **(_BY_TASK if uneven else {}),
        **(_SOUND if row["defective"] else {}),
        "parity verifiers": _share("verifier_pass_parity"),
        "strict verifiers": _share("verifier_pass_strict"),
        **at_k,
        "steps": lambda r: f"{_text(r['mean_steps'])} (max {_text(r['max_steps'])})",
        "tokens in": lambda r: _text(r["input_tokens"]),
        "out": lambda r: _text(r["output_tokens"]),
        "cost": lambda r: "unknown" if r["cost"] is None else f"${r['cost']:,.2f}",
    }


def _at_k(k: int, partial: bool) -> dict[str, Any]:
    """Return the columns of a k, with that of its tasks where those are not all of them."""
    shares = {f"pass{sign}{k}": _share(f"pass{sign}{k}") for sign in "@^"}
    return shares | ({f"tasks@{k}": lambda row: str(row[f"tasks@{k}"])} if partial else {})


def _share(key: str) -> Any:
    return lambda row: "unknown" if row[key] is None else percent(row[key])


_BY_TASK = {
    "parity by task": _share("success_parity_by_task"),
    "strict by task": _share("success_strict_by_task"),
}
"""What is shown beside the figures where attempts at tasks are uneven."""
_SOUND = {
    "defective": lambda row: str(row["defective"]),
    "parity without": _share("success_parity_sound"),
    "strict without": _share("success_strict_sound"),
}
"""What is shown beside the figures where episodes are of defective tasks."""


def _interval(row: Row) -> str:
    return "" if row["ci_low"] is None else f" [{percent(row['ci_low'], 0)}, {percent(row['ci_high'], 0)}]"


def _text(value: Any) -> str:
    if value is None:
        return "unknown"
    return (
        f"{value:.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    )
