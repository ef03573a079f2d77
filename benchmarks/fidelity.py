"""How truly the gym answers: calls made on real databases, replayed on them here, value by value.

    python -m benchmarks.fidelity FOLDER [--server NAME ...] [--results] [--show N]

``FOLDER/calls/NAME.json`` holds calls that were made in order on the real server of this name, each with its
answer: a list of ``{tool, arguments, ok, answer}``. ``FOLDER/seeds/*.sql`` holds the databases; a server's
calls belong to its one whole database (``*.sample.sql`` is a part of one). Every leaf of an answer is
compared, and so are leaves that only one of the two answers has. What the clock tells and what is made up at
random cannot be the same: both are counted by themselves, by the declared names below, and times only where
ours is one of this replay. Exits 1 where less than 99% of a server's values are equal, 2 where a file is
missing or cannot be read.

With ``--results`` the calls in result files of the benchmark's harness (``FOLDER/results/NAME``) are replayed
too, each run on a fresh copy. They were made on other databases of the same company, so that differences may
be theirs: these figures are printed, and no part of the verdict.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from eops_traj.errors import EopsError, FormatError
from eops_traj.files import read_json
from eops_traj.gym import registry
from eops_traj.gym.engine.clock import START
from eops_traj.gym.engine.database import Database
from eops_traj.gym.identity import default_caller
from eops_traj.gym.seed_check import server_of
from eops_traj.gym.server import Server

BOUND = 0.99
CLOCK = frozenset({
    "sys_created_on", "sys_updated_on", "created_at", "updated_at", "created_on", "updated_on", "assigned_at",
    "set_at", "start_time", "started_at",
})  # fmt: skip
"""What a call writes by the clock. One of these is compared all the same where ours stood in the seed."""
MADE_UP = frozenset({"static_token"})
"""What a call draws at random."""
_ABSENT = "(absent)"


@dataclass(frozen=True)
class Difference:
    """A value that is not the real one."""

    call: int
    tool: str
    path: str
    wanted: Any
    got: Any

    def __str__(self) -> str:
        wanted, got = (one if one == _ABSENT else json.dumps(one) for one in (self.wanted, self.got))
        return f"  call {self.call}, {self.tool}: {self.path}: wanted {wanted}, got {got}"


@dataclass
class Fidelity:
    """The comparison of one server's calls."""

    server: str
    calls: int = 0
    values: int = 0
    clock: int = 0
    made_up: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of values that are the real ones; none where nothing was compared."""
        return 1 - len(self.differences) / self.values if self.values else 0.0

    def __str__(self) -> str:
        equal = self.values - len(self.differences)
        return (
            f"{self.server}: {self.calls} calls, {self.values} values, {equal} equal ({self.share:.2%});"
            f" apart: {self.clock} told by the clock, {self.made_up} made up"
        )


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with its path; an empty list or object is a value of its own."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def same(wanted: Any, got: Any) -> bool:
    """Check whether two values are equal in JSON, where 1 is 1.0 and true is not 1."""
    return isinstance(wanted, bool) is isinstance(got, bool) and bool(wanted == got)


def is_time(text: Any) -> bool:
    """Check whether a value is a time with its hour."""
    try:
        return isinstance(text, str) and len(text) > len("2026-01-05") and bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def replay(
    server: Server, seed: str, calls: Iterable[Mapping[str, Any]], report: Fidelity | None = None
) -> Fidelity:
    """Make the calls in order on the real database, and compare their answers."""
    report, database = report or Fidelity(server.name), server.template(seed).open()
    caller = default_caller(server, database)
    for number, call in enumerate(calls, 1):
        reply = server.call(database, call["tool"], call["arguments"], caller)
        wanted = dict(leaves({"ok": call["ok"], "answer": call["answer"]}))
        got = dict(leaves({"ok": not reply.is_error, "answer": _decoded(reply.text)}))
        report.calls += 1
        for path in dict.fromkeys((*wanted, *got)):
            pair = wanted.get(path, _ABSENT), got.get(path, _ABSENT)
            _compare(report, database, Difference(number, call["tool"], path, *pair))
    database.close()
    return report


def _compare(report: Fidelity, database: Database, pair: Difference) -> None:
    """Count a pair of values."""
    name = pair.path.rpartition(".")[2].partition("[")[0]
    first, last = (f"{time:%Y-%m-%d %H:%M:%S}" for time in (START, database.now()))
    told = is_time(pair.got) and first < pair.got.replace("T", " ") <= last
    if name in CLOCK and told and is_time(pair.wanted):
        report.clock += 1
    elif name in MADE_UP and isinstance(pair.wanted, str) and isinstance(pair.got, str):
        report.made_up += 1
    else:
        report.values += 1
        report.differences += [pair] * (not same(pair.wanted, pair.got))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def whole_databases(folder: Path) -> dict[str, Path]:
    """Return the whole database of each server. Raises FormatError where a server has two."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.sql")):
        if path.name.endswith(".sample.sql"):
            continue
        name = server_of(path.read_text(encoding="utf-8")).name
        if name in found:
            raise FormatError(f"{folder}: {found[name].name} and {path.name} are both of {name}")
        found[name] = path
    return found


def harness_runs(folder: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the calls of each run in result files of the harness, in the form of ``calls/NAME.json``."""
    for path in sorted(folder.glob("*.json")):
        for run in read_json(path)["runs"]:
            results = [(call, call["result"].get("result") or {}) for call in run["tool_results"]]
            yield [
                {
                    "tool": call["tool_name"], "arguments": call["arguments"], "ok": not result["isError"],
                    "answer": _decoded(result["content"][0]["text"]),
                }
                for call, result in results if result.get("content")
            ]  # fmt: skip


def compared(folder: Path, only: Iterable[str] = (), results: bool = False) -> list[Fidelity]:
    """Replay the calls of each server in a folder, or those of its result files.

    Raises FormatError where calls lack their database.
    """
    names = list(only) or sorted(path.stem for path in (folder / "calls").glob("*.json"))
    if not names:
        raise FormatError(f"{folder}: no calls/NAME.json, NAME being one of {', '.join(registry.SERVERS)}")
    databases, reports = whole_databases(folder / "seeds"), []
    for name in names:
        server = registry.server(name)
        if name not in databases:
            raise FormatError(f"{folder / 'seeds'}: no whole database of {name}")
        report, seed = Fidelity(name), databases[name].read_text(encoding="utf-8")
        runs = harness_runs(folder / "results" / name) if results else [read_json(_calls(folder, name))]
        for calls in runs:
            replay(server, seed, calls, report)
        reports.append(report)
    return reports


def _calls(folder: Path, name: str) -> Path:
    return folder / "calls" / f"{name}.json"


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison of each server, and what differs; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--server", action="append", default=[], help="only this server; may be repeated")
    parser.add_argument("--results", action="store_true", help="result files of the harness too")
    parser.add_argument("--show", type=int, default=40, help="differences to print of each server")
    given = parser.parse_args(arguments)
    try:
        reports = compared(given.folder, given.server)
        others = compared(given.folder, given.server, results=True) if given.results else []
    except (EopsError, OSError) as error:
        print(error, file=sys.stderr)
        return error.exit_code if isinstance(error, EopsError) else 2
    for report in reports:
        print(report, *report.differences[: given.show], sep="\n")
    for report in (one for one in others if one.calls):
        print(f"results of the harness, {report}", *report.differences[: given.show], sep="\n")
    return int(any(report.share < BOUND for report in reports))


if __name__ == "__main__":
    sys.exit(main())
