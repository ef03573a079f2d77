"""Collect: the one way in, whichever engine the config names."""

import asyncio

from eops_traj.collect.job import Job
from eops_traj.collect.stats import RunStats


def collect(job: Job, *, resume: bool = False) -> RunStats:
    """Make the pending attempts of a job, and return the counts; another call resumes an interrupted one.

    Raises InputError, before anything is written, where a check fails, another collection of this agent is
    under way in the store, or it has attempts of this job and ``resume`` is not set; WorkError where the
    store cannot be written any more or errors do not end.
    """
    if job.setup.config.engine == "ray":
        from eops_traj.collect.ray_runner import collect_with_ray

        return collect_with_ray(job, resume)
    from eops_traj.collect.local_runner import collect_here

    return asyncio.run(collect_here(job, resume))
