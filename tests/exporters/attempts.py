"""Attempts made by the engine's own hands, in a store with a selection of them all."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.run import Export
from eops_traj.instances import load
from eops_traj.schema import Json, Selection, SelectionRow, Task
from eops_traj.store.store import Store
from tests.collectors.asked import PLAN, TASK, TWIN
from tests.collectors.desks import says
from tests.planner.made import episode_of

GOLD = PLAN.strip()
HASTY = "1. add_new_group_member(group_id=1, user_id=8) -- put them in"
SHORT = "\n".join(GOLD.splitlines()[:-1])
"""The gold plan without its last step."""
REFUSAL = "REFUSE: it is not allowed"
CHATTER = "First I would look for Conrad Vogt, and then we shall see."


LEFT = replace(TWIN, task_id="left", user_prompt="Please take Conrad Vogt into Service Desk, if he is here.")
"""The task that must be declined, asked for in words of its own."""


def planned(task: Task, *texts: str) -> list[EpisodeBundle]:
    """Attempts of a planner that wrote these texts."""
    return numbered([episode_of(task, "plan", [says(text)]) for text in texts])


def mixed() -> list[EpisodeBundle]:
    """A task to do and one to decline, each with plans that pass and plans that fail."""
    return numbered(
        [*planned(TASK, GOLD, SHORT, REFUSAL, CHATTER, GOLD), *planned(LEFT, GOLD, HASTY, REFUSAL)]
    )


def numbered(made: Iterable[EpisodeBundle]) -> list[EpisodeBundle]:
    """The attempts with an id each."""
    return [replace(m, episode=replace(m.episode, episode_id=f"e{n}")) for n, m in enumerate(made)]


def samples(made: Iterable[EpisodeBundle]) -> list[EpisodeBundle]:
    """What an exporter is given of the attempts."""
    return made


def store_with(folder: Path, made: Iterable[EpisodeBundle]) -> Path:
    """A store of the attempts, all of them in the selection ``chosen``."""
    made = list(made)
    with Store.open(folder / "store", create=True) as store:
        for m in made:
            store.append([m.episode], prompts=[m.prompt], toolsets=[m.toolset])
        store.flush()
        store.save_selection(
            Selection(
                name="chosen",
                store_version=store.version(),
                config=Json('{"rules":[{"no_error":{}}]}'),
                created_at="2026-11-21T00:00:00+00:00",
                rows=tuple(SelectionRow(episode_id=m.episode.episode_id) for m in made),
            )
        )
    return folder / "store"


def rows(folder: Path, format: str, made: Iterable[EpisodeBundle], **options: Any) -> list[dict[str, Any]]:
    """The rows that a format makes of the attempts, written and read but not checked."""
    cls = load("format", format)
    exporter = cls(cls.takes(**options))
    exporter.write(samples(made), folder)
    return [row.record for row in exporter.read(folder)]


def export(
    folder: Path, format: str, made: Iterable[EpisodeBundle], *, tokenizer: str | None = None, **options
) -> Path:
    """The folder of an export of the attempts."""
    out = folder / format
    Export(format, str(store_with(folder, made)), "chosen", out, tokenizer, options=options).run()
    return out
