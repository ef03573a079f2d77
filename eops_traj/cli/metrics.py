"""The commands that print figures: score, diagnose, compare."""

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.completion import complete_run_or_model
from eops_traj.cli.console import (
    ErrorsOption,
    JsonOption,
    MixOption,
    StoreOption,
    show_fitting,
    show_json,
    show_lines,
    show_whole,
)
from eops_traj.schema import PASSED

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.causes.cause import Cause
    from eops_traj.schema import Episode


def score(
    store: StoreOption,
    by: Annotated[str, typer.Option(help="Group by these columns: domain,mode,model ...")] = "",
    k: Annotated[list[int] | None, typer.Option(help="Attempts for mean@k, pass@k, pass^k; repeat.")] = None,
    mix_protocols: MixOption = False,
    errors: ErrorsOption = None,
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="By mode and domain, beside the published leaderboard.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print parity, strict, verifiers, intervals, pass@k, tokens, steps and cost, by group and in all.

    With --json the rows of the groups alone, or without --by that of all.
    """
    from eops_traj.metrics.error_rule import OUT, OWN, SAID, check_rule, default_rule, rule_for
    from eops_traj.metrics.pooled import pooled_note
    from eops_traj.metrics.score import score
    from eops_traj.metrics.score_table import SPARE, score_table
    from eops_traj.metrics.uneven import uneven_notes
    from eops_traj.store.store import Store

    keys = list(dict.fromkeys(key.strip() for key in by.split(",") if key.strip()))
    if errors is not None:
        check_rule(errors)
    with Store.open(store) as opened:
        episodes = opened.scan()
    rule = errors or default_rule(episodes, apart=leaderboard or "protocol" in keys)
    if leaderboard:
        _show_leaderboard(episodes, keys, rule, as_json)
        return
    if as_json:
        rows = score(episodes, keys, k or (), rule, mix_protocols)
        show_json([{**row, "errors_count": rule_for(row.get("protocol", ""), rule)} for row in rows])
        return
    groups = keys or ["domain"]
    mixed = mix_protocols or "protocol" in groups
    rows = score(episodes, groups, k or (), rule, mixed)
    [total] = score(episodes, (), k or (), OUT if rule == OWN else rule, mixed)
    protocol = f"protocol {total['conditions']}" if total["conditions"] else f"no episodes in {store}"
    show_lines(SAID[rule], protocol, *pooled_note(episodes, groups), *uneven_notes(rows, total))
    show_fitting(score_table(rows, groups, total), SPARE)


def _show_leaderboard(episodes: "pl.LazyFrame", keys: list[str], rule: str, as_json: bool) -> None:
    from eops_traj.metrics.error_rule import SAID
    from eops_traj.metrics.leaderboard import check_keys, leaderboard, published_figures
    from eops_traj.metrics.leaderboard_table import leaderboard_notes, leaderboard_table

    check_keys(keys)
    rows = leaderboard(episodes, rule)
    if as_json:
        source = published_figures()["source"]
        show_json({"rows": [dataclasses.asdict(row) for row in rows], "errors_count": rule, "source": source})
        return
    show_lines(SAID[rule], *leaderboard_notes(rows))
    show_whole(leaderboard_table(rows))


def diagnose(
    store: StoreOption,
    episode: Annotated[str | None, typer.Option(help="List the findings of this episode, by turn.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print why episodes failed and how often each failure mode shows, by domain; or both of one episode."""
    from eops_traj.metrics.cause_rates import cause_rates, cause_table
    from eops_traj.metrics.failure_rates import errors_left_out, failure_mode_rates, failure_mode_table
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        if episode is not None:
            record = opened.episode(episode)
            _show_diagnosis(record, opened.prompt(record.prompt_hash), as_json)
            return
        causes, modes = cause_rates(opened.scan()), failure_mode_rates(opened.scan())
        errors = errors_left_out(opened.scan())
    if as_json:
        show_json({"causes": causes, "failure_modes": modes, "errors_left_out": errors})
        return
    if errors:
        show_lines(f"left out: {errors:,} errors, whatever they count in a score")
    show_whole(cause_table(causes))
    show_whole(failure_mode_table(modes))


def _show_diagnosis(record: "Episode", policy: str, as_json: bool) -> None:
    """Show the causes of an episode's failure, and the failure modes that its turns show."""
    from eops_traj.causes.find import causes_of
    from eops_traj.verify.failure_modes import diagnose

    causes, findings = causes_of(record, policy), diagnose(record, policy)
    if as_json:
        modes = [dataclasses.asdict(finding) for finding in findings]
        show_json({"causes": [dataclasses.asdict(cause) for cause in causes], "failure_modes": modes})
        return
    lines = [f"{_place(c)}  {c.kind}  {' '.join(c.sentence.split())}" for c in causes]
    if not causes and record.outcome not in PASSED:
        lines = ["no cause found"]
    lines += [f"turn {f.turn + 1}  {f.mode}  {' '.join(f.what.split())}" for f in findings]
    show_lines(*(lines or ["no failure mode shows"]))


def _place(cause: "Cause") -> str:
    """Say where a cause shows; a consequence stands under what explains it."""
    place = "the task" if cause.evidence.turn is None else f"turn {cause.evidence.turn + 1}"
    return f"  then {place}" if cause.consequence else f"cause, {place}"


def compare(
    base: Annotated[
        str,
        typer.Argument(
            help="A run (its id or how that begins), or a model: all its runs.",
            autocompletion=complete_run_or_model,
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            help="What to hold against it, named in the same way.", autocompletion=complete_run_or_model
        ),
    ],
    store: StoreOption,
    margin: Annotated[float | None, typer.Option(help="Test for equivalence within this share of 1.")] = None,
    mix_protocols: MixOption = False,
    errors: ErrorsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether NEW is better than BASE over the tasks that both attempted, with intervals."""
    from eops_traj.metrics.compare import compare
    from eops_traj.metrics.compare_table import SPARE, comparison_summary, comparison_table
    from eops_traj.metrics.error_rule import RULES
    from eops_traj.store.store import Store

    with Store.open(store) as opened:
        records = opened.scan(table="runs")
        comparison = compare(opened.scan(), base, new, margin, mix_protocols, records, errors)
    if as_json:
        show_json(dataclasses.asdict(comparison))
        return
    show_lines(*comparison_summary(comparison))
    if comparison.base.errors or comparison.new.errors:
        show_lines(RULES[comparison.errors_count])
    show_fitting(comparison_table(comparison), SPARE)
