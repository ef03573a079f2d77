"""Commands of this program that the loop and the rounds of improvement have in common."""

from collections.abc import Iterable, Sequence
from pathlib import Path

Command = tuple[str, ...]

VIEW = ("policy=reference", "tools=names", "values=marked", "prompt=plan_short")
"""What a small planner is shown, and the prompt that asks it, as `collect_planner` has them; so have both
sizes of the loop, and a round of which nothing else is said."""

ALIKE = ("prompt", "wording", "plan")
"""Likenesses that come by chance, row by row: requests of one family in nearly the same words, or in the same
but for their values, and plans that name nothing. What else may leak is a mistake in the making of the data,
and stops the training."""


def collect_with_planner(
    name: str, model: Path, tasks: str, splits: str, store: Path, *settings: str,
    shown: Iterable[str] = (),
) -> Command:  # fmt: skip
    """Have a planner plan tasks. It goes by its name, wherever its folder lies.

    ``shown`` are parts of its view that are other than those of a `VIEW`.
    """
    collect = ("collect", "collect_planner", "--store", str(store), "--resume")
    asked = (f"tasks.source={tasks}", f"tasks.splits=[{splits}]")
    planner = (f"models.planner.model={name}", f"models.planner.path={model}")
    told = (f"orchestrator.shown.{each}" for each in shown)
    return (*collect, *asked, *told, *planner, *settings)


def collect_gold(tasks: str, splits: str, store: Path, *settings: str) -> Command:
    """Have the expert carry out each task's gold plan, without a slip."""
    asked = (f"tasks.source={tasks}", f"tasks.splits=[{splits}]", "orchestrator.rate=0", "attempts=1")
    return ("collect", "collect_expert", "--store", str(store), "--resume", *asked, *settings)


def select_plans(store: Path, name: str) -> Command:
    """Select episodes that plans are made of."""
    return ("filter", "filter_planner", "--store", str(store), "--name", name)


def export_plans(format: str, store: Path, selection: str, out: Path, *options: str) -> Command:
    """Export plans, each run and proven; ``options`` are the format's, or other parts of the `VIEW`."""
    settings = [part for option in (*VIEW, "reasons=false", *options) for part in ("--option", option)]
    where = ("--store", str(store), "--selection", selection, "--out", str(out))
    return ("export", format, *where, *settings)


def train_on(
    config: str, data: Path, output: Path, seed: int, held_out: str,
    settings: Sequence[str] = (), allow: str = "",
) -> Command:  # fmt: skip
    """Train, but on nothing that is held out, nor on what is like it by chance; kinds may be allowed."""
    left_out = ",".join(kind for kind in ALIKE if kind not in allow.split(","))
    known = (f"held_out.tasks={held_out}", f"held_out.leave_out=[{left_out}]", f"held_out.allow=[{allow}]")
    return ("train", config, f"data={data}", f"output={output}", f"seed={seed}", *known, *settings)
