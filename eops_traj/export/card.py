"""The dataset card of an export: its content, its origin, what was dropped, and what was checked."""

import functools
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eops_traj import __version__
from eops_traj.bundle import EpisodeBundle
from eops_traj.export.base import Exporter
from eops_traj.export.checks import facts_of
from eops_traj.filter.selecting import rule_counts
from eops_traj.protocol import marks, protocol_of
from eops_traj.schema import Selection
from eops_traj.untrusted.markdown import front_matter, markdown_template

if TYPE_CHECKING:
    from eops_traj.export.certificate import Certificate
    from eops_traj.export.quality import Quality

CARD = "README.md"
"""The card's name in the folder of an export, where ``datasets`` and the Hub look for it."""

COUNTED = ("split", "domain", "outcome", "feasible", "mode", "model", "orchestrator", "protocol", "source")
"""The facts of an episode that the card counts by."""

PLACES = {"ids", "tasks", "store"}
"""The options of filter rules that name files, folders and stores."""

OBSERVED = "theirs are the tools that were called, with the arguments that were seen"
"""The meaning of a tool set of origin ``observed``."""

SECRETS_SOUGHT = "Secrets are looked for by the shape of known keys, and behind words that announce one"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""The Hub's size categories, as far as they are needed."""


@dataclass
class EpisodeCounts:
    """Counts over the episodes of an export, taken one by one."""

    episodes: int = 0
    turns: int = 0
    calls: int = 0
    raw_calls: int = 0
    observed: int = 0
    open_ended: int = 0
    tasks: set[str] = field(default_factory=set)
    runs: Counter[str] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in COUNTED})

    def add(self, bundle: EpisodeBundle) -> None:
        """Count one episode."""
        episode = bundle.episode
        calls = episode.tool_calls()
        self.episodes += 1
        self.turns += len(episode.turns)
        self.calls += len(calls)
        self.raw_calls += sum(call.raw is not None for call in calls)
        self.observed += bundle.toolset.origin == "observed"
        self.open_ended += not episode.turns or bool(episode.turns[-1].tool_calls)
        self.tasks.add(episode.task_hash)
        self.runs[episode.run_id] += 1
        facts = facts_of(episode) | {"protocol": protocol_of(episode.settings, episode.source)}
        for name, counter in self.counts.items():
            counter[str(facts[name] if name in facts else getattr(episode, name))] += 1

    def limits(self) -> list[str]:
        """Return what a reader of the data should know, a sentence each."""
        worded = [f"{name}: {mark}." for name, mark in marks(self.counts["orchestrator"]).items()]
        sentences = [
            *((True, f"Of the benchmark's orchestrators, {sentence}") for sentence in worded),
            (
                self.observed,
                f"Episodes that came without the tools they were shown: {self.observed}; {OBSERVED}.",
            ),
            (self.raw_calls, f"Tool calls whose arguments did not parse as written: {self.raw_calls}."),
            (self.open_ended, f"Conversations that end without a final reply: {self.open_ended}."),
            (True, "Outcomes come from verifiers, which see the final state and not the way to it."),
            (True, f"{SECRETS_SOUGHT}; personal data is not looked for."),
        ]
        return [sentence for applies, sentence in sentences if applies]


@dataclass(frozen=True)
class Card:
    """The contents of a card."""

    name: str
    exporter: Exporter
    selection: Selection
    store: str
    licence: str
    tally: EpisodeCounts
    rows: int
    files: tuple[str, ...]
    """The data files, by their paths within the folder."""

    @functools.cached_property
    def front_matter(self) -> str:
        """The YAML that the Hub and ``datasets`` read: licence, size, files and columns."""
        size = next((label for top, label in SIZES if self.rows < top), "n>1M")
        fields: dict[str, Any] = {
            "pretty_name": self.name,
            "license": self.licence,
            "task_categories": ["text-generation"],
            "tags": ["agents", "tool-use", "trajectories", "eops-traj"],
            "size_categories": [size],
        }
        if self.exporter.features:
            split = {"split": "train", "path": list(self.files)}
            fields["configs"] = [{"config_name": "default", "data_files": [split]}]
            fields["dataset_info"] = {"features": [dict(column) for column in self.exporter.features]}
        return front_matter(fields)

    def render(self, certificate: "Certificate | None" = None, quality: "Quality | None" = None) -> str:
        """Render the card as Markdown; without a certificate, for reading the data while it is checked."""
        return markdown_template("eops_traj.exporters", "card.md.jinja").render(
            name=self.name,
            title=self.exporter.title,
            front_matter=self.front_matter,
            reading=self.exporter.features is not None,
            selection=self.selection,
            rules=public_rules(self.selection),
            steps=rule_counts(self.selection),
            rows=self.rows,
            options=self.exporter.options.recorded(),
            counts=self.exporter.counts,
            store=self.store,
            tally=self.tally,
            limits=self.tally.limits(),
            licence=self.licence,
            certificate=certificate,
            quality=quality,
            version=__version__,
        )


def public_rules(selection: Selection) -> str:
    """Return the rules of a selection as JSON, with the last names alone of what is private: local places."""
    config = json.loads(selection.config)
    for options in (options for rule in config["rules"] for options in rule.values()):
        for name in PLACES & options.keys():
            if isinstance(options[name], str):
                options[name] = re.split(r"[/\\]", options[name].rstrip("/\\"))[-1]
    return json.dumps(config, indent=2, ensure_ascii=False)
