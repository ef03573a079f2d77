"""Build a dataset in a folder: its parts, the gate's report on them, the card and the certificates."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, StoreError, WorkError
from eops_traj.export.card import CARD
from eops_traj.export.run import Progress, episode_bundles
from eops_traj.publish.card import DatasetCard
from eops_traj.publish.croissant import CROISSANT, render_croissant
from eops_traj.publish.episode_facts import Models, SelectionFacts, source_models
from eops_traj.publish.gate import GateReport, PublishGate
from eops_traj.publish.leak_gate import HeldOutTasks
from eops_traj.publish.policy import to_spdx
from eops_traj.publish.request import PublishRequest
from eops_traj.publish.split_export import HELD_OUT, DatasetPart, PartBuilder, partition_selection
from eops_traj.schema import Selection
from eops_traj.store.store import Store
from eops_traj.workers.engine import HERE, Engine

CERTIFICATES = "certificates"


@dataclass(frozen=True)
class BuiltDataset:
    """A built dataset: its parts, a row each, the gate's report, and its card."""

    parts: list[dict[str, Any]]
    report: GateReport
    card: str

    def require_passed(self) -> None:
        """Raise NotPublished where the gate stopped anything."""
        if self.report.stops:
            raise NotPublished(self)


class NotPublished(WorkError):
    """The gate stopped something of a dataset: the message names the first, its report all."""

    def __init__(self, dataset: BuiltDataset) -> None:
        super().__init__(dataset.report.complaint())
        self.dataset = dataset


def build_dataset(
    request: PublishRequest, folder: Path, progress: Progress, engine: Engine = HERE
) -> BuiltDataset:
    """Build the dataset in a folder, and let the gate check every row, with what takes long on ``engine``.

    Raises InputError for an unknown or empty selection, an episode that is damaged or gone, a configuration
    that makes no row, and tasks without held-out ones to compare with.
    """
    policy = request.effective_policy()
    with Store.open(request.store) as store, tempfile.TemporaryDirectory() as work:
        selection = store.selection(request.selection)
        facts = _collect_facts(store, selection)
        splits = partition_selection(selection, {i: episode.split for i, episode in facts.episodes.items()})
        evaluation = request.held_out_ok and any(name in HELD_OUT for name in splits)
        held_out = None if evaluation else HeldOutTasks.of(request.tasks, facts, store)
        licence = to_spdx(request.licence)
        builder = PartBuilder(store, Path(work), folder, licence, request.tokenizer, progress, engine)
        results = [builder.build(config, splits) for config in request.configs]
        parts = [part for built, _ in results for part in built]
        without = [reason for _, reasons in results for reason in reasons]
        gate = PublishGate(policy, facts, held_out, licence, engine)
        report = gate.check(parts, progress)
        card = DatasetCard(
            request.name,
            licence,
            request.store,
            selection,
            parts,
            without,
            facts,
            policy,
            report,
            request.attack_figures(),
            request.task_quality(),
        )
        files = _descriptions(card)
        report.stops += gate.check_descriptions(files)
        files[CARD] = card.render()  # with what the gate said of it
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return BuiltDataset([_part_row(part) for part in parts], report, files[CARD])


def _collect_facts(store: Store, selection: Selection) -> SelectionFacts:
    """Collect the facts of a selection's episodes.

    Raises InputError where it has none, and StoreError where one, or what one was branched from, is missing.
    """
    from polars.exceptions import PolarsError

    kept, version = selection.kept(), selection.store_version
    if not kept:
        raise InputError(f"selection {selection.name!r} is empty: every episode was dropped")
    try:
        parents = _models_of_parents(store, kept, version)
        facts = SelectionFacts.of(episode_bundles(store, kept, version), parents)
    except (PolarsError, OSError) as error:
        raise StoreError(f"{store.url} has a data file that cannot be read: {str(error)[:300]}") from error
    if missing := [episode_id for episode_id in kept if episode_id not in facts.episodes]:
        raise StoreError(
            f"{len(missing)} episodes of {selection.name!r} are not in {store.url}: {missing[0]} ..."
        )
    return facts


def _models_of_parents(store: Store, kept: Sequence[str], version: int) -> dict[str, Models]:
    """Return the models behind each episode that one of those kept was branched from."""
    import polars as pl

    rows = store.scan(version).filter(pl.col("episode_id").is_in(kept))
    ids = rows.select(pl.col("parent").drop_nulls().unique()).collect()["parent"].to_list()
    return {episode.episode_id: source_models(episode) for episode in store.episodes(ids, version)}


def _descriptions(card: DatasetCard) -> dict[str, str]:
    """Return the certificates, the card and croissant.json, by their names in the folder."""
    about = f"{card.facts.tally.episodes} agent episodes on enterprise tasks, verified by SQL; see {CARD}."
    date = card.selection.created_at[:10]
    certificates = {
        f"{CERTIFICATES}/{part.config}-{part.split}.json": part.certificate.to_json() for part in card.parts
    }
    return {
        **certificates,
        CARD: card.render(),
        CROISSANT: render_croissant(card.name, about, card.licence, date, card.parts),
    }


def _part_row(part: DatasetPart) -> dict[str, Any]:
    return {
        "config": part.config,
        "split": part.split,
        "rows": part.shards.rows,
        "files": len(part.shards.files),
        "bytes": part.shards.download_size,
        "certificate": "failed" if part.certificate.failed() else "passed",
    }
