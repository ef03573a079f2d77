"""``python -m eops_traj``: the command line, where no script of it is on the path."""

if __name__ == "__main__":
    from eops_traj.cli.entry import main

    main()
