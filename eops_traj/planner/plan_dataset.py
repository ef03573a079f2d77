"""From episodes to evaluated plans: for each prompt the plans that pass and those that fail.

Of the plans that an episode may have followed (:mod:`eops_traj.planner.candidates`) the first counts that,
run by itself, has the episode's result. What its planner wrote counts as it is, whoever failed with it; but
where it was cut and passes all the same, it is no plan to end so.

Several tasks may have one prompt: twins that differ in a fact of the database alone, which only a look-up can
tell. A plan passes for a prompt where it passes on every task of it; to refuse at once is then no good plan,
though it was right for one of them.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from eops_traj.bundle import EpisodeBundle
from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.planner.candidates import Candidate, candidate_plans, plan_was_cut, strip_reasons
from eops_traj.planner.plan_check import PlanResult
from eops_traj.planner.plan_evaluator import OnTask, PlanEvaluator
from eops_traj.planner.plan_twin import TwinJudge
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.schema import PASSED, Episode, Task


@dataclass(frozen=True)
class EvaluatedPlan:
    """A plan with its result on each task of its prompt, and the episodes that followed it."""

    text: str
    origin: str
    results: tuple[PlanResult, ...]
    episodes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True where it passes on every task."""
        return all(result.passed for result in self.results)

    @property
    def outcome(self) -> str:
        """The outcome: on the first task where it fails, if there is one."""
        return next((result.outcome for result in self.results if not result.passed), self.results[0].outcome)


@dataclass(frozen=True)
class PlanPrompt:
    """A prompt, the tasks that have it by their hashes, and the plans that are known for it."""

    prompt: list[Message]
    tasks: dict[str, Task]
    episodes: dict[str, str]
    """For each of the tasks an episode of it."""
    plans: tuple[EvaluatedPlan, ...] = ()

    def passed(self) -> list[EvaluatedPlan]:
        """Return the plans that pass: shorter ones first, then by their text."""
        return [plan for plan in self.plans if plan.passed]

    def failed(self) -> list[EvaluatedPlan]:
        """Return the plans that fail, in the same order."""
        return [plan for plan in self.plans if not plan.passed]


ToolsOnTask = tuple[str, str]
"""The hashes of a task and of the tools that are shown."""
Asked = tuple[str, list[Message]]
"""What tells a prompt from others, and the prompt."""


class Proofs(NamedTuple):
    """What running plans came to, somewhere: the tasks that open, and what is known of texts on them.

    And what else took time there: the prompts, and plans without their reasons.
    """

    opened: frozenset[str]
    results: dict[OnTask, PlanResult]
    pruned: dict[OnTask, str]
    written: dict[OnTask, str]
    meant: dict[OnTask, str]
    faults: dict[OnTask, str]
    asked: dict[ToolsOnTask, Asked]
    stripped: dict[str, str]


@dataclass
class PlanDataset:
    """The plans of a selection, gathered from its episodes one by one."""

    view: PlannerView
    evaluator: PlanEvaluator
    counts: Counter[str]
    reasons: bool = True
    """True where the steps of plans keep their reasons."""
    prune: bool = True
    """True where plans inferred from good episodes lose the calls that their outcome does not need."""
    twins: TwinJudge = field(default_factory=TwinJudge)
    asked: dict[ToolsOnTask, Asked] = field(default_factory=dict)
    stripped: dict[str, str] = field(default_factory=dict)
    """Plans without their reasons."""
    _prompts: dict[str, "_PromptPlans"] = field(default_factory=dict)
    """By what tells prompts apart, in the order of their first episodes."""
    _by_task: dict[ToolsOnTask, "_PromptPlans"] = field(default_factory=dict)
    """The same by task and tools."""

    def proofs(self) -> Proofs:
        """Return all that was proven; every plan on every task of its prompt is."""
        deque(self.prompts(), maxlen=0)
        known = self.evaluator
        return Proofs(
            frozenset(known.opened), known.results, known.pruned, known.written, known.meant,
            self.twins.faults, self.asked, self.stripped,
        )  # fmt: skip

    def learn(self, proofs: Proofs) -> None:
        """Take over what was proven elsewhere."""
        self.evaluator.opened |= proofs.opened
        self.evaluator.results |= proofs.results
        self.evaluator.pruned |= proofs.pruned
        self.evaluator.written |= proofs.written
        self.evaluator.meant |= proofs.meant
        self.twins.faults |= proofs.faults
        self.asked |= proofs.asked
        self.stripped |= proofs.stripped

    def add(self, bundle: EpisodeBundle) -> None:
        """Add the plan that an episode followed, if one proves to be it; count the episode."""
        self.counts[self._add(bundle)] += 1

    def _add(self, bundle: EpisodeBundle) -> str:
        """Add the episode's plan; return what became of the episode, in words."""
        episode, why = bundle.episode, "episodes that no plan is known of"
        known = self.register(bundle)
        for option in candidate_plans(bundle, self.evaluator.root):
            candidate = self._formatted(option, episode)
            result = self.evaluator.evaluate(episode.task_hash, candidate.text)
            if candidate.origin != "written" and result.passed != (episode.outcome in PASSED):
                why = f"episodes of outcome {episode.outcome} whose plan proves as {result.outcome}"
            elif candidate.origin == "written" and result.passed and plan_was_cut(episode):
                why = "episodes whose plan was cut"
            elif candidate.origin == "inferred" and result.passed and self._by_database(bundle, candidate):
                why = "episodes whose plan only the database decides"
            elif result.passed and known.contains(candidate.text):
                why = "episodes whose plan stands in its prompt"
            else:
                text = self.evaluator.write(episode.task_hash, candidate.text)
                return known.add(candidate._replace(text=text), episode)
        return why

    def _by_database(self, bundle: EpisodeBundle, candidate: Candidate) -> bool:
        """Check whether only the database decides a plan, so that nobody could have written it beforehand."""
        return bool(self.twins.fault(bundle, candidate.text))

    def _formatted(self, candidate: Candidate, episode: Episode) -> Candidate:
        """Return the candidate in the form of this data set; what a planner wrote stays as it is."""
        text = candidate.text
        if self.prune and candidate.origin == "inferred" and episode.outcome in PASSED:
            text = self.evaluator.prune(episode.task_hash, text)
        if not self.reasons and candidate.origin != "written":
            text = self._stripped(text)
        return candidate._replace(text=text)

    def _stripped(self, text: str) -> str:
        if text not in self.stripped:
            self.stripped[text] = strip_reasons(text)
        return self.stripped[text]

    def _asked(self, bundle: EpisodeBundle) -> Asked:
        """Return how a planner is asked for a bundle's task."""
        at = bundle.episode.task_hash, bundle.toolset.toolset_hash
        if at not in self.asked:
            policy, request = bundle.system_prompt, bundle.episode.user_prompt
            prompt = planner_messages(policy, request, bundle.tools(), self.view)
            left_out = [] if self.view.values == "plain" else [policy, request]
            self.asked[at] = digest(prompt, left_out), prompt
        return self.asked[at]

    def register(self, bundle: EpisodeBundle) -> "_PromptPlans":
        """Return the plans of a bundle's prompt, and add its task to the prompt's tasks."""
        task_hash = bundle.episode.task_hash
        at = task_hash, bundle.toolset.toolset_hash
        if at not in self._by_task:
            key, prompt = self._asked(bundle)
            known = self._prompts.setdefault(key, _PromptPlans(prompt))
            self._by_task[at] = known
            known.tasks.setdefault(task_hash, bundle.episode.episode_id)
        return self._by_task[at]

    def prompts(self) -> Iterator[PlanPrompt]:
        """Yield every prompt with its tasks and plans, each plan evaluated on all of the tasks."""
        for known in self._prompts.values():
            tasks = {task_hash: self.evaluator.tasks[task_hash] for task_hash in known.tasks}
            plans = []
            for text, (origin, episodes) in known.plans.items():
                results = tuple(self.evaluator.evaluate(task_hash, text) for task_hash in tasks)
                plans.append(EvaluatedPlan(text, origin, results, tuple(episodes)))
            plans.sort(key=lambda plan: (plan.text.count("\n"), plan.text))
            yield PlanPrompt(known.prompt, tasks, known.tasks, tuple(plans))


@dataclass
class _PromptPlans:
    """The plans of a prompt so far, by their text; and its tasks by hash, each with an episode."""

    prompt: list[Message]
    tasks: dict[str, str] = field(default_factory=dict)
    plans: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Where each is from, and the episodes that followed it."""

    def contains(self, text: str) -> bool:
        """Check whether a text is in the prompt, so that the only thing to learn would be to copy it."""
        return any(text in message["content"] for message in self.prompt)

    def add(self, candidate: Candidate, episode: Episode) -> str:
        """Add a plan, or an episode to one that is there; return which of the two, in words."""
        new = candidate.text not in self.plans
        self.plans.setdefault(candidate.text, (candidate.origin, []))[1].append(episode.episode_id)
        return f"plans, {candidate.origin}" if new else "episodes with a plan that is there already"
