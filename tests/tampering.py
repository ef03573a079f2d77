"""Ways of tampering with an export: with its card, its rows, its files, and what its certificate says."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eops_traj.export.certificate import CERTIFICATE
from tests.certified import certify

Tamper = Callable[[Path], None]
"""A function that changes the folder of an export; another export lies beside it, in ``others``."""

DATA = "data/train.jsonl"
MARK, OTHER = b"Done.", b"Sold."
"""Words of certified rows, and those of rows that never were."""
CARD = b"---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: %s\n---\n"
COLUMNS = b"---\ndataset_info: {features: [{name: x, dtype: int8}]}\n---\n"


def certificate(change: Callable[[dict[str, Any]], Any]) -> Tamper:
    """Return a way of tampering that changes the certificate; what the change returns takes its place."""

    def tamper(folder: Path) -> None:
        path = folder / "certificate.json"
        content = json.loads(path.read_text("utf-8"))
        changed = change(content)
        path.write_text(json.dumps(content if changed is None else changed), encoding="utf-8")

    return tamper


def file(name: str, content: bytes | Callable[[Path], bytes]) -> Tamper:
    """Return a way of tampering that puts a file, in the place of any that is there."""

    def tamper(folder: Path) -> None:
        new = content if isinstance(content, bytes) else content(folder)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_bytes(new)

    return tamper


def both(*tampers: Tamper) -> Tamper:
    """Return several ways of tampering, one after the other."""

    def tamper_each(folder: Path) -> None:
        for tamper in tampers:
            tamper(folder)

    return tamper_each


def link(name: str, target: str) -> Tamper:
    """Return a way of tampering that moves a path to another place, and leaves a link."""

    def tamper(folder: Path) -> None:
        (folder / name).rename(folder.parent / target)
        (folder / name).symlink_to(folder.parent / target)

    return tamper


def rows(folder: Path) -> bytes:
    """Return the certified rows."""
    return (folder / DATA).read_bytes()


def poisoned(folder: Path) -> bytes:
    """Return other rows, as many and as long."""
    return rows(folder).replace(MARK, OTHER)


def text(old: bytes, new: bytes) -> Tamper:
    """Return a way of tampering with the first such words of the certificate."""
    return file(CERTIFICATE, lambda folder: (folder / CERTIFICATE).read_bytes().replace(old, new, 1))


def _take(folder: Path, name: str) -> None:
    """Take a file of the other export."""
    shutil.copy(folder.parent / "others" / name, folder / name)


def pipe(folder: Path) -> None:
    """Put a pipe in the place of the data."""
    (folder / DATA).unlink()
    os.mkfifo(folder / DATA)


def directory(folder: Path) -> None:
    """Put a folder in the place of the data."""
    (folder / DATA).unlink()
    (folder / DATA).mkdir()


def hard_link(folder: Path) -> None:
    """Give the data a second name elsewhere."""
    os.link(folder / DATA, folder.parent / "second_name")


def forge(folder: Path) -> None:
    """Replace the rows, and certify them anew, as whoever has the folder may: only a pin tells."""
    format_ = json.loads((folder / CERTIFICATE).read_text("utf-8"))["format"]
    file(DATA, poisoned)(folder)
    certify(folder, format_)


def check(**changes: Any) -> Tamper:
    """Return a way of tampering with the last check."""
    return certificate(lambda c: c["checks"][-1].update(changes))


def first(**changes: Any) -> Tamper:
    """Return a way of tampering with what the certificate says of its first data file."""
    return certificate(lambda c: c["data_files"][0].update(changes))


def top(**changes: Any) -> Tamper:
    """Return a way of tampering with fields of the certificate."""
    return certificate(lambda c: c.update(changes))


def version_1(glob: str) -> Tamper:
    """Return a way of tampering that names the data by a glob, as certificates once did."""
    newer = ("version", "rows_by")
    return certificate(lambda c: {k: v for k, v in c.items() if k not in newer} | {"data_files": glob})


def _capitals(content: dict[str, Any]) -> None:
    """Write the SHA-256 of the first data file in capitals."""
    content["data_files"][0]["sha256"] = content["data_files"][0]["sha256"].upper()


FAILURE = [{"row": "data/train.jsonl:1", "episode_id": "e0", "why": "a key"}]
FOLDERS: dict[str, Tamper] = {
    "card names other rows": both(file("README.md", CARD % b"other.jsonl"), file("other.jsonl", poisoned)),
    "card names every file": both(file("README.md", CARD % b"'**'"), file("data/z.jsonl", poisoned)),
    "card names a foreign address": file("README.md", CARD % b"https://127.0.0.1:9/rows.jsonl"),
    "card is no text": file("README.md", b"\xff---\n" * 9),
    "card has other columns": file("README.md", COLUMNS),
    "a script of the folder's name": file("export.py", b"raise SystemExit(9)"),
    "a saved dataset beside": file("state.json", b"{}"),
    "dataset_infos.json": file("dataset_infos.json", b"{"),
    "rows changed": file(DATA, poisoned),
    "rows cut": file(DATA, lambda folder: rows(folder)[:-9]),
    "rows appended": file(DATA, lambda folder: rows(folder) + poisoned(folder)),
    "an empty line more": file(DATA, lambda folder: rows(folder) + b"\n"),
    "rows in another order": file(DATA, lambda folder: b"".join(sorted(rows(folder).splitlines(True))[::-1])),
    "no rows": file(DATA, b""),
    "rows packed": file(DATA, lambda folder: gzip.compress(poisoned(folder))),
    "rows removed": lambda folder: (folder / DATA).unlink(),
    "packed rows beside": file("data/train.jsonl.gz", lambda folder: gzip.compress(poisoned(folder))),
    "a shard before": file("data/a.jsonl", poisoned),
    "a shard after": file("data/z.jsonl", poisoned),
    "a shard with an odd name": file("data/a\nb.jsonl", poisoned),
    "a hidden shard": file("data/.z.jsonl", poisoned),
    "linked rows": link(DATA, "elsewhere.jsonl"),
    "linked to other rows": both(link(DATA, "elsewhere.jsonl"), file("../elsewhere.jsonl", b"{}")),
    "linked folder": link("data", "elsewhere"),
    "linked certificate": link(CERTIFICATE, "elsewhere.json"),
    "linked in a circle": lambda folder: (folder / DATA).unlink() or (folder / DATA).symlink_to(DATA),
    "a pipe": pipe,
    "a folder": directory,
    "a second name": hard_link,
    "no certificate": lambda folder: (folder / CERTIFICATE).unlink(),
    "certificate of others": lambda folder: _take(folder, CERTIFICATE),
    "rows of others": lambda folder: _take(folder, DATA),
    "certificate empty": file(CERTIFICATE, b""),
    "certificate no text": file(CERTIFICATE, b"\xff\xfe{}"),
    "certificate cut": file(CERTIFICATE, lambda folder: (folder / CERTIFICATE).read_bytes()[:-20]),
    "certificate nested": file(CERTIFICATE, b"[" * 10**6),
    "certificate of one number": file(CERTIFICATE, b"1" * 10**5),
    "certificate large": file(CERTIFICATE, b" " * 2**25),
    "failed, then passed": text(b"{", b'{"passed": false,'),
    "not a number": text(b'"rows": ', b'"rows": NaN, "a": '),
    "version 1": version_1("data/*.jsonl"),
    "tokenizer of others": top(tokenizer="others"),
    "lengths of others": top(lengths={"rows": 7}),
    "options of others": top(options={"shown": {"prompt": "../../x"}}),
}  # fmt: skip
"""Ways of tampering with a folder: its certified rows may be read nevertheless, and no others."""

LIES: dict[str, Tamper] = {
    "checks emptied": top(checks=[]),
    "a check removed": certificate(lambda c: c["checks"].pop() and None),
    "a check twice": certificate(lambda c: c["checks"].append(c["checks"][0])),
    "a check renamed": check(check="no_secrets_at_all"),
    "a check failed": check(status="failed", failures=FAILURE),
    "a check failed by its word": check(status="failed"),
    "a check failed by its rows": check(failures=FAILURE),
    "a check not run": check(status="not run", not_run="no time", rows=0),
    "a check on fewer rows": check(rows=1),
    "a check of an odd name": check(check="a\nb\x1b[2J"),
    "rows one more": certificate(lambda c: c.update(rows=c["rows"] + 1)),
    "rows of a file one more": first(rows=99),
    "rows of both one more": both(first(rows=99), top(rows=99)),
    "another SHA-256": first(sha256="0" * 64),
    "another size": first(size=1),
    "SHA-256 in capitals": certificate(_capitals),
    "content hash in capitals": certificate(lambda c: c.update(content_hash=c["content_hash"].upper())),
    "a file above": first(name="../others/data/train.jsonl"),
    "a file by its whole path": certificate(lambda c: c["data_files"][0].update(name="/etc/hostname")),
    "a file by a detour": first(name="data/./train.jsonl"),
    "a file of an odd name": first(name="data/train.jsonl\n"),
    "a file by a pattern": first(name="data/*.jsonl"),
    "a file twice": certificate(lambda c: c["data_files"].append(c["data_files"][0])),
    "no file": top(data_files=[], rows=0),
    "a version to come": top(version=4),
    "a version with a point": certificate(lambda c: c.update(version=float(c["version"]))),
    "a version as text": top(version="3"),
    "version 1, a shard more": both(version_1("data/*.jsonl"), file("data/z.jsonl", poisoned)),
    "version 1, a shard of an odd name": both(version_1("data/*.jsonl"), file("data/a\nb.jsonl", poisoned)),
    "version 1, linked": both(version_1("data/*.jsonl"), link(DATA, "elsewhere.jsonl")),
    "version 1, every file": version_1("**/*.jsonl"),
    "version 1, a file above": version_1("../others/data/*.jsonl"),
    "version 1, its whole path": version_1("/etc/*"),
    "another format": top(format="enterpriseops"),
    "a format of rows of others": top(format="token_ids"),
}  # fmt: skip
"""Certificates that cannot be relied on: nothing may be read."""

TAMPERS = FOLDERS | LIES
