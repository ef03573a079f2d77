"""Tasks rebuilt from the episodes that worked them."""

from eops_traj.schema import Episode, Task, Verdict, Verifier


def task_of_episode(episode: Episode) -> Task:
    """Rebuild a task as far as an episode of it tells."""
    return Task(
        task_id=episode.task_id,
        domain=episode.domain,
        mode=episode.mode,
        suite=episode.suite,
        split=episode.split,
        system_prompt="",
        user_prompt=episode.user_prompt,
        servers=episode.servers,
        verifiers=tuple(_verifier(verdict) for verdict in episode.verdicts),
        feasible=episode.feasible,
    )


def _verifier(verdict: Verdict) -> Verifier:
    return Verifier(
        name=verdict.name,
        kind=verdict.kind,
        server=verdict.server,
        config=verdict.config,
        description=verdict.description,
        category=None if verdict.category_inferred else verdict.category,
    )
