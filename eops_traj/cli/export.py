"""The commands that write data: export a selection, convert between formats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from eops_traj.cli.completion import complete_format, complete_selection
from eops_traj.cli.console import (
    JsonOption,
    StoreOption,
    show_end,
    show_facts,
    show_json,
    show_table,
    show_text,
)
from eops_traj.cli.engine_options import LOCAL, Kind, Workers, engine_of
from eops_traj.instances import choices
from eops_traj.interchange.base import KIND, exchange_formats
from eops_traj.progress.display import progress

FORMATS_HELP = f"One of {', '.join(choices('format'))}."
SOURCE_HELP = f"{', '.join(choices(KIND))} or store"
TARGET_HELP = f"{', '.join(exchange_formats())} or store"


def export(
    format_: Annotated[
        str, typer.Argument(metavar="FORMAT", help=FORMATS_HELP, autocompletion=complete_format)
    ],
    store: StoreOption,
    selection: Annotated[str, typer.Option(help="The selection's name.", autocompletion=complete_selection)],
    out: Annotated[Path, typer.Option(help="The folder to make; it may not hold anything yet.")],
    tokenizer: Annotated[
        str | None, typer.Option(help="Check loss masks and lengths with it: a folder, or a cached model.")
    ] = None,
    reasoning: Annotated[bool, typer.Option(help="Keep reasoning, as reasoning_content.")] = False,
    licence: Annotated[str, typer.Option("--license", help="The licence that the card names.")] = "unknown",
    split: Annotated[
        list[str] | None,
        typer.Option(help="A split that may be in it; repeat. Else train alone; none: of no split."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="KEY=VALUE", help="Of the format; repeat.")
    ] = None,
    workers: Workers = 0,
    engine: Kind = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Write a selection as data to train on, with a card and a certificate of what was checked."""
    from eops_traj.config import overridden
    from eops_traj.export.run import Export
    from eops_traj.tasks.splits import TRAIN

    options = overridden({}, option or (), f"format {format_}")
    splits = tuple(split or (TRAIN,))
    working = engine_of(workers, engine)
    job = Export(format_, store, selection, out, tokenizer, reasoning, licence, options, splits, working)
    certificate = job.run(progress)
    if as_json:
        show_text(certificate.to_json(), nl=False)
        return
    head: dict[str, Any] = {"folder": out, "rows": certificate.rows, "data": certificate.content_hash}
    head["certificate"] = certificate.digest()
    head["splits"] = certificate.rows_by["split"]
    head["tokens"] = certificate.lengths or "not counted"
    show_table(head, "checks", certificate.table(), as_json)
    show_end(f"{out}, {certificate.rows} rows", _after_export(format_, out, splits))


def _after_export(format_: str, out: Path, splits: Sequence[str]) -> list[object]:
    """Return the command after an export: a look at data to train on; what is for others is read back."""
    from eops_traj.instances import load
    from eops_traj.tasks.splits import TRAIN

    if not load("format", format_).teaches:
        return ["eops-traj", "import", format_, out, "--store", f"{out}_read"]
    asked = [] if tuple(splits) == (TRAIN,) else [word for name in splits for word in ("--split", name)]
    return ["eops-traj", "data", "quality", out, *asked]


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A store or its URL, an export's folder, files."),
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The folder to make, or the file: NAME.json or NAME.jsonl.")
    ],
    from_: Annotated[
        str | None,
        typer.Option("--from", help=f"What IN is, where that is not to be seen: {SOURCE_HELP}."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help=f"What OUT is to be: {TARGET_HELP}; a store unless IN is one.")
    ] = None,
    workers: Workers = 0,
    as_json: JsonOption = False,
) -> None:
    """Turn a store into files of another format, or such files into a store, and say what was lost."""
    from eops_traj.interchange.convert import STORE, Conversion

    done = Conversion(source, out, from_, to, progress, engine_of(workers, LOCAL).workers).run()
    if as_json:
        show_json(done.head() | done.losses.report(done.target))
        return
    rows = done.losses.rows()
    if rows:
        show_table(done.head(), "fields", rows, as_json)
    else:
        show_facts(done.head() | {"lost": "nothing"})
    kept = f"{done.out}, {done.episodes - done.known} episodes"
    if done.target == STORE:
        show_end(kept, ["eops-traj", "score", "--store", done.out])
    else:
        show_end(kept, ["eops-traj", "import", done.target, done.out, "--store", f"{done.out}_read"])
