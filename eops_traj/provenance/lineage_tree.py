"""A lineage for people: a tree that leads from a checkpoint down to the episodes behind it."""

import json
from typing import TYPE_CHECKING, Any

from eops_traj.provenance.lineage import SHORT, CheckpointLineage, DataSource, SelectionSource
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    from rich.tree import Tree

MANY = 6
"""Counts of one kind that are shown; the rest are summed up."""


def lineage_tree(checkpoint: CheckpointLineage) -> "Tree":
    """Build the tree of a checkpoint: its settings, parent, data and benchmark episodes, a branch each."""
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(visible(f"checkpoint {checkpoint.checkpoint}")))
    _grow(tree, checkpoint)
    return tree


def _add(tree: "Tree", line: str) -> "Tree":
    """Add a branch; its text is one line and no markup."""
    from rich.text import Text

    return tree.add(Text(visible(line)))


def _grow(tree: "Tree", checkpoint: CheckpointLineage) -> None:
    for problem in checkpoint.problems:
        _add(tree, f"PROBLEM: {problem}")
    if checkpoint.recipe is None:
        _add(tree, "no longer there" if checkpoint.gone else "trained elsewhere")
    else:
        _add(_add(tree, f"recipe {checkpoint.recipe}"), _settings(checkpoint.config))
    if checkpoint.data is not None:
        _data(tree, checkpoint.data)
    if checkpoint.parent is not None:
        _grow(_add(tree, f"trained from checkpoint {checkpoint.parent.checkpoint}"), checkpoint.parent)
    elif checkpoint.recipe is not None:
        _add(tree, "trained from scratch")
    for run in checkpoint.made or ():
        _add(tree, _run(run))
    if checkpoint.made == []:
        _add(tree, "made no episode of this store")


def _settings(config: dict[str, Any]) -> str:
    settings = {key: value for key, value in config.items() if value is not None and key != "recipe"}
    return ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in settings.items())


def _data(tree: "Tree", data: DataSource) -> None:
    without = f" without {len(data.left_out)} that leak" if data.left_out else ""
    rows = "" if data.rows is None else f", {data.rows} rows{without}"
    branch = _add(tree, f"data {data.content_hash}: {data.format}{rows}, {data.folder}, {data.state}")
    _selection(branch, data.chosen)
    for name, counts in data.episodes.items():
        _add(branch, f"episodes by {name}: {_counted(counts)}")
    if data.tasks:
        _add(branch, f"tasks by split: {_counted(data.tasks)}")


def _selection(branch: "Tree", chosen: SelectionSource) -> None:
    of = f"{chosen.store}, version {chosen.store_version}"
    selection = _add(branch, f"selection {chosen.selection} of store {of}")
    for rule in chosen.rules or ():
        _add(selection, f"{rule['rule']}: {rule['dropped']} dropped, {rule['kept']} left")


def _counted(counts: dict[str, int]) -> str:
    parts = [f"{value} {count}" for value, count in list(counts.items())[:MANY]]
    rest = list(counts.values())[MANY:]
    return ", ".join(parts + ([f"{len(rest)} more {sum(rest)}"] if rest else []))


def _run(run: dict[str, Any]) -> str:
    where = f"split {run['split']}, {run['orchestrator']}, run {run['run_id'][:SHORT]}"
    return f"made {run['episodes']} episodes of {run['tasks']} tasks, {run['passed']} passed: {where}"
