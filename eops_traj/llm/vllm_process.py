"""vLLM as a child process: its command, its port, its start, and the cause where it fails."""

import asyncio
import logging
import os
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from eops_traj.errors import FormatError, InputError
from eops_traj.llm.child_process import ChildProcess
from eops_traj.untrusted.json_text import parse_json

PYTHON = "EOPS_TRAJ_VLLM"
"""The environment variable that names the Python which has vLLM."""
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
LOG_LINES = 30
_CAUSE = re.compile(r"\b((?:[A-Za-z_.]{0,100}(?:Error|Exception)|error): .+)")
_log = logging.getLogger(__name__)


def launch_command(python: Path | None = None) -> list[str]:
    """Return the command of vLLM up to its model: a Python that has it, or the ``vllm`` on the PATH.

    Raises InputError where there is neither.
    """
    named = python or os.environ.get(PYTHON)
    if named and not shutil.which(named):
        raise InputError(f"no Python at {str(named)!r}, which is to have vLLM")
    if named:
        return [str(named), "-m", "vllm.entrypoints.openai.api_server", "--model"]
    if executable := shutil.which("vllm"):
        return [executable, "serve"]
    raise InputError(
        "no vLLM: install it into an environment of its own and name that environment's Python in "
        f"{PYTHON}, or have vllm on the PATH"
    )


def free_port(port: int = 0) -> int:
    """Return this port of the loopback interface, or any one for 0. Raises InputError where it is taken.

    Another server on our port would answer in vLLM's place while vLLM still loads.
    """
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(f"port {port}, which vLLM is to have: {error.strerror}") from None
        number: int = bound.getsockname()[1]
        return number


def start_vllm(command: Sequence[str], environment: Mapping[str, str]) -> ChildProcess:
    """Start vLLM; its log is a new file among the temporary ones."""
    handle, name = tempfile.mkstemp(prefix="eops-traj-vllm-", suffix=".log")
    os.close(handle)
    _log.info("starting %s; log: %s", " ".join(command), name)
    return ChildProcess(command, Path(name), QUIET | dict(environment))


async def wait_until_ready(process: ChildProcess, port: int, seconds: float) -> float:
    """Wait until vLLM answers, and return the seconds it took.

    Raises InputError with the cause, the end of the log shown, where it ends first or is not ready in time.
    """
    import httpx

    started = time.monotonic()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=5.0, verify=False) as http:
        while process.code is None:
            if (took := time.monotonic() - started) > seconds:
                raise process_error(process, f"vLLM is not ready after {seconds:g} s")
            try:
                if (await http.get("/health")).is_success:
                    return took
            except httpx.HTTPError:
                pass  # it does not listen yet
            await asyncio.sleep(0.2)
    raise process_error(process, f"vLLM ended with code {process.code} before it was ready")


async def list_models(port: int) -> dict[str, str | None]:
    """Return the names that vLLM serves, each with its parent: an adapter's base, None for a base.

    Raises InputError where it does not list them.
    """
    import httpx

    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30.0, verify=False) as http:
        try:
            listed = parse_json((await http.get("/v1/models")).content)
            return {str(card["id"]): card.get("parent") for card in listed["data"]}
        except (httpx.HTTPError, FormatError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"vLLM does not list the models that it serves: {error}") from error


def process_error(process: ChildProcess, what: str) -> InputError:
    """Return an error that says what went wrong and why; the end of the log is logged."""
    lines = process.tail(LOG_LINES)
    _log.error("%s\n%s", what, "\n".join(f"    {line}" for line in lines))
    return InputError(f"{what}: {find_cause(process.tail(2000))}; the whole log: {process.log}")


def find_cause(lines: Sequence[str]) -> str:
    """Find the first error that a log names, the cause of later ones; else its last line."""
    errors = (match[1] for line in lines if (match := _CAUSE.search(line)))
    return next(errors, lines[-1].strip() if lines else "it printed nothing")
