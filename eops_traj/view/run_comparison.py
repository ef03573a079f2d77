"""Two runs, or two models, task by task: who fixed and who broke what."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from eops_traj.errors import UnknownName
from eops_traj.protocol import PROTOCOLS, protocol_of
from eops_traj.schema import PASSED
from eops_traj.view.data import EpisodeSource
from eops_traj.view.index import Index
from eops_traj.view.templating import render_page

if TYPE_CHECKING:
    import polars as pl

MOST = 200
"""Tasks of each group that the page lists."""
ORDER = ("task_id", "attempt", "episode_id")
COMPARED = ("scored", "error")
"""Standings of the attempts that are compared: an error stands for a task where nothing else does."""
CHANGES = {
    "fixed": (False, True),
    "broke": (True, False),
    "failed in both": (False, False),
    "passed in both": (True, True),
}
"""The groups, by whether the task passed on the left and on the right."""


@dataclass(frozen=True)
class Group:
    """The tasks that went one way: how many, by domain, and the first of them."""

    name: str
    count: int
    domains: list[tuple[str, int]]
    tasks: list[dict[str, Any]]


def compare_runs(source: EpisodeSource, request: Request) -> Response:
    """Render the comparison, or the form that asks for the sides. Raises UnknownName for a side."""
    index = source.index()
    a, b = (request.query_params.get(side, "") for side in ("a", "b"))
    names = {kind: index.choices[column] for kind, column in (("runs", "run_id"), ("models", "model"))}
    both = bool(a and b)
    tasks = _paired(index, a, b) if both else None
    groups = [] if tasks is None else [_group(tasks, name) for name in CHANGES]
    unlike = _protocols(index, a, b) if both else []
    return render_page(
        "compare_runs.html", a=a, b=b, names=names, groups=groups, compared=both,
        protocols=" and ".join(unlike) if len(unlike) > 1 else "",
    )  # fmt: skip


def _paired(index: Index, left: str, right: str) -> "pl.DataFrame":
    """Return the tasks that both attempted, with the first attempt of each side that a score counts."""
    return _first_attempts(index, left).join(_first_attempts(index, right), on="task_hash", suffix="_b")


def _protocols(index: Index, left: str, right: str) -> list[str]:
    """Return the names of the protocols that both sides are of; what other programs recorded has none."""
    import polars as pl

    sides = pl.concat(_attempts(index, name).select("settings", "source") for name in (left, right))
    kinds = sides.unique().collect().cast(pl.String).fill_null("")
    return sorted({protocol_of(*kind) for kind in kinds.iter_rows()} & set(PROTOCOLS))


def _attempts(index: Index, name: str) -> "pl.LazyFrame":
    """Return the attempts of a run or a model that are compared. Raises UnknownName."""
    import polars as pl

    known = {str(value) for column in ("run_id", "model") for value, _ in index.choices[column]}
    if name not in known:
        raise UnknownName("run or model", name, sorted(known))
    column = "run_id" if name in {str(v) for v, _ in index.choices["run_id"]} else "model"
    standing = pl.col("standing")
    return index.frame.lazy().filter(pl.col(column) == name, standing.is_in(list(COMPARED)))


def _first_attempts(index: Index, name: str) -> "pl.DataFrame":
    import polars as pl

    outcome, standing = pl.col("outcome"), pl.col("standing")
    return (
        _attempts(index, name)
        .select(*ORDER, "task_hash", "causes", "cost", "n_steps", "domain", "outcome", "standing")
        .sort(standing == "error", *ORDER)
        .unique("task_hash", keep="first", maintain_order=True)
        .select(
            "task_hash", "task_id", "episode_id", "causes", "cost", "n_steps",
            pl.col("domain").cast(pl.String), outcome.cast(pl.String), passed=outcome.is_in(list(PASSED)),
        )
        .collect()
    )  # fmt: skip


def _group(tasks: "pl.DataFrame", name: str) -> Group:
    import polars as pl

    before, after = CHANGES[name]
    group = tasks.filter(pl.col("passed") == before, pl.col("passed_b") == after)
    domains = [(domain, count) for domain, count in group.group_by("domain").len().sort("domain").iter_rows()]
    return Group(name, group.height, domains, group.head(MOST).to_dicts())
