"""Result files of ServiceNow's EnterpriseOps-Gym harness, so that its score script reads our runs.

A file a task and attempt, as ``eops-traj import enterpriseops`` reads them::

    results/csm/results_oracle__csm__TASK.json          one agent, one attempt at each task
    results/AGENT/csm/results_oracle__csm__TASK.json    several agents
    results/run_2/csm/results_oracle__csm__TASK.json    the second attempts

The score script averages over the files of each folder of ``results``. A run that erred is among them, and
counts 0 there; one that another attempt replaced is left out, as the harness keeps the last try alone. So its
figures are those of ``eops-traj score --errors zero``.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.export.base import Exporter
from eops_traj.export.checks import Row
from eops_traj.files import read_json
from eops_traj.interchange.enterpriseops_calls import arguments_of, result_of
from eops_traj.interchange.enterpriseops_conversation import FLOW, write_flow, write_turns
from eops_traj.interchange.enterpriseops_files import FolderLayout, ResultFileKey, free_key
from eops_traj.interchange.enterpriseops_judged import shown_to_judge
from eops_traj.interchange.enterpriseops_orchestration import Orchestration
from eops_traj.interchange.enterpriseops_results import JUDGED, NUMBERED, statistics, verification
from eops_traj.messages import Message
from eops_traj.schema import Episode, Json, ToolCall, Turn

SPOOL = ".spool"
TRIED_AGAIN = "attempts left out that were tried again"


class EnterpriseOps(Exporter):
    """One file for all attempts of an agent at a task, with the harness's own statistics."""

    title = "EnterpriseOps-Gym result files"
    trains = teaches = imitates = False
    keeps_reasoning = False
    data_files = "results/**/*.json"

    def write(self, bundles: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the files. Runs are spooled as they come, since those of one file may lie far apart."""
        spool = folder / SPOOL
        spool.mkdir()
        index: dict[ResultFileKey, SpooledRuns] = {}
        replaced = set[str]()
        for bundle in bundles:
            replaced.add(bundle.episode.supersedes or "")
            key = free_key(bundle.episode, index)
            spooled = index.setdefault(
                key, SpooledRuns(spool / f"{len(index)}.jsonl", benchmark_config(bundle))
            )
            spooled.add(bundle)
        kept = {key: spooled for key, spooled in index.items() if not replaced.issuperset(spooled.episodes)}
        if len(kept) < len(index):
            self.counts[TRIED_AGAIN] = len(index) - len(kept)
        places = FolderLayout.of(kept).paths(kept)
        written = []
        for path in sorted(places):
            written += kept[places[path]].assemble(folder / path)
        shutil.rmtree(spool)
        return written

    def read(self, folder: Path) -> Iterator[Row]:
        """Yield the runs, file by file."""
        for path in self.files(folder):
            content = json.loads(path.read_text(encoding="utf-8"))
            for run in content["runs"]:
                place = f"{path.relative_to(folder).as_posix()} run {run['run_number']}"
                record = {"benchmark_config": content["benchmark_config"], "run": run}
                yield Row(place, record, _messages(run.get("conversation_flow", [])), [])

    def count_rows(self, path: Path) -> int:
        """Count the runs of a file. Raises FormatError where it is no result file."""
        content = read_json(path)
        runs = content.get("runs") if isinstance(content, dict) else None
        if not isinstance(runs, list):
            raise FormatError(f"{path} is no result file: it has no runs")
        return len(runs)

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return every call, with what the model wrote where that was no object."""
        return [(call.name, arguments_of(call)) for call in episode.tool_calls()]


@dataclass
class SpooledRuns:
    """The runs of one file so far, on disk."""

    path: Path
    config: dict[str, Any]
    attempts: dict[int, str] = field(default_factory=dict)

    @property
    def episodes(self) -> list[str]:
        """The ids of its episodes, in the order of the attempts."""
        return [self.attempts[attempt] for attempt in sorted(self.attempts)]

    def add(self, bundle: EpisodeBundle) -> None:
        """Add one run."""
        self.attempts[bundle.episode.attempt] = bundle.episode.episode_id
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(run_record(bundle)) + "\n")

    def assemble(self, path: Path) -> list[str]:
        """Write the file and return the episodes in its order, that of the attempts."""
        with self.path.open(encoding="utf-8") as lines:
            runs = sorted(map(json.loads, lines), key=lambda run: run["run_number"])
        path.parent.mkdir(parents=True, exist_ok=True)
        config = self.config | {"number_of_runs": len(runs)}
        content = {"benchmark_config": config, "runs": runs, "statistics": statistics(runs)}
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
        return self.episodes


def benchmark_config(bundle: EpisodeBundle) -> dict[str, Any]:
    """Return the harness's record of the task; where it wrote the episode itself, all of it."""
    episode = bundle.episode
    servers = [
        {"name": s.name, "url": s.url, "seed_database_file": s.seed, "uses_cloning": True}
        | json.loads(s.details)
        for s in episode.servers
    ]
    config = {
        "model": episode.model,
        "number_of_runs": 1,
        "user_prompt": episode.user_prompt,
        "gym_servers": servers,
        "total_gyms": len(servers),
        "total_tools_available": len(json.loads(bundle.toolset.tools)),
    }
    return {**config, **json.loads(episode.details).get("benchmark_config", {})}


def run_record(bundle: EpisodeBundle) -> dict[str, Any]:
    """Return one run as the harness writes it; of one that failed before a reply only its error."""
    episode = bundle.episode
    left = json.loads(episode.details)
    run: dict[str, Any] = {"run_number": episode.attempt}
    if episode.error is not None:
        run |= {"error": episode.error, "overall_success": False}
    if episode.error is None or episode.turns:
        run |= _conversation(bundle, left)
    if episode.error is None:
        shown = left.get(JUDGED) or shown_to_judge(episode)
        run |= verification(episode.verdicts, shown, bool(left.get(NUMBERED)))
    return {**run, **left.get("run", {})}


def _conversation(bundle: EpisodeBundle, left: dict[str, Any]) -> dict[str, Any]:
    episode, orchestration = bundle.episode, Orchestration.of(bundle.episode)
    turns = tuple(_as_harness(turn, episode.model) for turn in episode.turns)
    results = left.get("tool_results") or _results(turns)
    if orchestration is None:
        aside = left.get("conversation_flow", [])
        flow = left.get(FLOW) or write_flow(turns, bundle.system_prompt, episode.user_prompt, aside)
    else:
        flow = orchestration.flow(bundle.system_prompt, partial(_entries, episode.model))
    return {
        "started_at": episode.started_at,
        "execution_time_ms": int(episode.duration_ms or 0),
        "model_response": left.get("model_response", episode.response),
        "conversation_flow": flow,
        **(orchestration.record() if orchestration else {}),
        "tools_used": list(Counter(result["tool_name"] for result in results)),
        "tool_results": results,
    }


def _entries(model: str, turns: Iterable[Turn]) -> list[dict[str, Any]]:
    return list(write_turns(_as_harness(turn, model) for turn in turns))


def _as_harness(turn: Turn, model: str) -> Turn:
    """Wrap a turn's results and usage as the harness does, where they are not the harness's own."""
    provider = json.loads(turn.provider)
    usage = {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
    metadata = {"model_name": model, "finish_reason": turn.finish_reason}
    provider = {"usage_metadata": usage, "response_metadata": metadata} | provider
    return replace(
        turn,
        provider=Json(json.dumps(provider)),
        tool_calls=tuple(_wrapped(call) for call in turn.tool_calls),
    )


def _wrapped(call: ToolCall) -> ToolCall:
    """Return a call with an envelope, where it was answered."""
    if call.envelope is not None or (call.result is None and call.error is None):
        return call
    inner = None
    if call.result is not None:
        inner = {"content": [{"type": "text", "text": None}], "isError": call.is_error}
    envelope = {"success": call.error is None, "result": inner, "error": call.error}
    return replace(call, envelope=Json(json.dumps(envelope)))


def _results(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Return the results again, in a list of their own."""
    return [
        {
            "tool_name": call.name,
            "arguments": arguments_of(call),
            "result": result_of(call),
            "gym_server": call.server,
        }
        for turn in turns
        for call in turn.tool_calls
        if call.envelope is not None
    ]


def _messages(flow: list[dict[str, Any]]) -> list[Message]:
    """Return the replies of a conversation with their calls, for the checks."""
    return [
        {
            "role": "assistant",
            "content": entry["content"],
            "tool_calls": [
                {"function": {"name": c["name"], "arguments": c["args"]}} for c in entry["tool_calls"]
            ],
        }
        for entry in flow
        if entry["type"] == "ai_message"
    ]
