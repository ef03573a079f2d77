"""Exports that were tampered with, given to whatever reads one: other rows are never read, nothing breaks.

A case is a way of tampering and a reader. It holds where the reader refuses with one line, or reads exactly
the rows that were certified. Every field of the certificate, at any depth, is attacked with every odd value.
"""

import functools
import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from datasets import disable_progress_bars

from eops_traj.errors import EopsError
from eops_traj.export.certificate import CERTIFICATE
from eops_traj.export.certificate_file import read_certificate
from eops_traj.interchange.convert import Conversion
from eops_traj.provenance.contamination import training_data
from eops_traj.provenance.lineage import CERTIFIED, lineage
from eops_traj.provenance.lineage_file import TrainedOn, write_lineage
from eops_traj.recipes import sft
from eops_traj.train.config import RecipeConfig
from eops_traj.train.run_folder import open_data
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.selected import calling, exported
from tests.tampering import DATA, LIES, MARK, OTHER, TAMPERS, Tamper, certificate, forge, poisoned

Rows = list[str]
Reader = Callable[[Path], Rows]
ODD: list[Any] = [
    None, True, False, "yes", "", 1, 0, -1, 1.5, 2**63, 10**400, [], {}, [[]], "../../other", "/etc/passwd",
    "data/*.jsonl", "\ud800", "a\nb\x1b[2J", "\x00", {"a": {"b": [None] * 3}}, "x" * 10**6,
]  # fmt: skip
"""Values that a field may have been given."""
FREE = {"store", "store_version", "selection", "options", "counts", "eops_traj", "tokenizer", "lengths"}
"""The fields of a certificate that say nothing of the rows; every other one may not be changed."""
WORDS = {"asks", "not_run"}
"""Fields of a check that are words for people."""
RACES = 20
"""How often a folder is read while its rows are exchanged."""


def texts(rows: list[dict[str, Any]]) -> Rows:
    """Return the rows as texts that can be compared."""
    return [json.dumps(row["messages"], sort_keys=True) for row in rows]


def train(folder: Path, pinned: str | None = None) -> Rows:
    """Read the rows as a recipe does."""
    config = RecipeConfig(recipe="sft", data=folder, certificate=pinned, output=folder.parent / "out")
    disable_progress_bars()
    with open_data(config, sft.FORMATS, resume=False) as data:
        return texts(list(data.rows))


def leaks(folder: Path) -> Rows:
    """Read the rows as ``eops-traj leaks`` does."""
    [dataset], _ = training_data(folder)
    return texts([row.record for row in dataset.rows()])


def trace(folder: Path) -> Rows:
    """Trace a checkpoint to the episodes of its data; a problem that is named counts as refused."""
    checkpoint = lineage(folder.parent / "checkpoint")
    if checkpoint.problems or checkpoint.data is None or checkpoint.data.state != CERTIFIED:
        raise EopsError("; ".join(checkpoint.problems) or "the data is gone")
    return leaks(folder)


def convert(folder: Path) -> Rows:
    """Read the rows as ``eops-traj convert`` does; a folder without certificate is of somebody else."""
    if not (folder / CERTIFICATE).exists():
        raise EopsError("no export")
    out = folder.parent / "converted.jsonl"
    out.unlink(missing_ok=True)
    Conversion(folder, out, to="openai").run()
    return texts([json.loads(line) for line in out.read_text("utf-8").splitlines()])


READERS: dict[str, tuple[str, Reader]] = {
    "train": ("sft", train),
    "leaks": ("sft", leaks),
    "lineage": ("sft", trace),
    "convert": ("openai", convert),
}
"""What reads an export: the format that it is given, and the function."""


def lies(path: tuple[str | int, ...]) -> bool:
    """Check whether a certificate cannot be relied on where this field of it was changed."""
    return path[0] not in FREE and path[-1] not in WORDS


def fields(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every field of a certificate, however deep it lies."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from fields(inner, (*path, key))


def at(path: tuple[str | int, ...], odd: list[Any]) -> Tamper:
    """Return a way of tampering that puts a value into a field, or without one takes it out."""

    def change(content: dict[str, Any]) -> None:
        inner: Any = content
        for key in path[:-1]:
            inner = inner[key]
        if odd:
            inner[path[-1]] = odd[0]
        else:
            del inner[path[-1]]

    return certificate(change)


def values(folder: Path) -> Iterator[tuple[str, Tamper, bool]]:
    """Yield a way of tampering for each field of a certificate: with each odd value, and without it.

    With each comes whether the certificate lies then.
    """
    content = json.loads((folder / CERTIFICATE).read_text("utf-8"))
    for path in fields(content):
        for odd in [[], *([value] for value in ODD)]:
            value = repr(odd[0])[:30] if odd else "nothing"
            yield f"{'.'.join(map(str, path))} = {value}", at(path, odd), lies(path)


def outcome(reader: Reader, folder: Path, certified: Rows, lies: bool = False) -> str:
    """Return what it comes to that a reader is given a folder: `HELD`, or the word for the harm.

    A certificate that ``lies`` may not be believed, even where the rows are the certified ones.
    """
    try:
        read = reader(folder)
    except EopsError as error:
        return "many lines" if len(str(error).splitlines()) > 1 else HELD
    except Exception as error:  # noqa: BLE001 - whatever else is raised ends in a traceback
        return f"traceback ({type(error).__name__})"
    return "trained" if read != certified else "believed" if lies else HELD


def prepared(folder: Path, case: Path, format_: str) -> Path:
    """Return a folder with an export, another one beside it, and a checkpoint that was trained on the first.

    The checkpoint names the export as it will lie in ``case``, a copy of the folder.
    """
    rows = [calling(f"e{n}", {"n": n}, answer=MARK.decode()) for n in range(3)]
    exported(folder / "a", rows, format_).rename(folder / "export")
    others = [calling(f"o{n}", {"n": n}, answer=OTHER.decode()) for n in range(3)]
    exported(folder / "b", others, format_).rename(folder / "others")
    (folder / "checkpoint").mkdir()
    (folder / "checkpoint" / "model.safetensors").write_bytes(b"weights")
    data = read_certificate(folder / "export").model_dump(include=set(TrainedOn.model_fields))
    config = RecipeConfig(recipe="sft", data=case / "export", output=case / "out")
    write_lineage(folder / "checkpoint", None, TrainedOn(folder=str(case / "export"), **data), config)
    shutil.rmtree(folder / "a")
    shutil.rmtree(folder / "b")
    return folder


def attack(folder: Path, every: int = 1) -> Tally:
    """Give every reader every export that was tampered with, or of the odd values one in so many."""
    tally, case = Tally("exports"), folder / "case"
    for name, (format_, reader) in READERS.items():
        whole = prepared(folder / name, case, format_)
        certified = reader(_tampered(whole, case, lambda _: None))
        tampers = ((what, tamper, what in LIES) for what, tamper in TAMPERS.items())
        for what, tamper, lies in (*tampers, *one_in(every, values(whole / "export"))):
            changed = _tampered(whole, case, tamper)
            lies = lies and not _same(whole / "export", changed)
            tally.add(outcome(reader, changed, certified, lies), f"{name}: {what}")
        for n, result in enumerate(_raced(_tampered(whole, case, lambda _: None), reader, certified)):
            tally.add(result, f"{name}: rows exchanged while they are read, {n}")
    _attack_pinned(folder, case, tally)
    return tally


def _tampered(whole: Path, case: Path, tamper: Tamper) -> Path:
    """Return the export in a copy of a folder, after tampering."""
    shutil.rmtree(case, ignore_errors=True)
    shutil.copytree(whole, case)
    tamper(case / "export")
    return case / "export"


def _same(one: Path, other: Path) -> bool:
    """Check whether two exports have the same certificate: an odd value may be the true one."""
    first, second = (json.loads((folder / CERTIFICATE).read_text("utf-8")) for folder in (one, other))
    return repr(first) == repr(second)


def _raced(folder: Path, reader: Reader, certified: Rows) -> list[str]:
    """Read a folder again and again while another thread exchanges its rows."""
    whole, other, done = (folder / DATA).read_bytes(), poisoned(folder), threading.Event()

    def exchange() -> None:
        while not done.is_set():
            for content in (other, whole):
                (folder / "next").write_bytes(content)
                (folder / "next").replace(folder / DATA)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        return [outcome(reader, folder, certified) for _ in range(RACES)]
    finally:
        done.set()
        thread.join()


def _attack_pinned(folder: Path, case: Path, tally: Tally) -> None:
    """Forge rows and certificate together, which only a pinned certificate tells."""
    whole = folder / "train"
    pin = hashlib.sha256((whole / "export" / CERTIFICATE).read_bytes()).hexdigest()
    reader = functools.partial(train, pinned=pin)
    certified = reader(_tampered(whole, case, lambda _: None))
    tally.add(outcome(reader, _tampered(whole, case, forge), certified), "train, pinned: forged together")
