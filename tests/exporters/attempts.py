"""Attempts made by the engine's own hands, in a store with a selection of them all."""

import functools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.run import Export
from eops_traj.instances import load
from eops_traj.schema import Json, Selection, SelectionRow, Task
from eops_traj.store.store import Store
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of

GOLD = PLAN.strip()
HASTY = "1. add_new_group_member(group_id=1, user_id=8) -- put them in"
SHORT = "\n".join(GOLD.splitlines()[:-1])
"""The gold plan without its last step."""
REFUSAL = "REFUSE: it is not allowed"
CHATTER = "First I would look for Conrad Vogt, and then we shall see."


LEFT = replace(TWIN, task_id="left", user_prompt="Please take Conrad Vogt into Service Desk, if he is here.")
"""The task that must be declined, asked for in words of its own."""


def planned(task: Task, *texts: str) -> list[EpisodeBundle]:
    """Return attempts of a planner that wrote these texts."""
    return numbered([episode_of(task, "plan", [scripted_turn(text)]) for text in texts])


def mixed() -> list[EpisodeBundle]:
    """Return attempts at a task to do and one to decline, each with plans that pass and plans that fail."""
    return [*_mixed()]


@functools.cache
def _mixed() -> list[EpisodeBundle]:
    """Make them once: every format is held against the same."""
    return numbered(
        [*planned(TASK, GOLD, SHORT, REFUSAL, CHATTER, GOLD), *planned(LEFT, GOLD, HASTY, REFUSAL)]
    )


def numbered(bundles: Iterable[EpisodeBundle]) -> list[EpisodeBundle]:
    """Give the attempts an id each."""
    return [
        replace(bundle, episode=replace(bundle.episode, episode_id=f"e{n}", split="train"))
        for n, bundle in enumerate(bundles)
    ]


def store_with(folder: Path, bundles: Iterable[EpisodeBundle]) -> Path:
    """Make a store of the attempts, all of them in the selection ``chosen``."""
    bundles = list(bundles)
    with Store.open(folder / "store", create=True) as store:
        for bundle in bundles:
            store.append([bundle.episode], prompts=[bundle.prompt], toolsets=[bundle.toolset])
        store.flush()
        store.save_selection(
            Selection(
                name="chosen",
                store_version=store.version(),
                config=Json('{"rules":[{"no_error":{}}]}'),
                created_at="2026-11-21T00:00:00+00:00",
                rows=tuple(SelectionRow(episode_id=bundle.episode.episode_id) for bundle in bundles),
            )
        )
    return folder / "store"


def rows(folder: Path, format: str, bundles: Iterable[EpisodeBundle], **options: Any) -> list[dict[str, Any]]:
    """Return the rows that a format makes of the attempts, written and read but not checked."""
    cls = load("format", format)
    exporter = cls(cls.takes(**options))
    exporter.write(bundles, folder)
    return [row.record for row in exporter.read(folder)]


def export(
    folder: Path, format: str, bundles: Iterable[EpisodeBundle], *, tokenizer: str | None = None, **options
) -> Path:
    """Export the attempts; return the folder."""
    out = folder / format
    Export(format, str(store_with(folder, bundles)), "chosen", out, tokenizer, options=options).run()
    return out
