"""Stores with a selection, ready to export, and tokenizers to check them with."""

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from eops_traj.export.run import Export
from eops_traj.hashing import canonical_json
from eops_traj.schema import Episode, Json, Selection, SelectionRow, ToolCall, ToolSet, Turn
from eops_traj.store.store import Store
from tests.episodes import EPISODE, PROMPT, TOOLS, episode
from tests.store.copies import empty_store

FIT = '{"rules":[{"no_error":{}},{"outcome":{"one_of":["success","failure"]}}]}'
"""The rules of a selection that may be imitated."""


def calling(episode_id: str, *arguments: dict[str, Any], answer: str = "Done.") -> Episode:
    """Return an episode with one turn a call, each with these arguments, and a final answer."""
    turns = [Turn(text="", tool_calls=(call(f"c{n}", **a),)) for n, a in enumerate(arguments)]
    return episode(episode_id, turns=(*turns, Turn(text=answer)), n_steps=len(arguments))


def call(call_id: str, /, **arguments: Any) -> ToolCall:
    """Return a call of find_user that was answered."""
    return ToolCall(
        id=call_id, name="find_user", arguments=Json(canonical_json(arguments)), result='{"user_id": 7}'
    )


def store_of(
    folder: Path,
    episodes: Iterable[Episode],
    *,
    dropped: Iterable[str] = (),
    toolsets: Iterable[ToolSet] = (TOOLS,),
    split: str | None = "train",
    rules: str = FIT,
) -> Path:
    """Make a store of the episodes, with a selection ``chosen`` of all but those dropped.

    The episodes take the tool sets in turn, and what are left over the last. Those without a split get one.
    """
    toolset_of_each = chain(toolsets, repeat([*toolsets][-1]))
    stored = [
        replace(e, toolset_hash=tools.toolset_hash, split=e.split or split)
        for e, tools in zip(episodes, toolset_of_each, strict=False)
    ]
    out, at = set(dropped), folder / "store"
    with Store.open(at if at.exists() else empty_store(at)) as store:
        store.append(stored, prompts=[PROMPT], toolsets=toolsets)
        store.flush()
        rows = [
            SelectionRow(episode_id=e.episode_id, dropped_by="no_error" if e.episode_id in out else None)
            for e in stored
        ]
        store.save_selection(
            Selection(
                name="chosen",
                store_version=store.version(),
                config=Json(rules),
                created_at="2026-11-21T00:00:00+00:00",
                rows=tuple(rows),
            )
        )
    return at


def exported(
    folder: Path, episodes: Iterable[Episode] = (EPISODE,), format: str = "sft", **options: Any
) -> Path:
    """Return the folder of an export of these episodes."""
    out = folder / format
    Export(format, str(store_of(folder, episodes)), "chosen", out, **options).run()
    return out


def lines(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON lines export."""
    return [json.loads(line) for line in (folder / "data" / "train.jsonl").read_text("utf-8").splitlines()]


def certificate(folder: Path) -> dict[str, Any]:
    """Return the certificate of an export, its checks by name."""
    value = json.loads((folder / "certificate.json").read_text("utf-8"))
    return {**value, "checks": {check["check"]: check for check in value["checks"]}}
