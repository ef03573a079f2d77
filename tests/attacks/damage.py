"""Damage to a store: every command that reads one either answers in full or says that it cannot.

    python -m tests.attacks.damage

A table: each kind of damage times each command that takes a store, as the command line lists them. And single
bits flipped in data files, each of which `eops-traj check` must tell.
"""

import contextlib
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest import mock

from eops_traj.cli.main import main, program
from eops_traj.filter.config import parse_rules
from eops_traj.schema import Json, Run
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from tests.attacks.damage_kinds import DAMAGE, flip, made
from tests.attacks.tally import HELD, Tally
from tests.collect.case_tasks import task, write_tasks
from tests.conftest import FIXTURES
from tests.episodes import PROMPT, TOOLS
from tests.filters.labelled import selected

FLIPS = 150
"""Bits that are flipped by hand; CI flips fewer."""
VOLATILE = re.compile(r'\d{4}-\d\d-\d\dT[\d:.+]*|127\.0\.0\.1:\d+|"seconds": [\d.]+')
"""What differs between two runs of a command on the same store: times, and a free port."""
MAKERS = ("import", "doctor", "collect")
"""Commands that begin a new store where there is none."""


class Ran(NamedTuple):
    """What a command came to; ``code`` is None where it ended in an exception."""

    code: int | None
    out: str
    err: str


def run(*arguments: object) -> Ran:
    """Run the command line in this process; what Rust writes to the file behind stderr counts too."""
    out, err = io.StringIO(), io.StringIO()
    code: int | None = 0
    with tempfile.TemporaryFile() as raw:
        kept = os.dup(2)
        os.dup2(raw.fileno(), 2)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main([str(a) for a in arguments])
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        except BaseException as error:  # noqa: BLE001 - a panic is no Exception, and is what is looked for
            code = None
            err.write(f"{type(error).__name__}: {error}")
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        raw.seek(0)
        return Ran(code, out.getvalue(), err.getvalue() + raw.read().decode(errors="replace"))


ARGUMENTS: dict[str, Callable[[Path, Path], list[object]]] = {
    "import": lambda store, out: ["enterpriseops", FIXTURES / "results", "--store", store, "--json"],
    "doctor": lambda store, out: [*expert(out), "--store", store, "--json"],
    "collect": lambda store, out: [*expert(out), "--store", store, "--limit", "1", "--json"],
    "branch": lambda store, out: [*expert(out), "--store", store, "--limit", "1", "--json"],
    "verify": lambda store, out: ["--store", store, "--json"],
    "score": lambda store, out: ["--store", store, "--json"],
    "diagnose": lambda store, out: ["--store", store, "--json"],
    "filter": lambda store, out: ["filter_all", "--store", store, "--name", "again", "--json"],
    "selections": lambda store, out: ["--store", store, "--json"],
    "labels": lambda store, out: ["--store", store, "--json"],
    "why": lambda store, out: ["e1", "--selection", "all", "--store", store, "--json"],
    "export": lambda store, out: [
        "sft",
        "--store",
        store,
        "--selection",
        "all",
        "--out",
        out / "x",
        "--json",
    ],
    "convert": lambda store, out: [store, out / "x", "--to", "atif", "--json"],
    "compare": lambda store, out: ["m", "n", "--store", store, "--json"],
    "lineage": lambda store, out: [out / "none", "--store", store],
    "leaks": lambda store, out: [out / "none", "test", "--store", store],
    "publish": lambda store, out: (
        [
            "all",
            "--store",
            store,
            "--to",
            out / "x",
            "--licence",
            "MIT",
            "--json",
            "--dry-run",
            "--tasks",
            tasks(out),
        ]
    ),
    "report": lambda store, out: ["--store", store, "--out", out / "x.html", "--json"],
    "view": lambda store, out: ["--store", store, "--port", "0"],
    "history": lambda store, out: ["--store", store, "--json"],
    "check": lambda store, out: [store, "--json"],
    "compact": lambda store, out: ["--store", store, "--json"],
    "vacuum": lambda store, out: ["--store", store, "--json"],
}
"""What each command is called with: the store, and an empty folder for what it writes."""


def tasks(out: Path) -> Path:
    """Return the folder of tasks, beside that for what is written; the second is held out."""
    return out.parent / "tasks"


def expert(out: Path) -> list[object]:
    """Return a collection by the expert, who never slips."""
    return ["collect_expert", f"tasks.source={tasks(out)}", "attempts=1", "orchestrator.rate=0"]


def store_commands() -> list[str]:
    """Return every command that takes a store, or a folder that may be one."""
    commands: Any = program().commands
    folders = {"convert"}  # its argument may be a store, which no name says
    return [n for n, c in commands.items() if n in folders or any(p.name == "store" for p in c.params)]


def whole_store(folder: Path) -> None:
    """Make a store of several commits and a selection, with three episodes waiting in its journal."""
    runs = [Run(run_id="r0", kind="collect", started_at="2026", version="1", config=Json("{}"))]
    for part in range(3):
        with Store.open(folder, create=True) as store:
            numbers = range(part * 8, part * 8 + 8)
            store.append([made(n) for n in numbers], prompts=[PROMPT], toolsets=[TOOLS], runs=runs)
    rules = parse_rules({"rules": ["no_error", {"outcome": {"one_of": ["success", "failure"]}}]}, "all")
    with Store.open(folder) as store:
        selected(store, "all", rules, save=True)
    waiting = Store.open(folder)
    waiting.append([made(n) for n in range(24, 27)])
    waiting.journal.close()


def outcome(ran: Ran, expected: Ran) -> str:
    """Judge a command on a damaged store against what it answers where all is whole."""
    if ran.code is None or "Traceback" in ran.err:
        return "traceback"
    if "panicked" in ran.err:
        return "panic"
    if ran.code == 0:
        return HELD if VOLATILE.sub("", ran.out) == VOLATILE.sub("", expected.out) else "silent"
    if not 1 <= len(ran.err.strip().splitlines()) <= 1 + len(expected.err.splitlines()):
        return "many lines"
    return HELD if "eops-traj:" in ran.err else "no word"


class Bench:
    """A place where commands run on copies of one store, always under the same path."""

    def __init__(self, folder: Path) -> None:
        """Make the store that all the others are copies of."""
        self.whole, self.store, self.out = folder / "whole", folder / "store", folder / "out"
        whole_store(self.whole)
        held_out = json.dumps(dump_task(task(2, split="test")))
        (write_tasks(tasks(self.out), 1) / "held_out.json").write_text(held_out)

    def run(self, command: str, damage: Callable[[Path], object]) -> Ran:
        """Run a command on a fresh copy of the store, after something was done to it."""
        for path in (self.store, self.out):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        shutil.copytree(self.whole, self.store)
        self.out.mkdir()
        damage(self.store)
        with mock.patch("uvicorn.Server.run"):
            return run(command, *ARGUMENTS[command](self.store, self.out))


def attack(folder: Path, every: int = 1) -> Tally:
    """Run every command on every kind of damage, or on each in turn of so many of them; `check` on each."""
    tally, bench = Tally("damage x command"), Bench(folder)
    for turn, command in enumerate(store_commands()):
        expected = bench.run(command, lambda store: None)
        for number, (name, damage) in enumerate(DAMAGE.items()):
            left_out = (number + turn) % every and command != "check"
            if left_out or (name == "store removed" and command in MAKERS):
                continue
            tally.add(outcome(bench.run(command, damage), expected), f"{name}: {command}")
    return tally


def attack_bits(folder: Path, flips: int = FLIPS) -> Tally:
    """Flip single bits in data files, those of older versions too; `check` must tell each."""
    tally, bench, rng = Tally("flipped bits"), Bench(folder), Random(0)
    assert run("compact", "--store", bench.whole).code == 0
    files = sorted(path.relative_to(bench.whole) for path in bench.whole.glob("*/*.parquet"))
    for number in range(flips):
        name = files[number % len(files)]
        ran = bench.run("check", lambda store, name=name: flip(store / name, rng))
        tally.add(HELD if ran.code == 1 and name.name in ran.out else "silent", f"{number}: {name}")
    return tally


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        for part in (attack, attack_bits):
            result = part(Path(work) / part.__name__)
            print(result, *result.fell(), sep="\n")
