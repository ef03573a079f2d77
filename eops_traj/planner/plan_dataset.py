"""From episodes to plans that are proven: for each prompt the plans that pass and those that fail.

An episode comes to a plan in one way or another (:mod:`eops_traj.planner.candidates`), and the first reading counts
that, run by itself, comes to what the episode came to. What its planner wrote counts as it is, whoever failed
with it.

Several tasks may have one prompt: twins that differ in a fact of the database alone, which only a look-up can
tell. A plan passes for a prompt where it passes on every task of it; to refuse at once is then no good plan,
though it was right for one of them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from eops_traj.bundle import EpisodeBundle
from eops_traj.hashing import digest
from eops_traj.messages import Message
from eops_traj.plan import parse, render
from eops_traj.planner.candidates import Candidate, bare, candidate_plans
from eops_traj.planner.plan_check import Proof, prove, shown_task
from eops_traj.planner.prompt import Shown, planner_messages
from eops_traj.planner.prune import pruned
from eops_traj.sandbox.open import open_task
from eops_traj.schema import PASSED, Episode, Task
from eops_traj.tasks.from_episode import task_of_episode


@dataclass(frozen=True)
class ProvenPlan:
    """A plan with what it came to when it was run on each task of its prompt, and who followed it."""

    text: str
    origin: str
    proofs: tuple[Proof, ...]
    episodes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it passes on every task."""
        return all(proof.passed for proof in self.proofs)

    @property
    def outcome(self) -> str:
        """What it comes to: on the first task where it fails, if there is one."""
        return next((proof.outcome for proof in self.proofs if not proof.passed), self.proofs[0].outcome)


@dataclass(frozen=True)
class Asked:
    """A prompt, the tasks that have it by their hashes, and the plans that are known for it."""

    prompt: list[Message]
    tasks: dict[str, Task]
    episodes: dict[str, str]
    """For each of the tasks an episode that tells of it."""
    plans: tuple[ProvenPlan, ...] = ()

    def passed(self) -> list[ProvenPlan]:
        """The plans that pass: shorter ones first, then by their text."""
        return [plan for plan in self.plans if plan.passed]

    def failed(self) -> list[ProvenPlan]:
        """The plans that fail, in the same order."""
        return [plan for plan in self.plans if not plan.passed]


@dataclass
class Prover:
    """Proofs, each text run once on each task. ``root`` is the folder that seed files are named from."""

    root: Path | None = None
    tasks: dict[str, Task] = field(default_factory=dict)
    """Those met, by task hash."""
    _proofs: dict[tuple[str, str], Proof] = field(default_factory=dict)
    _pruned: dict[tuple[str, str], str] = field(default_factory=dict)

    def meet(self, sample: EpisodeBundle) -> None:
        """Have plans proven on a sample's task. Raises InputError where it cannot be opened."""
        task_hash = sample.episode.task_hash
        if task_hash not in self.tasks:
            task = sample_task(sample)
            open_task(task, self.root).close()
            self.tasks[task_hash] = task

    def prove(self, task_hash: str, text: str) -> Proof:
        """The proof of a text on a task that was met."""
        if (task_hash, text) not in self._proofs:
            self._proofs[task_hash, text] = prove(text, self.tasks[task_hash], self.root)
        return self._proofs[task_hash, text]

    def pruned(self, task_hash: str, text: str) -> str:
        """A plan that passes without the calls that it passes without, on a task that was met."""
        if (task_hash, text) not in self._pruned:
            plan = pruned(parse(text), self.tasks[task_hash], self.root)
            self._pruned[task_hash, text] = render(plan)
        return self._pruned[task_hash, text]


@dataclass
class Planned:
    """The plans of a selection, gathered from its episodes one by one."""

    shown: Shown
    prover: Prover
    counts: Counter[str]
    reasons: bool = True
    """Whether the steps of plans keep their reasons."""
    prune: bool = True
    """Whether plans read off good episodes lose the calls that their outcome does not need."""
    _prompts: dict[str, "_Known"] = field(default_factory=dict)
    """By the digest of the prompt, in the order of their first episodes."""
    _met: dict[tuple[str, str], "_Known"] = field(default_factory=dict)
    """The same by the hashes of task and tool set."""

    def add(self, sample: EpisodeBundle) -> None:
        """Add the plan that an episode followed, if there is one that proves to be it; count the episode."""
        self.counts[self._added(sample)] += 1

    def _added(self, sample: EpisodeBundle) -> str:
        """Add the episode's plan; returns what became of the episode, in words."""
        episode, why = sample.episode, "episodes that no plan is known of"
        known = self.meet(sample)
        for found in candidate_plans(sample, self.prover.root):
            reading = self._shaped(found, episode)
            proof = self.prover.prove(episode.task_hash, reading.text)
            if reading.origin != "written" and proof.passed != (episode.outcome in PASSED):
                why = f"episodes of outcome {episode.outcome} whose plan proves as {proof.outcome}"
            elif proof.passed and known.shows(reading.text):
                why = "episodes whose plan stands in its prompt"
            else:
                return known.add(reading, episode)
        return why

    def _shaped(self, reading: Candidate, episode: Episode) -> Candidate:
        """The reading in the form that is wanted; what a planner wrote stays as it is."""
        text = reading.text
        if self.prune and reading.origin == "inferred" and episode.outcome in PASSED:
            text = self.prover.pruned(episode.task_hash, text)
        if not self.reasons and reading.origin != "written":
            text = bare(text)
        return reading._replace(text=text)

    def meet(self, sample: EpisodeBundle) -> "_Known":
        """What is known of the prompt of a sample, whose task is one of the prompt's from now on."""
        task_hash = sample.episode.task_hash
        at = task_hash, sample.toolset.toolset_hash
        if at not in self._met:
            request = sample.episode.user_prompt
            prompt = planner_messages(sample.system_prompt, request, sample.tools(), self.shown)
            known = self._met[at] = self._prompts.setdefault(digest(prompt), _Known(prompt))
            known.tasks.setdefault(task_hash, sample.episode.episode_id)
        return self._met[at]

    def asked(self) -> Iterator[Asked]:
        """Every prompt with its tasks and plans, each plan proven on all of the tasks."""
        for known in self._prompts.values():
            tasks = {task_hash: self.prover.tasks[task_hash] for task_hash in known.tasks}
            plans = [
                ProvenPlan(text, origin, tuple(self.prover.prove(t, text) for t in tasks), tuple(episodes))
                for text, (origin, episodes) in known.plans.items()
            ]
            yield Asked(known.prompt, tasks, known.tasks, tuple(sorted(plans, key=_length)))


def _length(plan: ProvenPlan) -> tuple[int, str]:
    return plan.text.count("\n"), plan.text


@dataclass
class _Known:
    """What is known of a prompt so far: its tasks by hash, each with an episode; its plans by their text."""

    prompt: list[Message]
    tasks: dict[str, str] = field(default_factory=dict)
    plans: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Where each is from, and the episodes that followed it."""

    def shows(self, text: str) -> bool:
        """Whether a text stands in the prompt, so that there is nothing to learn from it but to copy."""
        return any(text in message["content"] for message in self.prompt)

    def add(self, reading: Candidate, episode: Episode) -> str:
        """Add a plan, or an episode to one that is there; returns which of the two, in words."""
        new = reading.text not in self.plans
        self.plans.setdefault(reading.text, (reading.origin, []))[1].append(episode.episode_id)
        return f"plans, {reading.origin}" if new else "episodes with a plan that is there already"


def sample_task(sample: EpisodeBundle) -> Task:
    """The task of a sample, with the tools that were shown; all of them where only those called are known."""
    listed = sample.toolset.origin == "listed"
    return shown_task(sample.episode, sample.toolset) if listed else task_of_episode(sample.episode)
