"""Checks before hours are spent: sandbox, store, disk, and every model's endpoint.

``eops-traj doctor`` shows every check; a collection makes the same ones before it begins, and writes nothing
where one of them fails.
"""

import asyncio
import logging
import os
import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from eops_traj.collect.config import EXECUTOR
from eops_traj.collect.job import Job
from eops_traj.collect.model_clients import open_models
from eops_traj.collect.orchestrator import Checkable
from eops_traj.errors import EopsError, InputError, StoreError
from eops_traj.llm.base import Chat, EndpointError, Request
from eops_traj.llm.preflight import preflight
from eops_traj.llm.retry import RetryingChat, Traffic
from eops_traj.protocol import RunProtocol
from eops_traj.sandbox.open import missing_seed
from eops_traj.sandbox.options import Sandbox
from eops_traj.schema import BENCHMARK_SUITE, Task
from eops_traj.store.store import Store
from eops_traj.tasks.toolset import ToolsetCache, missing_tools

_log = logging.getLogger(__name__)
MEGABYTES_AN_EPISODE = 0.2
"""On the disk, journal included: an upper bound for episodes of some 50 turns."""
MEGABYTES_AT_LEAST = 200
_MOST_NAMED = 5  # tasks that a message names
DATABASES = (
    " (the benchmark's databases are in gym_dbs.zip, beside its code; tasks.seeds=gym_dbs.zip names the zip,"
    " which need not be unpacked)"
)
"""The hint where tasks of the benchmark lack their databases."""
Listing = list[dict[str, Any]]


class CheckResult(NamedTuple):
    """The result of a check."""

    check: str
    ok: bool
    detail: str


async def run_checks(job: Job, sandbox: Sandbox, models: Mapping[str, RetryingChat]) -> list[CheckResult]:
    """Run every check of a job, in order. None of them writes anything."""
    listings: dict[tuple[str, ...], Listing] = {}
    results = [
        await _check("sandbox", partial(_sandbox, job, sandbox, listings)),
        await _check("store", partial(asyncio.to_thread, _store, job.store)),
        await _check("disk", partial(asyncio.to_thread, _disk, job)),
    ]
    if isinstance(orchestrator := job.setup.configured.orchestrator, Checkable):
        results.append(await _check("orchestrator", partial(asyncio.to_thread, orchestrator.check)))
    for role, chat in models.items():
        if job.setup.is_checked(role):
            results.append(await _check(f"model {role}", partial(_model, job, role, chat, listings)))
    return results


def require_passed(results: Iterable[CheckResult]) -> None:
    """Raise InputError where a check failed, naming all that did."""
    failed = [f"{result.check}: {result.detail}" for result in results if not result.ok]
    if failed:
        raise InputError("; ".join(failed))


def check_job(job: Job) -> list[CheckResult]:
    """Open what a job needs, and run every check of it."""

    async def run() -> list[CheckResult]:
        with job.sandbox() as sandbox:
            async with open_models(job.setup, Traffic()) as models:
                return await run_checks(job, sandbox, models)

    return asyncio.run(run())


async def _check(check: str, work: Callable[[], Awaitable[str]]) -> CheckResult:
    try:
        return CheckResult(check, True, await work())
    except EopsError as error:
        return CheckResult(check, False, str(error))


async def _sandbox(job: Job, sandbox: Sandbox, listings: dict[tuple[str, ...], Listing]) -> str:
    """Open a session for each set of servers, and look for the tools of every task in it."""
    _check_complete(job)
    missing = {}
    for task in job.tasks:
        if _servers(task) not in listings:
            listings[_servers(task)] = await sandbox.do(partial(_list_tools, sandbox, task))
        if lacking := missing_tools(task, {tool["name"] for tool in listings[_servers(task)]}):
            missing[task.task_id] = ", ".join(lacking)
    if missing and job.setup.protocol.lenient_tasks:
        lacks = f"{len(missing)} of {len(job.tasks)} tasks name tools that it lacks, which are left out"
        _log.warning("%s: %s", job.setup.config.sandbox.kind, lacks)
        return f"{job.setup.config.sandbox.kind}; {lacks}"
    if missing:
        named = "; ".join(f"{name} shows {tools}" for name, tools in list(missing.items())[:_MOST_NAMED])
        raise InputError(f"{len(missing)} of {len(job.tasks)} tasks show tools that it lacks: {named}")
    return f"{job.setup.config.sandbox.kind}; it has the tools of all {len(job.tasks)} tasks"


def _check_complete(job: Job) -> None:
    """Raise InputError for tasks that lack their seed file, or the plan that the orchestrator needs."""
    orchestrator = job.setup.configured
    needs_plan = orchestrator.kind.needs_gold(orchestrator.settings)
    planless = {
        f"task {task.task_id} has no gold plan" for task in job.tasks if needs_plan and task.plan is None
    }
    seedless = {
        (task.suite, f"{server.name}: no seed file {missing}")
        for task in job.tasks
        for server in task.servers
        if (missing := missing_seed(server, job.root)) is not None
    }
    if problems := sorted(planless | {what for _, what in seedless}):
        hint = DATABASES if any(suite == BENCHMARK_SUITE for suite, _ in seedless) else ""
        more = " ..." if len(problems) > _MOST_NAMED else ""
        raise InputError("; ".join(problems[:_MOST_NAMED]) + more + hint)


def _servers(task: Task) -> tuple[str, ...]:
    return tuple(server.name for server in task.servers)


def _list_tools(sandbox: Sandbox, task: Task) -> Listing:
    session = sandbox.open(task)
    try:
        return session.list_tools()
    finally:
        session.close()


def _store(url: str) -> str:
    """Check that the store can be opened, or made where there is none; behind a URL, that it is reached."""
    folder, named = Path(url), Store(url)
    if named.tables["episodes"].exists():
        with Store.open(url) as store:
            return f"{url}, version {store.version()}"
    if named.remote:
        return f"{url}, to be made"
    if folder.exists() and not named.is_ours(folder):
        raise StoreError(f"{url} is neither a store nor an empty folder")
    if not os.access(_nearest(folder), os.W_OK):
        raise StoreError(f"{url} cannot be made: no right to write in {_nearest(folder)}")
    return f"{url}, to be made"


def _nearest(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def _disk(job: Job) -> str:
    """Check that the episodes will fit; an object store's wait in the journal, in the user's folder."""
    folder = Path.home() if "://" in job.store else _nearest(Path(job.store))
    free = shutil.disk_usage(folder).free / 1e6
    episodes = len(job.tasks) * job.setup.config.attempts
    needed = max(MEGABYTES_AT_LEAST, episodes * MEGABYTES_AN_EPISODE)
    if free < needed:
        raise InputError(f"{free:.0f} MB free at {folder}; {episodes} episodes may take {needed:.0f} MB")
    return f"{free / 1000:.0f} GB free"


async def _model(job: Job, role: str, chat: RetryingChat, listings: Mapping[tuple[str, ...], Listing]) -> str:
    """Check that the model answers, and where it has tools, calls one and can read the longest task."""
    tools = job.setup.config.check == "tools" and role == EXECUTOR
    try:
        if tools:
            await preflight(chat.client)
            await _read_longest(job.tasks, listings, chat.client, job.setup.protocol)
        else:
            await chat.client.reply(Request([{"role": "user", "content": "Say yes."}]))
    except EndpointError as error:
        if error.kind == "throttled":
            return f"{chat.model} is there, and busy"
        raise InputError(f"{chat.model}: {error}") from error
    return f"{chat.model} answers" + (" and calls tools" if tools else "")


async def _read_longest(
    tasks: Iterable[Task], listings: Mapping[tuple[str, ...], Listing], chat: Chat, protocol: RunProtocol
) -> None:
    """Have the model read the longest task with its tools. Raises EndpointError where that does not fit."""
    task = max(tasks, key=lambda t: len(t.system_prompt + t.user_prompt) + 1000 * len(t.tools))
    messages = [
        {"role": "system", "content": task.system_prompt},
        {"role": "user", "content": task.user_prompt},
    ]
    functions = ToolsetCache(protocol).get(task, lambda: listings[_servers(task)]).functions
    try:
        await chat.reply(Request(messages, functions, {"max_tokens": 16}))
    except EndpointError as error:
        if error.kind == "context":  # whatever else it may say to so short a reply is no news
            raise
