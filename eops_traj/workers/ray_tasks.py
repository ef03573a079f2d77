"""The workers of a Ray cluster as an executor: a task whose worker dies is done again by another."""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from eops_traj.errors import WorkError
from eops_traj.optional import require

MAX_DEATHS = 5
"""The most times that a task is given to another worker."""


def connect(workers: int) -> None:
    """Connect to the cluster that RAY_ADDRESS names, or begin one of this machine with so many workers.

    Does nothing where this process is connected already. Raises InputError where Ray is not installed.
    """
    require("ray")
    import ray

    if ray.is_initialized():
        return
    alone = not os.environ.get("RAY_ADDRESS")
    ray.init(
        num_cpus=max(workers, os.cpu_count() or 1) if alone else None,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )


class RayTasks(Executor):
    """An executor over Ray. Arguments and results are pickled; every machine has this package."""

    def __init__(self, workers: int) -> None:
        """Connect. Raises InputError where Ray is not installed."""
        connect(workers)
        import ray

        self._run = ray.remote(num_cpus=1, max_retries=MAX_DEATHS)(_call)
        self._under_way: list[tuple[Any, Future[Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Have a worker call a function; what it raises is what the future raises."""
        reference, future = self._run.remote(fn, args, kwargs), Future[Any]()
        reference.future().add_done_callback(lambda done: _settle(future, done))
        self._under_way = [one for one in self._under_way if not one[1].done()] + [(reference, future)]
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for what is under way, or have it ended; the connection stays, for the next."""
        import ray

        for reference, future in self._under_way:
            if cancel_futures:
                ray.cancel(reference, force=True)
            elif wait and not future.cancelled():
                future.exception()
        self._under_way.clear()


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function as a process of ours does: a user's own servers are looked up first."""
    from eops_traj.gym.registry import SERVERS

    _ = SERVERS.own
    return fn(*args, **kwargs)


def _settle(future: "Future[Any]", done: "Future[Any]") -> None:
    """Give a future what came of Ray's: where the function raised an error, that one alone."""
    from ray.exceptions import RayError, RayTaskError

    error = done.exception()
    if error is None:
        future.set_result(done.result())
    elif isinstance(error, RayTaskError) and isinstance(error.cause, BaseException):
        future.set_exception(error.cause)
    elif isinstance(error, RayError):
        future.set_exception(WorkError(f"ray: {' '.join(str(error).split())[:200]}"))
    else:
        future.set_exception(error)
