"""What can be known before hours are spent: sandbox, store, disk, and every model's endpoint.

``eops-traj doctor`` shows every check; a collection makes the same ones before it begins, and writes nothing
where one of them fails.
"""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from eops_traj.collect.config import EXECUTOR
from eops_traj.collect.contract import Chat, EndpointError, Request
from eops_traj.collect.job import Job
from eops_traj.errors import EopsError, InputError, StoreError
from eops_traj.llm.preflight import preflight
from eops_traj.llm.retry import PatientChat
from eops_traj.sandbox.open import seed_path
from eops_traj.sandbox.options import Sandbox
from eops_traj.schema import Task
from eops_traj.store.store import Store
from eops_traj.tasks.toolset import Showcase, lacking

MEGABYTES_AN_EPISODE = 0.2
"""On the disk, journal included: an upper bound for episodes of some 50 turns."""
MEGABYTES_AT_LEAST = 200
_SHOWN = 5  # tasks that a message names
Listing = list[dict[str, Any]]


class Finding(NamedTuple):
    """What a check came to."""

    check: str
    ok: bool
    detail: str


async def examine(job: Job, sandbox: Sandbox, models: Mapping[str, PatientChat]) -> list[Finding]:
    """Every check of a job, in order. None of them writes anything."""
    listings: dict[tuple[str, ...], Listing] = {}
    findings = [
        await _checked("sandbox", partial(_sandbox, job, sandbox, listings)),
        await _checked("store", partial(asyncio.to_thread, _store, job.store)),
        await _checked("disk", partial(asyncio.to_thread, _disk, job)),
    ]
    for role, chat in models.items():
        if job.setup.asks_before(role):
            findings.append(await _checked(f"model {role}", partial(_model, job, role, chat, listings)))
    return findings


def refuse(findings: Iterable[Finding]) -> None:
    """Raises InputError where a check failed, naming all that did."""
    failed = [f"{finding.check}: {finding.detail}" for finding in findings if not finding.ok]
    if failed:
        raise InputError("; ".join(failed))


async def _checked(check: str, work: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(check, True, await work())
    except EopsError as error:
        return Finding(check, False, str(error))


async def _sandbox(job: Job, sandbox: Sandbox, listings: dict[tuple[str, ...], Listing]) -> str:
    """Open a session for each set of servers, and look for the tools of every task in it."""
    _complete(job)
    missing = {}
    for task in job.tasks:
        if _servers(task) not in listings:
            listings[_servers(task)] = await sandbox.do(partial(_listed, sandbox, task))
        if found := lacking(task, {tool["name"] for tool in listings[_servers(task)]}):
            missing[task.task_id] = ", ".join(found)
    if missing:
        named = "; ".join(f"{name} shows {found}" for name, found in list(missing.items())[:_SHOWN])
        raise InputError(f"{len(missing)} of {len(job.tasks)} tasks show tools that it lacks: {named}")
    return f"{job.setup.config.sandbox.kind}; it has the tools of all {len(job.tasks)} tasks"


def _complete(job: Job) -> None:
    """Raises InputError for tasks that lack their seed file, or the plan that the orchestrator needs."""
    settings, name = job.setup.made.settings, job.agent.orchestrator
    planned = name == "expert" or settings.get("plans") == "gold"
    wrong = {
        f"task {task.task_id} has no gold plan" for task in job.tasks if planned and task.plan is None
    } | {
        f"{server.name}: no seed file {path}"
        for task in job.tasks
        for server in task.servers
        if (path := seed_path(server, job.root)) is not None and not path.is_file()
    }
    if wrong:
        raise InputError("; ".join(sorted(wrong)[:_SHOWN]) + (" ..." if len(wrong) > _SHOWN else ""))


def _servers(task: Task) -> tuple[str, ...]:
    return tuple(server.name for server in task.servers)


def _listed(sandbox: Sandbox, task: Task) -> Listing:
    session = sandbox.open(task)
    try:
        return session.list_tools()
    finally:
        session.close()


def _store(url: str) -> str:
    """Whether the store can be opened, or made where there is none."""
    folder = Path(url)
    if "://" in url or (folder / "episodes").exists():
        with Store.open(url) as store:
            return f"{url}, version {store.version()}"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{url} is neither a store nor an empty folder")
    if not os.access(_nearest(folder), os.W_OK):
        raise StoreError(f"{url} cannot be made: no right to write in {_nearest(folder)}")
    return f"{url}, to be made"


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def _disk(job: Job) -> str:
    """Whether the episodes will fit; an object store's wait in the journal, in the user's folder."""
    folder = Path.home() if "://" in job.store else _nearest(Path(job.store))
    free = shutil.disk_usage(folder).free / 1e6
    episodes = len(job.tasks) * job.setup.config.attempts
    needed = max(MEGABYTES_AT_LEAST, episodes * MEGABYTES_AN_EPISODE)
    if free < needed:
        raise InputError(f"{free:.0f} MB free at {folder}; {episodes} episodes may take {needed:.0f} MB")
    return f"{free / 1000:.0f} GB free"


async def _model(job: Job, role: str, chat: PatientChat, listings: Mapping[tuple[str, ...], Listing]) -> str:
    """Whether the model answers, and where it works with tools, calls one and can read the longest task."""
    tools = job.setup.config.check == "tools" and role == EXECUTOR
    try:
        if tools:
            await preflight(chat.once)
            await _read_longest(job.tasks, listings, chat.once)
        else:
            await chat.once.reply(Request([{"role": "user", "content": "Say yes."}]))
    except EndpointError as error:
        if error.kind == "throttled":
            return f"{chat.model} is there, and busy"
        raise InputError(f"{chat.model}: {error}") from error
    return f"{chat.model} answers" + (" and calls tools" if tools else "")


async def _read_longest(
    tasks: Iterable[Task], listings: Mapping[tuple[str, ...], Listing], chat: Chat
) -> None:
    """Have the model read the longest task with its tools. Raises EndpointError where that does not fit."""
    task = max(tasks, key=lambda t: len(t.system_prompt + t.user_prompt) + 1000 * len(t.tools))
    said = [{"role": "system", "content": task.system_prompt}, {"role": "user", "content": task.user_prompt}]
    functions = Showcase().shown(task, lambda: listings[_servers(task)]).functions
    try:
        await chat.reply(Request(said, functions, {"max_tokens": 16}))
    except EndpointError as error:
        if error.kind == "context":  # whatever else it may say to so short a reply is no news
            raise
