"""Episodes from logs of inspect_ai, version 2, as JSON; ``inspect log convert`` makes it of ``.eval`` files.

A sample is an episode, an epoch an attempt; the task is named by evaluation and sample. Every score is a
verdict: right (``C``, 1, true) is passed, wrong (``I``, ``N``, 0, false) is failed, any other value is kept
as it is, and its verdict is not known. The scores are another program's: the outcome is ``unverified``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.files import read_json
from eops_traj.hashing import digest
from eops_traj.interchange.conversation import Conversation, call_of, mcp_tools, text_of
from eops_traj.interchange.episode_from_conversation import ForeignRecord, foreign_episode
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Reader, Record
from eops_traj.interchange.session_files import take_result
from eops_traj.privacy.redact import scrub
from eops_traj.schema import ToolCall, Turn, Verdict, json_of

VERSION = 2
"""The version of logs that is read and written."""
SCORE = "inspect_score"
"""The kind of a verdict that is a score of another program."""
RIGHT, WRONG = ("C", 1, True), ("I", "N", 0, False)
STOPS = {"message": "max_turns", "turn": "max_turns", "token": "max_tokens", "context": "max_tokens",
         "cost": "max_cost", "time": "timeout", "working": "timeout"}  # fmt: skip
"""Our stop reason for each type of limit."""


class InspectSpec(BaseModel):
    """What a log says of the whole evaluation."""

    model_config = ConfigDict(extra="allow")
    task: str
    task_id: str | None = None
    model: str
    created: str | None = None
    solver: str | None = None
    model_generate_config: dict[str, Any] = Field({})


class InspectCall(BaseModel):
    """A call of a tool; of arguments that did not parse there is an error beside them."""

    model_config = ConfigDict(extra="allow")
    id: str
    function: str
    arguments: dict[str, Any] | str = Field({})
    parse_error: str | None = None


class InspectMessage(BaseModel):
    """A message of a sample, of whatever role."""

    model_config = ConfigDict(extra="allow")
    role: str
    content: str | list[dict[str, Any]] = ""
    id: str | None = None
    tool_calls: list[InspectCall] | None = None
    tool_call_id: str | None = None
    error: dict[str, Any] | None = None


class InspectScore(BaseModel):
    """A score of a sample."""

    model_config = ConfigDict(extra="allow")
    value: Any
    answer: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] | None = None


class InspectSample(BaseModel):
    """A sample with what came of it."""

    model_config = ConfigDict(extra="allow")
    id: int | str
    epoch: int
    input: Any
    target: Any = None
    messages: list[InspectMessage] = Field(min_length=1)
    scores: dict[str, InspectScore] | None = None
    metadata: dict[str, Any] = Field({})
    events: list[dict[str, Any]] = Field([])
    attachments: dict[str, str] = Field({})
    error: dict[str, Any] | None = None
    limit: dict[str, Any] | None = None
    started_at: str | None = None


class InspectAiReader(Reader):
    """Reads logs: each record is a sample, with what its log says of the whole."""

    name = "inspect_ai"

    def recognises(self, record: Record) -> bool:
        """Check whether the record looks like a log."""
        return isinstance(record.get("eval"), dict) and {"version", "status"} <= record.keys()

    def files(self, paths: Iterable[Path]) -> list[Path]:
        """Return the logs of paths. Raises FormatError for the binary form of one."""
        files = super().files(paths)
        if binary := [path for path in files if path.suffix == ".eval"]:
            hint = "`inspect log convert --to json --output-dir FOLDER` makes the JSON that is read here"
            raise FormatError(f"{binary[0]} is the binary form of a log: {hint}")
        return files

    def read(self, path: Path) -> list[EpisodeBundle]:
        """Return the episodes of a log. Raises FormatError naming place and problem."""
        return [scrub(self.at(place, record)) for place, record in _samples(path)]

    def extension(self, record: Record) -> tuple[Record, Any]:
        """Split off our own key, which stands in a sample's ``metadata``, the format's place for such."""
        metadata = record["sample"].get("metadata")
        if not isinstance(metadata, dict) or KEY not in metadata:
            return record, None
        rest = {name: value for name, value in metadata.items() if name != KEY}
        return {**record, "sample": {**record["sample"], "metadata": rest}}, metadata[KEY]

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a sample."""
        spec = InspectSpec.model_validate(record["eval"])
        sample = InspectSample.model_validate(record["sample"])
        conversation, replies = Conversation(), _replies(sample.events)
        for message in sample.messages:
            _take(conversation, message, replies, sample.attachments)
        tools = [tool for event in replies.values() for tool in event.get("tools") or ()]
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=mcp_tools({tool["name"]: tool for tool in tools}.values()) if tools else None,
            model=spec.model,
            orchestrator=spec.solver or self.name,
            settings=spec.model_generate_config,
            details={"task": spec.task, "created": spec.created, "target": sample.target, **sample.metadata},
            task_id=_task_id(spec, sample),
            attempt=sample.epoch,
            started_at=sample.started_at,
        )
        return _labelled(foreign_episode(conversation, foreign_record), sample)


def _task_id(spec: InspectSpec, sample: InspectSample) -> str:
    """Return the task's name; in logs of ours, whose ``task_id`` is made of ``task``, it is a sample's id."""
    return str(sample.id) if spec.task_id == digest(spec.task) else f"{spec.task}/{sample.id}"


def _samples(path: Path) -> Iterator[tuple[str, Record]]:
    """Yield the samples of a log. Raises FormatError for another version, or a log without samples."""
    log = read_json(path)
    if not isinstance(log, dict) or log.get("version") != VERSION:
        told = str(log.get("version") if isinstance(log, dict) else None)[:40]
        raise FormatError(f"{path}: version {told} of an inspect_ai log; this eops-traj reads {VERSION}")
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise FormatError(f"{path}: a log without samples (status {str(log.get('status'))[:40]})")
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict):
            raise FormatError(f"{path} sample {number}: not an object")
        yield f"{path} sample {number}", {"eval": log.get("eval"), "sample": sample}


def _replies(events: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the event of each reply, by the id of its message."""
    found = {}
    for event in events:
        output = event.get("output") if event.get("event") == "model" else None
        for choice in (output or {}).get("choices") or ():
            found[str(choice["message"].get("id"))] = event
    return found


def _take(
    conversation: Conversation, message: InspectMessage, replies: Mapping[str, Mapping[str, Any]],
    attachments: Mapping[str, str],
) -> None:  # fmt: skip
    text = _text(message.content, attachments)
    match message.role:
        case "system":
            conversation.instruct(text)
        case "user":
            conversation.ask(text)
        case "assistant":
            conversation.reply(_turn(message, text, replies.get(str(message.id), {})))
        case "tool":
            error = (message.error or {}).get("message")
            failed = message.error is not None
            take_result(conversation, text or str(error or ""), str(message.tool_call_id), failed)
        case other:
            raise ValueError(f"a message of the role {other!r}")


def _text(content: Any, attachments: Mapping[str, str]) -> str:
    """Return the text of a message, without reasoning; long ones may be attached."""
    parts = content if isinstance(content, str) else [p for p in content if p.get("type") != "reasoning"]
    text = text_of(parts)
    return attachments.get(text.removeprefix("attachment://"), text) if "attachment://" in text[:13] else text


def _turn(message: InspectMessage, text: str, event: Mapping[str, Any]) -> Turn:
    output = event.get("output") or {}
    usage, choices = output.get("usage") or {}, output.get("choices") or [{}]
    parts = message.content if isinstance(message.content, list) else []
    thoughts = [part["reasoning"] for part in parts if part.get("type") == "reasoning"]
    total, written = usage.get("total_tokens"), usage.get("output_tokens")
    return Turn(
        text=text,
        reasoning="\n".join(thoughts) or None,
        tool_calls=tuple(_call(call) for call in message.tool_calls or ()),
        finish_reason=choices[0].get("stop_reason"),
        input_tokens=usage.get("input_tokens") if total is None or written is None else total - written,
        cached_tokens=usage.get("input_tokens_cache_read"),
        output_tokens=written,
        reasoning_tokens=usage.get("reasoning_tokens"),
        cost=usage.get("total_cost"),
        latency_ms=output["time"] * 1000 if output.get("time") is not None else None,
    )


def _call(call: InspectCall) -> ToolCall:
    made = call_of(call.id, call.function, call.arguments)
    return made if call.parse_error is None else replace(made, error=call.parse_error)


def _labelled(bundle: EpisodeBundle, sample: InspectSample) -> EpisodeBundle:
    """Return the episode with its scores as verdicts, and with what ended it."""
    verdicts = tuple(_verdict(name, score, sample.target) for name, score in (sample.scores or {}).items())
    ended: dict[str, Any] = {}
    if sample.error is not None:
        ended = {"outcome": "error", "error": str(sample.error.get("message")), "stop_reason": "error"}
    elif sample.limit is not None:
        ended = {"stop_reason": STOPS.get(str(sample.limit.get("type")), bundle.episode.stop_reason)}
    return replace(bundle, episode=replace(bundle.episode, verdicts=verdicts, **ended))


def _verdict(name: str, score: InspectScore, target: Any) -> Verdict:
    plain = isinstance(score.value, str | int | float)
    passed = True if plain and score.value in RIGHT else False if plain and score.value in WRONG else None
    return Verdict(
        name=name,
        kind=SCORE,
        config=json_of(score.metadata or {}),
        expected=json_of(target),
        actual=json_of(score.value),
        passed_strict=passed,
        details=score.explanation,
    )
