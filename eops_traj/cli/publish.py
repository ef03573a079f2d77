"""``eops-traj publish``: a selection becomes a dataset in a folder or on the Hub, if the gate lets it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.completion import complete_selection
from eops_traj.cli.console import (
    JsonOption,
    StoreOption,
    show_end,
    show_lines,
    show_table,
    show_text,
)
from eops_traj.cli.engine_options import LOCAL, Kind, Workers, engine_of
from eops_traj.progress.display import progress

if TYPE_CHECKING:
    from eops_traj.publish.request import PublishRequest

LISTED = 20
"""The most stops that are listed for people; --json lists all."""


def publish(
    selection: Annotated[
        str, typer.Argument(help="The selection's name.", autocompletion=complete_selection)
    ],
    store: StoreOption,
    to: Annotated[str, typer.Option(help="hub:ORG/NAME, or a folder that is not there yet.")],
    licence: Annotated[
        str, typer.Option("--licence", "--license", help="The dataset's own, by its SPDX name: CC-BY-4.0 ...")
    ],
    config: Annotated[
        list[str] | None, typer.Option(help="episodes (default), sft, planner_sft, planner_dpo ...; repeat.")
    ] = None,
    tasks: Annotated[
        str | None,
        typer.Option(help="The tasks with the held-out ones: a folder, hub:ORG/NAME or suite:NAME."),
    ] = None,
    policy: Annotated[
        str, typer.Option(help="What may be published: a file, or the name of a committed one.")
    ] = "publish_default",
    model_licence: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SPDX", help="A source model's licence, which allows this; repeat."),
    ] = None,
    task_licence: Annotated[
        list[str] | None,
        typer.Option(metavar="SUITE=SPDX", help="The terms of the tasks' texts, which allow this; repeat."),
    ] = None,
    tokenizer: Annotated[str | None, typer.Option(help="Check loss masks and lengths with it.")] = None,
    attacks: Annotated[
        str | None,
        typer.Option(help="The output of `tasks attack --json` on its tasks, for the card."),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(help="The output of `tasks quality --json` on its tasks, for the card."),
    ] = None,
    held_out_ok: Annotated[
        bool, typer.Option("--held-out-ok", help="Publish runs on held-out tasks, and nothing beside them.")
    ] = False,
    public: Annotated[
        bool, typer.Option("--public", help="Make the dataset public; else it is private.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show everything, write nothing.")] = False,
    workers: Workers = 0,
    engine: Kind = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Publish a selection as Parquet with a card, if no row holds a secret, a person or a held-out task."""
    from eops_traj.optional import require
    from eops_traj.publish.build import NotPublished
    from eops_traj.publish.policy import vouched_licences
    from eops_traj.publish.request import PublishRequest
    from eops_traj.publish.run import HUB, Publication
    from eops_traj.publish.split_export import EPISODES

    require("publish")
    name = to.removeprefix(HUB) if to.startswith(HUB) else to.rstrip("/").rpartition("/")[2]
    request = PublishRequest(
        name, selection, store, licence, tuple(config or (EPISODES,)), tasks, policy,
        vouched_licences(model_licence or [], "--model-licence"),
        vouched_licences(task_licence or [], "--task-licence"), tokenizer, held_out_ok, attacks, quality,
    )  # fmt: skip
    publication = Publication(request, to, public, engine_of(workers, engine))
    try:
        place, dataset = (to, publication.rehearse(progress)) if dry_run else publication.run(progress)
    except NotPublished as stopped:
        place, dataset = to, stopped.dataset
    stops = [{**stop._asdict(), "told": str(stop)} for stop in dataset.report.stops]
    head = {"to": place, "visible": _visible(to, public), "licence": licence, "dry_run": dry_run}
    if as_json:
        head |= {"gate": dataset.report.table(), "stops": stops, "card": dataset.card}
        show_table(head, "parts", dataset.parts, as_json)
    else:
        show_table(head, "parts", dataset.parts, as_json)
        show_table({"held against": dataset.report.held_against}, "gate", dataset.report.table(), as_json)
        show_lines(*(f"{stop['check']}: {stop['told']}" for stop in stops[:LISTED]))
        if dry_run:
            show_text(f"\n{dataset.card}")
    dataset.require_passed()
    if to.startswith(HUB) and not dry_run:
        show_end(place, ["eops-traj", "history", "--store", store], as_json)
        return
    again = _command(
        request, to if dry_run else f"hub:ORG/{name}", {"held-out-ok": held_out_ok, "public": public}
    )
    show_end("nothing: this was a dry run" if dry_run else place, again, as_json)


def _command(request: "PublishRequest", to: str, switches: Mapping[str, bool]) -> list[str]:
    """Return the command that publishes the same elsewhere, or for good."""
    given: list[tuple[str, str | None]] = [("store", request.store), ("to", to), ("licence", request.licence)]
    given += [("config", name) for name in request.configs]
    given += [("tasks", request.tasks), ("policy", request.policy), ("tokenizer", request.tokenizer)]
    given += [("model-licence", f"{name}={terms}") for name, terms in request.model_licences.items()]
    given += [("task-licence", f"{name}={terms}") for name, terms in request.task_licences.items()]
    given += [("attacks", request.attacks), ("quality", request.quality)]
    words = [word for name, value in given if value is not None for word in (f"--{name}", value)]
    return [
        "eops-traj",
        "publish",
        request.selection,
        *words,
        *(f"--{s}" for s, on in switches.items() if on),
    ]


def _visible(to: str, public: bool) -> str:
    """Say who will see the dataset."""
    return ("public" if public else "private") if to.startswith("hub:") else "a folder"
