"""Rollouts as NVIDIA NeMo Gym collects them, in the shape of the Responses API.

::

    data/rollouts.jsonl             measured episodes, with their reward
    data/rollouts_failures.jsonl    those that nothing measured: errors, and unverified episodes

The reward is 1 for a success or a rightful refusal and 0 for all else. An error is never a reward of 0:
NeMo Gym itself keeps such rollouts in a file of their own. Fields of ours that the format has none for
are in a key ``eops_traj`` of each line, beside the fields of the environment, where any may be.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.collectors.importers.nemo_gym import LAST_SECOND
from eops_traj.export.base import Options, data_lines
from eops_traj.export.checks import CHECKS, Check, Row
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeExporter, decoded_arguments
from eops_traj.messages import Message, was_asked
from eops_traj.metrics.standing import UNSCORED_OUTCOMES
from eops_traj.schema import PASSED, Episode, ToolCall, Turn

MEASURED, FAILURES = "rollouts.jsonl", "rollouts_failures.jsonl"


class NemoGym(ExchangeExporter):
    """One line an episode."""

    name = "nemo_gym"
    title = "NeMo Gym rollouts"
    trains = imitates = False
    data_files = "data/*.jsonl"

    def __init__(self, options: Options | None = None, *, reasoning: bool = False) -> None:
        """Set up the format; with ``reasoning``, replies carry what the endpoint gave of theirs."""
        super().__init__(options, reasoning=reasoning)
        self._tasks: dict[str, int] = {}
        self._rollouts: dict[str, int] = {}

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the files, one episode a line, and the report of what they do not hold."""
        (folder / "data").mkdir()
        written: dict[str, list[str]] = {MEASURED: [], FAILURES: []}
        with ExitStack() as stack:
            files: dict[str, IO[str]] = {}
            for bundle in bundles:
                name = FAILURES if bundle.episode.outcome in UNSCORED_OUTCOMES else MEASURED
                if name not in files:
                    path = folder / "data" / name
                    files[name] = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
                files[name].write(json.dumps(self.record(bundle), ensure_ascii=False, allow_nan=False) + "\n")
                written[name].append(bundle.episode.episode_id)
        self.report(folder)
        return written[MEASURED] + written[FAILURES]

    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the rollouts, in the order of the lines, those that were measured first."""
        for place, line in data_lines(folder, self.files(folder)):
            record = json.loads(line)
            yield Row(place, record, _messages(record), [])

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every line."""
        return {name: check for name, check in CHECKS.items() if name != "reads_as_written"}

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return every call, with what the model wrote where its arguments did not parse."""
        return [(call.name, decoded_arguments(_arguments(call))) for call in episode.tool_calls()]

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the rollout of an episode."""
        episode = bundle.episode
        tools = [{"type": "function", **tool["function"], "strict": False} for tool in bundle.tools()]
        system = [("system", bundle.system_prompt)] if bundle.system_prompt else []
        opening = [*system, ("user", episode.user_prompt)] if was_asked(episode) else system
        return {
            **self._place(episode),
            "agent_ref": {"type": "responses_api_agents", "name": episode.orchestrator},
            "responses_create_params": {
                "input": [{"type": "message", "role": role, "content": text} for role, text in opening],
                "tools": tools,
            },
            "response": _response(episode, tools),
            "reward": 1.0 if episode.outcome in PASSED else 0.0,
            **_failure(episode),
        }

    def _place(self, episode: Episode) -> Record:
        """Return the index of the task, and of the rollout of that task, both from 0."""
        task = self._tasks.setdefault(episode.task_hash, len(self._tasks))
        rollout = self._rollouts[episode.task_hash] = self._rollouts.get(episode.task_hash, -1) + 1
        return {"_ng_task_index": task, "_ng_rollout_index": rollout}


def _failure(episode: Episode) -> Record:
    """Return the mark of an episode that nothing measured: it has no reward."""
    if episode.outcome not in UNSCORED_OUTCOMES:
        return {}
    reason = {"failure_reason": episode.error} if episode.error else {}
    return {"mask_sample": True, "_ng_failure_class": episode.outcome, **reason}


def _response(episode: Episode, tools: list[Record]) -> Record:
    """Return the last response of the model, whose output is all that came after the request."""
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
    """Return a time in seconds since 1970, in UTC where it names no zone.

    0 where none is known, or one that the format does not hold: it wants a time, and none before 1970.
    """
    try:
        time = datetime.fromisoformat(moment or "")
    except ValueError:
        return 0.0
    seconds = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return seconds if 0 <= seconds <= LAST_SECOND else 0.0


def _usage(episode: Episode) -> Record:
    """Return the tokens of the whole, where all four counts are known: the format cannot say unknown."""
    counts = (
        episode.input_tokens,
        episode.cached_tokens,
        episode.output_tokens,
        episode.reasoning_tokens,
    )
    if None in counts:
        return {}
    prompt, cached, completion, reasoning = counts
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": (prompt or 0) + (completion or 0),
    }


def _items(turn: Turn, index: int) -> Iterator[Record]:
    """Yield the items of a turn: the user's words before it, the reply, and its results."""
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
    """Return the ids of a reply, where all that the format has of them is known."""
    if turn.prompt_token_ids is None or turn.token_ids is None or turn.logprobs is None:
        return {}
    return {
        "prompt_token_ids": turn.prompt_token_ids,
        "generation_token_ids": turn.token_ids,
        "generation_log_probs": turn.logprobs,
    }


def _arguments(call: ToolCall) -> str:
    """Return the arguments as the model wrote them, or as JSON text."""
    return call.raw if call.raw is not None else call.arguments


def _messages(record: Record) -> list[Message]:
    """Return the calls of a rollout as messages, for the checks."""
    calls = [item for item in record["response"]["output"] if item["type"] == "function_call"]
    return [
        {
            "role": "assistant",
            "tool_calls": [{"function": {"name": c["name"], "arguments": decoded_arguments(c["arguments"])}}],
        }
        for c in calls
    ]
