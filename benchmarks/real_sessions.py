"""The cost of sessions on a real database: `benchmarks.gym --seed FILE [--calls FILE]` prints it.

Calls are measured in two ways. Every tool is called with the first arguments that do something, which for a
tool that lists is with no filter: its whole table is in the answer. And calls that were made on the real
server (a list of ``{tool, arguments}``) are made in their order, each time in a session of its own, as an
episode makes them: the first call of a tool in a session is the dear one.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from eops_traj.gym.engine.database import Template
from eops_traj.gym.identity import default_caller
from eops_traj.gym.seed_check import server_of
from eops_traj.gym.server import Server

OPENINGS, ROUNDS = 400, 15
OPEN_BOUND, CALL_BOUND = 1.0, 0.3
"""The milliseconds that opening a session and a call may take, in the median."""
_LARGE = 20_000  # characters of an answer: dozens of rows


def percentile(times: Iterable[float], share: float) -> float:
    """Return the time under which this share of the times is."""
    ordered = sorted(times)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def milliseconds(work: Callable[[], Any]) -> float:
    """Measure one go."""
    start = perf_counter()
    work()
    return (perf_counter() - start) * 1000


def opening_times(template: Template) -> list[float]:
    """Measure opening a session many times; closing it does not count."""
    times = []
    for _ in range(OPENINGS):
        start = perf_counter()
        database = template.open()
        times.append((perf_counter() - start) * 1000)
        database.close()
    return times


def tool_times(
    server: Server, template: Template, arguments: Mapping[str, Mapping[str, Any]]
) -> tuple[list[float], list[float]]:
    """Measure a call of each tool in a session in use, undone each time: small answers, and large ones."""
    database = template.open()
    caller = default_caller(server, database)
    small, large = [], []
    for tool, given in arguments.items():
        call = partial(server.call, database, tool, given, caller)
        times, sizes = list[float](), list[int]()
        for _ in range(ROUNDS):
            database.connection.execute("SAVEPOINT before")
            times.append(milliseconds(lambda: sizes.append(len(call().text))))  # noqa: B023 - run at once
            database.connection.execute("ROLLBACK TO before; RELEASE before")
        (large if max(sizes) > _LARGE else small).append(median(times))
    database.close()
    return small, large


def episode_times(server: Server, template: Template, calls: Sequence[Mapping[str, Any]]) -> list[float]:
    """Measure each of the calls, made in their order in a session of their own, in the median of several."""
    rounds = []
    for _ in range(ROUNDS):
        database = template.open()
        caller = default_caller(server, database)
        works = (partial(server.call, database, c["tool"], c["arguments"], caller) for c in calls)
        rounds.append([milliseconds(work) for work in works])
        database.close()
    return [median(times) for times in zip(*rounds, strict=True)]


def measure_seed(
    path: Path,
    find_arguments: Callable[[Server, Template], Iterable[tuple[str, dict[str, Any]]]],
    calls: Path | None,
    show: Callable[..., None],
) -> None:
    """Print the cost of sessions on the database of a seed file. Raises FormatError for one of no server."""
    sql = path.read_text(encoding="utf-8")
    server = server_of(sql)
    opened: list[Template] = []
    load = milliseconds(lambda: opened.append(server.template(sql)))
    (template,) = opened
    print(f"{server.name}, {path.name}: {len(template.image) / 1e6:.1f} MB, loaded in {load:.0f} ms")
    both(show, f"open a session ({OPENINGS})", opening_times(template), OPEN_BOUND)
    small, large = tool_times(server, template, dict(find_arguments(server, template)))
    both(show, f"call, {len(small)} tools", small, CALL_BOUND)
    if large:
        both(show, f"call, {len(large)} tools that list a whole table", large)
    if calls:
        made = json.loads(calls.read_text(encoding="utf-8"))
        both(show, f"call, {len(made)} that were made on the real one", episode_times(server, template, made),
             CALL_BOUND)  # fmt: skip


def both(show: Callable[..., None], what: str, times: Sequence[float], bound: float | None = None) -> None:
    """Print the median, which has a bound, and the 95th percentile."""
    show(f"  {what}: p50", percentile(times, 0.5), "ms", bound)
    show(f"  {what}: p95", percentile(times, 0.95), "ms")
