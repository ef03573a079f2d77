"""Any program as an agent: Claude Code, Codex CLI, an agent of one's own.

It is started for each attempt with the prompt and an MCP address at which its session is, and nobody else's.
What it calls there is recorded as any orchestrator's calls are; what it answers is its standard output or a
file, and where it leaves a transcript of a known format, replies, reasoning and tokens come from that.
"""

import asyncio
import logging
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp

from eops_traj.collect.mcp_sessions import ServedSession, make_app, serving
from eops_traj.collect.orchestrator import AgentContext, LimitReached, OrchestratorKind, ProgramFailed
from eops_traj.collect.session_calls import SessionCalls
from eops_traj.collectors.agents.command.folder import ProgramFolder, find_program
from eops_traj.collectors.agents.command.options import CommandOptions
from eops_traj.collectors.agents.command.program import ProgramEnd, ProgramLimits, run_program
from eops_traj.collectors.agents.command.transcript import NoFit, turns_told
from eops_traj.errors import FormatError
from eops_traj.gym.http.hosts import AllowedHosts
from eops_traj.schema import ANSWER

HOST = "127.0.0.1"
TRANSCRIPT = "transcript"
"""The detail of an episode that says why its program's transcript is not in it."""
_log = logging.getLogger(__name__)


class Command:
    """An orchestrator that has a program do the work."""

    def __init__(self, options: CommandOptions) -> None:
        """Keep the options."""
        self._options, self._warned = options, False
        self.settings = options.identity()
        self.model = options.model or Path(options.run[0]).name

    def check(self) -> str:
        """Check that the program and the variables that it is to get are there. Raises InputError."""
        return find_program(self._options)

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end.

        Raises InputError for a program that cannot be started, LimitReached, ProgramFailed, and what ends the
        session.
        """
        calls, path = SessionCalls(context), mkdtemp(prefix="agent-")
        try:
            async with _address(calls) as url:
                folder = ProgramFolder(Path(path), context.task, url, self._options)
                end = await self._run(folder, calls)
                await calls.close()
            answer = await asyncio.to_thread(folder.answer, end.printed)
            await self._take_transcript(context, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, path, ignore_errors=True)
        self._check(end, calls, answer)
        _conclude(context, answer)

    async def _run(self, folder: ProgramFolder, calls: SessionCalls) -> ProgramEnd:
        options, environment = self._options, folder.environment()
        limits = ProgramLimits(options.seconds, options.output_bytes, options.processes)
        return await run_program(
            folder.command(), folder.path, environment, folder.stdin, limits, calls.ended
        )

    async def _take_transcript(self, context: AgentContext, folder: ProgramFolder) -> None:
        """Tell the recorded turns as the program's transcript does, or note why that is not possible."""
        if self._options.transcript is None:
            return
        source = self._options.transcript.format
        recorded = [call for turn in context.turns for call in turn.tool_calls]
        try:
            context.retell(await asyncio.to_thread(turns_told, folder.transcripts(), source, recorded))
        except (FormatError, NoFit) as error:
            why = str(error).replace(f"{folder.path}/", "")
            context.annotate(**{TRANSCRIPT: why})
            if not self._warned:  # a thousand episodes have the same to say
                _log.warning("%s: its transcript is left out: %s", context.task.task_id, why)
            self._warned = True

    def _check(self, end: ProgramEnd, calls: SessionCalls, answer: str) -> None:
        """Raise what ended the work, where that was not the program itself with something done."""
        options = self._options
        if calls.ended.done():
            calls.ended.result()
        match end.cut:
            case "time":
                raise LimitReached("timeout")
            case "output":
                raise ProgramFailed(f"it printed more than {options.output_bytes} bytes")
            case "processes":
                raise ProgramFailed(f"it ran more than {options.processes} processes at a time")
        if end.code:
            raise ProgramFailed(f"exit code {end.code}" + (f": {end.complaint}" if end.complaint else ""))
        if not answer and not calls.context.turns:
            raise ProgramFailed("it ended without a call and without an answer")


@asynccontextmanager
async def _address(calls: SessionCalls) -> AsyncIterator[str]:
    """Serve a session for as long as this context lasts, and yield its address, which nobody can guess."""
    address = secrets.token_hex(16)

    async def find(asked: str) -> ServedSession | None:
        return calls if secrets.compare_digest(asked.encode(), address.encode()) else None

    async with serving(make_app(find, AllowedHosts(HOST)), HOST) as url:
        yield f"{url}/{address}/mcp"


def _conclude(context: AgentContext, answer: str) -> None:
    """Record the final answer, where the last reply is not that already."""
    last = context.turns[-1] if context.turns else None
    if last is None or last.tool_calls:
        context.answer(answer)
    elif last.text.strip() != answer:
        context.annotate(**{ANSWER: answer})


COMMAND = OrchestratorKind(Command, CommandOptions)
