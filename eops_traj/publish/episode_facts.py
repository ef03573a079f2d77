"""Facts about the episodes for the gate and the card, gathered in one pass over them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError, StoreError
from eops_traj.export.card import EpisodeCounts
from eops_traj.protocol import PROTOCOLS, protocol_of
from eops_traj.publish.episode_exporter import find_damage
from eops_traj.publish.synthetic_values import SeedKey, embedded_seeds
from eops_traj.schema import Episode, Run
from eops_traj.verify.verifier_kinds import is_judged

Models = dict[str, str | None]
"""Models by name, each with the hash of its checkpoint where it is known."""
UNKNOWN_JUDGE = "unknown judge"
"""The model whose terms are asked for where a judge's reasons would go out, and nobody recorded whose."""


@dataclass(frozen=True)
class EpisodeFacts:
    """The facts about an episode that the gate needs."""

    split: str | None
    models: tuple[str, ...]
    suite: str
    seeds: frozenset[SeedKey]


@dataclass
class SelectionFacts:
    """Counts and names over the episodes of a selection."""

    tally: EpisodeCounts = field(default_factory=EpisodeCounts)
    episodes: dict[str, EpisodeFacts] = field(default_factory=dict)
    agents: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Episodes by orchestrator, model and the hash of the settings."""
    models: Counter[str] = field(default_factory=Counter)
    suites: Counter[str] = field(default_factory=Counter)
    checkpoints: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The content hashes of checkpoints that were run, by model."""
    servers: Counter[str] = field(default_factory=Counter)
    verdicts: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By kind and category of verifier: how many verdicts, how many passed by either label, and how
    many parity counts at all."""
    feasible: Counter[tuple[bool | None, str]] = field(default_factory=Counter)
    """Episodes by whether the task can and may be done, and outcome."""
    runs: dict[str, Run] = field(default_factory=dict)
    dates: set[str] = field(default_factory=set)
    parents: Mapping[str, Models] = field(default_factory=dict)
    """The models behind each episode that another was branched from, whose first turns are in both."""

    @classmethod
    def of(cls, bundles: Iterable[EpisodeBundle], parents: Mapping[str, Models]) -> "SelectionFacts":
        """Gather the facts of these episodes, of which some were branched from ``parents``.

        Raises FormatError naming an episode that is damaged, StoreError naming one whose parent is unknown.
        """
        facts = cls(parents=parents)
        for bundle in bundles:
            if damage := find_damage(bundle):
                raise FormatError(f"episode {bundle.episode.episode_id} is damaged: {damage}")
            facts.add(bundle)
        return facts

    def add(self, bundle: EpisodeBundle) -> None:
        """Count one episode."""
        episode = bundle.episode
        models = {**source_models(episode), **self._shared(episode), **judge_models(bundle)}
        self.tally.add(bundle)
        self.episodes[episode.episode_id] = EpisodeFacts(
            episode.split, tuple(models), episode.suite, embedded_seeds(episode.servers)
        )
        self.agents[episode.orchestrator, episode.model, episode.agent_hash] += 1
        self.servers.update({server.name for server in episode.servers})
        self.feasible[episode.feasible, episode.outcome] += 1
        self.suites[episode.suite] += 1
        for name, checkpoint in models.items():
            self.models[name] += 1
            self.checkpoints[name].update({checkpoint} if checkpoint else ())
        for verdict in episode.verdicts:
            passed = {"strict": verdict.passed_strict, "parity": verdict.passed_parity}
            counts = [label for label, yes in passed.items() if yes]
            counted = [] if verdict.passed_parity is None else ["counted"]
            self.verdicts[verdict.kind, verdict.category].update(["verdicts", *counted, *counts])
        if bundle.run is not None:
            self.runs[bundle.run.run_id] = bundle.run
        if episode.started_at:
            self.dates.add(episode.started_at[:10])

    def _shared(self, episode: Episode) -> Models:
        """Return the models of the turns that an episode shares with the one that it was branched from."""
        if episode.parent is None or episode.branch_turn == 0:
            return {}
        if episode.parent not in self.parents:
            raise StoreError(
                f"episode {episode.episode_id} was branched from {episode.parent}, which is not in the store:"
                " nobody can tell which models its first turns are from; leave it out of the selection"
            )
        return self.parents[episode.parent]


def task_sources(runs: Iterable[Run]) -> list[str]:
    """Return the places of the runs' tasks, as far as the runs name them."""
    settings = (json.loads(run.config).get("tasks") for run in runs)
    return sorted(
        {str(tasks["source"]) for tasks in settings if isinstance(tasks, dict) and "source" in tasks}
    )


def source_models(episode: Episode) -> Models:
    """Return the models behind an episode, planners and executors alike, each with its checkpoint's hash."""
    return {episode.model: None} | dict(_models(json.loads(episode.settings).get("models", {})))


def judge_models(bundle: EpisodeBundle) -> Models:
    """Return the models behind the reasons that a judge gave, which go out with the verdicts.

    The run's config names them; where the executor judges, it is among the models of the episode.
    """
    episode = bundle.episode
    if not any(is_judged(verdict) and verdict.details for verdict in episode.verdicts):
        return {}
    protocol = PROTOCOLS.get(protocol_of(episode.settings, episode.source))
    if protocol is not None and protocol.executor_judges:
        return {}
    judge = json.loads(bundle.run.config).get("judge") if bundle.run is not None else None
    return dict(_models(judge)) or {UNKNOWN_JUDGE: None}


def _models(settings: Any) -> Iterator[tuple[str, str | None]]:
    """Yield every ``model`` in a group of settings, however deep: a pool has members."""
    if isinstance(settings, dict):
        if isinstance(settings.get("model"), str):
            yield settings["model"], settings.get("checkpoint")
        for part in settings.values():
            yield from _models(part)
    elif isinstance(settings, list):
        for part in settings:
            yield from _models(part)
