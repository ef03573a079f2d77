"""Make a dataset in a folder: its parts, what the gate says of them, the card and the certificates."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, StoreError
from eops_traj.export.card import CARD
from eops_traj.export.run import Progress, samples
from eops_traj.publish.card import Card
from eops_traj.publish.croissant import CROISSANT, croissant
from eops_traj.publish.episode_facts import Facts
from eops_traj.publish.gate import Gate, Report
from eops_traj.publish.leak_gate import Guard
from eops_traj.publish.licences import spdx
from eops_traj.publish.request import Request
from eops_traj.publish.split_export import Maker, Part
from eops_traj.publish.splits import HELD_OUT, by_split
from eops_traj.schema import Selection
from eops_traj.store.store import Store

CERTIFICATES = "certificates"


@dataclass(frozen=True)
class Made:
    """A dataset that was made: its parts, a row each, what the gate said of it, and its card."""

    parts: list[dict[str, Any]]
    report: Report
    card: str


def make(request: Request, folder: Path, progress: Progress) -> Made:
    """Make the dataset in a folder, and let the gate look at every row.

    Raises InputError for an unknown or empty selection, an episode that is damaged or gone, a configuration
    that comes to no row, and tasks that nothing can be held against.
    """
    policy = request.permits()
    with Store.open(request.store) as store, tempfile.TemporaryDirectory() as work:
        selection = store.selection(request.selection)
        facts = _facts(store, selection)
        splits = by_split(selection, {i: known.split for i, known in facts.episodes.items()})
        evaluation = request.held_out_ok and any(name in HELD_OUT for name in splits)
        guard = None if evaluation else Guard.of(request.tasks, facts, store)
        maker = Maker(store, Path(work), folder, spdx(request.licence), request.tokenizer, progress)
        made = [maker.parts(config, splits) for config in request.configs]
        parts = [part for found, _ in made for part in found]
        without = [reason for _, reasons in made for reason in reasons]
        report = Gate(policy, facts, guard).look(parts, progress)
        licence = spdx(request.licence)
        card = Card(request.name, licence, request.store, selection, parts, without, facts, policy, report)
        text = card.render()
        _describe(folder, card, text)
        return Made(_table(parts), report, text)


def _facts(store: Store, selection: Selection) -> Facts:
    """The facts of what a selection keeps. Raises InputError where that is nothing, or not all there."""
    from polars.exceptions import PolarsError

    kept = selection.kept()
    if not kept:
        raise InputError(f"selection {selection.name!r} is empty: every episode was dropped")
    try:
        facts = Facts.of(samples(store, kept, selection.store_version))
    except (PolarsError, OSError) as error:
        raise StoreError(f"{store.url} has a data file that cannot be read: {str(error)[:300]}") from error
    if missing := [episode_id for episode_id in kept if episode_id not in facts.episodes]:
        raise StoreError(
            f"{len(missing)} episodes of {selection.name!r} are not in {store.url}: {missing[0]} ..."
        )
    return facts


def _describe(folder: Path, card: Card, text: str) -> None:
    """Write what describes the parts beside them."""
    (folder / CERTIFICATES).mkdir()
    for part in card.parts:
        path = folder / CERTIFICATES / f"{part.config}-{part.split}.json"
        path.write_text(part.certificate.to_json(), encoding="utf-8")
    (folder / CARD).write_text(text, encoding="utf-8")
    about = f"{card.facts.tally.episodes} agent episodes on enterprise tasks, verified by SQL; see {CARD}."
    made = card.selection.created_at[:10]
    told = croissant(card.name, about, card.licence, made, card.parts, folder)
    (folder / CROISSANT).write_text(told, encoding="utf-8")


def _table(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The parts, a row each."""
    return [
        {
            "config": part.config,
            "split": part.split,
            "rows": part.shards.rows,
            "files": len(part.shards.files),
            "bytes": part.shards.download_size,
            "certificate": "failed" if part.certificate.failed() else "passed",
        }
        for part in parts
    ]
