"""``eops-traj gym env`` and ``gym rows``: the gym for trainers that are not ours."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import JsonOption, show_facts, show_json, show_lines

if TYPE_CHECKING:
    from eops_traj.environments.served_tasks import ServedTasks

Tasks = Annotated[
    str, typer.Argument(metavar="TASKS", help="A folder of tasks, hub:ORG/NAME, or suite:NAME.")
]
Kind = Annotated[str, typer.Option(help="The protocol: openenv or nemo-gym.")]
Mode = Annotated[str, typer.Option(help="Which tools are shown: oracle, plus_5_tools, ..., all.")]
Splits = Annotated[
    list[str] | None,
    typer.Option("--split", help="A split to serve; several times. By default train; none: without one."),
]
Domains = Annotated[list[str] | None, typer.Option("--domain", help="Only this domain; may be repeated.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many tasks, in proportion.")]
Seed = Annotated[int, typer.Option(min=0, help="Which of them a limit takes.")]


def env(
    tasks: Tasks,
    kind: Kind,
    mode: Mode = "oracle",
    split: Splits = None,
    domain: Domains = None,
    limit: Limit = None,
    seed: Seed = 0,
    host: Annotated[str, typer.Option(help="The interface to listen on.")] = "127.0.0.1",
    allowed_hosts: Annotated[
        list[str] | None,
        typer.Option(help="A name by which clients call, beside loopback and --host; several times."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    max_episodes: Annotated[int, typer.Option(min=1, help="How many may be open at a time.")] = 512,
    idle_minutes: Annotated[float, typer.Option(min=0.01, help="When an unused one is dropped.")] = 60.0,
    call_seconds: Annotated[float, typer.Option(min=0.1, help="When a call is stopped.")] = 30.0,
) -> None:  # fmt: skip
    """Serve tasks to another trainer: it resets, calls tools, answers, and gets a reward."""
    from eops_traj.environments.pool import PoolLimits
    from eops_traj.environments.service import GymService
    from eops_traj.environments.serving import Address, check_kind, run

    check_kind(kind)
    limits = PoolLimits(max_episodes, idle_minutes * 60, call_seconds)
    service = GymService(_served(tasks, mode, split, domain, limit, seed), limits)
    address = Address(host, port, tuple(allowed_hosts or ()))
    run(kind, service, address, lambda line: show_lines(line, err=True))


def rows(
    tasks: Tasks,
    out: Annotated[Path, typer.Option(help="The file to write, JSON lines.")],
    agent: Annotated[str, typer.Option(help="The agent server that rolls them out.")] = "simple_agent",
    mode: Mode = "oracle",
    split: Splits = None,
    domain: Domains = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: JsonOption = False,
) -> None:
    """Write the dataset of a NeMo Gym server: what is asked in each task, and its id."""
    from eops_traj.environments.nemo_gym_rows import write_rows

    served = _served(tasks, mode, split, domain, limit, seed)
    count = write_rows(served, agent, out)
    facts = {"rows": count, "left_out": served.left_out, "file": str(out)}
    show_json(facts) if as_json else show_facts(facts)


def _served(
    tasks: str, mode: str, split: list[str] | None, domain: list[str] | None, limit: int | None, seed: int
) -> "ServedTasks":
    from eops_traj.environments.served_tasks import ServedTasks
    from eops_traj.tasks.splits import TRAIN

    return ServedTasks.find(
        tasks, mode=mode, splits=split or (TRAIN,), domains=domain or (), limit=limit, seed=seed
    )
