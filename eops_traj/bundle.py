"""An episode with the records that it refers to, and the one place where episodes and runs are built."""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj import __version__
from eops_traj.hashing import canonical_json, digest
from eops_traj.messages import function_tools
from eops_traj.schema import TASK_DEFECT, Agent, Episode, Json, Label, Prompt, Run, Task, ToolSet, Turn
from eops_traj.store.record_check import check_record
from eops_traj.tool_effects import says_error


@dataclass(frozen=True)
class EpisodeBundle:
    """An episode with its prompt, tool set, run and labels; ``run`` is None where no record was kept."""

    episode: Episode
    prompt: Prompt
    toolset: ToolSet
    run: Run | None = None
    labels: tuple[Label, ...] = ()
    """What readers said of it, the oldest first."""

    @property
    def system_prompt(self) -> str:
        """The policy that the agent worked under."""
        return self.prompt.text

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools shown, in the function format of the OpenAI API."""
        return function_tools(self.toolset)


def check_bundle(bundle: EpisodeBundle) -> None:
    """Check an episode and its records against their own types. Raises FormatError naming the field."""
    check_record(bundle.episode)
    for part in (bundle.prompt, bundle.toolset, bundle.run):
        try:
            _check_shared(part)
        except TypeError:  # a field holds what has no hash, and so no text: it is refused by name
            check_record(part)


@functools.lru_cache(maxsize=64)
def _check_shared(part: Prompt | ToolSet | Run | None) -> None:
    """Check a record that many episodes refer to, once: to read the JSON of 30 tools takes 2 ms."""
    if part is not None:
        check_record(part)


def build_episode(
    task: Task, agent: Agent, turns: Sequence[Turn], toolset: ToolSet, **fields: Any
) -> Episode:
    """Build an episode from its task, agent and turns, with their totals.

    ``fields`` are the columns that these do not determine, and those that differ from what they say.
    """
    determined = {
        "task_hash": task.task_hash,
        "agent_hash": agent.agent_hash,
        "task_id": task.task_id,
        "domain": task.domain,
        "suite": task.suite,
        "split": task.split,
        "mode": task.mode,
        "feasible": task.feasible,
        "prompt_hash": Prompt.of(task.system_prompt).prompt_hash,
        "user_prompt": task.user_prompt,
        "toolset_hash": toolset.toolset_hash,
        "servers": task.servers,
        "model": agent.model,
        "orchestrator": agent.orchestrator,
        "settings": agent.settings,
        "turns": tuple(turns),
        "task_defect": task_defect(task),
    }
    return Episode(**(determined | totals(turns) | fields))


def task_defect(task: Task) -> str | None:
    """Return what is wrong with a task, where an audit has noted it among its details."""
    noted = json.loads(task.details).get(TASK_DEFECT) if TASK_DEFECT in task.details else None
    return noted if isinstance(noted, str) else None


def build_run(kind: str, config: object, run_id: str | None = None, started_at: str | None = None) -> Run:
    """Build the record of a run; the digest of its config is its id, unless another is given."""
    return Run(
        run_id=digest(config) if run_id is None else run_id,
        kind=kind,
        config=Json(canonical_json(config)),
        started_at=started_at,
        version=__version__,
    )


def totals(turns: Sequence[Turn]) -> dict[str, Any]:
    """Count turns, calls and errors, and sum tokens and cost; a sum with an unknown part is None.

    Some servers send an error as ordinary text, unmarked.
    """
    calls = [call for turn in turns for call in turn.tool_calls]
    counts: dict[str, Any] = {
        "n_turns": len(turns),
        "n_steps": len(calls),
        "n_tool_errors": sum(call.is_error or says_error(call.result or "") for call in calls),
    }
    for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost"):
        parts = [getattr(turn, name) for turn in turns]
        counts[name] = sum(parts) if parts and None not in parts else None
    return counts
