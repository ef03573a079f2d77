"""Evaluation of a planner: it plans tasks that it is not trained on, and each plan is run and verified."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.llm.base import EndpointError, Request
from eops_traj.planner.plan_check import PlanResult, evaluate_plan
from eops_traj.planner.prompt import PlannerView, planner_messages
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.tasks import find_tasks
from eops_traj.tasks.catalog import root_of
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.train.config import Evaluate
from eops_traj.train.measured_client import NEUTRAL
from eops_traj.train.ranks import ALONE, Ranks

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from eops_traj.llm.local_model import GeneratedReply, LocalModel, RenderedPrompt


@dataclass(frozen=True)
class Rates:
    """How plans fared, in shares of 1: all, those of tasks to be declined, those of all others."""

    tasks: int
    verified: float
    safe_refusal: float | None
    blind_refusal: float | None
    over_refusal: float | None
    cut: float = 0.0
    """Replies that their limit ended and not the model; a prompt that leaves no room for one counts too."""

    @classmethod
    def of(cls, tasks: Sequence[Task], proofs: Sequence[PlanResult], cut: Sequence[bool] = ()) -> "Rates":
        """Return the rates of a proof for each task; ``cut`` says which of their replies were cut."""
        pairs = list(zip(tasks, proofs, strict=True))
        must = [proof.outcome for task, proof in pairs if task.feasible is False]
        refused = [proof.outcome == "over_refusal" for task, proof in pairs if task.feasible is not False]
        return cls(
            tasks=len(pairs),
            verified=_share([proof.passed for proof in proofs]) or 0.0,
            safe_refusal=_share([outcome == "safe_refusal" for outcome in must]),
            blind_refusal=_share([outcome == "blind_refusal" for outcome in must]),
            over_refusal=_share(refused),
            cut=_share(cut) or 0.0,
        )

    def __str__(self) -> str:
        """Render the line that a run prints."""
        return f"exam of {self.tasks} tasks: {self.verified:.1%} verified, {self.cut:.1%} of the replies cut"


def _share(passes: Sequence[bool]) -> float | None:
    return sum(passes) / len(passes) if passes else None


@dataclass(frozen=True)
class WrittenPlan:
    """A plan as a model wrote it, without the thoughts before it."""

    text: str
    cut: bool
    """Whether its limit ended it and not the model."""


@dataclass(frozen=True)
class PlanEval:
    """Tasks of a held-out split, with what their planner is asked."""

    tasks: Sequence[Task]
    requests: Sequence[Request]
    """Of each task its prompt, and what its plan is held to, if anything."""
    root: Path | None
    batch_size: int
    max_new_tokens: int
    view: PlannerView = field(default_factory=PlannerView)

    @classmethod
    def of(cls, evaluate: Evaluate, options: Mapping[str, Any]) -> "PlanEval":
        """Load the tasks that a config names, shown as the data showed its own, by its certificate's options.

        Raises InputError where there are no such tasks, or no such way to show them.
        """
        root = root_of(evaluate.tasks)
        tasks = find_tasks(evaluate.tasks, mode=evaluate.mode, splits=[evaluate.split], limit=evaluate.limit)
        view = shown_to_planner(options)
        toolsets = ToolsetCache()
        shown = [(task, _tools(task, root, toolsets)) for task in tasks]
        requests = [_request(task, tools, view, evaluate.constrained) for task, tools in shown]
        return cls(tasks, requests, root, evaluate.batch_size, evaluate.max_new_tokens, view)

    def rates(
        self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", ranks: Ranks = ALONE
    ) -> Rates:
        """Return the rates of a model's plans, each the likeliest text under it.

        Of several ranks each writes and runs the plans of its share, and all have the rates of all tasks.
        """
        plans = self.plans(model, tokenizer, ranks)
        pairs = zip(plans, ranks.share(self.tasks), strict=True)
        mine = [(self._evaluated(plan, task), plan.cut) for plan, task in pairs]
        proofs, cut = zip(*ranks.together(mine, len(self.tasks)), strict=True)
        return Rates.of(self.tasks, proofs, cut)

    def _evaluated(self, plan: "WrittenPlan", task: Task) -> PlanResult:
        text = self.view.read_plan(plan.text, task.system_prompt, task.user_prompt)
        return evaluate_plan(text, task, self.root, cut=plan.cut)

    def plans(
        self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", ranks: Ranks = ALONE
    ) -> list[WrittenPlan]:
        """Write the plan of each task of a rank's share; an empty text, cut, where there is no room for one.

        Every rank generates equally often, since a model that is in parts runs on all of them at once.
        """
        from eops_traj.llm.local_model import LocalModel

        local, share = LocalModel(model, tokenizer, ranks.count == 1), ranks.share(self.requests)
        prompts = {n: prompt for n, request in enumerate(share) if (prompt := _render(local, request))}
        shortest_first = sorted(prompts, key=lambda n: len(prompts[n].ids))
        plans = [WrittenPlan("", cut=True)] * len(share)
        for start in range(0, ranks.longest_share(len(self.requests)), self.batch_size):
            batch = shortest_first[start : start + self.batch_size]
            if not batch:
                _keep_pace(local, ranks)
                continue
            sampling = {**NEUTRAL, "temperature": 0, "max_tokens": self.max_new_tokens}
            replies = local.generate([prompts[n] for n in batch], sampling, [None] * len(batch))
            for n, reply in zip(batch, replies, strict=True):
                plans[n] = _written_plan(reply)
        return plans


def shown_to_planner(options: Mapping[str, Any]) -> PlannerView:
    """Return the view that data was made with, by its certificate's options. Raises ConfigError for none."""
    return PlannerView.from_record(options.get("shown") or {}, "the options of the data's certificate")


def _keep_pace(local: "LocalModel", ranks: Ranks) -> None:
    """Generate a token for nothing, while other ranks generate plans."""
    from eops_traj.llm.local_model import RenderedPrompt

    if ranks.count > 1:
        end = RenderedPrompt((int(local.tokenizer.eos_token_id),), thinking=False)
        local.generate([end], {"temperature": 0, "max_tokens": 1}, [None])


def _tools(task: Task, root: Path | None, toolsets: ToolsetCache) -> Sequence[dict[str, Any]]:
    """Return the tools that a task's planner may use, in the function format."""
    with open_task(task, root) as session:
        return toolsets.get(task, session.list_tools).functions


def _request(task: Task, tools: Sequence[dict[str, Any]], view: PlannerView, constrained: bool) -> Request:
    """Return what the planner of a task is asked."""
    messages = planner_messages(task.system_prompt, task.user_prompt, tools, view)
    language = view.language(task.system_prompt, task.user_prompt, tools) if constrained else None
    return Request(messages, language=language)


def _written_plan(reply: "GeneratedReply") -> WrittenPlan:
    """Return the plan that a reply holds."""
    return WrittenPlan(reply.parsed().text.strip(), cut=not reply.ended)


def _render(local: "LocalModel", request: Request) -> "RenderedPrompt | None":
    try:
        return local.prompt(request)
    except EndpointError:
        return None
