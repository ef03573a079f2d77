"""The episode of a result file: imported, and completed by what the gym recorded of its session.

What the benchmark says stands: the conversation, and every verdict that it counts. From the gym come the rows
that each call changed and the changeset of the whole; with them the final databases are rebuilt, and the
verifiers that the benchmark does not know, and the strict reading of those it does, are run there.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_episode, check_bundle
from eops_traj.causes.find import diagnosed
from eops_traj.collect.episode_builder import AttemptEnding, RunningAttempt, compute_labels, make_episode
from eops_traj.collect.reverify import rebuild_session
from eops_traj.errors import FormatError, SandboxError
from eops_traj.gym import registry
from eops_traj.gym.engine.changesets import pack_changesets
from eops_traj.harness.job import HarnessJob
from eops_traj.harness.recording import RecordedCall, RecordedSession
from eops_traj.harness.staging import Staged
from eops_traj.hashing import canonical_json, digest
from eops_traj.privacy.redact import scrub, stored_servers
from eops_traj.sandbox.session import guarded
from eops_traj.schema import Episode, Json, Prompt, Task, ToolCall, ToolSet, Turn, Verdict
from eops_traj.verify.verifier_kinds import is_judged, kind_of
from eops_traj.verify.verifiers import verify

DISAGREES = "verdicts_that_differ"
"""The note of an episode in which a verifier of the benchmark came out otherwise when we ran it."""


def harness_episode(
    job: HarnessJob, staged: Staged, read: EpisodeBundle, record: RecordedSession
) -> EpisodeBundle:
    """Return the episode of an attempt, from its result file as the importer read it and the gym's record.

    Raises FormatError where no store can hold it.
    """
    task, agent = staged.pending.task, job.agent
    turns = with_changes(read.episode.turns, record.calls)
    toolset = shown_tools(task)
    complete = record.changesets.keys() >= {server.name for server in task.servers}
    changeset = pack_changesets(record.changesets) if complete else None
    episode = build_episode(
        task, agent, turns, toolset,
        episode_id=digest(task.task_hash, agent.agent_hash, staged.pending.attempt),
        attempt=staged.pending.attempt,
        supersedes=staged.pending.supersedes,
        run_id=job.run_id,
        source=read.episode.source,
        servers=stored_servers(task.servers),
        stop_reason=read.episode.stop_reason,
        error=read.episode.error and f"harness: {read.episode.error}",
        changeset=changeset,
        verdicts=read.episode.verdicts,
        started_at=read.episode.started_at,
        duration_ms=read.episode.duration_ms,
        details=read.episode.details,
        **_labels(read.episode),
    )  # fmt: skip
    if episode.error is None and changeset is not None:
        episode = _verified(episode, task, job)
    episode = diagnosed(episode, task.system_prompt)
    bundle = EpisodeBundle(scrub(episode), scrub(Prompt.of(task.system_prompt)), scrub(toolset), job.run)
    check_bundle(bundle)
    return bundle


def unstorable_episode(job: HarnessJob, staged: Staged, source: str, why: str) -> EpisodeBundle:
    """Return the episode of a result file that no store can hold: it says so, and holds none of its turns.

    Raises FormatError where the task alone is what no store can hold.
    """
    attempt = RunningAttempt.start(staged.pending, job.run_id, job.agent)
    made = make_episode(attempt, None, AttemptEnding("error", f"record: {why}"))
    bundle = replace(made, episode=replace(made.episode, source=source), run=job.run)
    check_bundle(bundle)
    return bundle


def with_changes(turns: Iterable[Turn], recorded: Sequence[RecordedCall]) -> tuple[Turn, ...]:
    """Return the turns with the rows that each call changed: the recorded calls are the same, in order."""
    left = list(recorded)

    def completed(call: ToolCall) -> ToolCall:
        arguments = json.loads(call.arguments)
        for place, one in enumerate(left):
            if one.name == call.name and one.arguments == arguments and call.envelope is not None:
                del left[place]
                return replace(call, changes=one.changes, server=call.server or one.server)
        return call

    return tuple(replace(turn, tool_calls=tuple(map(completed, turn.tool_calls))) for turn in turns)


def shown_tools(task: Task) -> ToolSet:
    """Return the tools that the harness shows: those of the task that its servers have, none restricted."""
    listed: dict[str, dict[str, Any]] = {}
    for server in task.servers:
        for name, tool in registry.server(server.name).tools.items():
            listed.setdefault(name, tool.listing())
    names = (set(task.tools) or listed.keys()) - set(task.restricted_tools)
    return ToolSet.of([tool for name, tool in listed.items() if name in names])


def _labels(episode: Episode) -> dict[str, Any]:
    names = ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict", "outcome")
    return {name: getattr(episode, name) for name in names}


def _verified(episode: Episode, task: Task, job: HarnessJob) -> Episode:
    """Return the episode with the strict verdicts that its final databases give, and its labels."""
    try:
        with rebuild_session(episode, task, job.root) as session:
            servers = [server.name for server in task.servers]
            calls = episode.tool_calls()
            fresh = verify(
                task.verifiers,
                guarded(session),
                episode.response,
                calls,
                servers=servers,
                request=task.user_prompt,
            )
    except (FormatError, SandboxError) as error:  # no databases: what the file says is all that is known
        return replace(episode, details=_noted(episode, strict=str(error)))
    pairs = list(zip(episode.verdicts, fresh, strict=False))
    verdicts = (*(_joined(told, found) for told, found in pairs), *episode.verdicts[len(fresh) :])
    differing = [told.name for told, found in pairs if _differs(told, found)]
    labels = compute_labels(
        episode.turns, verdicts, task.feasible, None, recorded=True, response=episode.response
    )
    noted = {DISAGREES: differing} if differing else {}
    return replace(episode, feasible=task.feasible, details=_noted(episode, **noted), **labels)


def _joined(told: Verdict, found: Verdict) -> Verdict:
    """Join what the result file tells of a verifier with what it comes to on the rebuilt databases."""
    if is_judged(told) and not kind_of(told.kind).strict_only:
        return told
    if told.passed_parity is None:
        return replace(found, passed_parity=None)
    strict = found.passed_strict if told.passed_parity else False
    return replace(told, passed_strict=strict)


def _differs(told: Verdict, found: Verdict) -> bool:
    known = told.passed_parity is not None and found.passed_parity is not None
    return known and not is_judged(told) and told.passed_parity != found.passed_parity


def _noted(episode: Episode, **notes: Any) -> Json:
    if not notes:
        return episode.details
    details = json.loads(episode.details)
    return Json(canonical_json({**details, "harness": notes}))
