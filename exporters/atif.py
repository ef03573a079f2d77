"""ATIF 1.8, the Agent Trajectory Interchange Format (Harbor RFC 0001): one JSON file an episode.

::

    trajectories/EPISODE.json

The policy is a step of source ``system``, request and nudges are of source ``user``, a reply with its calls
and their results is one of source ``agent``. Arguments are objects in the format: what a model wrote that was
none is in the call's ``extra``. Fields of ours that the format has none for are in ``extra.eops_traj``.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eops_traj import __version__
from eops_traj.bundle import EpisodeBundle
from eops_traj.collectors.importers.atif import VERSION, validate_trajectory
from eops_traj.config import problems
from eops_traj.export.checks import CHECKS, Check, CheckedRow, Row
from eops_traj.hashing import digest
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Record
from eops_traj.interchange.writer import ExchangeExporter
from eops_traj.messages import Message, was_asked
from eops_traj.schema import Episode, ToolCall, Turn

RAW = "raw_arguments"
"""What a call's ``extra`` has of arguments that were no plain JSON: the written text."""


class Atif(ExchangeExporter):
    """One trajectory a file, each checked with the ``atif`` package."""

    name = "atif"
    title = "ATIF 1.8 trajectories"
    trains = teaches = imitates = False
    keeps_written = True
    data_files = "trajectories/*.json"

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write a file for each episode, and the report of what they do not hold."""
        (folder / "trajectories").mkdir()
        written = {}
        for bundle in bundles:
            path = folder / "trajectories" / _file_name(bundle.episode.episode_id)
            path.write_text(dumped(self.record(bundle)), encoding="utf-8")
            written[path] = bundle.episode.episode_id
        self.report(folder)
        return [written[path] for path in sorted(written)]

    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the trajectories, file by file."""
        for path in self.files(folder):
            record = json.loads(path.read_text(encoding="utf-8"))
            yield Row(path.relative_to(folder).as_posix(), record, _messages(record), [])

    def count_rows(self, path: Path) -> int:
        """Count the trajectories of a file: it is one."""
        return 1

    def extended(self, record: Record, ours: Any) -> Record:
        """Put our own key in ``extra``, the format's place for such."""
        return {**record, "extra": {KEY: ours}}

    def checks(self) -> Mapping[str, Check]:
        """Return the checks of every file."""
        return {**CHECKS, "valid_atif": valid_atif}

    def document(self, bundle: EpisodeBundle) -> Record:
        """Return the trajectory of an episode."""
        episode = bundle.episode
        record: Record = {
            "schema_version": VERSION,
            "session_id": episode.run_id,
            "trajectory_id": episode.episode_id,
            "agent": _agent(bundle),
            "steps": [{"step_id": n, **step} for n, step in enumerate(_steps(bundle), 1)],
        }
        totals = _known(
            total_prompt_tokens=episode.input_tokens,
            total_completion_tokens=episode.output_tokens,
            total_cached_tokens=episode.cached_tokens,
            total_cost_usd=episode.cost,
        )
        return record | ({"final_metrics": totals} if totals else {})


def valid_atif(checked: CheckedRow) -> str | None:
    """The file is an ATIF 1.8 trajectory, as the ``atif`` package checks it."""
    try:
        validate_trajectory(checked.row.record)
    except ValidationError as error:
        return "; ".join(problems(error)[:3])
    return None


def dumped(record: Record) -> str:
    """Render the text of a file."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _file_name(episode_id: str) -> str:
    plain = re.fullmatch(r"[A-Za-z0-9_-]{1,100}", episode_id)
    return f"{episode_id if plain else digest(episode_id)}.json"


def _agent(bundle: EpisodeBundle) -> Record:
    """Return the agent: an orchestrator, of our version where the episode is our own."""
    episode = bundle.episode
    ours = episode.source == "eops-traj"
    agent: Record = {
        "name": episode.orchestrator,
        "version": (bundle.run.version if bundle.run else __version__) if ours else "unknown",
        "model_name": episode.model,
        "tool_definitions": bundle.tools(),
    }
    settings = json.loads(episode.settings)
    return agent | ({"extra": settings} if settings else {})


def _steps(bundle: EpisodeBundle) -> Iterator[Record]:
    if bundle.system_prompt:
        yield {"source": "system", "message": bundle.system_prompt}
    began = _timestamp(bundle.episode)
    if was_asked(bundle.episode):
        yield {**began, "source": "user", "message": bundle.episode.user_prompt}
        began = {}
    for turn in bundle.episode.turns:
        if turn.nudge is not None:
            yield {"source": "user", "message": turn.nudge}
        yield began | _step(turn)
        began = {}


def _timestamp(episode: Episode) -> Record:
    """Return when the episode began, where its text is a time as the format has it."""
    try:
        datetime.fromisoformat((episode.started_at or "").replace("Z", "+00:00"))
    except ValueError:
        return {}
    return {"timestamp": episode.started_at}


def _step(turn: Turn) -> Record:
    """Return a reply with its calls and their results."""
    step: Record = {"source": "agent", "message": turn.text}
    step |= _known(reasoning_content=turn.reasoning)
    if turn.tool_calls:
        step["tool_calls"] = list(map(_call, turn.tool_calls))
        results = [_result(call) for call in turn.tool_calls if not (call.result is call.error is None)]
        step |= {"observation": {"results": results}} if results else {}
    metrics = _metrics(turn)
    return step | ({"metrics": metrics} if metrics else {})


def _call(call: ToolCall) -> Record:
    arguments = json.loads(call.arguments)
    made = {"tool_call_id": call.id, "function_name": call.name, "arguments": arguments}
    return made if call.raw is None else {**made, "extra": {RAW: call.raw}}


def _result(call: ToolCall) -> Record:
    content = call.result if call.result is not None else call.error
    return {"source_call_id": call.id, "content": content}


def _metrics(turn: Turn) -> Record:
    extra = _known(reasoning_tokens=turn.reasoning_tokens)
    return _known(
        prompt_tokens=turn.input_tokens,
        completion_tokens=turn.output_tokens,
        cached_tokens=turn.cached_tokens,
        cost_usd=turn.cost,
        prompt_token_ids=turn.prompt_token_ids,
        completion_token_ids=turn.token_ids,
        logprobs=turn.logprobs,
        extra=extra or None,
    )


def _known(**values: Any) -> Record:
    """Return the values that are known."""
    return {name: value for name, value in values.items() if value is not None}


def _messages(record: Record) -> list[Message]:
    """Return the calls of a trajectory as messages, for the checks."""
    return [
        {
            "role": "assistant",
            "tool_calls": [{"function": _function(call)} for call in step.get("tool_calls", ())],
        }
        for step in record["steps"]
        if step["source"] == "agent"
    ]


def _function(call: Record) -> Record:
    return {"name": call["function_name"], "arguments": call.get("extra", {}).get(RAW, call["arguments"])}
