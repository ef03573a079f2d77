"""The cost of the embedded gym, in medians. Run from the root: python -m benchmarks.gym [SERVER ...]

Every tool of a server is called with the first arguments that do something (`tests.gym.plausible`), on the
server's own company. HTTP is measured with the client on the same machine. With ``--seed FILE`` sessions on
the real database of a seed file are measured instead, and with ``--calls FILE`` too calls that were made on
the real server (`benchmarks.real_sessions`).
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from json import dumps
from pathlib import Path
from typing import Any

from benchmarks.real_sessions import measure_seed, milliseconds
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server
from eops_traj.gym.stats import stats
from eops_traj.sandbox.embedded import open_session
from eops_traj.sandbox.remote import open_remote
from tests.gym.plausible import attempts, reads

SESSIONS = 200
HTTP_CALLS = 600


def median(work: Callable[[], Any], times: int = 100) -> float:
    """Measure the milliseconds of one go, the median of several."""
    return statistics.median(milliseconds(work) for _ in range(times))


def median_open(work: Callable[[], Any], times: int = 100) -> float:
    """Measure opening; closing it afterwards does not count."""
    times_taken = []
    for _ in range(times):
        opened: list[Any] = []
        times_taken.append(milliseconds(lambda opened=opened: opened.append(work())))
        opened[0].close()
    return statistics.median(times_taken)


def show(what: str, value: float, unit: str, bound: float | None = None) -> None:
    against = f"   (bound {bound:g})" if bound else ""
    print(f"{what:<58} {value:10.3f} {unit}{against}", flush=True)


def measure(server: Server) -> None:
    """Measure one server, in this process."""
    [counts] = stats([server])[1]
    print(f"\n{server.name}: {counts['tools']} tools, {counts['tables']} tables, {counts['rows']} rows")
    template = server.template()
    text = templates.to_sql(template)
    show("  database", len(template.image) / 1e6, "MB")
    show("  open a session", median_open(template.open), "ms", 1)
    show("  the same rows as SQL text", median(lambda: templates.from_sql(server.schema, text), 3), "ms")
    used, count = template.open(), f'SELECT COUNT(*) FROM "{_largest(template)}"'  # noqa: S608
    show("  fork", median_open(used.fork), "ms")
    show("  run_sql, a count", median(lambda: used.run_sql(count)), "ms")
    times = dict(call_times(server, template))
    later = {name: pair[1] for name, pair in times.items()}
    show(f"  call_tool, median of {len(times)} tools", statistics.median(later.values()), "ms", 0.3)
    show("  call_tool, mean", statistics.mean(later.values()), "ms")
    slowest = max(later, key=later.__getitem__)
    show(f"  call_tool, slowest: {slowest}", later[slowest], "ms")
    show(
        "  call_tool as the first of a session, median", statistics.median(p[0] for p in times.values()), "ms"
    )
    show("  recording changes, extra per write", recording(server, template), "ms", 0.1)


def call_times(server: Server, template: Template) -> Iterator[tuple[str, tuple[float, float]]]:
    """Measure a call of each tool: as the first of its session, and later on."""
    database = template.open()
    caller = default_caller(server, database)
    for tool, arguments in dict(working_arguments(server, template)).items():
        call = partial(server.call, name=tool, supplied=arguments, identity=caller)
        first = statistics.median([milliseconds(partial(call, template.open())) for _ in range(15)])
        yield (
            tool,
            (
                first,
                statistics.median([undo_milliseconds(database, partial(call, database)) for _ in range(15)]),
            ),
        )


def undo_milliseconds(database: Database, work: Callable[[], Any]) -> float:
    """Measure the milliseconds of a call, and undo it in the database."""
    database.connection.execute("SAVEPOINT before")
    elapsed = milliseconds(work)
    database.connection.execute("ROLLBACK TO before; RELEASE before")
    return elapsed


def working_arguments(server: Server, template: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    """Find the first arguments of each tool with which it does something."""
    for tool in server.tools.values():
        database = template.open()
        caller = default_caller(server, database)
        for arguments in attempts(server, tool, database):
            reply = server.call(database, tool.name, arguments, caller)
            if not reply.is_error and (reads(tool) or reply.changes):
                yield tool.name, arguments
                break


def recording(server: Server, template: Template) -> float:
    """Measure recording a write beside a bare savepoint."""
    database = template.open()
    optional = (c for t in server.schema.tables.values() for c in t.columns.values() if not c.required)
    plain = (c for c in optional if not (c.key or c.references or c.enum) and rows(template, c.table))
    column = next(plain)
    sql = f'UPDATE "{column.table}" SET "{column.name}" = hex(randomblob(4)) WHERE rowid = 1'  # noqa: S608

    def bare() -> None:
        with database.connection:
            database.connection.execute(sql)

    return median(lambda: database.record(lambda: database.connection.execute(sql)), 300) - median(bare, 300)


def rows(template: Template, table: str) -> int:
    """Count the rows of a table."""
    count = f'SELECT count(*) FROM "{table}"'  # noqa: S608
    return int(template.open().run_sql(count).rows[0][0])


def _largest(template: Template) -> str:
    """Find the table with the most rows."""
    return max(template.schema.tables, key=lambda table: rows(template, table))


def memory(server: Server) -> float:
    """Measure the megabytes of many open sessions, each of them used."""
    template = server.template()
    calls = [next(attempts(server, t, template.open())) for t in server.tools.values()]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sessions = [template.open() for _ in range(SESSIONS)]
    caller = default_caller(server, sessions[0])
    for number, session in enumerate(sessions):
        for step in range(5):
            chosen = (number * 5 + step) % len(calls)
            server.call(session, list(server.tools)[chosen], calls[chosen], caller)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


@contextmanager
def serving(name: str, *options: str) -> Iterator[tuple[str, int]]:
    """Serve a gym in a process of its own; yield its URL and its process id."""
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "serve", "--server", name, "--port", "0"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().split()[-1].removesuffix("/mcp"), process.pid
        finally:
            process.terminate()


def over_http(server: Server) -> None:
    """Measure calls over the wire one after the other, by our own session and by a bare client."""
    print(f"\nover HTTP, {server.name}")
    reading = (t for t in server.tools.values() if t.statement and not t.statement.writes)
    name = next(tool.name for tool in reading if tool.shape == "row")
    arguments = next(attempts(server, server.tools[name], server.template().open()))
    count = f'SELECT COUNT(*) FROM "{_largest(server.template())}"'  # noqa: S608
    with serving(server.name) as (url, process), open_remote({server.name: url}, {server.name: 0}) as session:
        show(
            "  open a remote session",
            median_open(lambda: open_remote({server.name: url}, {server.name: 0}), 20),
            "ms",
        )
        rate(f"  RemoteSession.call_tool {name}", lambda: session.call_tool(name, arguments), process)
        rate("  RemoteSession.run_sql", lambda: session.run_sql(server.name, count), process)
        connection = HTTPConnection(url.removeprefix("http://"))
        rate(f"  bare JSON-RPC {name}", lambda: _bare(connection, name, arguments), process)


def _bare(connection: HTTPConnection, tool: str, arguments: dict[str, Any]) -> None:
    params = {"name": tool, "arguments": arguments}
    body = dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body, headers)
    connection.getresponse().read()


def rate(what: str, work: Callable[[], Any], process: int) -> None:
    """Print calls a second, and the processor time of a call on either side."""
    for _ in range(50):
        work()
    server, client, start = _cpu(process), time.process_time(), time.perf_counter()
    for _ in range(HTTP_CALLS):
        work()
    seconds = time.perf_counter() - start
    show(what, HTTP_CALLS / seconds, "calls/s", 300)
    server, client = (_cpu(process) - server) / HTTP_CALLS, (time.process_time() - client) / HTTP_CALLS
    print(f"    processor time a call: server {server * 1000:.2f} ms, client {client * 1000:.2f} ms")


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("servers", nargs="*", metavar="SERVER", help="all of them, if none is named")
    parser.add_argument("--seed", type=Path, help="a seed file of a real database to measure instead")
    parser.add_argument("--calls", type=Path, help="calls on it: a JSON list of {tool, arguments}")
    given = parser.parse_args()
    if given.seed:
        measure_seed(given.seed, working_arguments, given.calls, show)
    else:
        measure_all(given.servers or list(registry.SERVERS))


def measure_all(names: list[str]) -> None:
    """Measure these servers, with the first of them also many at once and over HTTP."""
    servers = [registry.server(name) for name in names]
    for server in servers:
        show(f"{server.name}: load its tools", milliseconds(lambda s=server: s.tools), "ms")
    show(f"{SESSIONS} open sessions of {names[0]}, each used", memory(servers[0]), "MB", 1000)
    for server in servers:
        measure(server)
    everything = dict.fromkeys(names, 0)
    print()
    show(
        f"open a hybrid session of {len(names)} servers",
        median_open(lambda: open_session(everything)),
        "ms",
        5,
    )
    over_http(servers[0])


if __name__ == "__main__":
    main()
