"""The commands about tasks: make a suite, check it, show it, and draft new scenarios."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eops_traj.cli.console import (
    JsonOption,
    show_facts,
    show_fitting,
    show_json,
    show_lines,
    show_table,
    show_text,
    show_whole,
    table_of,
)
from eops_traj.cli.engine_options import LOCAL, Kind, Workers, engine_of
from eops_traj.progress.display import progress

if TYPE_CHECKING:
    from eops_traj.taskgen.family import Family

app = typer.Typer(help="Make, check and show tasks.", no_args_is_help=True)
Where = Annotated[
    str, typer.Argument(metavar="TASKS", help="A folder of tasks, hub:ORG/NAME, or suite:NAME.")
]
Splits = Annotated[list[str] | None, typer.Option("--split", help="Only this split; may be repeated.")]
Domains = Annotated[list[str] | None, typer.Option("--domain", help="Only this domain; may be repeated.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many, in proportion.")]
Mode = Annotated[str, typer.Option(help="Which tools are shown: oracle, plus_5_tools, ..., all.")]
Seeds = Annotated[
    Path | None, typer.Option("--seeds", help="A folder or zip with the seed files, if not the tasks' own.")
]


_UNPROVEN = "no gold plan to prove it by; `tasks audit` looks for its defects"


@app.command()
def make(
    out: Annotated[Path, typer.Option(help="The folder to make; it may not hold anything yet.")],
    suite: Annotated[
        str, typer.Option(help="default, quick, hard, planner, planner_all, or a server of your own.")
    ] = "default",
    seed: Annotated[int, typer.Option(min=0, help="Another seed makes other tasks.")] = 0,
    tasks: Annotated[int | None, typer.Option(min=8, help="How many tasks, in the suite's mix.")] = None,
    wordings: Annotated[
        int | None,
        typer.Option(min=1, help="Of planner and planner_all: wordings of each task that trains."),
    ] = None,
    mode: Annotated[list[str] | None, typer.Option(help="A mode of the JSON files; may be repeated.")] = None,
    seeds: Annotated[bool, typer.Option(help="Write the databases as SQL too.")] = True,
    workers: Workers = 0,
    engine: Kind = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Make a suite: every task is proven by execution; what fails a check is dropped and replaced.

    The training tasks of planner and planner_all are read over and not proven: they only train.
    """
    from eops_traj.errors import FormatError
    from eops_traj.files import folders_made, require_no_file
    from eops_traj.taskgen.build import build_suite
    from eops_traj.taskgen.save import save_suite
    from eops_traj.taskgen.suites import find_suite
    from eops_traj.tasks.summary import stats as count_stats
    from eops_traj.tasks.toolset import check_modes

    planned = find_suite(suite).scaled(tasks) if tasks else find_suite(suite)
    planned = planned.worded(wordings) if wordings else planned
    check_modes(mode or ())
    require_no_file(out)
    if out.exists() and any(out.iterdir()):
        raise FormatError(f"{out} is not empty; name a folder that is not there yet")
    with folders_made(out):  # before the tasks, which take minutes
        with progress("making tasks", sum(planned.tasks.values())) as advance:
            built = build_suite(planned, seed, engine_of(workers, engine), advance)
        head = {"suite": suite, "seed": seed, "dropped": dict(sorted(built.dropped.items()))}
        head |= {"unproven": list(planned.unproven)} if planned.unproven else {}
        head |= {"wordings": planned.wordings} if planned.wordings > 1 else {}
        counts = count_stats(built.tasks)
        save_suite(built.tasks, out, head | counts, mode or ("oracle",), seeds)
    _show_stats({"folder": str(out), **head}, counts, as_json)


@app.command()
def check(
    where: Where, split: Splits = None, domain: Domains = None, limit: Limit = None, workers: Workers = 0,
    engine: Kind = LOCAL, seeds: Seeds = None, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Prove tasks by execution: the gold plan passes, and what is nearly right fails."""
    from eops_traj.errors import WorkError
    from eops_traj.sandbox.seed_report import loosened_seeds
    from eops_traj.taskgen.checks import check_tasks
    from eops_traj.tasks.catalog import find_tasks

    tasks, root = (
        find_tasks(where, splits=split or (), domains=domain or (), limit=limit),
        _root(where, seeds),
    )
    working, loosened = engine_of(workers, engine), loosened_seeds(tasks, root)
    with progress("checking tasks", len(tasks)) as advance:
        failed = check_tasks([task for task in tasks if task.plan is not None], root, working, advance)
    failed |= {task.task_id: [_UNPROVEN] for task in tasks if task.plan is None}
    rows = [{"task": task_id, "problem": line} for task_id, problems in failed.items() for line in problems]
    head: dict[str, Any] = {"tasks": len(tasks), "passed": len(tasks) - len(failed), "failed": len(failed)}
    head |= (
        {"loosened": loosened if as_json else "; ".join(map(" ".join, loosened.items()))} if loosened else {}
    )
    show_table(head, "problems", rows, as_json)
    if failed:
        raise WorkError(f"{len(failed)} of {len(tasks)} tasks do not hold")


@app.command()
def audit(
    where: Where, split: Splits = None, domain: Domains = None, limit: Limit = None, seeds: Seeds = None,
    mode: Mode = "oracle",
    store: Annotated[
        str | None, typer.Option(help="A store whose episodes of these tasks are given the verdicts.")
    ] = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Look for defects of imported tasks, statically and by running: what no model is to be blamed for."""
    from eops_traj.audit.mark_episodes import mark_episodes
    from eops_traj.audit.register import audit_tasks
    from eops_traj.store.store import Store
    from eops_traj.tasks.catalog import choose, load

    tasks = choose(load(where, mode), mode=mode, splits=split or (), domains=domain or (), limit=limit)
    with progress("auditing tasks", len(tasks)) as advance:
        register = audit_tasks(tasks, _root(where, seeds), advance)
    head, rows = register.head(), [finding.row() for finding in register.findings]
    if store is not None:
        with Store.open(store) as opened:
            head["episodes_marked"] = mark_episodes(opened, register.verdicts)
    columns = ("task", "verifier", "reason", "evidence")
    shown = rows if as_json else [{name: row[name] for name in columns} for row in rows]
    show_table(head, "findings", shown, as_json)


@app.command()
def attack(
    where: Where, split: Splits = None, domain: Domains = None, limit: Limit = None, workers: Workers = 0,
    engine: Kind = LOCAL,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind of attack; may be repeated.")] = None,
    most: Annotated[int, typer.Option(min=1, help="At most so many attempts of a kind on a task.")] = 12,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Attack tasks with attempts whose verdict is known: wrong work must fail, other right ways must pass."""
    from eops_traj.errors import UnknownName, WorkError
    from eops_traj.taskgen.attacks.table import ATTACKS, attack_tasks, table_rows
    from eops_traj.tasks.catalog import find_tasks, root_of

    for name in kind or ():
        if name not in ATTACKS:
            raise UnknownName("attack", name, ATTACKS)
    tasks = find_tasks(where, splits=split or (), domains=domain or (), limit=limit)
    with progress("attacking tasks", len(tasks)) as advance:
        table = attack_tasks(
            tasks, root_of(where), engine_of(workers, engine), kind or tuple(ATTACKS), most, advance
        )
    rows = table_rows(table)
    wrong = sum(row["wrong"] for row in rows)
    show_table({"tasks": len(tasks), "wrong": wrong}, "attacks", rows, as_json)
    if wrong:
        raise WorkError(f"{wrong} attempts have another verdict than they should")


@app.command()
def reword(
    where: Where,
    out: Annotated[Path, typer.Option(help="The folder to make; it may not hold anything yet.")],
    model: Annotated[str, typer.Option(help="The model that writes, as its endpoint knows it.")],
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="The client's settings: base_url=http://..."),
    ] = None,
    kind: Annotated[str, typer.Option(help="The kind of client, as in a collect config.")] = "openai_api",
    split: Splits = None, domain: Domains = None, limit: Limit = None,
    tries: Annotated[int, typer.Option(min=1, help="Texts asked for, at most, for one request.")] = 3,
    at_once: Annotated[int, typer.Option(min=1, help="Requests to the endpoint at a time.")] = 16,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="Leave out tasks whose requests stay as they were.")
    ] = False,
    seeds: Annotated[bool, typer.Option(help="Write the databases as SQL too.")] = True,
    workers: Workers = 0, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Have a model reword requests; what changes a task, or gives its answer away, is refused."""
    from eops_traj.taskgen.reword.command import Rewording, reword_tasks

    processes = engine_of(workers, LOCAL).workers
    wanted = Rewording(
        where, out, model, kind, settings or (), tries, at_once, leave_out, seeds, processes,
        split or (), domain or (), limit,
    )  # fmt: skip
    head, refused = reword_tasks(wanted, progress)
    show_table(head, "refused", refused, as_json)


@app.command("list")
def list_(
    where: Where, split: Splits = None, domain: Domains = None, limit: Limit = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """List tasks: what they are about, how long they are, whether they can be done."""
    from eops_traj.tasks.catalog import find_tasks
    from eops_traj.tasks.summary import task_row

    tasks = find_tasks(where, splits=split or (), domains=domain or (), limit=limit)
    show_table({"tasks": len(tasks)}, "list", [task_row(task) for task in tasks], as_json)


@app.command()
def show(where: Where, task_id: Annotated[str, typer.Argument(metavar="ID")], mode: Mode = "oracle") -> None:
    """Show one task: request, policy, plan, verifiers and tools."""
    from eops_traj.errors import UnknownName
    from eops_traj.tasks.catalog import find_tasks
    from eops_traj.tasks.summary import render_task

    tasks = {task.task_id: task for task in find_tasks(where, mode=mode)}
    if task_id not in tasks:
        raise UnknownName("task", task_id, tasks)
    show_text(render_task(tasks[task_id]))


@app.command()
def stats(where: Where, split: Splits = None, domain: Domains = None, as_json: JsonOption = False) -> None:
    """Count tasks per domain, beside the numbers of EnterpriseOps-Gym."""
    from eops_traj.tasks.catalog import find_tasks
    from eops_traj.tasks.summary import stats as count_stats

    counts = count_stats(find_tasks(where, splits=split or (), domains=domain or ()))
    _show_stats({"source": where}, counts, as_json)


@app.command()
def quality(
    where: Where, split: Splits = None, domain: Domains = None,
    requests: Annotated[int, typer.Option(min=2, help="How many requests of a domain are compared.")] = 61,
    worlds: Annotated[bool, typer.Option("--worlds", help="Play each task where other values hold.")] = False,
    workers: Workers = 0, engine: Kind = LOCAL, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Measure how requests read, what they ask for and what plans use, beside the figures of real tasks."""
    from eops_traj.metrics.quality_report import measure_quality
    from eops_traj.metrics.task_quality import world_figures
    from eops_traj.taskgen.twin_count import decided_by_database
    from eops_traj.tasks.catalog import find_tasks, root_of

    tasks = find_tasks(where, splits=split or (), domains=domain or ())
    report = measure_quality(tasks, requests)
    if worlds:
        with progress("playing tasks again", len(tasks)) as advance:
            decided = decided_by_database(tasks, root_of(where), engine_of(workers, engine), advance)
        report = report.with_figures(world_figures(tasks, decided))
    if as_json:
        show_json({"source": where, **report.to_json()})
        return
    show_facts({"source": where, "tasks": len(tasks), "requests compared": f"at most {requests} a domain"})
    for rows in (report.figure_rows(), report.tool_rows(), report.given_away_rows()):
        show_whole(table_of(rows))


def _root(where: str, seeds: Path | None) -> Path | None:
    """Return the folder or zip that the seed files of tasks are named from."""
    from eops_traj.errors import FormatError
    from eops_traj.tasks.catalog import root_of

    if seeds is not None and not seeds.exists():
        raise FormatError(f"--seeds {seeds} does not exist; expected a folder or a zip of seed files")
    return seeds or root_of(where)


def _show_stats(head: dict[str, Any], counts: dict[str, Any], as_json: bool) -> None:
    from eops_traj.tasks.benchmark_figures import REAL_HARDNESS
    from eops_traj.tasks.hardness import hardness_rows
    from eops_traj.tasks.summary import BENCHMARK

    if as_json:
        show_json(head | counts | {"real_hardness": REAL_HARDNESS})
        return
    columns = ("tasks", "families", "infeasible", "mean_steps", "max_steps", "mean_verifiers")
    benchmark = {**BENCHMARK, "all": sum(BENCHMARK.values())}
    rows = [
        {"domain": name, "benchmark": benchmark.get(name), **{key: row[key] for key in columns}}
        for name, row in [*counts["by_domain"].items(), ("all", counts)]
    ]
    show_facts(head | {key: counts[key] for key in ("by_split", "twists")})
    show_fitting(table_of(rows), ("max_steps", "benchmark", "families"))
    show_whole(table_of(hardness_rows(counts["hardness"])))


@app.command()
def draft(
    what: Annotated[str, typer.Argument(help="A domain, a family, or families joined by + as a chain.")],
    company: Annotated[int, typer.Option(help="The company's number.")] = 0,
    count: Annotated[int, typer.Option(help="How many drafts of each family and perturbation.")] = 1,
    quiet: Annotated[bool, typer.Option(help="Only what is wrong, and the totals.")] = False,
) -> None:
    """Play scenarios, derive their verifiers, run every quality check, and print the results."""
    from eops_traj.errors import WorkError
    from eops_traj.taskgen.draft_command import try_family

    total = passed = 0
    for chain in _chains(what):
        for perturbation in (None, *(chain[0].perturbations if len(chain) == 1 else ())):
            for number in range(count):
                report = try_family(chain, company, f"draft:{number}", perturbation)
                total, passed = total + report.counts, passed + report.passes
                if not quiet or report.problems:
                    show_text(report.text(brief=quiet))
    show_lines(f"{passed} of {total} drafts pass")
    if passed < total:
        raise WorkError(f"{total - passed} drafts do not pass")


def _chains(what: str) -> "list[tuple[Family, ...]]":
    from eops_traj.errors import UnknownName
    from eops_traj.taskgen.family import domains, families

    if what in domains():
        return [(family,) for family in families([what])]
    known = {family.name: family for family in families()}
    chain = what.split("+")
    for name in chain:
        if name not in known:
            raise UnknownName("family", name, [*known, *domains()])
    return [tuple(known[name] for name in chain)]
