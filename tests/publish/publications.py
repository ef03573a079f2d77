"""Stores with episodes that may be published, or must not be, and the tasks that are held out."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.publish.request import PublishRequest
from eops_traj.publish.run import Publication
from eops_traj.schema import Episode, Json, Server, Task, Verdict
from tests.episodes import EPISODE
from tests.planner_data import task_files
from tests.selected import store_of

HELD = Task(
    task_id="held_0",
    domain="csm",
    mode="oracle",
    suite="tests",
    split="test",
    system_prompt="Look a record up before you change it.",
    user_prompt="Please merge the two accounts of Quarry Office, and tell their owner.",
    servers=(Server(name="sn-csm-server", seed="seeds/csm-9.sql", details=Json('{"company":9}')),),
    plan='1. find_account(name="Quarry Office") -- both of them',
)
SERVER = Server(
    name="sn-csm-server", seed="seeds/csm-0.sql", url="http://10.0.0.7:8001", details=Json('{"company":0}')
)
VERDICT = Verdict(name="nobody", kind="database_state", passed_parity=True, passed_strict=True)


def may_go(episode_id: str = "e0", **changes: Any) -> Episode:
    """Return an episode that may be published; a change may be the text of its last reply."""
    reply = changes.pop("reply", "Nobody of that name.")
    usual = {"split": "train", "model": "expert", "servers": (SERVER,), "verdicts": (VERDICT,)}
    turns = (EPISODE.turns[0], replace(EPISODE.turns[1], text=reply))
    return replace(EPISODE, **{"episode_id": episode_id, "turns": turns, **usual, **changes})


def publication(
    folder: Path, episodes: Iterable[Episode], to: str | None = None, **options: Any
) -> Publication:
    """Return a publication of these episodes, all of them chosen."""
    store = str(folder / "store")
    if not Path(store).exists():
        store_of(folder, episodes, split=None)
    if not (folder / "tasks").exists():
        task_files(folder / "tasks", [HELD])
    arguments = {
        "licence": "CC-BY-4.0",
        "task_licences": {"tests": "CC0-1.0"},
        "tasks": str(folder / "tasks"),
        **options,
    }
    public = arguments.pop("public", False)
    name = (to or "org/data").removeprefix("hub:")
    return Publication(PublishRequest(name, "chosen", store, **arguments), to or str(folder / "data"), public)


def stops(folder: Path, episodes: Iterable[Episode], **options: Any) -> list[tuple[str, ...]]:
    """Return the gate's stops of these episodes: check, row, episode and field."""
    report = publication(folder, episodes, **options).rehearse().report
    return [(s.check, f"{s.config}/{s.split}", s.row, s.episode_id, s.field) for s in report.stops]
