"""The folder in which a program works one task: what it is given there, and what is read of it afterwards."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from eops_traj.collect.orchestrator import ProgramFailed
from eops_traj.collectors.agents.command.options import STDOUT, CommandOptions
from eops_traj.errors import InputError
from eops_traj.gym.http.hosts import LOOPBACK
from eops_traj.schema import Task

SERVER = "gym"
"""The name of our server in ``mcp.json``."""
NO_PROXY = ("NO_PROXY", "no_proxy")
BRIDGE = ("-m", "eops_traj.cli", "gym", "bridge")


class ProgramFolder:
    """The program's own folder, and its home: prompt.txt, request.txt, policy.txt and mcp.json are in it."""

    def __init__(self, path: Path, task: Task, url: str, options: CommandOptions) -> None:
        """Write what the program is given; ``url`` is the address of its session."""
        self.path, self._options = path.resolve(), options
        policy, request = task.system_prompt, task.user_prompt
        takes_policy = any("{policy" in argument for argument in options.run)
        prompt = request if takes_policy or not policy else f"{policy}\n\n{request}"
        texts = {"prompt": prompt, "request": request, "policy": policy}
        for name, text in texts.items():
            (self.path / f"{name}.txt").write_text(text, encoding="utf-8", errors="replace")
        config = {"mcpServers": {SERVER: _server(url, options.connect)}}
        (self.path / "mcp.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
        files = {f"{name}_file": str(self.path / f"{name}.txt") for name in texts}
        self._values = texts | files | {
            "mcp_url": url, "mcp_config": str(self.path / "mcp.json"), "folder": str(self.path),
            "python": sys.executable,
        }  # fmt: skip

    def command(self) -> list[str]:
        """Return the command with its values put in. Raises InputError for a program that is not there."""
        return [find_program(self._options), *map(self._filled, self._options.command()[1:])]

    @property
    def stdin(self) -> Path:
        """What the program reads: the prompt, unless an argument gives it."""
        given = any("{prompt" in a or "{request" in a for a in self._options.run)
        return Path(os.devnull) if given else self.path / "prompt.txt"

    def environment(self) -> dict[str, str]:
        """Return its whole environment. Raises InputError for a variable that is named and not set."""
        own = {"HOME": str(self.path), "TMPDIR": str(self.path), "LANG": "C.UTF-8"}
        given = {name: self._filled(value) for name, value in self._options.variables.items()}
        return own | {"EOPS_TRAJ_MCP_URL": self._values["mcp_url"]} | _direct(_named(self._options) | given)

    def answer(self, printed: bytes) -> str:
        """Return the final answer; nothing where its file is missing. Raises ProgramFailed for too much."""
        if self._options.answer == STDOUT:
            return printed.decode("utf-8", "replace").strip()
        path = self.path / self._options.answer
        if not self._is_own_file(path):
            return ""
        if path.stat().st_size > self._options.output_bytes:
            raise ProgramFailed(f"it answered more than {self._options.output_bytes} bytes")
        return path.read_text(encoding="utf-8", errors="replace").strip()

    def transcripts(self) -> Iterator[Path]:
        """Yield the files of its session's record, the newest first."""
        if self._options.transcript is not None:
            found = [p for p in self.path.glob(self._options.transcript.files) if self._is_own_file(p)]
            yield from sorted(found, key=lambda p: p.stat().st_mtime, reverse=True)

    def _filled(self, text: str) -> str:
        """Put the values in; what stands in a value is no name of another."""
        names = "|".join(self._values)
        return re.sub(f"{{({names})}}", lambda found: self._values[found[1]], text)

    def _is_own_file(self, path: Path) -> bool:
        """Check that it is a plain file within the folder: no pipe, which would never end, and no way out."""
        return path.is_file() and path.resolve().is_relative_to(self.path)


def find_program(options: CommandOptions) -> str:
    """Return the path of the program. Raises InputError where it is not there, or a variable is not set."""
    path = (_named(options) | options.variables).get("PATH", os.defpath)
    program = sys.executable if options.run[0] == "{python}" else options.run[0]
    found = shutil.which(program, path=path)
    if found is None:
        raise InputError(f"orchestrator command: no program {program!r} on the PATH that it is given")
    return str(Path(found).absolute())


def _direct(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables, those of a proxy with our address left out of it."""
    if not any(name.lower().endswith("_proxy") for name in variables):
        return variables
    hosts = {name: ",".join(filter(None, (variables.get(name), *LOOPBACK))) for name in NO_PROXY}
    return variables | hosts


def _named(options: CommandOptions) -> dict[str, str]:
    """Return the variables of ours that the program gets. Raises InputError for one that is not set."""
    if missing := [name for name in options.environment if name not in os.environ]:
        raise InputError(f"orchestrator command: environment: {', '.join(missing)} is not set")
    return {name: os.environ[name] for name in options.environment}


def _server(url: str, connect: str) -> dict[str, object]:
    """Return the entry of our server, as Claude Code and others read it from a file of MCP servers."""
    if connect == "http":
        return {"type": "http", "url": url}
    return {"type": "stdio", "command": sys.executable, "args": [*BRIDGE, url]}
