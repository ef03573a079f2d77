"""A rewording from end to end: many requests at a time, each asked for until a wording is good."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from eops_traj.errors import EopsError, FormatError
from eops_traj.hashing import digest
from eops_traj.llm.base import RETRIED_KINDS, Chat, EndpointError, PooledChat
from eops_traj.llm.concurrency import AdaptiveLimiter
from eops_traj.llm.options import ClientOptions
from eops_traj.llm.retry import LimitedChat, RetryingChat, RetryPolicy, Traffic
from eops_traj.schema import Task
from eops_traj.taskgen.reword.alike import OF_ANOTHER, Alikeness
from eops_traj.taskgen.reword.asking import made_by, question, text_of
from eops_traj.taskgen.reword.cases import Case, cases_of, reworded
from eops_traj.taskgen.reword.journal import Attempt, Journal
from eops_traj.taskgen.reword.judge import Fault, facts_to_keep, find_fault
from eops_traj.workers.processes import deaths_told, worker_pool

Done = Callable[[int], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Effort:
    """How much is spent: tries a request, requests at a time, processes that judge, tries of the endpoint."""

    tries: int = 3
    at_once: int = 16
    workers: int = 2
    requests: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass
class Outcome:
    """What came of it: the tasks with their requests, old or new, and why texts and requests were refused."""

    tasks: list[Task] = field(default_factory=list)
    cases: int = 0
    reworded: int = 0
    asked: int = 0
    """Replies that this run got; those of the journal are not asked for again."""
    texts: Counter[str] = field(default_factory=Counter)
    """Why texts were refused; of one request several may be."""
    kept: Counter[str] = field(default_factory=Counter)
    """Why requests stay as they were, by the fault of the last text."""
    owed: int = 0
    failure: str = ""
    """Why the endpoint gave no reply, where some are owed."""


def reword(
    tasks: Sequence[Task], root: Path | None, options: ClientOptions, journal: Path, effort: Effort,
    leave_out: bool = False, done: Done = lambda count: None,
) -> Outcome:  # fmt: skip
    """Have a model reword the requests of tasks, as far as the tasks are proven to be still the same.

    Tasks whose requests are refused stay as they were, or are left out. ``done`` is told of each request.
    Raises FormatError for tasks without a gold plan, which cannot be proven, and for a journal of something
    else; InputError for a task that cannot be opened, OSError where the journal cannot be written and
    WorkError where a process that judges was killed, each once the replies under way are kept.
    """
    if without := [task.task_id for task in tasks if not task.plan]:
        raise FormatError(f"{len(without)} tasks have no gold plan to prove them by, such as {without[0]}")
    maker = made_by(options.model)
    about = {"rewording": 1, "tasks": digest([[t.task_id, t.user_prompt] for t in tasks]), **maker}
    cases, left = cases_of(tasks)
    with _pool(effort.workers) as pool:
        work = _Work(root, Journal.open(journal, about), effort, pool, maker)
        work.alike = Alikeness(dict.fromkeys(task.user_prompt for task in tasks))
        asyncio.run(work.run(cases, options, done))
    return _outcome(tasks, cases, left, work, leave_out)


@dataclass
class _Work:
    """The state of a rewording under way."""

    root: Path | None
    journal: Journal
    effort: Effort
    pool: Executor
    maker: dict[str, str]
    alike: Alikeness = field(default_factory=Alikeness)
    owed: set[str] = field(default_factory=set)
    asked: int = 0
    failure: str = ""
    stopped: bool = False
    broken: EopsError | OSError | None = None
    """What it ends with: no case can go on."""

    async def run(self, cases: Sequence[Case], options: ClientOptions, done: Done) -> None:
        """Work all cases; what an earlier run accepted counts for likeness from the start.

        Raises the first error of a case, once the others have come to an end.
        """
        for case in cases:
            self._note(case)
        slots = asyncio.Semaphore(self.effort.at_once)
        async with AsyncExitStack() as stack:
            chat = _open(options, self.effort)
            stack.push_async_callback(chat.close)

            async def work(case: Case) -> None:
                async with slots:
                    await self._work(case, chat)
                    done(1)

            async with asyncio.TaskGroup() as group:
                for case in cases:
                    group.create_task(work(case))
        if self.broken is not None:
            raise self.broken

    async def _work(self, case: Case, chat: Chat) -> None:
        """Settle a case; after an error nothing more is asked, but replies that are paid for are awaited."""
        try:
            await self._settle(case, chat)
        except (EopsError, OSError) as error:
            self.broken = self.broken or error
            self.stopped = True

    async def _settle(self, case: Case, chat: Chat) -> None:
        attempts = self.journal.attempts[case.key]
        while True:
            last = attempts[-1] if attempts else None
            if last is not None and not last.judged:
                await self._judge(case, last)
            elif last is not None and (last.fault is None or len(attempts) >= self.effort.tries):
                return
            elif self.stopped or not await self._ask(case, last, chat):
                self.owed.add(case.key)
                return

    async def _ask(self, case: Case, last: Attempt | None, chat: Chat) -> bool:
        """Ask for a text and keep it; tell whether one came."""
        keep = await self._in_pool(facts_to_keep, case, self.root)
        try:
            reply = await chat.reply(question(case, keep, str(last.fault) if last and last.fault else ""))
        except EndpointError as error:
            self.failure = self.failure or str(error)
            self.stopped = self.stopped or error.kind not in RETRIED_KINDS | {"context"}
            return False
        self.asked += 1
        attempt = self.journal.replied(case.key, text_of(reply.text))
        if reply.finish_reason == "length":
            self.journal.settle(case.key, attempt, Fault("form", "it was cut off at the most tokens allowed"))
        return True

    async def _judge(self, case: Case, attempt: Attempt) -> None:
        fault = self._near_another(case, attempt.text)
        fault = fault or await self._in_pool(find_fault, case, attempt.text, self.root, self.maker)
        fault = fault or self._near_another(case, attempt.text)  # one may have come in between
        self.journal.settle(case.key, attempt, fault)
        self._note(case)

    def _near_another(self, case: Case, text: str) -> Fault | None:
        if not text.strip():
            return None
        much, nearest = self.alike.nearest(text, [variant.request for variant in case.variants])
        if much <= OF_ANOTHER:
            return None
        return Fault("alike", f"{much:.0%} of it stands in another request: {nearest[:80]!r}")

    def _note(self, case: Case) -> None:
        """Count an accepted wording among the requests that others must be unlike."""
        if text := self.journal.accepted(case.key):
            for one in case.texts(text) or ():
                self.alike.add(one)

    async def _in_pool(self, work: Callable[..., T], *arguments: object) -> T:
        with deaths_told():
            return await asyncio.get_running_loop().run_in_executor(self.pool, work, *arguments)


def _pool(workers: int) -> Executor:
    """Return where wordings are judged: processes, or for none of them a thread of this one."""
    return worker_pool(workers) if workers else ThreadPoolExecutor(1)


def _open(options: ClientOptions, effort: Effort) -> RetryingChat:
    """Open the client, with a limit before each of its endpoints, asking again where that may help."""
    traffic = Traffic()

    def limited(chat: Chat) -> Chat:
        return LimitedChat(chat, AdaptiveLimiter(effort.at_once), traffic)

    chat = options.open()
    if isinstance(chat, PooledChat):
        chat.wrap(limited)
    else:
        chat = limited(chat)
    return RetryingChat(chat, effort.requests, traffic)


def _outcome(
    tasks: Sequence[Task], cases: Sequence[Case], left: Sequence[Task], work: _Work, leave_out: bool
) -> Outcome:
    """Put the tasks together again, in their order, and count."""
    outcome = Outcome(cases=len(cases), asked=work.asked, owed=len(work.owed), failure=work.failure)
    outcome.kept.update(["twins differ"] * len({task.user_prompt for task in left}))
    new: dict[str, Task] = {}
    for case in cases:
        attempts = work.journal.attempts[case.key]
        outcome.texts.update(one.fault.reason for one in attempts if one.fault)
        text = work.journal.accepted(case.key)
        if text is None:
            outcome.kept.update([attempts[-1].fault.reason] if attempts and attempts[-1].fault else ())
            continue
        outcome.reworded += 1
        for variant, one in zip(case.variants, case.texts(text) or (), strict=True):
            new |= {task.task_id: reworded(task, one, work.maker) for task in variant.tasks}
    outcome.tasks = [new.get(t.task_id, t) for t in tasks if t.task_id in new or not leave_out]
    return outcome
