"""``eops-traj check``: what is wrong with a store, what that costs, and what can be mended."""

from typing import TYPE_CHECKING, Annotated

import typer

from eops_traj.cli.console import JsonOption, show_json, show_lines, show_table
from eops_traj.errors import InputError, WorkError

if TYPE_CHECKING:
    from eops_traj.store.check import Findings
    from eops_traj.store.store import Store


def check(
    store: Annotated[
        str, typer.Argument(metavar="STORE", help="The store: a folder or an object-store URL.")
    ],
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    drop_lost: Annotated[
        bool,
        typer.Option("--drop-lost", help="With --repair: take files that are lost for good off the tables."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a store to the last byte: list all damage and what is lost; exit 1 where there is any."""
    from eops_traj.store.check import check_store
    from eops_traj.store.store import Store

    if drop_lost and not repair:
        raise InputError("--drop-lost gives up what --repair cannot bring back: ask for both")
    opened = Store(store)
    done = _repair(opened, drop_lost) if repair else []
    findings = check_store(opened)
    _show(store, findings, done, as_json)
    if findings.damage or findings.set_aside:
        lost = sum(damage.rows_lost for damage in findings.damage)
        raise WorkError(
            f"{store}: {len(findings.damage)} damages, {lost} rows lost, {len(findings.set_aside)} set aside"
        )


def _repair(store: "Store", drop_lost: bool) -> list[str]:
    """Mend a store, and return what was done. Raises InputError for what is not mended behind a URL."""
    from eops_traj.store.check import check_store
    from eops_traj.store.repair import Repair

    if store.remote and drop_lost:
        raise InputError(f"{store.url} is no folder: --repair mends its journal alone, without --drop-lost")
    check_store(store)  # there has to be one
    work = Repair(store, drop_lost)
    work.run()
    return work.done


def _show(store: str, findings: "Findings", done: list[str], as_json: bool) -> None:
    damage = [item._asdict() for item in findings.damage]
    aside = [
        {"kind": item.entry.kind, "key": item.entry.key, "reason": item.reason, "time": item.time}
        for item in findings.set_aside
    ]
    if as_json:
        whole = {"damage": damage, "set_aside": aside, "notes": findings.notes, "repaired": done}
        show_json({"store": store, **whole})
        return
    show_lines(*(f"repaired: {line}" for line in done), *findings.notes)
    if aside:
        show_table({}, "set_aside", aside, False)
    show_table({"store": store}, "damage", damage, False)
