"""``eops-traj convert``: between a store and the formats of others."""

import json
from pathlib import Path
from typing import Annotated

import typer

from eops_traj.cli.console import JsonOption, show_facts, show_table

FORMATS_HELP = "atif, nemo_gym, openai, sharegpt, token_ids or store"


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A store, an export's folder, or a file or folder of files.")
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The folder to make, or the file: NAME.json or NAME.jsonl.")
    ],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", help=f"What IN is, where that is not to be seen: enterpriseops, {FORMATS_HELP}."
        ),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help=f"What OUT is to be: {FORMATS_HELP}; a store unless IN is one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Turn a store into files of another format, or such files into a store, and say what was lost."""
    from eops_traj.interchange.convert import Conversion

    done = Conversion(source, out, from_, to).run()
    if as_json:
        typer.echo(json.dumps(done.head() | done.losses.report(done.target)))
        return
    rows = done.losses.rows()
    if rows:
        show_table(done.head(), "fields", rows, as_json)
    else:
        show_facts(done.head() | {"lost": "nothing"})
