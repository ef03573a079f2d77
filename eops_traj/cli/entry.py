"""The program's beginning: Ctrl-C while its parts are still being read is one line, as it is later on."""

import sys


def main() -> None:
    """Read the command line's parts and run it."""
    try:
        from eops_traj.cli.main import main as run
    except KeyboardInterrupt:
        from eops_traj.cli.console import show_lines
        from eops_traj.cli.interruption import INTERRUPTED

        show_lines("interrupted: nothing was begun", err=True)
        sys.exit(INTERRUPTED)
    run()
