"""The command line: one short function a command, in the order of the pipeline.

Errors are one line on stderr without a traceback; the exit code is 2 for bad input or usage and 1 where the
work ran and found failures. Heavy imports stay inside the commands, so that ``--help`` is quick.
"""

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eops_traj import __version__
from eops_traj.cli import benchmark, provenance
from eops_traj.cli import collect as collect_cli
from eops_traj.cli import convert as exchange_cli
from eops_traj.cli import gym as gym_cli
from eops_traj.cli import pipeline as loop_cli
from eops_traj.cli import publish as publish_cli
from eops_traj.cli import report as report_cli
from eops_traj.cli import tasks as tasks_cli
from eops_traj.cli import view as view_cli
from eops_traj.cli.console import JsonOption, StoreOption, progress, show_table, show_whole
from eops_traj.errors import EopsError, UnknownName, WorkError

if TYPE_CHECKING:
    from eops_traj.interchange.import_files import ImportReport

app = typer.Typer(
    name="eops-traj",
    help="Agent trajectories for enterprise operations: collect, verify, filter, export, train.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.add_typer(gym_cli.app, name="gym")
app.add_typer(tasks_cli.app, name="tasks")

FORMATS_HELP = (
    "Episodes whole: sft, openai, enterpriseops. Plans: planner_sft, planner_dpo, kto, prompts (the options"
    " policy, tools and prompt say what the planner is shown). Single decisions: step_dpo. For others"
    " to read: atif, nemo_gym, sharegpt, token_ids."
)

SOURCES_HELP = (
    "Who wrote the files: enterpriseops; or their format: atif, nemo_gym, openai, sharegpt, token_ids."
)

PathList = Annotated[list[Path], typer.Argument(help="Files or folders.", show_default=False)]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eops-traj {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Agent trajectories for enterprise operations: collect, verify, filter, export, train."""


@app.command("import")
def import_(
    source: Annotated[str, typer.Argument(help=SOURCES_HELP)],
    paths: PathList,
    store: StoreOption,
    tasks: Annotated[Path | None, typer.Option(help="Folder of task files to join.")] = None,
    tools: Annotated[list[Path] | None, typer.Option(help="tools/list answers: files or folders.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Read result files of another harness into the store, each episode once."""
    from eops_traj.collectors.importers import IMPORTERS
    from eops_traj.interchange.import_files import import_files
    from eops_traj.store.store import Store
    from eops_traj.tasks import load_tasks

    if source not in IMPORTERS:
        raise UnknownName("source", source, IMPORTERS)
    importer = IMPORTERS[source](load_tasks(tasks) if tasks else {}, tools or [])
    files = importer.files(paths)
    with Store.open(store, create=True) as opened, progress("importing", len(files)) as advance:
        report = import_files(files, importer, opened, done=advance)
    show_report(report, as_json)
    if report.problems:
        raise WorkError(f"{len(report.problems)} of {report.files} files could not be read")


def show_report(report: "ImportReport", as_json: bool) -> None:
    """Print what an import did; the files that could not be read go to stderr as well."""
    for problem in report.problems:
        typer.echo(problem, err=True)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(report)))
        return
    stored = report.episodes - report.new
    typer.echo(f"{report.files} files, {report.episodes} episodes: {report.new} new, {stored} already stored")


for command in (collect_cli.doctor, collect_cli.collect, collect_cli.branch, collect_cli.verify):
    app.command()(command)


@app.command()
def score(
    store: StoreOption,
    by: Annotated[str, typer.Option(help="Group by these columns: domain,mode,model ...")] = "",
    k: Annotated[list[int] | None, typer.Option(help="Attempts for mean@k, pass@k, pass^k; repeat.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print success, verifier pass rate, intervals, pass@k, tokens and steps, by group and in all."""
    from eops_traj.metrics.score import score
    from eops_traj.metrics.score_table import score_table
    from eops_traj.store.store import Store

    keys = list(dict.fromkeys(key.strip() for key in by.split(",") if key.strip()))
    with Store.open(store) as opened:
        episodes = opened.scan()
    if as_json:
        typer.echo(json.dumps(score(episodes, keys, k or ())))
        return
    groups = keys or ["domain"]
    rows, [total] = score(episodes, groups, k or ()), score(episodes, (), k or ())
    show_whole(score_table(rows, groups, total))


@app.command()
def diagnose(
    store: StoreOption,
    episode: Annotated[str | None, typer.Option(help="List the findings of this episode, by turn.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print how often each failure mode shows, by domain, or what one episode shows, turn by turn."""
    from rich.console import Console

    from eops_traj.metrics.failure_rates import failure_mode_table, failure_modes
    from eops_traj.store.store import Store
    from eops_traj.verify.failure_modes import diagnose

    with Store.open(store) as opened:
        found = opened.episode(episode) if episode else None
        findings = diagnose(found, opened.prompt(found.prompt_hash)) if found else ()
        rows = [] if episode else failure_modes(opened.scan())
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(f) for f in findings] if episode else rows))
    elif episode:
        lines = [f"turn {f.turn}  {f.mode}  {' '.join(f.what.split())}" for f in findings]
        typer.echo("\n".join(lines) or "no failure mode shows")
    else:
        Console().print(failure_mode_table(rows))


@app.command("filter")
def filter_(
    config: Annotated[str, typer.Argument(help="A filter config: a file, or the name of a committed one.")],
    store: StoreOption,
    name: Annotated[str, typer.Option(help="The name to save the selection under.")],
    as_json: JsonOption = False,
) -> None:
    """Label every episode with the first rule that drops it, and save that as a selection."""
    from eops_traj.filter.config import load_rules
    from eops_traj.filter.rules import make_selection, save_selection, tally
    from eops_traj.store.store import Store

    rules = load_rules(config)
    with Store.open(store) as opened:
        with progress("filtering", len(rules)) as advance:
            selection = make_selection(opened, name, rules, done=advance)
        head = {"name": name, "store_version": selection.store_version, "episodes": len(selection.rows)}
        try:
            save_selection(opened, selection)
        finally:  # where nothing is kept, the table says why
            show_table({**head, "kept": len(selection.kept())}, "rules", tally(selection), as_json)


@app.command()
def selections(store: StoreOption, as_json: JsonOption = False) -> None:
    """List the selections that a store has."""
    from eops_traj.filter.rules import list_selections
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "selections", list_selections(opened), as_json)


@app.command()
def why(
    episode: Annotated[str, typer.Argument(help="The episode's id.")],
    selection: Annotated[str, typer.Option(help="The selection's name.")],
    store: StoreOption,
    as_json: JsonOption = False,
) -> None:
    """Say why an episode is in a selection or out of it: the rules it met, and the values that decided."""
    from eops_traj.filter.explain import why
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        chosen = opened.selection(selection)
        steps = [dataclasses.asdict(step) for step in why(opened, chosen, episode)]
    out = next((step["rule"] for step in steps if not step["kept"]), None)
    head = {"episode": episode, "selection": selection, "store_version": chosen.store_version}
    if not as_json:  # a person reads the values and the detail in one column
        shown = ("rule", "kept", "parameters")
        steps = [{**{k: s[k] for k in shown}, "because": s["detail"] or s["values"]} for s in steps]
    show_table({**head, "kept": out is None, "dropped_by": out}, "rules", steps, as_json)


@app.command()
def export(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help=FORMATS_HELP)],
    store: StoreOption,
    selection: Annotated[str, typer.Option(help="The selection's name.")],
    out: Annotated[Path, typer.Option(help="The folder to make; it may not hold anything yet.")],
    tokenizer: Annotated[
        str | None, typer.Option(help="Check loss masks and lengths with it: a folder, or a cached model.")
    ] = None,
    reasoning: Annotated[bool, typer.Option(help="Keep reasoning, as reasoning_content.")] = False,
    licence: Annotated[str, typer.Option("--license", help="The licence that the card names.")] = "unknown",
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="KEY=VALUE", help="Of the format; repeat.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a selection as data to train on, with a card and a certificate of what was checked."""
    from eops_traj.config import overridden
    from eops_traj.export.run import Export

    options = overridden({}, option or (), f"format {format_}")
    job = Export(format_, store, selection, out, tokenizer, reasoning, licence, options)
    certificate = job.run(progress)
    if as_json:
        typer.echo(certificate.to_json(), nl=False)
        return
    head: dict[str, Any] = {"folder": out, "rows": certificate.rows, "data": certificate.content_hash}
    head["tokens"] = certificate.lengths or "not counted"
    show_table(head, "checks", certificate.table(), as_json)


app.command()(exchange_cli.convert)


@app.command()
def train(
    config: Annotated[str, typer.Argument(help="A training config: a file, or the name of a committed one.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Settings to change.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the training recipe that a config names; metrics.json in its output says how it went."""
    from eops_traj.train.run import train

    with contextlib.redirect_stdout(sys.stderr):  # the trainer prints as it goes
        metrics = train(config, overrides or (), resume=resume)
    if as_json:
        typer.echo(json.dumps(metrics))
        return
    head = {key: metrics[key] for key in ("steps", "seconds", "device", "rows", "trained_parameters", "best")}
    show_table({"output": metrics["config"]["output"], **head}, "losses", metrics["losses"], as_json)


@app.command()
def compare(
    base: Annotated[str, typer.Argument(help="A run (its id or how that begins), or a model: all its runs.")],
    new: Annotated[str, typer.Argument(help="What to hold against it, named in the same way.")],
    store: StoreOption,
    margin: Annotated[float | None, typer.Option(help="Test for equivalence within this share of 1.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether NEW is better than BASE over the tasks that both attempted, with intervals."""
    from eops_traj.metrics.compare import compare
    from eops_traj.metrics.compare_table import comparison_table, summary
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        found = compare(opened.scan(), base, new, margin)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(found)))
        return
    typer.echo("\n".join(summary(found)))
    show_whole(comparison_table(found))


app.command()(benchmark.rebench)
app.command()(provenance.lineage)
app.command()(provenance.leaks)
app.command()(loop_cli.loop)
app.command()(publish_cli.publish)
app.command()(report_cli.report)
app.command()(view_cli.view)


@app.command()
def schema(as_json: JsonOption = False) -> None:
    """Print the schema of the store, every column with its meaning, as Markdown."""
    from eops_traj.store import schema_docs

    typer.echo(json.dumps(schema_docs.as_json()) if as_json else schema_docs.page(), nl=as_json)


@app.command()
def history(store: StoreOption, as_json: JsonOption = False) -> None:
    """List the versions of a store, newest first: each stays readable."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "versions", opened.history(), as_json)


@app.command()
def compact(store: StoreOption, as_json: JsonOption = False) -> None:
    """Merge a store's small files into larger ones; old versions stay readable."""
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        show_table({"store": store}, "tables", opened.compact(), as_json)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; an error of ours is one line and its exit code, never a traceback."""
    try:
        app(arguments)
    except EopsError as error:
        typer.echo(f"eops-traj: {' '.join(str(error).split())}", err=True)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
