"""Datasets that wait for their upload and are tampered with: the Hub gets what the gate let pass."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from eops_traj.errors import EopsError, WorkError
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.publish.hub_double import TOKEN, Hub, hub_double
from tests.publish.publications import may_go, publication

NOTES: tuple[bytes, ...] = (
    *(b"", b"{", b"[]", b"null", b'"files"', b"\xff\xfe", b"[" * 10**5, b'{"files": {}}'),
    *(b'{"files": {}, "parts": [], "rows": 0}', b'{"files": [], "parts": {}, "rows": -1}'),
)
"""What the note on a staged dataset may have been replaced by."""


def attack(folder: Path, every: int = 1) -> Tally:
    """Tamper with every file of a staged dataset in every way, or one in so many; let the upload go on."""
    tally, cache = Tally("staged datasets"), folder / "cache"
    with served(cache) as hub:
        hub.room = 0
        with suppress(WorkError):
            upload(folder, hub)
        [staged] = (cache / "eops-traj" / "publish").iterdir()
        shutil.copytree(staged, folder / "whole")
        hub.room = None
        certified = upload(folder, hub)
        for case, tamper in one_in(every, tampers(folder / "whole")):
            shutil.rmtree(staged, ignore_errors=True)
            shutil.copytree(folder / "whole", staged)
            tamper(staged)
            tally.add(outcome(folder, hub, certified), case)
    return tally


@contextmanager
def served(cache: Path) -> Iterator[Hub]:
    """Serve a Hub that speaks LFS and not xet, to which the environment points."""
    with pytest.MonkeyPatch.context() as patch, hub_double() as hub:
        patch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        patch.setenv("HF_TOKEN", TOKEN)
        patch.setenv("HF_ENDPOINT", hub.url)
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield hub


def upload(folder: Path, hub: Hub) -> dict[str, str]:
    """Publish two splits, and return the SHA-256 of every file on the Hub by its path."""
    hub.files = {}
    publication(folder, [may_go("e0"), may_go("e1", split="dev")], to="hub:org/data").run()
    return dict(hub.files)


def outcome(folder: Path, hub: Hub, certified: dict[str, str]) -> str:
    """Return what comes of an upload: `HELD`, or the word for the harm."""
    try:
        return HELD if upload(folder, hub) == certified else "published"
    except EopsError:
        return HELD if not hub.files else "published"
    except Exception as error:  # noqa: BLE001 - whatever else is raised ends in a traceback
        return f"traceback ({type(error).__name__})"


def tampers(whole: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield ways of tampering with a staged dataset, each of its files in turn."""
    names = [path.relative_to(whole).as_posix() for path in sorted(whole.rglob("*")) if path.is_file()]
    for name in names:
        yield f"{name} changed", lambda staged, name=name: (staged / name).write_bytes(b"{}")
        yield f"{name} appended", lambda staged, name=name: (staged / name).open("ab").write(b" ")
        yield f"{name} removed", lambda staged, name=name: (staged / name).unlink()
        yield f"{name} linked", lambda staged, name=name: _link(staged / name)
        yield (
            f"{name} with another beside",
            lambda staged, name=name: shutil.copy(staged / name, f"{staged / name}.2"),
        )
        yield f"{name} left out of the note", lambda staged, name=name: _forget(staged, name)
    for hidden in (".env", ".cache/keys", ".hidden/rows.parquet", "episodes/.keys"):
        yield f"{hidden} added", lambda staged, name=hidden: _add(staged / "data" / name)
    for note in NOTES:
        yield f"note of {note[:40]!r}", lambda staged, note=note: (staged / "told.json").write_bytes(note)


def _link(path: Path) -> None:
    """Replace a file by a link to another one."""
    other = path.parent.parent / "other"
    other.write_bytes(b"other")
    path.unlink()
    path.symlink_to(other)


def _add(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"secret")


def _forget(staged: Path, name: str) -> None:
    """Take a file out of the note, and change it."""
    note = json.loads((staged / "told.json").read_text("utf-8"))
    note["files"].pop(name.removeprefix("data/"), None)
    (staged / "told.json").write_text(json.dumps(note), encoding="utf-8")
    (staged / name).open("ab").write(b" ")
