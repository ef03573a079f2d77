"""Plans read off episodes, judged where every value that was not told is another.

An episode's calls hold what its look-ups showed. A plan made of them could be written beforehand only if it
refers to these values, and makes as many calls as there are rows elsewhere, too.
"""

import json
from dataclasses import dataclass, field

from eops_traj.bundle import EpisodeBundle
from eops_traj.plan import parse
from eops_traj.planner.plan_check import run_plan
from eops_traj.planner.plan_origin import made_of_episode
from eops_traj.taskgen.request_checks import schema_words
from eops_traj.taskgen.twin_world.check import find_origin
from eops_traj.taskgen.twin_world.literals import Sources, shown_by
from eops_traj.taskgen.twin_world.twin_task import TwinTask, twin_task


@dataclass
class TwinJudge:
    """A judge of plans that keeps the twins of the tasks it has seen."""

    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    """What was found, by episode and text."""
    _twins: dict[str, TwinTask | None] = field(default_factory=dict)

    def fault(self, bundle: EpisodeBundle, text: str) -> str:
        """Return what shows that only the database decides a plan; empty where nothing does.

        Of a task of others, whose twin nobody can make, and of one to be declined the literals alone count.
        """
        at = bundle.episode.episode_id, text
        if at not in self.faults:
            self.faults[at] = self._find_fault(bundle, text)
        return self.faults[at]

    def _find_fault(self, bundle: EpisodeBundle, text: str) -> str:
        plan = parse(text)
        if untold := next(_sources(bundle).untold(plan), ""):
            return untold
        twin = self._twin(bundle) if bundle.episode.feasible else None
        if twin is None:
            return ""
        with twin.open() as session:
            result = run_plan(plan, twin.task, session)
        return "" if result.passed else f"{result.outcome} where other values hold: {result.error or ''}"

    def _twin(self, bundle: EpisodeBundle) -> TwinTask | None:
        episode = bundle.episode
        if episode.task_hash not in self._twins:
            origin = find_origin(episode.domain, episode.servers, made_of_episode(episode))
            self._twins[episode.task_hash] = twin_task(origin) if origin else None
        return self._twins[episode.task_hash]


def _sources(bundle: EpisodeBundle) -> Sources:
    """Return what an episode's agent was told, and what its look-ups showed."""
    calls = bundle.episode.tool_calls()
    results = shown_by((call.name, json.loads(call.arguments), call.result or "") for call in calls)
    listed = [
        {"name": tool["name"], "inputSchema": tool.get("inputSchema", {})}
        for tool in json.loads(bundle.toolset.tools)
    ]
    told = f"{bundle.episode.user_prompt}\n{bundle.system_prompt}"
    return Sources(told, schema_words(listed, {call.name for call in calls}), results)
