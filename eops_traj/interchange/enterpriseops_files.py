"""Where the result files of EnterpriseOps-Gym's harness lie, for runs of ours.

The harness writes a file for each task and run, and its score script averages over files. So each attempt is
a file of its own. A file of the harness that held several runs keeps them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Protocol

from eops_traj.hashing import digest
from eops_traj.schema import Episode


@dataclass(frozen=True, order=True)
class ResultFileKey:
    """What tells one file from all others; ``job`` counts up where an attempt was made before."""

    agent: str
    mode: str
    domain: str
    task_id: str
    job: int

    @property
    def name(self) -> str:
        """The file's name."""
        parts = [self.task_id] if self.mode == "unknown" else [self.mode, self.domain, self.task_id]
        return f"results_{plain('__'.join(parts))}.json"


@dataclass(frozen=True)
class FolderLayout:
    """The folders that it takes to keep the files apart."""

    agents: bool
    jobs: bool

    @classmethod
    def of(cls, keys: Iterable[ResultFileKey]) -> "FolderLayout":
        """Return the layout for files: with folders for agents and for jobs where there are several."""
        keys = list(keys)
        return cls(len({key.agent for key in keys}) > 1, any(key.job > 1 for key in keys))

    def paths(self, keys: Iterable[ResultFileKey]) -> dict[Path, ResultFileKey]:
        """Return the files by their paths; of keys that come to the same path, all but one take a digest."""
        paths: dict[Path, ResultFileKey] = {}
        for key in sorted(keys, key=lambda key: (plain(key.task_id) != key.task_id, key)):
            path = self._path(key)
            paths[path.with_stem(f"{path.stem}_{digest(*astuple(key))[:8]}") if path in paths else path] = key
        return paths

    def _path(self, key: ResultFileKey) -> Path:
        agent = [key.agent] if self.agents else []
        job = [f"run_{key.job}"] if self.jobs else []
        return Path("results", *agent, *job, plain(key.domain), key.name)


class RunFile(Protocol):
    """A file as far as it is filled: the attempts in it, with their episodes."""

    attempts: dict[int, str]


def free_key(episode: Episode, files: Mapping[ResultFileKey, RunFile]) -> ResultFileKey:
    """Return the key of the first file that has room for an episode."""
    agent = plain(f"{episode.model}__{episode.orchestrator}__{episode.agent_hash[:6]}")
    shared = _shares_its_file(episode)
    job = 1 if shared else episode.attempt
    key = ResultFileKey(agent, episode.mode, episode.domain, episode.task_id, job)
    while key in files and (not shared or episode.attempt in files[key].attempts):
        key = replace(key, job=key.job + 1)
    return key


def _shares_its_file(episode: Episode) -> bool:
    config = json.loads(episode.details).get("benchmark_config")
    runs = config.get("number_of_runs") if isinstance(config, dict) else None
    return isinstance(runs, int) and runs > 1


def plain(name: str) -> str:
    """Replace the characters of a name that a file's name may not have; dots alone lead elsewhere."""
    return re.sub(r"[^\w.+-]|^\.+$", "_", name)
