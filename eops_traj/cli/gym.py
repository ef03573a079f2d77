"""``eops-traj gym``: serve the tool servers, list their tools, count them, try one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli import gym_environments, gym_recording
from eops_traj.cli.console import JsonOption, show_json, show_lines, show_table, show_text
from eops_traj.errors import FormatError, InputError, WorkError

if TYPE_CHECKING:
    from eops_traj.gym.server import Server

app = typer.Typer(
    help="The embedded gym: serve it, to trainers too, look at its tools, try one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ServersOption = Annotated[
    list[str] | None, typer.Option("--server", help="A server: csm, itsm, hr ...; repeat for several.")
]
UserOption = Annotated[
    str,
    typer.Option(
        help="Who calls when a call does not say: an e-mail address of the seed, or a value of the header. "
        "By default the seed's first active admin."
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Enforce each tool's roles, and the headers that servers require.")
]

MEMORY, CALL_SECONDS = 2048, 30.0
"""Megabytes of all databases, and the longest call, where nothing else is said."""


@app.command()
def serve(
    server: ServersOption = None,
    every: Annotated[bool, typer.Option("--all", help="Serve every server.")] = False,
    host: Annotated[str, typer.Option(help="The interface to listen on.")] = "127.0.0.1",
    allowed_hosts: Annotated[
        list[str] | None,
        typer.Option(
            help="A name by which clients call, beside loopback, --host and this machine's; several times."
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="With one server or --record (8000): its port; 0 takes a free one."
        ),
    ] = None,
    user: UserOption = "",
    strict: StrictOption = False,
    quirk: Annotated[
        list[str] | None, typer.Option(help="A plain bug of the real servers to repeat; give several times.")
    ] = None,
    wall_clock: Annotated[
        bool, typer.Option("--wall-clock", help="Tell the real time, not a second a call from 2026-01-05 on.")
    ] = False,
    max_databases: Annotated[
        int, typer.Option(min=1, help="How many databases may be open; with --record, sessions.")
    ] = 256,
    max_memory: Annotated[int, typer.Option(min=1, help="How many MB they may hold together.")] = MEMORY,
    idle_minutes: Annotated[float, typer.Option(min=0.01, help="When an unused database is dropped.")] = 60.0,
    call_seconds: Annotated[float, typer.Option(min=0.1, help="When a call is stopped.")] = CALL_SECONDS,
    record: Annotated[
        str | None, typer.Option(metavar="STORE", help="Keep what agents do as episodes in this store.")
    ] = None,
    tasks: Annotated[
        str | None, typer.Option(help="With --record: the tasks that are worked, each at its own address.")
    ] = None,
    mode: Annotated[str, typer.Option(help="With --tasks: which tools are shown.")] = "oracle",
    split: Annotated[list[str] | None, typer.Option(help="With --tasks: only this split; repeat.")] = None,
    agent: Annotated[str, typer.Option(help="With --record: the agent's name in its episodes.")] = "unknown",
    turns: Annotated[
        int | None, typer.Option(min=1, help="With --record: the most calls of an attempt.")
    ] = None,
) -> None:  # fmt: skip
    """Serve the gym over MCP and HTTP, each server on its own port; with --record on one, as sessions."""
    from eops_traj.gym import registry
    from eops_traj.gym.engine import clock
    from eops_traj.gym.http.app import ServingOptions, run
    from eops_traj.gym.http.databases import Databases, Limits

    if record is not None:
        if user or wall_clock:
            raise InputError(
                "--user and --wall-clock do not go with --record: a task says who calls, and when"
            )
        if (max_memory, call_seconds) != (MEMORY, CALL_SECONDS):
            raise InputError(
                "--max-memory and --call-seconds do not go with --record; --max-databases bounds its sessions"
            )
        gym_recording.serve(
            record, gym_recording.chosen(tasks, mode, split, server, every), agent=agent, host=host,
            port=8000 if port is None else port, allowed_hosts=tuple(allowed_hosts or ()),
            idle_seconds=idle_minutes * 60, turns=turns, sessions=max_databases, strict=strict,
            quirks=tuple(quirk or ()),
        )  # fmt: skip
        return
    if bool(server) == every:
        raise InputError("say which: --server NAME (once or several times), or --all")
    registry.check_quirks(quirk or ())
    servers = [known.with_quirks(quirk or ()) for known in _servers(server)]
    if port is not None and len(servers) > 1:
        raise InputError("--port is for one server; several listen on their own ports")
    limits = Limits(max_databases, max_memory, idle_minutes * 60, call_seconds)
    databases = Databases(limits, tell=clock.wall if wall_clock else None, user=user, stand_in=not strict)
    ports = {s.name: s.port if port is None else port for s in servers}
    run(
        servers,
        ServingOptions(databases, host, strict, tuple(allowed_hosts or ())),
        ports,
        report=lambda line: show_lines(line, err=True),
    )


@app.command()
def tools(server: ServersOption = None, as_json: JsonOption = False) -> None:
    """List the tools: their servers, arguments (! is required) and what they are for."""
    servers = _servers(server)
    if as_json:
        listed = [{"server": s.name} | tool.listing() for s in servers for tool in s.tools.values()]
        show_json(listed)
        return
    rows = [
        {
            "server": s.name,
            "tool": tool.name,
            "arguments": " ".join(a.name + "!" * a.required for a in tool.arguments),
            "description": tool.description.split("\n")[0],
        }
        for s in servers
        for tool in s.tools.values()
    ]
    show_table({}, "tools", rows, False)


@app.command()
def stats(server: ServersOption = None, as_json: JsonOption = False) -> None:
    """Count tables, tools, foreign keys and rows, in all and by server."""
    from eops_traj.gym.stats import stats

    totals, each = stats(_servers(server))
    show_table(totals, "per_server", each, as_json)


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Its arguments: key=value ...")] = None,
    server: ServersOption = None,
    seed: Annotated[int, typer.Option(help="The number of the company to try it on.")] = 0,
    user: UserOption = "",
    strict: StrictOption = False,
    as_json: JsonOption = False,
) -> None:
    """Call a tool on a scratch database; print its result and the rows that it changed."""
    import dataclasses

    from eops_traj.gym import try_call

    owner, declared = try_call.find_tool(tool, _servers(server))
    values = try_call.parse_arguments(declared, arguments or [])
    reply = try_call.call_once(owner, declared, values, seed=seed, user=user, strict=strict)
    if as_json:
        changes = [dataclasses.asdict(change) for change in reply.changes]
        show_json({"text": reply.text, "is_error": reply.is_error, "changes": changes})
    elif not reply.is_error:
        show_text(_indented(reply.text))
        show_table({}, "row changes", try_call.column_changes(reply.changes), False)
    if reply.is_error:
        raise WorkError(reply.text + try_call.caller_hint(owner, seed, user, strict))


@app.command("check-seed")
def check_seed(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A seed file: SQL that inserts rows.")],
    server: Annotated[str | None, typer.Option(help="Its server; else found by what the seed says.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Load a seed file; print what it holds, and each rule of the schema that was loosened for it."""
    import dataclasses

    from eops_traj.gym import registry
    from eops_traj.gym.engine.seeds import MOST_BYTES
    from eops_traj.gym.seed_check import check_seed
    from eops_traj.untrusted.text_file import read_text

    known = registry.server(server) if server else None
    try:
        report = check_seed(read_text(file, MOST_BYTES), known)
    except FormatError as error:
        raise FormatError(str(error) if str(error).startswith(str(file)) else f"{file}: {error}") from None
    if as_json:
        show_json({"file": str(file), **dataclasses.asdict(report)})
    else:
        show_lines(*report.lines())


@app.command()
def bridge(url: Annotated[str, typer.Argument(help="The MCP address of a session.")]) -> None:
    """Be a server over stdio for an agent, with the tools of a session over HTTP."""
    import asyncio

    from eops_traj.gym.http.bridge import bridge

    asyncio.run(bridge(url))


app.command("env")(gym_environments.env)
app.command("rows")(gym_environments.rows)


def _servers(names: list[str] | None) -> "list[Server]":
    from eops_traj.gym import registry

    return [registry.server(name) for name in dict.fromkeys(names or registry.SERVERS)]


def _indented(text: str) -> str:
    """Return a result with its JSON indented, or as it is where it is no JSON."""
    import json

    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
