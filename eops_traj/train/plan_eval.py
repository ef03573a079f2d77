"""An exam: a model plans tasks of a split that it is not trained on, and each plan is run and verified."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.reply_parser import parse_reply
from eops_traj.messages import Message
from eops_traj.planner.plan_check import Proof, prove
from eops_traj.planner.prompt import Shown, planner_messages
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.tasks import find_tasks
from eops_traj.tasks.catalog import root_of
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.train.config import Evaluate

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from eops_traj.llm.local_model import GeneratedReply, LocalModel, RenderedPrompt


@dataclass(frozen=True)
class Rates:
    """How plans fared, in shares of 1: all, those of tasks to be declined, those of all others."""

    tasks: int
    verified: float
    safe_refusal: float | None
    over_refusal: float | None

    @classmethod
    def of(cls, tasks: Sequence[Task], proofs: Sequence[Proof]) -> "Rates":
        """The rates of a proof for each task."""
        pairs = list(zip(tasks, proofs, strict=True))
        declined = [proof.outcome == "safe_refusal" for task, proof in pairs if task.feasible is False]
        refused = [proof.outcome == "over_refusal" for task, proof in pairs if task.feasible is not False]
        return cls(
            tasks=len(pairs),
            verified=_share([proof.passed for proof in proofs]) or 0.0,
            safe_refusal=_share(declined),
            over_refusal=_share(refused),
        )


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


@dataclass(frozen=True)
class Exam:
    """Tasks of a held-out split, with what their planner is shown."""

    tasks: Sequence[Task]
    prompts: Sequence[list[Message]]
    root: Path | None
    batch_size: int
    max_new_tokens: int

    @classmethod
    def of(cls, evaluate: Evaluate, certificate: Mapping[str, Any]) -> "Exam":
        """The tasks that a config names, shown as the data showed its own, which the certificate tells.

        Raises InputError where there are no such tasks.
        """
        root = root_of(evaluate.tasks)
        tasks = find_tasks(evaluate.tasks, mode=evaluate.mode, splits=[evaluate.split], limit=evaluate.limit)
        shown = Shown.model_validate((certificate.get("options") or {}).get("shown") or {})
        showcase = ToolsetCache()
        prompts = [_prompt(task, root, shown, showcase) for task in tasks]
        return cls(tasks, prompts, root, evaluate.batch_size, evaluate.max_new_tokens)

    def rates(self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> Rates:
        """How the plans of a model fare, each the likeliest text under it."""
        texts = self.plans(model, tokenizer)
        proofs = [prove(text, task, self.root) for text, task in zip(texts, self.tasks, strict=True)]
        return Rates.of(self.tasks, proofs)

    def plans(self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> list[str]:
        """The plan of each task; an empty text where the prompt leaves no room for one."""
        from eops_traj.llm.local_model import LocalModel

        local = LocalModel(model, tokenizer)
        prompts = {n: prompt for n, said in enumerate(self.prompts) if (prompt := _fitted(local, said))}
        shortest_first = sorted(prompts, key=lambda n: len(prompts[n].ids))
        texts = [""] * len(self.prompts)
        for start in range(0, len(shortest_first), self.batch_size):
            batch = shortest_first[start : start + self.batch_size]
            sampling = {"temperature": 0, "max_tokens": self.max_new_tokens}
            written = local.generate([prompts[n] for n in batch], sampling, [None] * len(batch))
            for n, reply in zip(batch, written, strict=True):
                texts[n] = _said(reply)
        return texts


def _prompt(task: Task, root: Path | None, shown: Shown, showcase: ToolsetCache) -> list[Message]:
    """What the planner of a task is shown."""
    with open_task(task, root) as session:
        tools = showcase.get(task, session.list_tools).functions
    return planner_messages(task.system_prompt, task.user_prompt, tools, shown)


def _said(written: "GeneratedReply") -> str:
    """A reply without what a model thought before it."""
    thinking, cut = written.prompt.thinking, not written.ended
    return parse_reply(written.text, thinking=thinking, cut=cut).text.strip()


def _fitted(local: "LocalModel", said: list[Message]) -> "RenderedPrompt | None":
    try:
        return local.prompt(Request(said))
    except EndpointError:
        return None
