"""Running the blocks of a page as a reader would: in order, in one folder, with the real program."""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from eops_traj.cli.main import main
from tests.docs.checking import check
from tests.docs.pages import Block, commands
from tests.made import made_tasks, made_workspace

LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FAILS = re.compile(r"#.*\bexits with (\d)")
OWN = re.compile(r"eops-traj [^|&;<>]*(> \S+)?(#.*)?")
ASSIGNED = re.compile(r"(?:export )?([A-Z_]+)=(\S+|\$\(.+\))")


MAKE_QUICK = ["tasks", "make", "--suite", "quick"]
"""A suite that no page changes."""


class Reader:
    """A reader who tries a page: a folder, shell variables, and what Python blocks defined so far."""

    def __init__(self, folder: Path, *, checkout: bool = False, processes: bool = False) -> None:
        """Read in this folder, the current one.

        In a changed ``checkout``, and with ``processes``, a command is a process of its own: it reads anew
        what is read once a process, such as the list of servers.
        """
        self._folder, self._processes = folder, checkout or processes
        self._variables = {"COLUMNS": "110", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        if checkout:
            self._variables |= {"PYTHONPATH": str(folder)}
        self._names: dict[str, Any] = {"__name__": "page"}
        self.only_checks = False

    def follow(self, block: Block) -> None:
        """Follow a block, and compare the printed text with its output on the page."""
        if block.mark == "file":
            path = self._folder / block.note
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text + "\n", encoding="utf-8")
            return
        if block.language not in ("sh", "python"):
            return
        if block.mark == "not run" or self.only_checks or installs(block):
            check(block)
            return
        printed = self._python(block) if block.language == "python" else self._shell(block)
        if block.output is not None:
            assert matches(block.output, printed), f"{block.where} prints\n{printed}\nnot\n{block.output}"

    def _python(self, block: Block) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.text, block.where, "exec"), self._names)
        return out.getvalue()

    def _shell(self, block: Block) -> str:
        printed = []
        for command in commands(block) if "<<" not in block.text else [f"set -e\n{block.text}"]:
            code, out, err = self._run(command)
            expected = int(match[1]) if (match := FAILS.search(command)) else 0
            assert code == expected, f"{block.where}: {command}\nexits with {code}\n{out}\n{err}"
            printed.append(out)
        return "".join(printed)

    def _run(self, command: str) -> tuple[int, str, str]:
        """Run a command: exit code and output; ours without a new process, unless the checkout is changed."""
        if assigned := ASSIGNED.fullmatch(command):
            code, out, err = self._process(f"printf %s {assigned[2]}")
            self._variables[assigned[1]] = out
            return code, "", err
        words = shlex.split(self._expand(command), comments=True)[1:]
        if not OWN.fullmatch(command) or (self._processes and words[:4] != MAKE_QUICK):
            return self._process(command)
        if words[-2:-1] != [">"]:
            return self._own(words)
        code, out, err = self._own(words[:-2])
        (self._folder / words[-1]).write_text(out, encoding="utf-8")
        return code, "", err

    def _process(self, command: str) -> tuple[int, str, str]:
        shim = 'eops-traj() { python -c "from eops_traj.cli.main import main; main()" "$@"; }; '
        ran = subprocess.run(
            ["bash", "-c", shim + command],
            cwd=self._folder, env=os.environ | self._variables, capture_output=True, text=True,
        )  # fmt: skip
        return ran.returncode, ran.stdout, ran.stderr

    def _expand(self, command: str) -> str:
        return re.sub(r"\$([A-Z_]+)", lambda name: self._variables.get(name[1], name[0]), command)

    def _own(self, arguments: list[str]) -> tuple[int, str, str]:
        if arguments[:2] == ["tasks", "make"]:  # the same arguments give the same bytes
            assert arguments[-2] == "--out", "the pages name the folder last"
            shutil.copytree(made_tasks(arguments[2:-2]), self._folder / arguments[-1])
            return 0, "", ""
        if arguments[:1] == ["init"]:  # with tasks of one domain
            shutil.copytree(made_workspace(), self._folder / arguments[-1])
            return 0, "", ""
        return run_main(arguments)


def run_main(arguments: list[str]) -> tuple[int, str, str]:
    """Run our program without a new process; return exit code and output."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as stop:
            code = stop.code or 0
    return code, out.getvalue(), err.getvalue()


def installs(block: Block) -> bool:
    """Check whether a block installs something, which is not for a test to do."""
    return block.language == "sh" and any(command.startswith("pip ") for command in commands(block))


def matches(output: str, printed: str) -> bool:
    """Compare printed text with a page's: ``...`` stands for anything, white space counts as one blank."""
    expected, actual = (re.sub(r"\s+", " ", text).strip() for text in (output, printed))
    return doctest.OutputChecker().check_output(expected, actual, LENIENT)
