"""Rollouts as NVIDIA NeMo Gym collects them, in the shape of the Responses API.

::

    data/rollouts.jsonl             measured episodes, with their reward
    data/rollouts_failures.jsonl    those that nothing measured: errors, and what nobody verified

The reward is 1 for a success or a rightful refusal and 0 for all else. An error is never a reward of 0:
NeMo Gym itself keeps such rollouts in a file of their own. Ours that the format has no word for stands in a
key ``eops_traj`` of each line, beside the fields of the environment, where it lets any stand.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.base import Options
from eops_traj.export.checks import CHECKS, Check
from eops_traj.export.rows import Row
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import Exchange
from eops_traj.messages import Message
from eops_traj.metrics.score import UNSCORED_OUTCOMES
from eops_traj.schema import PASSED, Episode, ToolCall, Turn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

MEASURED, FAILURES = "rollouts.jsonl", "rollouts_failures.jsonl"


class NemoGym(Exchange):
    """One line an episode."""

    name = "nemo_gym"
    title = "NeMo Gym rollouts"
    trains = False
    data_files = "data/*.jsonl"

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format; with ``reasoning``, replies carry what the endpoint gave of theirs."""
        super().__init__(options, reasoning=reasoning)
        self._tasks: dict[str, int] = {}
        self._rollouts: dict[str, int] = {}

    def write(self, samples: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the files, a line an episode as they come, and the report of what they do not hold."""
        (folder / "data").mkdir()
        written: dict[str, list[str]] = {MEASURED: [], FAILURES: []}
        with ExitStack() as stack:
            files: dict[str, IO[str]] = {}
            for sample in samples:
                name = FAILURES if sample.episode.outcome in UNSCORED_OUTCOMES else MEASURED
                if name not in files:
                    path = folder / "data" / name
                    files[name] = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
                files[name].write(json.dumps(self.record(sample), ensure_ascii=False, allow_nan=False) + "\n")
                written[name].append(sample.episode.episode_id)
        self.report(folder)
        return written[MEASURED] + written[FAILURES]

    def read(self, folder: Path) -> Iterator[Row]:
        """The rollouts, in the order of the lines, those that were measured first."""
        for path in self.files(folder):
            with path.open(encoding="utf-8", newline="\n") as lines:
                for number, line in enumerate(lines, 1):
                    record = json.loads(line)
                    yield Row(f"data/{path.name}:{number}", record, _messages(record), [])

    def checks(self) -> Mapping[str, Check]:
        """What every line is checked for."""
        return {name: check for name, check in CHECKS.items() if name != "reads_as_written"}

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> None:
        """Trainers of NeMo Gym put the loss where the token ids stand."""

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Every call, with what the model wrote where its arguments did not parse."""
        return [(call.name, _value(_arguments(call))) for call in episode.tool_calls()]

    def document(self, sample: EpisodeBundle) -> Record:
        """The rollout of an episode."""
        episode, tools = sample.episode, [_tool(tool) for tool in sample.tools()]
        asked = [("system", sample.system_prompt)] if sample.system_prompt else []
        said = [*asked, ("user", episode.user_prompt)]
        return {
            **self._place(episode),
            "agent_ref": {"type": "responses_api_agents", "name": episode.orchestrator},
            "responses_create_params": {
                "input": [{"type": "message", "role": role, "content": text} for role, text in said],
                "tools": tools,
            },
            "response": _response(episode, tools),
            "reward": 1.0 if episode.outcome in PASSED else 0.0,
            **_failure(episode),
        }

    def _place(self, episode: Episode) -> Record:
        """Which task of the file it is, and which rollout of that task, both from 0."""
        task = self._tasks.setdefault(episode.task_hash, len(self._tasks))
        rollout = self._rollouts[episode.task_hash] = self._rollouts.get(episode.task_hash, -1) + 1
        return {"_ng_task_index": task, "_ng_rollout_index": rollout}


def _failure(episode: Episode) -> Record:
    """Of an episode that nothing measured: that its reward is none."""
    if episode.outcome not in UNSCORED_OUTCOMES:
        return {}
    reason = {"failure_reason": episode.error} if episode.error else {}
    return {"mask_sample": True, "_ng_failure_class": episode.outcome, **reason}


def _tool(tool: dict[str, Any]) -> Record:
    return {"type": "function", **tool["function"], "strict": False}


def _response(episode: Episode, tools: list[Record]) -> Record:
    """The last response of the model, whose output is all that came after the request."""
    response: Record = {
        "id": f"resp_{episode.episode_id}",
        "created_at": _seconds(episode.started_at),
        "model": episode.model,
        "object": "response",
        "output": [item for n, turn in enumerate(episode.turns) for item in _items(turn, n)],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": tools,
    }
    usage = _usage(episode)
    return response | ({"usage": usage} if usage else {})


def _seconds(moment: str | None) -> float:
    """A time in seconds since 1970; 0 where none is known, since the format wants one."""
    try:
        return datetime.fromisoformat(moment or "").timestamp()
    except ValueError:
        return 0.0


def _usage(episode: Episode) -> Record:
    """The tokens of the whole, where all four counts are known: the format has no word for unknown."""
    counts = (
        episode.input_tokens,
        episode.cached_tokens,
        episode.output_tokens,
        episode.reasoning_tokens,
    )
    if None in counts:
        return {}
    given, cached, written, thought = counts
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": (given or 0) + (written or 0),
    }


def _items(turn: Turn, index: int) -> Iterator[Record]:
    """The items of a turn: what a user says before it, the reply, and its results."""
    if turn.nudge is not None:
        yield {"type": "message", "role": "user", "content": turn.nudge}
    *first, last = _reply(turn, index)
    yield from first
    yield last | _tokens(turn)
    for call in turn.tool_calls:
        if call.result is not None or call.error is not None:
            output = call.result if call.result is not None else call.error
            yield {"type": "function_call_output", "call_id": call.id, "output": output}


def _reply(turn: Turn, index: int) -> Iterator[Record]:
    if turn.reasoning is not None:
        summary = [{"type": "summary_text", "text": turn.reasoning}]
        yield {"type": "reasoning", "id": f"rs_{index}", "summary": summary}
    if turn.text or not turn.tool_calls:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        yield {
            "type": "message",
            "id": f"msg_{index}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    for call in turn.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": _arguments(call),
            "status": "completed",
        }


def _tokens(turn: Turn) -> Record:
    """The ids of a reply, where all that the format has of them is known."""
    if turn.prompt_token_ids is None or turn.token_ids is None or turn.logprobs is None:
        return {}
    return {
        "prompt_token_ids": turn.prompt_token_ids,
        "generation_token_ids": turn.token_ids,
        "generation_log_probs": turn.logprobs,
    }


def _arguments(call: ToolCall) -> str:
    """The arguments as the model wrote them, or as JSON text."""
    return call.raw if call.raw is not None else call.arguments


def _value(text: str) -> Any:
    """The arguments as an object where the text is one, else the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _messages(record: Record) -> list[Message]:
    """The calls of a rollout as messages, which is what the checks look at."""
    calls = [item for item in record["response"]["output"] if item["type"] == "function_call"]
    return [
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": c["name"], "arguments": _value(c["arguments"])}}],
        }
        for c in calls
    ]
