"""``eops-traj labels``: what readers said in ``view --review``, and how far they agree."""

import dataclasses

from eops_traj.cli.console import JsonOption, StoreOption, show_table


def labels(store: StoreOption, as_json: JsonOption = False) -> None:
    """List what readers said of episodes and turns, and how far they agree."""
    from eops_traj.review.agreement import agreement
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        given = opened.labels()
    figures = agreement(given)
    head = {
        "labels": len(given),
        "labelled by several": figures.units,
        "readers of those": figures.readers,
        "agreement": figures.share,
        "Krippendorff's alpha": figures.alpha,
    }
    rows = [dataclasses.asdict(label) for label in given]
    if not as_json:
        shown = ("episode_id", "turn", "reader", "value", "cause", "note", "created_at")
        rows = [{**{name: row[name] for name in shown}, "turn": _from_one(row["turn"])} for row in rows]
    show_table(head, "labels given", rows, as_json)


def _from_one(turn: int | None) -> int | None:
    """Return the number of a turn as people count, and the viewer; None for the whole episode."""
    return None if turn is None else turn + 1
