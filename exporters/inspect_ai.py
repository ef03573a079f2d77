"""Logs of inspect_ai, version 2, as JSON: one log for each agent of a run, a sample an episode.

::

    logs/TIME_SUITE_AGENT.json

A verifier is a score of its name, ``C`` or ``I`` as the strict verdict is; ``success`` is the score of the
whole, with the outcome as its explanation. An attempt is an epoch. Fields of ours that the format has none
for are in a sample's ``metadata``, under ``eops_traj``. ``inspect view`` shows the logs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eops_traj.bundle import EpisodeBundle
from eops_traj.collectors.importers.inspect_ai import VERSION, InspectSample, InspectSpec
from eops_traj.config import problems
from eops_traj.export.checks import CHECKS, Check, CheckedRow, Row
from eops_traj.hashing import digest
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeExporter
from eops_traj.messages import Message, result_message, was_asked
from eops_traj.schema import PASSED, UNVERIFIED, Episode, ToolCall, Turn, Verdict

SUCCESS = "success"
LIMITS = {
    "max_turns": ("turn", "turns"),
    "max_tokens": ("token", "tokens"),
    "max_cost": ("cost", "cost"),
    "timeout": ("time", "seconds"),
}
"""For each stop reason the type of limit, and its name in the settings of an agent."""
NO_OBJECT = "not a JSON object: "
"""What comes before the written text of arguments in a call's ``parse_error``."""
_EPOCH = "1970-01-01T00:00:00+00:00"  # of episodes whose time is not known


@dataclass
class _Log:
    """A log under way: what it says of the whole, and its samples so far, a line each."""

    spec: Record
    path: Path
    ids: list[str] = field(default_factory=list)
    samples: Counter[str] = field(default_factory=Counter)


class InspectAi(ExchangeExporter):
    """One log a file, each sample checked against the fields that a reader needs."""

    name = "inspect_ai"
    title = "inspect_ai logs"
    trains = teaches = imitates = False
    keeps_written = True
    data_files = "logs/*.json"

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the logs, and the report of what they do not hold."""
        (folder / "logs").mkdir()
        logs: dict[str, _Log] = {}
        for bundle in bundles:
            record = self.record(bundle)
            name = digest(bundle.episode.run_id, bundle.episode.agent_hash)
            log = logs.setdefault(name, _Log(record["eval"], folder / "logs" / _file_name(record["eval"])))
            _append(log, record["sample"], bundle.episode)
        for log in logs.values():
            _finish(log)
        self.report(folder)
        return [id_ for log in sorted(logs.values(), key=lambda log: log.path) for id_ in log.ids]

    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the samples, log by log."""
        for path in self.files(folder):
            log = json.loads(path.read_text(encoding="utf-8"))
            for number, sample in enumerate(log["samples"], 1):
                place = f"{path.relative_to(folder).as_posix()} sample {number}"
                record = {"eval": log["eval"], "sample": sample}
                yield Row(place, record, list(map(_as_sent, sample["messages"])), [])

    def count_rows(self, path: Path) -> int:
        """Count the samples of a log."""
        return len(json.loads(path.read_text(encoding="utf-8"))["samples"])

    def extended(self, record: Record, ours: Any) -> Record:
        """Put our own key in the sample's ``metadata``, the format's place for such."""
        sample = record["sample"]
        return {**record, "sample": {**sample, "metadata": {**sample["metadata"], KEY: ours}}}

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every sample."""
        return {**CHECKS, "valid_inspect_ai": valid_inspect_ai}

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the sample of an episode, and what its log says of the whole."""
        episode, messages = bundle.episode, list(_messages(bundle))
        metadata = {"domain": episode.domain, "mode": episode.mode, "outcome": episode.outcome}
        sample: Record = {
            "id": _sample_id(episode),
            "epoch": episode.attempt,
            "input": episode.user_prompt,
            "target": "",
            "messages": messages,
            "output": _output(episode, messages),
            "scores": dict(_scores(episode)),
            "metadata": metadata,
            "uuid": episode.episode_id,
            **_ending(episode),
        }
        return {"eval": _spec(bundle), "sample": sample}


def valid_inspect_ai(checked: CheckedRow) -> str | None:
    """The sample has the fields that a reader of inspect_ai's logs needs, in their types."""
    record = checked.row.record
    try:
        InspectSpec.model_validate(record["eval"])
        InspectSample.model_validate(record["sample"])
    except ValidationError as error:
        return "; ".join(problems(error)[:3])
    return None


def _file_name(spec: Record) -> str:
    """Return a name as inspect_ai knows its logs by: the time, the task, and what they are of."""
    time = re.sub(r"[^0-9T]", "-", spec["created"][:19])
    return f"{time}_{re.sub(r'[^A-Za-z0-9-]', '-', spec['task'])[:60]}_{spec['eval_id']}.json"


def _append(log: _Log, sample: Record, episode: Episode) -> None:
    text = json.dumps(sample, ensure_ascii=False, allow_nan=False)
    with log.path.open("a", encoding="utf-8") as file:
        file.write(("," if log.ids else "") + "\n" + text)
    log.ids.append(episode.episode_id)
    log.samples[sample["scores"].get(SUCCESS, {}).get("value", "")] += 1


def _finish(log: _Log) -> None:
    """Write the head before the samples and the end after them."""
    step = {"solver": log.spec["solver"], "params": {}}
    whole = {
        "version": VERSION,
        "status": "success",
        "eval": log.spec,
        "plan": {"name": "plan", "steps": [step], "config": {}},
        "results": _results(log),
        "stats": {"started_at": log.spec["created"], "completed_at": log.spec["created"], "model_usage": {}},
    }
    samples, unfinished = log.path.read_text(encoding="utf-8"), log.path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(json.dumps(whole, ensure_ascii=False, allow_nan=False)[:-1] + ', "samples": [')
        file.write(samples + "\n]}\n")
    unfinished.rename(log.path)


def _results(log: _Log) -> Record:
    """Return the accuracy of the whole, over the samples that have a verdict."""
    scored = log.samples["C"] + log.samples["I"]
    accuracy = {"name": "accuracy", "value": log.samples["C"] / scored if scored else 0.0}
    score = {
        "name": SUCCESS,
        "scorer": SUCCESS,
        "scored_samples": scored,
        "unscored_samples": len(log.ids) - scored,
        "metrics": {"accuracy": accuracy},
    }
    return {"total_samples": len(log.ids), "completed_samples": len(log.ids), "scores": [score]}


def _spec(bundle: EpisodeBundle) -> Record:
    episode = bundle.episode
    return {
        "eval_id": digest(episode.run_id, episode.agent_hash),
        "run_id": episode.run_id,
        "created": _time(bundle.run.started_at if bundle.run else None),
        "task": episode.suite,
        "task_id": digest(episode.suite),
        "dataset": {"name": episode.suite},
        "model": episode.model,
        "solver": episode.orchestrator,
        "model_generate_config": {},
        "config": {},
        "metadata": {"settings": json.loads(episode.settings)},
    }


def _time(text: str | None) -> str:
    """Return a time with its zone, as the format has it; the first one there is for none, or another text."""
    try:
        time = datetime.fromisoformat((text or _EPOCH).replace("Z", "+00:00"))
    except ValueError:
        return _EPOCH
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat()


def _sample_id(episode: Episode) -> str:
    """Return the task's name; a branch, whose attempt has a number of its own, names where it leaves."""
    return (
        episode.task_id
        if episode.parent is None
        else f"{episode.task_id}@{episode.parent}:{episode.branch_turn}"
    )


def _messages(bundle: EpisodeBundle) -> Iterator[Record]:
    if bundle.system_prompt:
        yield {"role": "system", "content": bundle.system_prompt}
    if was_asked(bundle.episode):
        yield {"role": "user", "content": bundle.episode.user_prompt, "source": "input"}
    for turn in bundle.episode.turns:
        if turn.nudge is not None:
            yield {"role": "user", "content": turn.nudge}
        yield _reply(bundle.episode, turn)
        for call in turn.tool_calls:
            if call.result is not None or call.error is not None:
                text = result_message(call)["content"]
                failed = call.is_error or call.result is None
                error = {"error": {"type": "unknown", "message": text}} if failed else {}
                result = {"role": "tool", "content": text, "tool_call_id": call.id}
                yield {**result, "function": call.name, **error}


def _reply(episode: Episode, turn: Turn) -> Record:
    content: Any = turn.text
    if turn.reasoning:
        content = [{"type": "reasoning", "reasoning": turn.reasoning}, {"type": "text", "text": turn.text}]
    reply = {"role": "assistant", "content": content, "source": "generate", "model": episode.model}
    return {**reply, "tool_calls": list(map(_call, turn.tool_calls))} if turn.tool_calls else reply


def _call(call: ToolCall) -> Record:
    made = {"id": call.id, "function": call.name, "arguments": json.loads(call.arguments), "type": "function"}
    return made if call.raw is None else {**made, "parse_error": NO_OBJECT + call.raw}


def _output(episode: Episode, messages: list[Record]) -> Record:
    replies = [message for message in messages if message["role"] == "assistant"]
    stop = "stop" if episode.stop_reason == "completed" else "unknown"
    choices = [{"message": replies[-1], "stop_reason": stop}] if replies else []
    output: Record = {"model": episode.model, "choices": choices, "completion": episode.response}
    if episode.input_tokens is not None and episode.output_tokens is not None:
        read, written = episode.input_tokens, episode.output_tokens
        output["usage"] = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return output


def _scores(episode: Episode) -> Iterator[tuple[str, Record]]:
    """Yield the score of the whole, and one for each verdict; verifiers may share a name, scores may not."""
    if episode.outcome not in (UNVERIFIED, "error"):
        value = "C" if episode.outcome in PASSED else "I"
        yield SUCCESS, {"value": value, "answer": episode.response, "explanation": episode.outcome}
    taken = {SUCCESS}
    for verdict in episode.verdicts:
        numbered = (f"{verdict.name} ({number})" for number in count(2))
        name = next(name for name in chain([verdict.name], numbered) if name not in taken)
        taken.add(name)
        yield name, _score(verdict)


def _score(verdict: Verdict) -> Record:
    """Return a verdict as a score; one that is not known, as of a verifier that could not run, has none."""
    value = {True: "C", False: "I", None: "N"}[verdict.passed_strict]
    metadata = {
        "kind": verdict.kind,
        "category": verdict.category,
        "passed_parity": verdict.passed_parity,
        "passed_strict": verdict.passed_strict,
        "expected": verdict.expected,
        "actual": verdict.actual,
    }
    return {"value": value, "explanation": verdict.error or verdict.details, "metadata": metadata}


def _ending(episode: Episode) -> Record:
    """Return the time, and what ended an episode that did not end by itself."""
    ending: Record = {"started_at": _time(episode.started_at)} if episode.started_at else {}
    if episode.error is not None:
        ending["error"] = {"message": episode.error, "traceback": "", "traceback_ansi": ""}
    elif episode.stop_reason in LIMITS and (most := _limit(episode)) is not None:
        ending["limit"] = {"type": LIMITS[episode.stop_reason][0], "limit": most}
    return ending


def _limit(episode: Episode) -> float | None:
    """Return the limit that ended an episode; None where nobody said how high it was."""
    if episode.stop_reason == "max_turns":
        return episode.n_turns
    if "context" in json.loads(episode.details):
        return None  # it was the model's own window, and no limit of ours
    limits = json.loads(episode.settings).get("limits")
    most = limits.get(LIMITS[episode.stop_reason][1]) if isinstance(limits, dict) else None
    return most if isinstance(most, int | float) else None


def _as_sent(message: Record) -> Message:
    """Return a message with its calls in the OpenAI API's form, for the checks that every format shares."""
    if "tool_calls" not in message:
        return message
    calls = [
        {"id": c["id"], "type": "function", "function": {"name": c["function"], "arguments": _arguments(c)}}
        for c in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _arguments(call: Record) -> Any:
    """Return the arguments of a call as they were written."""
    error = call.get("parse_error")
    return call["arguments"] if error is None else error.removeprefix(NO_OBJECT)
