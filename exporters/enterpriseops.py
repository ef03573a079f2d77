"""Result files of ServiceNow's EnterpriseOps-Gym harness, so that its score script reads our runs.

One file a task, as ``eops-traj import enterpriseops`` reads them::

    results/csm/results_oracle__csm__TASK.json          one agent, one job
    results/AGENT/csm/results_oracle__csm__TASK.json    several agents
    results/run_2/csm/results_oracle__csm__TASK.json    a second job of the same attempts

The score script averages over each folder of ``results``.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.base import Exporter
from eops_traj.export.rows import Row
from eops_traj.interchange.enterpriseops_conversation import arguments_of, result_of, write
from eops_traj.interchange.enterpriseops_stats import statistics, verification
from eops_traj.messages import Message
from eops_traj.schema import Episode, Json, ToolCall, Turn

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

SPOOL = ".spool"


class EnterpriseOps(Exporter):
    """One file for all attempts of an agent at a task, with the harness's own statistics."""

    title = "EnterpriseOps-Gym result files"
    trains = False
    keeps_reasoning = False
    data_files = "results/**/*.json"

    def write(self, samples: Iterable[EpisodeBundle], folder: Path) -> list[str]:
        """Write the files. Runs are spooled as they come, since those of one file may lie far apart."""
        spool = folder / SPOOL
        spool.mkdir()
        index: dict[Key, Spooled] = {}
        for sample in samples:
            key = _free_key(sample.episode, index)
            spooled = index.setdefault(key, Spooled(spool / f"{len(index)}.jsonl", benchmark_config(sample)))
            spooled.add(sample)
        several = Several.of(index)
        places = {several.path(key): spooled for key, spooled in index.items()}
        written = []
        for path in sorted(places):
            written += places[path].assemble(folder / path)
        shutil.rmtree(spool)
        return written

    def read(self, folder: Path) -> Iterator[Row]:
        """The runs, file by file."""
        for path in self.files(folder):
            content = json.loads(path.read_text(encoding="utf-8"))
            for run in content["runs"]:
                place = f"{path.relative_to(folder).as_posix()} run {run['run_number']}"
                record = {"benchmark_config": content["benchmark_config"], "run": run}
                yield Row(place, record, _messages(run.get("conversation_flow", [])), [])

    def mask(self, tokenizer: "PreTrainedTokenizerBase", name: str) -> None:
        """No model reads these files."""

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Every call, with what the model wrote where that was no object."""
        return [(call.name, arguments_of(call)) for call in episode.tool_calls()]


@dataclass(frozen=True, order=True)
class Key:
    """What runs of one file have in common; ``job`` counts up where an attempt was made before."""

    agent: str
    mode: str
    domain: str
    task_id: str
    job: int

    @property
    def name(self) -> str:
        """The file's name."""
        parts = [self.task_id] if self.mode == "unknown" else [self.mode, self.domain, self.task_id]
        return f"results_{_plain('__'.join(parts))}.json"


@dataclass
class Spooled:
    """The runs of one file so far, on disk."""

    path: Path
    config: dict[str, Any]
    attempts: dict[int, str] = field(default_factory=dict)

    def add(self, sample: EpisodeBundle) -> None:
        """Add one run."""
        self.attempts[sample.episode.attempt] = sample.episode.episode_id
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(run_record(sample)) + "\n")

    def assemble(self, path: Path) -> list[str]:
        """Write the file and return the episodes in its order, that of the attempts."""
        with self.path.open(encoding="utf-8") as lines:
            runs = sorted(map(json.loads, lines), key=lambda run: run["run_number"])
        path.parent.mkdir(parents=True, exist_ok=True)
        config = self.config | {"number_of_runs": len(runs)}
        content = {"benchmark_config": config, "runs": runs, "statistics": statistics(runs)}
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
        return [self.attempts[attempt] for attempt in sorted(self.attempts)]


@dataclass(frozen=True)
class Several:
    """Which folders it takes to keep the files apart."""

    agents: bool
    jobs: bool

    @classmethod
    def of(cls, keys: Iterable[Key]) -> "Several":
        """Whether there are several agents, and several jobs."""
        known = list(keys)
        return cls(len({key.agent for key in known}) > 1, any(key.job > 1 for key in known))

    def path(self, key: Key) -> Path:
        """Where a file goes."""
        agent = [key.agent] if self.agents else []
        job = [f"run_{key.job}"] if self.jobs else []
        return Path("results", *agent, *job, _plain(key.domain), key.name)


def _free_key(episode: Episode, index: dict[Key, Spooled]) -> Key:
    """The first job in which this attempt is not taken."""
    agent = f"{_plain(episode.model)}__{episode.orchestrator}__{episode.agent_hash[:6]}"
    key = Key(agent, episode.mode, episode.domain, episode.task_id, 1)
    while key in index and episode.attempt in index[key].attempts:
        key = replace(key, job=key.job + 1)
    return key


def _plain(name: str) -> str:
    """The name with nothing in it that a file's name may not have."""
    return re.sub(r"[^\w.+-]", "_", name)


def benchmark_config(sample: EpisodeBundle) -> dict[str, Any]:
    """What the harness says of the task; where it wrote the episode itself, all that it said."""
    episode = sample.episode
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
        "total_tools_available": len(json.loads(sample.toolset.tools)),
    }
    return {**config, **json.loads(episode.details).get("benchmark_config", {})}


def run_record(sample: EpisodeBundle) -> dict[str, Any]:
    """One run as the harness writes it; a run that failed before its first reply has but its error."""
    episode = sample.episode
    left = json.loads(episode.details)
    run: dict[str, Any] = {"run_number": episode.attempt}
    if episode.error is not None:
        run |= {"error": episode.error, "overall_success": False}
    if episode.error is None or episode.turns:
        run |= _conversation(sample, left)
    if episode.error is None:
        run |= verification(episode.verdicts)
    return {**run, **left.get("run", {})}


def _conversation(sample: EpisodeBundle, left: dict[str, Any]) -> dict[str, Any]:
    episode = sample.episode
    turns = tuple(_as_harness(turn, episode.model) for turn in episode.turns)
    results = left.get("tool_results") or _results(turns)
    aside = left.get("conversation_flow", [])
    return {
        "started_at": episode.started_at,
        "execution_time_ms": int(episode.duration_ms or 0),
        "model_response": left.get("model_response", episode.response),
        "conversation_flow": write(turns, sample.system_prompt, episode.user_prompt, aside),
        "tools_used": list(Counter(result["tool_name"] for result in results)),
        "tool_results": results,
    }


def _as_harness(turn: Turn, model: str) -> Turn:
    """A turn with the harness's wrapping around its results and usage, where it is not the harness's own."""
    said = json.loads(turn.provider)
    usage = {"input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens}
    metadata = {"model_name": model, "finish_reason": turn.finish_reason}
    said = {"usage_metadata": usage, "response_metadata": metadata} | said
    return replace(
        turn, provider=Json(json.dumps(said)), tool_calls=tuple(_wrapped(call) for call in turn.tool_calls)
    )


def _wrapped(call: ToolCall) -> ToolCall:
    """A call with an envelope, where it was answered."""
    if call.envelope is not None or (call.result is None and call.error is None):
        return call
    inner = None
    if call.result is not None:
        inner = {"content": [{"type": "text", "text": None}], "isError": call.is_error}
    envelope = {"success": call.error is None, "result": inner, "error": call.error}
    return replace(call, envelope=Json(json.dumps(envelope)))


def _results(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The results again, in a list of their own."""
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
    """The replies of a conversation with their calls: what the checks look at."""
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
