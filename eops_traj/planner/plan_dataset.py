"""From episodes to evaluated plans: for each prompt the plans that pass and those that fail.

Of the plans that an episode may have followed (:mod:`eops_traj.planner.candidates`) the first counts that,
run by itself, has the episode's result. What its planner wrote counts as it is, whoever failed with it.

Several tasks may have one prompt: twins that differ in a fact of the database alone, which only a look-up can
tell. A plan passes for a prompt where it passes on every task of it; to refuse at once is then no good plan,
though it was right for one of them.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from eops_traj.bundle import EpisodeBundle
from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.plan import parse, render
from eops_traj.planner.candidates import Candidate, candidate_plans, strip_reasons
from eops_traj.planner.plan_check import PlanResult, evaluate_plan, prune_plan, shown_task
from eops_traj.planner.plan_twin import TwinJudge
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.sandbox.open import open_task
from eops_traj.schema import PASSED, Episode, Task
from eops_traj.tasks.from_episode import task_of_episode


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


OnTask = tuple[str, str]
"""A task's hash and a text."""


class Proofs(NamedTuple):
    """What running plans came to, somewhere: the tasks that open, and what is known of texts on them."""

    opened: frozenset[str]
    results: dict[OnTask, PlanResult]
    pruned: dict[OnTask, str]
    written: dict[OnTask, str]
    meant: dict[OnTask, str]
    faults: dict[OnTask, str]


@dataclass
class PlanEvaluator:
    """A cache of plans' results, each text run once on each task; seed files are named from ``root``.

    Plans are read as a planner of ``view`` writes them.
    """

    root: Path | None = None
    view: PlannerView = field(default_factory=PlannerView)
    tasks: dict[str, Task] = field(default_factory=dict)
    """Those added, by task hash."""
    opened: set[str] = field(default_factory=set)
    """The hashes of tasks that are known to open."""
    results: dict[OnTask, PlanResult] = field(default_factory=dict)
    pruned: dict[OnTask, str] = field(default_factory=dict)
    written: dict[OnTask, str] = field(default_factory=dict)
    """Plans as planners of the view write them."""
    meant: dict[OnTask, str] = field(default_factory=dict)
    """The plans that such texts stand for."""

    def add_task(self, bundle: EpisodeBundle) -> None:
        """Add a bundle's task to evaluate plans on. Raises InputError where it cannot be opened."""
        task_hash = bundle.episode.task_hash
        if task_hash not in self.tasks:
            task = bundle_task(bundle)
            if task_hash not in self.opened:
                open_task(task, self.root).close()
            self.opened.add(task_hash)
            self.tasks[task_hash] = task

    def evaluate(self, task_hash: str, text: str) -> PlanResult:
        """Return the result of a text on a task that was added."""
        task, text = self.tasks[task_hash], self._read(task_hash, text)
        if (task_hash, text) not in self.results:
            self.results[task_hash, text] = evaluate_plan(text, task, self.root)
        return self.results[task_hash, text]

    def _read(self, task_hash: str, text: str) -> str:
        """Return a text as the plan that it stands for; those of this view are read once on each task."""
        if (task_hash, text) not in self.meant:
            task = self.tasks[task_hash]
            self.meant[task_hash, text] = self.view.read_plan(text, task.system_prompt, task.user_prompt)
        return self.meant[task_hash, text]

    def write(self, task_hash: str, text: str) -> str:
        """Return a plan as a planner of the view writes it on a task that was added."""
        if (task_hash, text) not in self.written:
            task = self.tasks[task_hash]
            self.written[task_hash, text] = self.view.write_plan(text, task.system_prompt, task.user_prompt)
        return self.written[task_hash, text]

    def prune(self, task_hash: str, text: str) -> str:
        """Prune a plan that passes on a task that was added."""
        if (task_hash, text) not in self.pruned:
            plan = prune_plan(parse(text), self.tasks[task_hash], self.root)
            self.pruned[task_hash, text] = render(plan)
        return self.pruned[task_hash, text]


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
    _prompts: dict[str, "_PromptPlans"] = field(default_factory=dict)
    """By `_key`, in the order of their first episodes."""
    _by_task: dict[tuple[str, str], "_PromptPlans"] = field(default_factory=dict)
    """The same by the hashes of task and tool set."""

    def proofs(self) -> Proofs:
        """Return all that was proven; every plan on every task of its prompt is."""
        deque(self.prompts(), maxlen=0)
        known = self.evaluator
        return Proofs(
            frozenset(known.opened), known.results, known.pruned, known.written, known.meant,
            self.twins.faults,
        )  # fmt: skip

    def learn(self, proofs: Proofs) -> None:
        """Take over what was proven elsewhere."""
        self.evaluator.opened |= proofs.opened
        self.evaluator.results |= proofs.results
        self.evaluator.pruned |= proofs.pruned
        self.evaluator.written |= proofs.written
        self.evaluator.meant |= proofs.meant
        self.twins.faults |= proofs.faults

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
            text = strip_reasons(text)
        return candidate._replace(text=text)

    def register(self, bundle: EpisodeBundle) -> "_PromptPlans":
        """Return the plans of a bundle's prompt, and add its task to the prompt's tasks."""
        task_hash = bundle.episode.task_hash
        at = task_hash, bundle.toolset.toolset_hash
        if at not in self._by_task:
            request = bundle.episode.user_prompt
            prompt = planner_messages(bundle.system_prompt, request, bundle.tools(), self.view)
            known = self._prompts.setdefault(self._key(bundle, prompt), _PromptPlans(prompt))
            self._by_task[at] = known
            known.tasks.setdefault(task_hash, bundle.episode.episode_id)
        return self._by_task[at]

    def _key(self, bundle: EpisodeBundle, prompt: list[Message]) -> str:
        """Return what tells prompts apart: their text, and the values that it leaves out."""
        values = [] if self.view.values == "plain" else [bundle.system_prompt, bundle.episode.user_prompt]
        return digest(prompt, values)

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


def bundle_task(bundle: EpisodeBundle) -> Task:
    """Return a bundle's task with the tools that were shown; with all where only those called are known."""
    listed = bundle.toolset.origin == "listed"
    task = shown_task(bundle.episode, bundle.toolset) if listed else task_of_episode(bundle.episode)
    return replace(task, system_prompt=bundle.system_prompt)
