"""Skipped tests in CI: with ``--no-skips`` a run fails where a test was skipped that could have run."""

import pytest

ELSEWHERE = (
    "../shared",  # reference data that is not part of the project
    "EOPS_TRAJ_",  # a variable names a checkout, an image or a Python that most machines do not have
    "needs Python",  # an environment for another project, of a version that is not on this machine
    "uv cannot install",
    "needs /proc",
    "mounts a disk",
)
"""Parts of the reasons for which a test may be skipped anywhere."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("skips")
    group.addoption("--no-skips", action="store_true", help="fail where a test is skipped that could run")
    group.addoption(
        "--may-skip", action="append", default=[], metavar="TEXT", help="let it be skipped for such a reason"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that is otherwise good."""
    if session.exitstatus == pytest.ExitCode.OK and strays(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the tests that should have run."""
    for where, reason in strays(config):
        terminalreporter.write_line(f"SHOULD HAVE RUN {where}: {reason}", red=True)


def strays(config: pytest.Config) -> list[tuple[str, str]]:
    """Return the tests that were skipped for no good reason, each with it; none without ``--no-skips``."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not config.getoption("no_skips") or hasattr(config, "workerinput") or reporter is None:
        return []
    good = (*ELSEWHERE, *config.getoption("may_skip"))
    skipped = [
        (report.nodeid, str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr))
        for report in reporter.stats.get("skipped", ())
    ]
    return [(where, reason) for where, reason in skipped if not any(text in reason for text in good)]
