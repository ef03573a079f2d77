"""The pages of selections: all of them, one with its rules, and why an episode is in it or not."""

import dataclasses
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eops_traj.filter.explain import explain
from eops_traj.filter.rules import rule_labels
from eops_traj.filter.selecting import list_selections
from eops_traj.view.data import EpisodeSource
from eops_traj.view.templating import render_page


def selections(source: EpisodeSource, request: Request) -> Response:
    """Render the saved selections."""
    return render_page("selections.html", selections=list_selections(source.store))


def selection(source: EpisodeSource, request: Request) -> Response:
    """Render a selection: its rules in order, with the number that each dropped."""
    name = request.path_params["name"]
    head, reasons = source.selection(name), source.reasons(source.index(), name)["reason"]
    counts = dict(reasons.drop_nulls().value_counts().iter_rows())
    rules, left = [], sum(counts.values())
    for label, parameters in rules_of(head.config).items():
        left -= counts.get(label, 0)
        rules.append(
            {"label": label, "parameters": parameters, "dropped": counts.get(label, 0), "left": left}
        )
    return render_page(
        "selection.html",
        selection=head,
        rules=rules,
        kept=counts.get("kept", 0),
        seen=sum(counts.values()),
        unseen=reasons.null_count(),
    )


def why(source: EpisodeSource, request: Request) -> Response:
    """Explain rule by rule why an episode is in a selection or out of it."""
    name, episode_id = request.path_params["name"], request.path_params["episode_id"]
    chosen = source.selection(name, episode_id)
    if not chosen.rows:
        raise HTTPException(404, f"The selection {name} never saw the episode {episode_id}.")
    steps = [dataclasses.asdict(step) for step in explain(source.store, chosen, episode_id)]
    return render_page("why.html", selection=chosen, episode_id=episode_id, steps=steps, row=chosen.rows[0])


def rules_of(config: str) -> dict[str, Any]:
    """Return the parameters of a selection's rules by label."""
    entries = json.loads(config)["rules"]
    labels = rule_labels(next(iter(entry)) for entry in entries)
    return dict(zip(labels, (next(iter(entry.values())) for entry in entries), strict=True))
