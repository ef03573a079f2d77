"""The kinds of damage: what disks, people and other programs do to the files of a store.

A store here has several commits, a selection, and three episodes waiting in its journal.
"""

import contextlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

from deltalake import DeltaTable

from eops_traj.schema import Episode
from eops_traj.store.arrow import to_json
from eops_traj.store.journal import Entry, Journal
from tests.episodes import episode

LEAST_KEY = '"minValues\\": {\\"episode_id\\": \\"'
"""What stands before the least key of a data file in an entry of the log."""


def made(number: int) -> Episode:
    """Return an episode: of two models in turn, on twelve tasks, every third lost."""
    won = number % 3 > 0
    return episode(
        f"e{number}", task_id=f"task_{number // 2}", task_hash=f"t{number // 2}", model="mn"[number % 2],
        agent_hash=f"a{number % 2}", outcome="success" if won else "failure",
        success_strict=won, success_parity=won, user_prompt=f"Who is number {number}? " * 20,
        split="train",
    )  # fmt: skip


def data_file(folder: Path, table: str = "episodes") -> Path:
    """Return a data file of a table that is neither its first nor its last."""
    return sorted((folder / table).glob("*.parquet"))[len(list((folder / table).glob("*.parquet"))) // 2]


def entry(folder: Path, number: int, table: str = "episodes") -> Path:
    """Return an entry of a table's log, from the first (0) or back from the last (-1)."""
    return sorted((folder / table / "_delta_log").glob("*.json"))[number]


def cut(path: Path) -> None:
    """Cut a file to its half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path, rng: Random) -> None:
    """Flip one bit of a file."""
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def edit(path: Path, old: str, new: str) -> None:
    """Replace a part of a text file."""
    path.write_text(path.read_text().replace(old, new))


def put(folder: Path, name: str) -> None:
    """Put garbage into the log of the episodes, under a name that readers heed."""
    (folder / "episodes" / "_delta_log" / name).write_bytes(GARBAGE)


def overwrite(path: Path) -> None:
    """Write zeros over the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 3)
    path.write_bytes(content)


def replace_by_file(path: Path) -> None:
    """Put a file where a folder was."""
    shutil.rmtree(path)
    path.write_text("a file")


def replace_by_folder(path: Path) -> None:
    """Put a folder where a file was."""
    path.unlink()
    path.mkdir()


def pipe(path: Path) -> None:
    """Put a pipe, which no reader ever comes to the end of, where a file was."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def exchange(one: Path, other: Path) -> None:
    """Give each of two files the other's content."""
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def mark(folder: Path, table: str = "episodes") -> Path:
    """Return the mark of a table's last commit."""
    return folder / table / "_head.json"


def trust_log(folder: Path) -> None:
    """Take the checksums of the log out of its mark: what was changed counts as written by another."""
    facts = json.loads(mark(folder).read_text())
    kept = {name: fact for name, fact in facts.items() if not name.startswith("log")}
    mark(folder).write_text(json.dumps(kept))


def edit_bytes(path: Path, old: bytes, new: bytes) -> None:
    """Replace a part of a file."""
    path.write_bytes(path.read_bytes().replace(old, new))


def sql(statement: str) -> Callable[[Path], None]:
    """Return damage that runs SQL on the journal, as another program might."""

    def damage(folder: Path) -> None:
        with contextlib.closing(sqlite3.connect(folder / "journal.sqlite", isolation_level=None)) as db:
            db.execute(statement)

    return damage


def in_place_of(table: str, columns: str, row: str) -> Callable[[Path], None]:
    """Return damage that puts another table of one row in the place of a table of the journal."""
    steps = f"DROP TABLE {table}", f"CREATE TABLE {table} ({columns})", f"INSERT INTO {table} VALUES ({row})"

    def damage(folder: Path) -> None:
        for step in steps:
            sql(step)(folder)

    return damage


def remove_journal(folder: Path) -> None:
    """Remove the journal's files."""
    for path in folder.glob("journal.sqlite*"):
        path.unlink()


def write_journal(folder: Path, content: bytes) -> None:
    """Put something else in the journal's place."""
    remove_journal(folder)
    (folder / "journal.sqlite").write_bytes(content)


def added(payload: str, kind: str = "episodes") -> Callable[[Path], None]:
    """Return damage that adds an entry with a sound checksum, as another version of this program might."""

    def damage(folder: Path) -> None:
        journal = Journal(folder / "journal.sqlite")
        journal.add([Entry(kind, "strange", payload)])
        journal.close()

    return damage


def poison(field: str, value: str) -> str:
    """Return an episode as JSON with another value in a field."""
    return re.sub(rf'("{field}": )[^,]*', rf"\g<1>{value}", to_json(made(99)).replace('"e99"', '"strange"'))


def unmark(folder: Path, entries: int, table: str = "episodes", data: bool = False) -> None:
    """Remove the mark of a table and its last log entries: what is left looks like an older table."""
    (folder / table / "_head.json").unlink()
    for _ in range(entries):
        last = entry(folder, -1, table)
        if data:
            for name in re.findall(r'"add":{"path":"([^"]+)"', last.read_text()):
                (folder / table / name).unlink()
        last.unlink()


def foreign_removal(folder: Path) -> None:
    """Take a data file off the episodes in a sound commit that is none of ours."""
    last = entry(folder, -1)
    action = {"path": data_file(folder).name, "dataChange": True, "deletionTimestamp": 0}
    following = last.with_name(f"{int(last.stem) + 1:020}.json")
    following.write_text(json.dumps({"remove": action}) + "\n")


def foreign_delete(folder: Path, rows: str, table: str = "episodes") -> None:
    """Delete rows of a table as another program of Delta does."""
    DeltaTable(folder / table).delete(rows)


GARBAGE = b"\x00\xff garbage {" * 50

DAMAGE: dict[str, Callable[[Path], object]] = {
    "data file cut": lambda s: cut(data_file(s)),
    "data file empty": lambda s: data_file(s).write_bytes(b""),
    "data file missing": lambda s: data_file(s).unlink(),
    "data file garbage": lambda s: data_file(s).write_bytes(GARBAGE),
    "data file with zeros": lambda s: overwrite(data_file(s)),
    "data file with one bit flipped": lambda s: flip(data_file(s), Random(7)),
    "data file replaced by another": lambda s: shutil.copy(data_file(s, "prompts"), data_file(s)),
    "data file is a folder": lambda s: replace_by_folder(data_file(s)),
    "data file is a pipe": lambda s: pipe(data_file(s)),
    "two data files exchanged": lambda s: exchange(*sorted((s / "episodes").glob("*.parquet"))[:2]),
    "data file with bytes more": lambda s: data_file(s).write_bytes(data_file(s).read_bytes() + GARBAGE),
    "prompts cut": lambda s: cut(data_file(s, "prompts")),
    "tool sets missing": lambda s: data_file(s, "toolsets").unlink(),
    "selection garbage": lambda s: data_file(s, "selections").write_bytes(GARBAGE),
    "runs with zeros": lambda s: overwrite(data_file(s, "runs")),
    "last log entry missing": lambda s: entry(s, -1).unlink(),
    "last log entry empty": lambda s: entry(s, -1).write_bytes(b""),
    "last log entry garbage": lambda s: entry(s, -1).write_bytes(GARBAGE),
    "last log entry cut": lambda s: cut(entry(s, -1)),
    "last log entry is a pipe": lambda s: pipe(entry(s, -1)),
    "all log entries but the first missing": lambda s: [entry(s, -1).unlink() for _ in range(3)],
    "log entry names a file outside": lambda s: edit(entry(s, 1), '"path":"', '"path":"../../'),
    "middle log entry missing": lambda s: entry(s, 2).unlink(),
    "middle log entry empty": lambda s: entry(s, 2).write_bytes(b""),
    "first log entry missing": lambda s: entry(s, 0).unlink(),
    "first log entry garbage": lambda s: entry(s, 0).write_bytes(GARBAGE),
    "last entry of the selections missing": lambda s: entry(s, -1, "selections").unlink(),
    "last entry of the prompts empty": lambda s: entry(s, -1, "prompts").write_bytes(b""),
    "bit in a range of keys of the log": lambda s: edit(entry(s, 2), LEAST_KEY + "e", LEAST_KEY + "u"),
    "bit in a column's name": lambda s: edit(entry(s, 0), "success_parity", "success_pavity"),
    "bit in the name of an added column": lambda s: edit(entry(s, 0), "task_defect", "task_degect"),
    "bit in the name of a nested column": lambda s: edit(entry(s, 0), "causes", "causer"),
    "checksum of the log with a digit more": lambda s: edit(mark(s), '"1.json": ', '"1.json": 9'),
    "log removed": lambda s: shutil.rmtree(s / "episodes" / "_delta_log"),
    "log is a file": lambda s: replace_by_file(s / "episodes" / "_delta_log"),
    "episodes missing": lambda s: shutil.rmtree(s / "episodes"),
    "prompts missing": lambda s: shutil.rmtree(s / "prompts"),
    "runs is a file": lambda s: replace_by_file(s / "runs"),
    "store is a file": replace_by_file,
    "store removed": shutil.rmtree,
    "schema version garbage": lambda s: edit(entry(s, 0), "schema 1", "x"),
    "checkpoint garbage": lambda s: put(s, f"{2:020}.checkpoint.parquet"),
    "hint of a checkpoint garbage": lambda s: put(s, "_last_checkpoint"),
    "mark and last log entry missing": lambda s: unmark(s, 1),
    "mark and all log entries but the first missing": lambda s: unmark(s, 3),
    "mark, last log entry and its data file missing": lambda s: unmark(s, 1, data=True),
    "mark, last log entry and journal missing": lambda s: (unmark(s, 1), remove_journal(s)),
    "mark and last entry of the selections missing": lambda s: unmark(s, 1, "selections"),
    "a foreign commit removes a data file": foreign_removal,
    "a foreign commit removes all rows": lambda s: foreign_delete(s, "true"),
    "a foreign commit removes a row": lambda s: foreign_delete(s, "episode_id = 'e3'"),
    "a foreign commit removes a selection": lambda s: foreign_delete(s, "true", "selections"),
    "mark garbage": lambda s: (s / "episodes" / "_head.json").write_bytes(GARBAGE),
    "mark empty": lambda s: (s / "episodes" / "_head.json").write_bytes(b""),
    "mark is a pipe": lambda s: pipe(s / "episodes" / "_head.json"),
    "mark of another shape": lambda s: (s / "prompts" / "_head.json").write_text("[1]"),
    "journal removed": remove_journal,
    "journal empty": lambda s: write_journal(s, b""),
    "journal garbage": lambda s: write_journal(s, GARBAGE),
    "journal cut": lambda s: (sql("PRAGMA wal_checkpoint(TRUNCATE)")(s), cut(s / "journal.sqlite")),
    "journal emptied": sql("DELETE FROM entry"),
    "journal without one entry": sql("DELETE FROM entry WHERE key = 'e25'"),
    "journal without its table": sql("DROP TABLE entry"),
    "journal without its tally": sql("DELETE FROM tally"),
    "journal with a tally of nothing": in_place_of("tally", "added, moved", "NULL, 3"),
    "journal with a last commit of nothing": in_place_of(
        "head", "name, id, version, rows", "'episodes', 'x', NULL, 1"
    ),
    "journal with a schema that is no text": lambda s: (
        sql("PRAGMA wal_checkpoint(TRUNCATE)")(s),
        edit_bytes(s / "journal.sqlite", b"CREATE TABLE quarantine", b"CREATE TABL\xc5 quarantine"),
    ),
    "journal with a changed payload": sql("UPDATE entry SET payload = replace(payload, '25', '5')"),
    "journal with a payload that is no JSON": sql("UPDATE entry SET payload = '{'"),
    "journal with a payload that is no text": sql("UPDATE entry SET payload = x'ff00'"),
    "journal with an unknown kind": added("{}", "verdicts"),
    "journal with a list": added("[]"),
    "journal with a record of nothing": added('{"episode_id": "strange"}'),
    "journal with what Arrow refuses": added(poison("n_turns", str(2**63))),
    "journal with a text for a number": added(poison("n_turns", '"two"')),
    "journal with its mark a pipe": lambda s: pipe(s / "journal.json"),
    "journal with its mark garbage": lambda s: (s / "journal.json").write_bytes(GARBAGE),
}  # fmt: skip
"""Every kind of damage, by name."""
