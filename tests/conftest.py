"""What tests share: where the reference data is, and the command line as a function."""

import gc
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from eops_traj.cli.main import main
from eops_traj.gym.company.company import company
from tests.made import begin_run, end_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["tests.skips", "tests.coverage_rooms"]
# The same draws in every run: what a test shows does not depend on luck. Others are looked for by hand.
settings.register_profile("eops", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=400)  # --hypothesis-profile=thorough
settings.load_profile("eops")


def pytest_configure(config: pytest.Config) -> None:
    """Have the processes of a run share what takes long to make, and the processor: a thread for each."""
    if begin_run():
        config.add_cleanup(end_run)
    # tiny models gain nothing by more threads, and on a busy machine these wait for one another
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("RAY_worker_niceness", "0")  # by itself Ray gives way to all that runs beside it


def pytest_xdist_auto_num_workers() -> int | None:
    """Have one process more than processors: a sixth of the time servers and deadlines are waited for."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (os.cpu_count() or 1) + 1


def pytest_sessionstart() -> None:
    """Have hypothesis try no constants of ours: those of the modules that happen to be loaded differ."""
    if settings().derandomize:
        patch.object(providers, "is_local_module_file", lambda path: False, create=True).start()


def pytest_collection_finish() -> None:
    """Have the collector of garbage pass by modules and tests: trainers have it look at everything."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the machine stand in Tokyo, far from UTC."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


SHARED = Path(__file__).parents[2] / "shared"
FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data, where this machine has it."""
    if not (SHARED / "eog").is_dir():
        pytest.skip("the reference data (../shared/eog) is not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The project's own small files."""
    return FIXTURES


def _working_as(role: str) -> str:
    return next(p.email for p in company(Random(0)).people if p.role == role and p.active)


@pytest.fixture(scope="session")
def admin() -> str:
    """The address of an admin of the default company."""
    return _working_as("admin")


@pytest.fixture(scope="session")
def agent() -> str:
    """The address of an agent of the default company."""
    return _working_as("agent")


class Ran(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command line as a function: ``cli("score", "--store", store)`` gives exit code and output."""

    def run(*arguments: object) -> Ran:
        with pytest.raises(SystemExit) as stop:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Ran(int(stop.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def smollm(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of a small pretrained model, SmolLM2-135M-Instruct; slow tests read it."""
    from tests.smollm import smollm_or_skip

    own = tmp_path_factory.getbasetemp()
    return smollm_or_skip(own if worker_id == "master" else own.parent)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A headless Chromium, the system's own.

    A module's and not a session's: while it is there, playwright's event loop runs in this thread, and
    asyncio.run, which other modules test with, refuses to start another.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not (chromium := shutil.which("chromium")):
        pytest.skip("no chromium on the PATH")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"], timeout=180_000)
        yield opened
        opened.close()
