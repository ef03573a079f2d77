"""Tests run in processes forked off one which has their libraries: a mutant costs its tests alone."""

import compileall
import multiprocessing
import os
import py_compile
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LIBRARIES = (
    "pytest", "_pytest.assertion.rewrite", "hypothesis", "hypothesis.strategies", "pytest_cov.plugin",
    "typer", "rich.console", "yaml", "polars", "pyarrow.parquet", "deltalake", "datasets", "msgspec",
    "mcp", "starlette.applications", "httpx", "torch", "transformers", "trl",
)  # fmt: skip
"""What tests import that is not ours, and so no mutant; one that is missing is passed over."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(LIBRARIES))


def compile_tree(tree: Path) -> None:
    """Compile a tree once, held against its text and not its time: a mutant is seen, whenever it was made."""
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(tree, quiet=2, invalidation_mode=mode)


def run_tests(
    tree: Path, arguments: Sequence[str], timeout: float, environment: Mapping[str, str] | None = None
) -> int:
    """Run tests in a tree, up to the first that fails; return the exit code, 1 where they take too long."""
    command = ["-n", "0", "-x", "-q", "-p", "no:cacheprovider", *arguments]
    process = _CONTEXT.Process(target=_run, args=(tree, command, dict(environment or {})))
    process.start()
    process.join(timeout)
    if process.is_alive() and process.pid:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return 1
    return process.exitcode or 0


def _run(tree: Path, command: list[str], environment: dict[str, str]) -> None:
    """Be a process of pytest in that tree, silent, and the leader of a group that can be ended whole."""
    import pytest

    os.setpgrp()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    sys.dont_write_bytecode = True
    own = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    os.environ.update(own | environment)
    sys.exit(int(pytest.main(command)))
