"""Run the command line as ``python -m eops_traj.cli``."""

from eops_traj.cli.entry import main

main()
