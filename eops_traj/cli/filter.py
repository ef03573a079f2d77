"""The commands that select episodes: filter, selections, why."""

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.completion import complete_kind, complete_selection
from eops_traj.cli.console import JsonOption, StoreOption, show_end, show_lines, show_table
from eops_traj.cli.engine_options import LOCAL, Kind, Workers, engine_of
from eops_traj.progress.display import progress

if TYPE_CHECKING:
    from eops_traj.filter.selecting import Filtered


def filter_(
    config: Annotated[
        str,
        typer.Argument(help="A filter config: a file, or its name.", autocompletion=complete_kind("filter")),
    ],
    store: StoreOption,
    name: Annotated[str, typer.Option(help="The name to save the selection under.")],
    workers: Workers = 0,
    engine: Kind = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Label every episode with the first rule that drops it, and save that as a selection."""
    from eops_traj.filter.config import load_rules
    from eops_traj.filter.rules import SetStep
    from eops_traj.filter.selecting import filtered, list_selections
    from eops_traj.store.store import Store

    rules, working = load_rules(config), engine_of(workers, engine)
    steps = 1 + sum(isinstance(rule, SetStep) for rule in rules.values())
    with Store.open(store) as opened, contextlib.ExitStack() as until_saved:
        with progress("filtering", steps) as advance:
            found = until_saved.enter_context(filtered(opened, name, rules, advance, working))
        earlier = next((row for row in list_selections(opened) if row["name"] == name), None)
        head = {"name": name, "store_version": found.head.store_version, "episodes": found.episodes}
        try:
            found.save()
        finally:  # where nothing is kept, the table says why
            show_table({**head, "kept": found.kept}, "rules", found.rules(), as_json)
        if earlier:
            show_lines(
                f"replaced: the selection {name!r} of {earlier['created_at']}, which kept {earlier['kept']}",
                err=True,
            )
        if not as_json:
            show_end(f"selection {name!r} in {store}, {found.kept} episodes", _after_filter(found, store))


def _after_filter(found: "Filtered", store: str) -> list[str]:
    """Return the export that takes the selection as it stands."""
    from eops_traj.export.fitness import fitting_export

    format_, splits = fitting_export(found.head, found.kept_values("split", "outcome"))
    name = found.head.name
    asked = [word for split in splits for word in ("--split", split)]
    words = ["eops-traj", "export", format_, "--store", store, "--selection", name]
    return [*words, *asked, "--out", f"data/{name}"]


def selections(store: StoreOption, as_json: JsonOption = False) -> None:
    """List the selections that a store has."""
    from eops_traj.filter.selecting import list_selections
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "selections", list_selections(opened), as_json)


def why(
    episode: Annotated[str, typer.Argument(help="The episode's id.")],
    selection: Annotated[str, typer.Option(help="The selection's name.", autocompletion=complete_selection)],
    store: StoreOption,
    as_json: JsonOption = False,
) -> None:
    """Say why an episode is in a selection or out of it: the rules it met, and the values that decided."""
    from eops_traj.filter.explain import explain
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        chosen = opened.selection(selection, [episode])
        steps = [dataclasses.asdict(step) for step in explain(opened, chosen, episode)]
    out = next((step["rule"] for step in steps if not step["kept"]), None)
    head = {"episode": episode, "selection": selection, "store_version": chosen.store_version}
    if not as_json:  # a person reads the values and the detail in one column
        columns = ("rule", "kept", "parameters")
        steps = [{**{k: s[k] for k in columns}, "because": s["detail"] or s["values"]} for s in steps]
    show_table({**head, "kept": out is None, "dropped_by": out}, "rules", steps, as_json)
