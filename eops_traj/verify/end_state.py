"""What verifiers look at: the final databases, the answer and the calls of an episode; and how they ask."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from eops_traj.errors import SandboxError
from eops_traj.schema import ToolCall, Verdict, Verifier
from eops_traj.verify.judge import Judge

UNKNOWN_TOOL = "Unknown tool: {}"
"""What a model is told of a tool that is not there, or not shown."""


class SqlRunner(Protocol):
    """Where verifiers run their queries: a sandbox session, or anything else with this one method."""

    def run_sql(self, server: str, query: str) -> Any:
        """Return the decoded body, an object with ``data``, ``rows``, ``content`` or ``result``.

        Or an answer whose method ``payload`` gives that body, as the embedded session's. Raises what it likes
        for a query that cannot be answered, and ``SandboxError`` where it is itself broken.
        """


@dataclass(frozen=True)
class EndState:
    """What verifiers look at: the final database, the answer and the calls of an episode."""

    sandbox: SqlRunner
    response: str
    tool_calls: Sequence[ToolCall]
    servers: Sequence[str]
    judge: Judge | None
    request: str = ""
    """What was asked for, from which an answer may quote."""
    verifiers: Sequence[Verifier] = ()
    """All verifiers that run together: effects are tied to the rows of another one."""


def failed(verdict: Verdict, error: str, strict: bool | None = False) -> Verdict:
    """Return the verdict as failed for parity, and as strictly failed or not known."""
    return replace(verdict, passed_parity=False, passed_strict=strict, error=error)


def attempt(work: Callable[..., Any], *arguments: Any) -> tuple[Any, str | None]:
    """Call a sandbox or a judge; return its result, or why it failed.

    Either may be anyone's, and so may its exceptions; the benchmark counts each as a failed verdict. Only
    ``SandboxError`` passes through: a broken sandbox says nothing of the model.
    """
    try:
        return work(*arguments), None
    except SandboxError:
        raise
    except Exception as error:  # noqa: BLE001 - see above
        return None, str(error) or type(error).__name__


def ran(call: ToolCall) -> bool:
    """Check whether a call reached a tool: not one without any result, nor one refused on the way.

    The recorder refuses a tool that is not there or not shown, and arguments that cannot be read.
    """
    if call.envelope is not None or call.server is not None or call.error is not None:
        return True
    unreadable = call.raw is not None and call.arguments == "{}"
    refused = call.is_error and (unreadable or call.result == UNKNOWN_TOOL.format(call.name))
    return call.result is not None and not refused


def run_sql(verdict: Verdict, state: EndState) -> tuple[Any, str | None]:
    """Run the verifier's query; one that names no server reads the first, as in the benchmark."""
    server = verdict.server or next(iter(state.servers), "")
    answer, error = attempt(state.sandbox.run_sql, server, verdict.query)
    return getattr(answer, "payload", lambda: answer)(), error and f"SQL query failed: {error}"
