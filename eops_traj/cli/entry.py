"""The program's beginning: Ctrl-C while its parts are still being read is one line, as it is later on."""

import sys


def main() -> None:
    """Read the command line's parts and run it."""
    try:
        from eops_traj.cli.main import main as run
    except KeyboardInterrupt:
        print("interrupted: nothing was begun", file=sys.stderr)
        sys.exit(130)
    run()
