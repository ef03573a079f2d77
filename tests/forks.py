"""Processes that begin with what they import there already: one server of forks for a whole test process.

Its first start decides what it has imported, whichever test makes it.
"""

import multiprocessing

CONTEXT = multiprocessing.get_context("forkserver")  # a process in milliseconds, once the first is there
CONTEXT.set_forkserver_preload(
    [
        "deltalake",
        "polars",
        "eops_traj.collectors.importers.enterpriseops",
        "eops_traj.store.store",
        "tests.sandbox.contained",
        "tests.store.test_store",
    ]
)


def begin() -> None:
    """Start the server and wait until it has imported everything: seconds, on a busy machine many."""
    process = CONTEXT.Process()
    process.start()
    process.join()
