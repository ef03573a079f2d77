"""Filling one place of a suite: drafts are made and checked until one passes that is unlike what is there."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from eops_traj.errors import WorkError
from eops_traj.schema import Task
from eops_traj.taskgen.checks import READ, find_problems
from eops_traj.taskgen.choices import Choice
from eops_traj.taskgen.draft import Draft, build_task, play
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.said_again import asked_again, say_again
from eops_traj.taskgen.speech import WAYS, Heard
from eops_traj.taskgen.suites import Suite, companies_of_split, staff_names
from eops_traj.taskgen.twin_world.staging import FirstPlay, play_on_tape
from eops_traj.tasks.hardness import hardness_of
from eops_traj.tasks.recipe import made_of

_OF_A_SHARD = 2  # companies that a shard plays in: making one takes as long as several tasks
_REACTIVE = 0.1  # of a domain's tasks at most: work that no plan can do
_TRIES = 60  # drafts for one slot of the suite before it is given up
_NUMBERS = 12  # sayings of a request in words of their own
_OTHER_TOOLS = 8  # drafts that have to use tools in an order that no task before has


@dataclass(frozen=True)
class Job:
    """One domain of one split, or one of the shards that it is made in."""

    whole: Suite
    seed: int
    split: str
    domain: str
    count: int
    shard: int = 0
    shards: int = 1
    first: int = 1
    """The number of its first task, in ids."""

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self.whole.name

    @property
    def families(self) -> list[Family]:
        """The families that the split may play: the ones kept for it, or those of training."""
        own = [f for f in families([self.domain]) if f.ood is (self.split == "test_ood")]
        if self.whole.families is None or self.split == "test_ood":
            return own
        return [family for family in own if f"{family.domain}.{family.name}" in self.whole.families]

    @property
    def proves(self) -> bool:
        """Whether its tasks are attempted by every check; others are read over."""
        return self.split not in self.whole.unproven

    @property
    def companies(self) -> tuple[int, ...]:
        """The companies that it plays in: those of the split, or a few of them for a shard, in turn."""
        numbers = companies_of_split(self.seed, self.split, self.whole.companies)
        if self.shards == 1:
            return numbers
        start = self.shard * _OF_A_SHARD % len(numbers)
        return numbers[start : start + _OF_A_SHARD]

    @property
    def wordings(self) -> int:
        """In how many words each of its tasks is asked for."""
        return 1 if self.proves else max(1, min(self.whole.wordings, self.count))

    def draw(self, name: str) -> str:
        """Return what seeds the choices of this name."""
        shard = f"{self.shard}:" if self.shards > 1 else ""
        return f"{self.suite}:{self.seed}:{self.split}:{self.domain}:{shard}{name}"


@dataclass
class Earlier:
    """What tasks of the domain, of whatever split, have asked so far, and in which order they use tools."""

    requests: set[str] = field(default_factory=set)
    heard: Heard = field(default_factory=Heard)
    tools: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, draft: Draft) -> None:
        """Remember a draft that has become a task."""
        self.requests.add(draft.request)
        self.heard.add(draft.request)
        self.tools.add(_tools(draft))


@dataclass
class BuildResult:
    """The tasks of a job or a suite, and the number of dropped drafts by reason."""

    tasks: list[Task] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    earlier: Earlier = field(default_factory=Earlier)


class TooEasy(NoMatch):
    """A draft below the hardness that its suite asks for."""


class SameTools(NoMatch):
    """A draft that uses the tools of an earlier task in the same order."""


def fill(job: Job, result: BuildResult, slot: int, choices: Sequence[Choice], wordings: int = 1) -> None:
    """Fill one slot with the first choice that passes, over and over, one company after another.

    Its tasks are asked for in so many ``wordings``. Raises WorkError where none passes.
    """
    numbers = job.companies
    for attempt in range(_TRIES):
        choice = choices[attempt % len(choices)]
        company, draw = numbers[(slot + attempt) % len(numbers)], job.draw(f"{slot}:{attempt}")
        try:
            result.tasks += draft_tasks(job, result, choice, company, draw, attempt, wordings)
            return
        except (NoMatch, ScenarioError) as error:
            result.dropped[_reason(error)] += 1
    tried = f"{len(choices)} choices, {_TRIES} draws; dropped so far: {dict(result.dropped)}"
    raise WorkError(f"{job.domain}, {job.split}: nothing came out well for place {slot}: {tried}")


def draft_tasks(
    job: Job, result: BuildResult, choice: Choice, company: int, draw: str, attempt: int = 0,
    wordings: int = 1,
) -> list[Task]:  # fmt: skip
    """Draft and check a task, with its infeasible twin where perturbed, in so many ``wordings``.

    Raises NoMatch and ScenarioError.
    """
    heard = result.earlier.heard
    first = play_on_tape(choice.families, company, draw, heard) if job.proves else None
    usual = first.draft if first else play(choice.families, company, draw, heard=heard)
    _check_request(job, result, usual)
    if job.proves and attempt < _OTHER_TOOLS and _tools(usual) in result.earlier.tools:
        raise SameTools("the same tools in the same order")
    task = build_task(usual, "", job.suite, job.split)
    if asks_for_nought(task):
        raise NoMatch("a figure that is asked for is 0")
    if (hardness_of(task).score or 0) < bar(job, attempt):
        raise TooEasy(f"a score of {hardness_of(task).score}")
    reactive = [*result.tasks, task, *([task] if choice.perturbation else [])]
    if _is_reactive(task) and sum(map(_is_reactive, reactive)) > job.count * _REACTIVE:
        raise NoMatch("enough tasks that no plan can do")
    drafts, tasks = [usual], [_checked(job, task, first)]
    if choice.perturbation is not None:
        drafts.append(play(choice.families, company, usual.draw, choice.perturbation, choice.part))
        tasks.append(_checked(job, build_task(drafts[-1], "", job.suite, job.split, usual)))
    result.earlier.add(usual)
    rng = Random(f"{draw}:wordings")
    return tasks + [
        again for _ in range(1, wordings) for again in _ask_again(job, result, drafts, tasks, rng)
    ]


def _ask_again(
    job: Job, result: BuildResult, drafts: Sequence[Draft], tasks: Sequence[Task], rng: Random
) -> list[Task]:
    """Return a task and its twin once more, in the same other words. Raises NoMatch where there are none."""
    for _ in range(_TRIES):
        numbers = [rng.randrange(WAYS) for _ in range(_NUMBERS)]
        try:
            said = [say_again(draft, numbers) for draft in drafts]
            _check_request(job, result, said[0])
            again = [_checked(job, asked_again(*pair)) for pair in zip(tasks, said, strict=True)]
        except (NoMatch, ScenarioError) as error:
            result.dropped[_reason(error)] += 1
        else:
            result.earlier.add(said[0])
            return again
    raise NoMatch("no other words")


def asks_for_nought(task: Task) -> bool:
    """Check whether a figure that the request asks for is 0: "there are none" would have no figure in it."""
    configs = (json.loads(verifier.config) for verifier in task.verifiers if verifier.kind == "answer")
    asked = (fact for config in configs for fact in config["requirements"])
    return any(str(value) in ("0", "0.0") for fact in asked for value in fact.get("values", ()))


def bar(job: Job, attempt: int) -> float:
    """Return the hardness asked for at an attempt: the suite's at a third of them, then less with each."""
    return job.whole.hardness * min(1, 1.5 * (1 - attempt / _TRIES))


def _reason(error: Exception) -> str:
    """Return why a draft is dropped: the name of the check that failed, where one did."""
    if isinstance(error, TooEasy):
        return "too easy"
    if isinstance(error, SameTools):
        return "the same tools"
    if isinstance(error, NoMatch):
        return "no entity fits"
    match = re.match(r"check (\w+)", str(error))
    return match.group() if match else "scenario"


def _tools(draft: Draft) -> tuple[str, ...]:
    return tuple(step.tool for _, step in draft.scene.plan().calls())


def _is_reactive(task: Task) -> bool:
    return bool(made_of(task).get("reactive"))


def _check_request(job: Job, result: BuildResult, draft: Draft) -> None:
    """Raise NoMatch for a request that exists already, or that names someone who works in training."""
    if draft.request in result.earlier.requests:
        raise NoMatch("the same request again")
    if job.split.startswith("test"):
        for split in ("train", "dev"):
            if any(name in draft.request for name in staff_names(job.seed, split, job.whole.companies)):
                raise NoMatch("training has someone of that name")


def _checked(job: Job, task: Task, first: FirstPlay | None = None) -> Task:
    problems = find_problems(task, first=first, checks=None if job.proves else READ)
    if problems:
        raise ScenarioError(f"check {problems[0]}")
    return task
