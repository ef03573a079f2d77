"""Rewards of online training: what each try came to, and whether its budget cut it.

The verifiers judge a rollout by its final state and by its last reply, a plan by running it, both as they
judge an episode. A reward is 1 where the strict verifiers pass, right refusals included, and 0 elsewhere; a
plan that was cut has 0 however it reads.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj.llm.reply_parser import parse_reply
from eops_traj.llm.reply_reader import ReplyReader
from eops_traj.messages import Message
from eops_traj.planner.plan_check import evaluate_plan
from eops_traj.planner.prompt import PlannerView
from eops_traj.schema import PASSED
from eops_traj.train.rollout_env import Environment, parse_task

Completion = list[Message]


@dataclass(frozen=True)
class Tried:
    """One try: its outcome, and whether it was stopped before the model ended it."""

    outcome: str
    cut: bool = False
    """It came to the end of its tokens."""
    out_of_turns: bool = False

    @property
    def passed(self) -> bool:
        """Check whether the strict verifiers passed."""
        return self.outcome in PASSED


@dataclass
class Judge:
    """Scores tries, and counts how they went."""

    root: Path | None = None
    """The folder that seed files are named from."""
    max_turns: int | None = None
    ends: Collection[int] = frozenset()
    """The tokens that end a reply."""
    last: list[Tried] = field(default_factory=list)
    """The tries of the last batch, in order."""
    reader: ReplyReader | None = None
    """What reads plans from their tokens, by what the prompt has begun; without it, texts are read."""
    view: PlannerView = field(default_factory=PlannerView)
    """What the planner was shown: it says how plans name the values of their request."""
    tries: int = 0
    cut: int = 0
    out_of_turns: int = 0

    def plans(
        self,
        completions: Sequence[Completion],
        completion_ids: Sequence[Sequence[int]],
        task: Sequence[str],
        **logging: Any,
    ) -> list[float]:
        """Score plans, each run on its row's task; one that is cut fails."""
        tried = []
        for messages, ids, text in zip(completions, completion_ids, task, strict=True):
            parts = self.reader.read(ids) if self.reader else parse_reply(messages[-1]["content"])
            of = parse_task(text)
            plan = self.view.read_plan(parts.text.strip(), of.system_prompt, of.user_prompt)
            cut = not self._ended(ids)
            tried.append(Tried(evaluate_plan(plan, of, self.root, cut=cut).outcome, cut))
        return self._scores(tried, **logging)

    def rollouts(
        self,
        completions: Sequence[Completion],
        completion_ids: Sequence[Sequence[int]],
        environments: Sequence[Environment],
        **logging: Any,
    ) -> list[float]:
        """Score rollouts by their environments and last replies; their sandboxes are closed."""
        tried = []
        for messages, ids, environment in zip(completions, completion_ids, environments, strict=True):
            outcome = environment._outcome(last_reply(messages))
            out_of_turns = self.max_turns is not None and rounds(messages) > self.max_turns
            cut = not out_of_turns and (open_call(messages) or not self._ended(ids))
            tried.append(Tried(outcome, cut, out_of_turns))
        return self._scores(tried, **logging)

    def _ended(self, ids: Sequence[int]) -> bool:
        return bool(ids) and ids[-1] in self.ends

    def _scores(
        self, tried: list[Tried], log_metric: Callable[[str, float], None] | None = None, **_: Any
    ) -> list[float]:
        """Count tries and return their rewards. ``log_metric`` is TRL's, for its log."""
        self.last = tried
        self.tries += len(tried)
        self.cut += sum(each.cut for each in tried)
        self.out_of_turns += sum(each.out_of_turns for each in tried)
        if log_metric and tried:
            log_metric("tries/cut", sum(each.cut for each in tried) / len(tried))
            log_metric("tries/out_of_turns", sum(each.out_of_turns for each in tried) / len(tried))
        return [float(each.passed) for each in tried]


def last_reply(messages: Sequence[Message]) -> str:
    """Return a model's text in the end; nothing where its last message is a call that led on."""
    last = messages[-1]
    answers = last["role"] == "assistant" and not last.get("tool_calls")
    return parse_reply(str(last["content"])).text.strip() if answers else ""


def rounds(messages: Sequence[Message]) -> int:
    """Count the replies with calls."""
    return sum(bool(message.get("tool_calls")) for message in messages)


def open_call(messages: Sequence[Message]) -> bool:
    """Check whether a rollout ends in a call, or in a tool's answer that nobody replied to."""
    return messages[-1]["role"] == "tool" or bool(messages[-1].get("tool_calls"))
